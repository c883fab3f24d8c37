package dev.windrow.tests.cli.step;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.windrow.tests.cli.Cli;
import dev.windrow.tests.cli.Cli.Result;
import dev.windrow.tests.cli.CommandTest;
import java.nio.file.Files;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** {@code windrow complete}, {@code windrow fail} and {@code enqueue --external} from outside. */
class ExternalCompletionTest extends CommandTest {
    @Test
    void aJobWithExternalCompletionIsCompletedWithAResult() {
        String id = cli.enqueue("order.approve", "{\"order\":17}", "--external", "7d");
        String report = cli.enqueue("order.ship", "--depends-on", id);
        JsonNode waiting = cli.json("show", id, "--json");
        assertThat(waiting.get("state").asString()).isEqualTo("BLOCKED");
        assertThat(waiting.get("waitingFor").asString()).isEqualTo("EVENT");
        assertThat(waiting.get("wakeAt").asString()).matches("20..-..-..T.*Z");
        assertThat(cli.run("show", id).out()).contains("waits for  external completion, until 20");
        JsonNode child = cli.json("show", report, "--json");
        assertThat(child.get("waitingFor").asString()).isEqualTo("PARENTS");
        assertThat(child.get("wakeAt").isNull()).isTrue();
        JsonNode stats = cli.json("stats", "--json");
        assertThat(stats.get("unhandled")).isEmpty();
        assertThat(stats.at("/waiting/count").asInt()).isEqualTo(1);
        assertThat(stats.at("/waiting/nextAt")).isEqualTo(waiting.get("wakeAt"));
        assertThat(cli.run("stats").out()).contains("Waiting for external completion");
        assertThat(cli.run("doctor", "--full").status()).isZero();

        assertThat(cli.json("complete", id, "{\"by\":\"ada\"}", "--json").toString())
                .isEqualTo("{\"id\":\"%s\",\"state\":\"COMPLETED\",\"next\":null}".formatted(id));
        JsonNode history = cli.json("show", id, "--json");
        assertThat(history.get("result").toString()).isEqualTo("{\"by\":\"ada\"}");
        assertThat(history.get("waitingFor").isNull()).isTrue();
        assertThat(history.get("wakeAt").isNull()).isTrue();
        assertThat(state(report)).isEqualTo("PENDING");

        Result again = cli.run("complete", id, "--json");
        assertThat(again.status()).isEqualTo(1);
        assertThat(again.err()).contains(id, "COMPLETED");
        assertThat(again.out()).isEmpty();
        Result missing = cli.run("complete", "4711");
        assertThat(missing.status()).isEqualTo(1);
        assertThat(missing.err()).contains("4711");
    }

    @Test
    void anExternallyContinuedChainIsListedFromEachOfItsJobs() {
        String first = cli.enqueue("order.approve", "--external", "7d", "--dedupe-key", "order-17");
        String report = cli.enqueue("order.report", "--depends-on", first);
        JsonNode alone = cli.json("chain", "show", first, "--json");
        assertThat(alone.get("id").asString()).isEqualTo(first);
        assertThat(alone.get("finished").asBoolean()).isFalse();
        assertThat(alone.get("state").asString()).isEqualTo("BLOCKED");
        assertThat(alone.get("jobs")).hasSize(1);
        assertThat(cli.run("chain", "show", first).out())
                .contains("Chain " + first, "1 job so far, the last one is BLOCKED");

        JsonNode answer = cli.json(
                "complete",
                first,
                "{\"by\":\"ada\"}",
                "--continue-with",
                "order.ship",
                "--continue-payload",
                "-17",
                "--continue-queue",
                "dock",
                "--json");
        String next = answer.get("next").asString();
        assertThat(answer.toString())
                .isEqualTo("{\"id\":\"%s\",\"state\":\"COMPLETED\",\"next\":\"%s\"}".formatted(first, next));
        JsonNode history = cli.json("show", next, "--json");
        assertThat(history.get("type").asString()).isEqualTo("order.ship");
        assertThat(history.get("queue").asString()).isEqualTo("dock");
        assertThat(history.get("payload").toString()).isEqualTo("-17");
        assertThat(history.get("dedupeKey").asString()).isEqualTo("order-17");
        assertThat(state(report)).isEqualTo("PENDING");
        assertThat(cli.enqueue("order.approve", "--dedupe-key", "order-17")).isEqualTo(next);

        assertThat(cli.run("complete", next, "--continue-with", "order.bill").out())
                .containsPattern("job " + next + " is COMPLETED and continues with job \\d+");
        JsonNode chain = cli.json("chain", "show", next, "--json");
        assertThat(chain.get("id").asString()).isEqualTo(first);
        assertThat(chain.get("state").asString()).isEqualTo("PENDING");
        assertThat(chain.get("jobs").valueStream().map(job -> job.get("type").asString() + job.get("chainIndex")))
                .containsExactly("order.approve0", "order.ship1", "order.bill2");
        String last = chain.at("/jobs/2/id").asString();
        assertThat(cli.json("chain", "show", last, "--json")).isEqualTo(cli.json("chain", "show", first, "--json"));
        assertThat(cli.run("chain", "show", last).out())
                .contains("Chain " + first, "3 jobs so far, the last one is PENDING")
                .containsPattern("1 +" + next + " +COMPLETED +order.ship +dock");
        cli.json("complete", last, "--json");
        assertThat(cli.json("chain", "show", first, "--json").get("finished").asBoolean())
                .isTrue();
        assertThat(cli.run("chain", "show", first).out()).contains("3 jobs, the last one is COMPLETED");
        assertThat(cli.run("doctor", "--full").status()).isZero();

        Result again = cli.run("complete", first, "--continue-with", "order.ship");
        assertThat(again.status()).isEqualTo(1);
        assertThat(again.err()).contains(first, "COMPLETED");
        assertThat(cli.json("chain", "show", first, "--json").get("jobs")).hasSize(3);
        Result missing = cli.run("chain", "show", "4711");
        assertThat(missing.status()).isEqualTo(1);
        assertThat(missing.err()).contains("4711");
        assertThat(missing.out()).isEmpty();
    }

    @Test
    void aJobIsFailedExternallyWithItsCode() {
        String id = cli.enqueue("order.approve", "--external", "7d");
        assertThat(cli.json("fail", id, "--error-code", "APPROVAL:REFUSED", "--detail", "too dear", "--json")
                        .toString())
                .isEqualTo("{\"id\":\"%s\",\"state\":\"FAILED\"}".formatted(id));
        JsonNode history = cli.json("show", id, "--json");
        assertThat(history.get("errorCode").asString()).isEqualTo("APPROVAL:REFUSED");
        assertThat(history.get("errorDetail").asString()).isEqualTo("too dear");
        assertThat(cli.run("fail", id, "--error-code", "A:B").status()).isEqualTo(1);
        cli.json("retry", id, "--json");
        assertThat(cli.json("show", id, "--json").get("waitingFor").asString())
                .as("it is not run, but waits again")
                .isEqualTo("EVENT");
        assertThat(cli.run("complete", id, "-1").out()).contains("job " + id + " is COMPLETED");
    }

    @Test
    void anyWorkerEndsAWaitThatTimesOut() throws Exception {
        String id = cli.enqueue("order.approve", "--external", "1ms");
        Cli.AtWork worker = cli.begin("work", "--allow-exec");
        await().atMost(Duration.ofSeconds(60)).until(() -> state(id).equals("FAILED"));
        assertThat(cli.json("show", id, "--json").get("errorCode").asString()).isEqualTo("TIMEOUT:WAIT");
        String late = cli.enqueue("order.approve", "--external", "1s");
        await().atMost(Duration.ofSeconds(60)).until(() -> state(late).equals("FAILED"));
        worker.signal();
        assertThat(worker.end().status()).isZero();
    }

    @Test
    void aRunningJobIsCompletedWhileAnotherProcessRunsIt() throws Exception {
        String id = cli.enqueue("exec", "--", "sh", "-c", "echo $$ >begun.tmp; mv begun.tmp begun; exec sleep 600");
        Cli.Running worker = cli.start("work", "--allow-exec");
        long pid = Long.parseLong(Cli.contentOf(folder.resolve("begun")));
        cli.json("complete", id, "{\"exitCode\":0}", "--json");
        Cli.assertEnds(pid);
        JsonNode history = cli.json("show", id, "--json");
        assertThat(history.get("state").asString()).isEqualTo("COMPLETED");
        assertThat(history.get("result").toString()).isEqualTo("{\"exitCode\":0}");
        assertThat(history.at("/attempts/0/outcome").asString()).isEqualTo("SUPERSEDED");
        worker.process().destroy();
        assertThat(worker.end().status()).isZero();
        assertThat(state(id)).isEqualTo("COMPLETED");
    }

    @Test
    void aLineOfAFileMayRequestExternalCompletion() throws Exception {
        Files.writeString(folder.resolve("jobs.jsonl"), "{\"type\":\"a\",\"external\":\"1h\"}\n");
        cli.json("enqueue", "--file", "jobs.jsonl", "--json");
        JsonNode jobs = cli.json("list", "--json").get("jobs");
        assertThat(jobs.get(0).get("waitingFor").asString()).isEqualTo("EVENT");
    }

    @Test
    void wrongUsageIsReportedAndChangesNothing() {
        String id = cli.enqueue("order.approve", "--external", "7d");
        String[][] wrong = {
            {"complete", "ID"},
            {"complete", "x", "'x'"},
            {"complete", id, "{", "JSON"},
            {"complete", id, "1", "2", "2"},
            {"complete", id, "--force", "--force"},
            {"complete", id, "--continue-payload", "1", "--continue-payload needs --continue-with"},
            {"complete", id, "--continue-queue", "q", "--continue-queue needs --continue-with"},
            {"complete", id, "--continue-with", "no type", "--continue-with"},
            {"complete", id, "--continue-with", "a", "--continue-payload", "{", "--continue-payload"},
            {"complete", id, "--continue-with", "a", "--continue-queue", "no queue", "--continue-queue"},
            {"complete", id, "--continue-with", "exec", "--continue-payload", "{}", "exec"},
            {"chain", "verb"},
            {"chain", "show", "ID"},
            {"chain", "show", "x", "'x'"},
            {"chain", "show", id, id, id},
            {"chain", id, id},
            {"fail", id, "--error-code"},
            {"fail", id, "--error-code", "oops", "oops"},
            {"fail", "--error-code", "A:B", "ID"},
            {"fail", id, id, "--error-code", "A:B", id},
            {"enqueue", "a", "--external", "0s", "--external"},
            {"enqueue", "a", "--external", "1h", "--delay", "1m", "no delay"},
            {"enqueue", "a", "--external", "1h", "--dedupe-key", "k", "--dedupe-strategy", "replace", "keep"},
        };
        for (String[] words : wrong) {
            Result result = cli.run(java.util.Arrays.copyOf(words, words.length - 1));
            assertThat(result.status()).as("%s", (Object) words).isEqualTo(2);
            assertThat(result.err()).contains(words[words.length - 1]);
            assertThat(result.out()).isEmpty();
        }
        assertThat(state(id)).isEqualTo("BLOCKED");
    }
}
