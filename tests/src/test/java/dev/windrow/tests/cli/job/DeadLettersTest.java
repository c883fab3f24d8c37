package dev.windrow.tests.cli.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.windrow.tests.cli.Cli;
import dev.windrow.tests.cli.Cli.Result;
import dev.windrow.tests.cli.CommandTest;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** What an operator does with jobs that have failed: {@code list}, {@code retry}, {@code delete}, {@code trigger}, {@code audit}. */
class DeadLettersTest extends CommandTest {
    /** Enqueues jobs that fail with this payload, and has a worker fail them. */
    private void fail(String type, String payload, int count) throws IOException {
        Files.writeString(
                folder.resolve("jobs.jsonl"),
                "{\"type\":\"%s\",\"payload\":%s,\"maxAttempts\":1,\"tags\":[\"x\"]}\n"
                        .formatted(type, payload)
                        .repeat(count));
        cli.json("enqueue", "--file", "jobs.jsonl", "--json");
        cli.json("work", "--until-idle", "--allow-exec", "--json");
    }

    private void failExecs(int count) throws IOException {
        fail("exec", "{\"command\":[\"false\"]}", count);
    }

    private long rows(String sql) {
        return Long.parseLong(target.rows(sql).get(0));
    }

    private long audited(String action) {
        return rows("SELECT coalesce(sum(jobs), 0) FROM windrow_audit WHERE action = '" + action + "'");
    }

    @Test
    void failedJobsAreListedWithTheirStackTraces() throws IOException {
        String id = cli.enqueue("demo.file", "5");
        failExecs(1);
        JsonNode jobs = cli.json("list", "--state", "FAILED", "--stack-traces", "--json")
                .get("jobs");
        assertThat(jobs).hasSize(2);
        assertThat(jobs.get(0).get("errorCode").asString()).isEqualTo("PROCESS:EXIT_1");
        assertThat(jobs.get(0).get("stackTrace").isNull()).isTrue();
        assertThat(jobs.get(1).get("id").asString()).isEqualTo(id);
        assertThat(jobs.get(1).get("stackTrace").asString()).contains("\tat ");
        assertThat(cli.json("list", "--json").get("jobs").get(0).has("stackTrace"))
                .isFalse();
        Result text = cli.run("list", "--state", "FAILED", "--stack-traces");
        assertThat(text.out()).contains("Job " + id + "  INVALID_INPUT:PAYLOAD", " at ");
        assertThat(cli.json("list", "--older-than", "1h", "--json").get("jobs")).isEmpty();
        assertThat(cli.json("list", "--older-than", "0s", "--json").get("jobs")).hasSize(2);
        Result wrong = cli.run("list", "--older-than", "soon", "--json");
        assertThat(wrong.status()).isEqualTo(2);
        assertThat(wrong.err()).contains("--older-than", "'soon'");
    }

    @Test
    void aCategoryOfErrorCodesSelectsItsJobs() throws IOException {
        failExecs(2);
        fail("exec", "{\"command\":[\"sh\",\"-c\",\"exit 3\"]}", 1);
        fail("demo.file", "5", 1);
        assertThat(cli.json("list", "--state", "FAILED", "--error-code", "PROCESS:*", "--json")
                        .get("jobs"))
                .extracting(job -> job.get("errorCode").asString())
                .containsExactly("PROCESS:EXIT_3", "PROCESS:EXIT_1", "PROCESS:EXIT_1");
        assertThat(cli.run("export", "--error-code", "PROCESS:*").out().lines()).hasSize(3);
        assertThat(cli.json("retry", "--error-code", "PROCESS:*", "--dry-run", "--json")
                        .get("changed")
                        .asInt())
                .isEqualTo(3);
        assertThat(cli.json("delete", "--state", "FAILED", "--error-code", "PROCESS:*", "--json")
                        .get("changed")
                        .asInt())
                .isEqualTo(3);
        assertThat(cli.json("audit", "--json").at("/audit/0/detail/errorCode").asString())
                .isEqualTo("PROCESS:*");
        assertThat(cli.json("list", "--json").get("jobs")).hasSize(1);
        for (String wrong : new String[] {"PRO*", "*", "PROCESS:EX*"}) {
            Result refused = cli.run("delete", "--error-code", wrong);
            assertThat(refused.status()).isEqualTo(2);
            assertThat(refused.err()).contains("--error-code", "'" + wrong + "'", "CATEGORY:*");
        }
        assertThat(cli.run("work", "--auto-retry", "PROCESS*").err()).contains("--auto-retry", "'PROCESS*'");
    }

    @Test
    void failedJobsAreDeletedWithAnAuditEntry() throws IOException {
        failExecs(3);
        String one = cli.json("list", "--json").get("jobs").get(2).get("id").asString();
        String child = cli.enqueue("a", "--depends-on", one);
        Result refused = cli.run("delete", one, "--json");
        assertThat(refused.status()).isEqualTo(1);
        assertThat(refused.err()).contains(one, child);
        assertThat(refused.out()).isEmpty();
        assertThat(cli.json("delete", "--state", "FAILED", "--older-than", "1h", "--json")
                        .get("changed")
                        .asInt())
                .isZero();
        assertThat(cli.json("delete", "--tag", "x", "--dry-run", "--json")
                        .get("changed")
                        .asInt())
                .isEqualTo(2);
        assertThat(cli.json("audit", "--json").toString()).isEqualTo("{\"audit\":[],\"next\":null}");
        assertThat(cli.run("audit").out()).contains("no entries");

        JsonNode answer = cli.json("delete", "--tag", "x", "--json");
        assertThat(answer.get("changed").asInt()).isEqualTo(2);
        assertThat(answer.get("skipped").asInt()).as("a job waits for it").isEqualTo(1);
        assertThat(cli.run("show", answer.get("ids").get(0).asString()).status())
                .isEqualTo(1);
        assertThat(state(one)).as("a job waits for it").isEqualTo("FAILED");
        cli.json("cancel", child, "--json");
        assertThat(cli.json("delete", one, child, "--json").get("changed").asInt())
                .isEqualTo(2);

        JsonNode entries = cli.json("audit", "--json").get("audit");
        assertThat(entries)
                .extracting(entry -> entry.get("action").asString())
                .containsExactly("DELETE", "CANCEL", "DELETE");
        assertThat(entries.get(0).get("jobs").toString())
                .isEqualTo(
                        "[{\"id\":\"%s\",\"from\":\"FAILED\",\"to\":null},{\"id\":\"%s\",\"from\":\"CANCELLED\",\"to\":null}]"
                                .formatted(one, child));
        assertThat(entries.get(2).at("/detail/tag").asString()).isEqualTo("(removed)");
        assertThat(entries.get(2).get("changed").asInt()).isEqualTo(2);
        assertThat(cli.json("audit", "--limit", "1", "--json").get("audit")).hasSize(1);
        assertThat(cli.run("audit").out()).contains("DELETE", "\"tag\":\"(removed)\"");
        Result wrong = cli.run("audit", "--limit", "0", "--json");
        assertThat(wrong.status()).isEqualTo(2);
        assertThat(wrong.err()).contains("--limit", "'0'", "1 to 1000");
        assertThat(cli.run("delete").status()).isEqualTo(2);
        assertThat(cli.run("delete", "4711").status()).isEqualTo(1);
    }

    @Test
    void scheduledJobsAreTriggered() {
        String later = cli.enqueue("a", "--delay", "1h");
        String other = cli.enqueue("b", "--delay", "1h");
        assertThat(cli.json("trigger", later, "--json").toString())
                .isEqualTo("{\"changed\":1,\"ids\":[\"%s\"],\"skipped\":0}".formatted(later));
        assertThat(state(later)).isEqualTo("PENDING");
        assertThat(cli.run("trigger", later).err()).contains(later, "PENDING");
        assertThat(cli.json("trigger", "--type", "b", "--dry-run", "--json")
                        .get("changed")
                        .asInt())
                .isEqualTo(1);
        assertThat(state(other)).isEqualTo("SCHEDULED");
        assertThat(cli.json("trigger", "--type", "b", "--json").get("changed").asInt())
                .isEqualTo(1);
        assertThat(state(other)).isEqualTo("PENDING");
        assertThat(cli.run("trigger", "x", "--json").status()).isEqualTo(2);
    }

    @Test
    void aKilledBulkRetryResumesAndIsCountedExactly() throws IOException {
        int jobs = 5000;
        fail("demo.file", "5", jobs);
        Cli.Running first = cli.start("retry", "--error-code", "INVALID_INPUT:PAYLOAD", "--json");
        await().atMost(Cli.DEADLINE)
                .pollInterval(Duration.ofMillis(2))
                .until(() -> audited("RETRY") > 0 || !first.process().isAlive());
        // As kill -9; it may have come to its end by itself.
        first.process().destroyForcibly();
        first.end();
        long before = audited("RETRY");
        assertThat(before).isPositive();
        assertThat(rows("SELECT count(*) FROM windrow_events WHERE event = 'RETRIED'"))
                .isEqualTo(before);
        assertThat(cli.json("stats", "--json").at("/states/PENDING").asLong()).isEqualTo(before);
        assertThat(cli.json("retry", "--error-code", "INVALID_INPUT:PAYLOAD", "--json")
                        .get("changed")
                        .asLong())
                .isEqualTo(jobs - before);
        assertThat(audited("RETRY")).isEqualTo(jobs);
        assertThat(cli.json("stats", "--json").at("/states/PENDING").asLong()).isEqualTo(jobs);
        assertThat(cli.json("doctor", "--full", "--quick", "--json").get("ok").asBoolean())
                .isTrue();
    }
}
