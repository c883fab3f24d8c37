package dev.windrow.tests.cli.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobRef;
import dev.windrow.JobType;
import dev.windrow.LogLevel;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.payload.Json;
import dev.windrow.store.Transition;
import dev.windrow.testkit.ManualTime;
import dev.windrow.tests.cli.Cli.Result;
import dev.windrow.tests.cli.CommandTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** {@code windrow show} from outside. */
class ShowTest extends CommandTest {
    @Test
    void aLongPayloadIsShownByLengthAndHash() throws IOException {
        String json = "\"" + "x".repeat(3 << 20) + "\"";
        Path file = Files.writeString(folder.resolve("long.json"), json);
        String id = cli.enqueue("t", "--payload-file", "long.json");
        String other = cli.reading(file)
                .json("enqueue", "t", "--payload-file", "-", "--json")
                .get("id")
                .asString();
        for (String job : List.of(id, other)) {
            Result shown = cli.run("show", job);
            assertThat(shown.status()).isZero();
            assertThat(shown.out())
                    .contains("3,145,730 bytes of JSON, stored separately as blob", "sha256 ")
                    .hasSizeLessThan(2000);
            JsonNode payload = cli.json("show", job, "--json").get("payload");
            assertThat(payload.get("bytes").asInt()).isEqualTo(3145730);
        }
        String apart = cli.enqueue("t", "\"" + "y".repeat(70_000) + "\"");
        assertThat(cli.json("show", apart, "--json").get("payload").asString()).hasSize(70_000);
        assertThat(cli.run("doctor", "--full").status()).isZero();
    }

    @Test
    void aPayloadFileHoldsOneJsonValueAndExcludesAnotherPayload() throws IOException {
        Files.write(folder.resolve("latin1"), new byte[] {'"', (byte) 0xe9, '"'});
        Files.writeString(folder.resolve("bad"), "{");
        Files.writeString(folder.resolve("good"), "1");
        String[][] wrong = {
            {"not UTF-8", "enqueue", "t", "--payload-file", "latin1"},
            {"not one JSON value", "enqueue", "t", "--payload-file", "bad"},
            {"the file or folder does not exist", "enqueue", "t", "--payload-file", "nosuch"},
            {"leave out JSON", "enqueue", "t", "1", "--payload-file", "good"},
            {"--file does not go with", "enqueue", "--file", "good", "--payload-file", "good"},
        };
        for (String[] each : wrong) {
            Result result = cli.run(Arrays.copyOfRange(each, 1, each.length));
            assertThat(result.status()).isNotZero();
            assertThat(result.err()).contains(each[0]);
        }
        assertThat(folder.resolve("windrow.db")).doesNotExist();
    }

    @Test
    void showTellsTheAttemptsAfterARetryApart() {
        String id = cli.enqueue(
                "exec", "--max-attempts", "1", "--", "sh", "-c", "test -e again || { touch again; exit 3; }");
        cli.run("work", "--until-idle", "--allow-exec");
        assertThat(cli.run("show", id).out()).contains("1  FAILED").doesNotContain("run 1, attempt");
        cli.run("retry", id);
        cli.run("work", "--until-idle", "--allow-exec");
        assertThat(cli.run("show", id).out())
                .contains("run 2, attempt 1 of at most 1", "run 1, attempt 1  FAILED", "run 2, attempt 1  SUCCEEDED");
        JsonNode history = cli.json("show", id, "--json");
        assertThat(history.get("run").asInt()).isEqualTo(2);
        assertThat(history.at("/attempts/0/run").asInt()).isEqualTo(1);
        assertThat(history.at("/attempts/1/run").asInt()).isEqualTo(2);
        assertThat(history.at("/events")
                        .valueStream()
                        .filter(event -> event.get("event").asString().equals("FAILED"))
                        .map(event -> event.get("detail").toString()))
                .containsExactly("{\"attempt\":1,\"run\":1,\"code\":\"PROCESS:EXIT_3\"}");
    }

    @Test
    void showPrintsTheWholeHistory() {
        // Fails once, then succeeds.
        String script = "echo out $WINDROW_ATTEMPT; echo err >&2; test -e again || { touch again; exit 3; }";
        String id = cli.enqueue("exec", "--", "sh", "-c", script);
        String child = cli.enqueue("other", "--depends-on", id);
        assertThat(cli.json("work", "--until-idle", "--allow-exec", "--json").toString())
                .isEqualTo(
                        "{\"completed\":1,\"failed\":0,\"cancelled\":0,\"retried\":1,\"snoozed\":0,\"parked\":0,\"handedBack\":0}");
        JsonNode history = cli.json("show", id, "--json");
        assertThat(history.propertyNames())
                .contains(
                        "id",
                        "type",
                        "queue",
                        "name",
                        "state",
                        "version",
                        "priority",
                        "attempt",
                        "maxAttempts",
                        "payload",
                        "result",
                        "errorCode",
                        "errorDetail",
                        "createdAt",
                        "scheduledAt",
                        "startedAt",
                        "finishedAt",
                        "worker",
                        "chainId",
                        "chainIndex",
                        "dependsOn",
                        "dependents",
                        "tags",
                        "dedupeKey",
                        "progress",
                        "log",
                        "droppedLines",
                        "traceparent",
                        "attemptsLeftOut",
                        "attempts",
                        "events");
        assertThat(history.get("state").asString()).isEqualTo("COMPLETED");
        assertThat(history.get("errorCode").isNull()).isTrue();
        assertThat(history.get("result").toString())
                .isEqualTo(
                        "{\"exitCode\":0,\"stdout\":\"out 2\\n\",\"stderr\":\"err\\n\",\"stdoutDroppedBytes\":0,\"stderrDroppedBytes\":0}");
        assertThat(history.get("dependents").toString()).isEqualTo("[\"" + child + "\"]");
        assertThat(history.get("finishedAt").asString()).matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z");
        assertThat(history.get("attempts"))
                .hasSize(2)
                .allSatisfy(attempt -> assertThat(attempt.propertyNames())
                        .contains(
                                "attempt",
                                "worker",
                                "outcome",
                                "errorCode",
                                "errorDetail",
                                "startedAt",
                                "finishedAt",
                                "output"));
        JsonNode failed = history.at("/attempts/0");
        assertThat(history.get("attemptsLeftOut").asInt()).isZero();
        assertThat(failed.get("attempt").asInt()).isEqualTo(1);
        assertThat(failed.get("outcome").asString()).isEqualTo("FAILED");
        assertThat(failed.get("errorCode").asString()).isEqualTo("PROCESS:EXIT_3");
        assertThat(failed.get("errorDetail").asString()).isEqualTo("err");
        assertThat(failed.get("output").asString()).contains("out 1", "err");
        assertThat(history.at("/attempts/1/outcome").asString()).isEqualTo("SUCCEEDED");
        assertThat(history.get("events"))
                .allSatisfy(event -> assertThat(event.propertyNames()).contains("at", "event", "actor", "detail"));
        assertThat(history.get("events")
                        .valueStream()
                        .map(event -> event.get("event").asString()))
                .containsExactly(
                        "ENQUEUED", "CLAIMED", "STARTED", "RETRY_SCHEDULED", "CLAIMED", "STARTED", "SUCCEEDED");
        assertThat(cli.json("show", child, "--json").get("state").asString()).isEqualTo("PENDING");
        assertThat(cli.run("show", id).out())
                .contains("COMPLETED", "RETRY_SCHEDULED", "PROCESS:EXIT_3", "out 1", "awaited by");
    }

    @Test
    void showPrintsProgressAndLog() {
        JobType<Json, Json> type = JobType.raw("loud");
        long id;
        try (Windrow windrow = Windrow.open(target.newStore());
                Worker worker = windrow.worker()
                        .handle(type, (input, job) -> {
                            for (int i = 0; i < 250; i++) {
                                job.log(LogLevel.WARN, "line\n" + i);
                            }
                            job.progress(0.425, "nearly half");
                            return input;
                        })
                        .start()) {
            JobRef<Json> job = windrow.enqueue(type, new Json("1"));
            windrow.await(job, Duration.ofSeconds(60));
            id = job.id();
            assertThat(worker.name()).isNotEmpty();
        }
        JsonNode history = cli.json("show", Long.toString(id), "--json");
        assertThat(history.get("progress").propertyNames()).containsExactly("fraction", "message", "at");
        assertThat(history.at("/progress/fraction").asDouble()).isEqualTo(0.425);
        assertThat(history.at("/progress/message").asString()).isEqualTo("nearly half");
        assertThat(history.get("log"))
                .hasSize(200)
                .allSatisfy(line -> assertThat(line.propertyNames()).containsExactly("at", "level", "message"));
        assertThat(history.at("/log/199/message").asString()).isEqualTo("line\u240a249");
        assertThat(history.at("/log/0/message").asString()).startsWith("51 earlier lines were dropped");
        assertThat(history.get("droppedLines").asInt()).isZero();
        assertThat(cli.json("list", "--json").at("/jobs/0/progress/fraction").asDouble())
                .isEqualTo(0.425);
        assertThat(cli.run("show", Long.toString(id)).out())
                .contains("progress", "42 %  nearly half", "Log (UTC)", "WARN", "line\u240a249");
    }

    @Test
    void showCountsTheAttemptsThatItLeavesOut() {
        ManualTime time = new ManualTime();
        long id;
        try (StoreDriver store = new StoreDriver(target.newStore(), time)) {
            id = store.enqueue(NewRow.job());
            for (int i = 0; i < 100; i++) {
                store.settle(store.claimOne(), Transition.HAND_BACK);
            }
        }
        JsonNode history = cli.json("show", Long.toString(id), "--json");
        int kept = history.get("attempts").size();
        int leftOut = history.get("attemptsLeftOut").asInt();
        assertThat(kept).isBetween(55, 99);
        assertThat(leftOut).isEqualTo(100 - kept);
        assertThat(history.at("/events/16/event").asString()).isEqualTo("TRIMMED");
        assertThat(history.at("/events/16/detail/attempts").asInt()).isEqualTo(leftOut);
        assertThat(cli.run("show", Long.toString(id)).out())
                .containsOnlyOnce("... " + leftOut + " attempts left out: the first 5 and the last 50 are kept")
                .containsOnlyOnce("TRIMMED")
                .contains("attempts " + leftOut + ", events " + 3 * leftOut);
    }

    @Test
    void aJobThatDoesNotExistIsNamed() {
        cli.json("enqueue", "t", "--json");
        Result result = cli.run("show", "4711", "--json");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err()).contains("4711");
        assertThat(result.out()).isEmpty();
        Result largest = cli.run("show", "9223372036854775807", "--json");
        assertThat(largest.status()).isEqualTo(1);
        assertThat(largest.err()).contains("9223372036854775807");
    }
}
