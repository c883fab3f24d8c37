package dev.windrow.tests.cli.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.windrow.tests.cli.Cli;
import dev.windrow.tests.cli.CommandTest;
import java.nio.file.Files;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** {@code windrow stats} from outside. */
class StatsTest extends CommandTest {
    private static final String[] STATES = {
        "BLOCKED", "SCHEDULED", "PENDING", "RUNNING", "COMPLETED", "FAILED", "CANCELLED"
    };

    @Test
    void statsAnswersTheFiveQuestions() {
        String id = cli.enqueue("exec", "--max-attempts", "2", "--", "false");
        cli.json("work", "--until-idle", "--allow-exec", "--json");
        cli.json("enqueue", "nobody.does", "--queue", "other", "--json");
        JsonNode stats = cli.json("--json", "stats");
        assertThat(stats.propertyNames())
                .contains(
                        "states",
                        "types",
                        "queues",
                        "oldestRunning",
                        "runningSince",
                        "retries",
                        "liveRetries",
                        "failures",
                        "unserved",
                        "unhandled",
                        "stuck",
                        "limits",
                        "retention");
        assertThat(stats.get("stuck").isEmpty()).isTrue();
        assertThat(stats.get("states").propertyNames()).containsExactly(STATES);
        assertThat(stats.at("/states/FAILED").asInt()).isEqualTo(1);
        assertThat(stats.at("/states/PENDING").asInt()).isEqualTo(1);
        assertThat(stats.get("types")).hasSize(2).allSatisfy(type -> {
            assertThat(type.propertyNames()).contains("type", "states");
            assertThat(type.get("states").propertyNames()).containsExactly(STATES);
        });
        assertThat(stats.get("queues")).hasSize(2).allSatisfy(queue -> {
            assertThat(queue.propertyNames()).contains("queue", "paused", "states", "lagMillis");
            assertThat(queue.get("states").propertyNames()).containsExactly(STATES);
        });
        assertThat(stats.get("oldestRunning").isEmpty()).isTrue();
        assertThat(stats.get("retries").toString()).isEqualTo("[{\"type\":\"exec\",\"attempt\":2,\"count\":1}]");
        assertThat(stats.get("liveRetries").isEmpty())
                .as("no job is between attempts")
                .isTrue();
        JsonNode failure = stats.get("failures").get(0);
        assertThat(failure.propertyNames())
                .containsExactly("errorCode", "count", "firstAt", "lastAt", "sampleJob", "trend");
        assertThat(failure.get("errorCode").asString()).isEqualTo("PROCESS:EXIT_1");
        assertThat(failure.get("count").asInt()).isEqualTo(1);
        assertThat(failure.get("firstAt")).isEqualTo(failure.get("lastAt"));
        assertThat(failure.get("sampleJob").asString()).isEqualTo(id);
        assertThat(failure.get("trend")).hasSize(24);
        assertThat(failure.get("trend")
                        .valueStream()
                        .mapToLong(JsonNode::asLong)
                        .sum())
                .isEqualTo(1);
        assertThat(stats.get("trendSince")).isEqualTo(stats.get("trendFrom"));
        Instant from = Instant.parse(stats.get("trendFrom").asString());
        assertThat(from).isEqualTo(from.truncatedTo(ChronoUnit.HOURS));
        assertThat(Instant.parse(failure.get("lastAt").asString())).isBetween(from, from.plus(24, ChronoUnit.HOURS));
        assertThat(stats.get("unhandled").toString())
                .isEqualTo("[{\"type\":\"nobody.does\",\"count\":1,\"similar\":null}]");
        assertThat(cli.run("stats").out()).contains("FAILED", "PROCESS:EXIT_1", "nobody.does");
        assertHowFast(stats);
    }

    @Test
    void statsCountsUnfinishedJobsAfterAFailedAttempt() {
        cli.enqueue("exec", "--max-attempts", "9", "--", "false");
        cli.enqueue("exec", "--delay", "1h", "--", "true");
        Cli.Running worker = cli.start(List.of(), "work", "--allow-exec");
        await().atMost(Cli.DEADLINE)
                .until(() -> !cli.json("stats", "--json").get("liveRetries").isEmpty());
        assertThat(worker.signal("TERM").end().status()).isZero();
        JsonNode retries = cli.json("stats", "--json").get("liveRetries");
        assertThat(retries).singleElement().satisfies(retry -> {
            assertThat(retry.propertyNames()).containsExactly("type", "attempt", "count");
            assertThat(retry.get("type").asString()).isEqualTo("exec");
            assertThat(retry.get("attempt").asInt()).isBetween(2, 9);
            assertThat(retry.get("count").asInt()).isEqualTo(1);
        });
        assertThat(cli.run("stats").out())
                .contains("Unfinished jobs after a failed attempt, by their next or running attempt");
    }

    @Test
    void throughputIsFilteredByTypeAndQueue() {
        cli.enqueue("exec", "--", "true");
        cli.enqueue("exec", "--queue", "slow", "--", "true");
        cli.json("work", "--queue", "default", "--queue", "slow", "--until-idle", "--allow-exec", "--json");
        JsonNode slow = cli.json("stats", "--type", "exec", "--queue", "slow", "--json");
        assertThat(slow.at("/timesInAll/succeeded").asInt()).isEqualTo(1);
        assertThat(slow.at("/throughput/types")).hasSize(1);
        assertThat(slow.at("/states/COMPLETED").asInt())
                .as("the counts are of the whole store")
                .isEqualTo(2);
        assertThat(cli.run("stats", "--type", "exec", "--queue", "slow").out())
                .contains("Attempts of type exec in queue slow that ended", "1 succeeded");
        assertThat(cli.json("stats", "--type", "other", "--json")
                        .at("/throughput/types")
                        .isEmpty())
                .isTrue();
        Cli.Result wrong = cli.run("stats", "--type", "no type");
        assertThat(wrong.status()).isEqualTo(2);
        assertThat(wrong.err()).contains("--type", "no type");
    }

    /** Two attempts of one job, both of which have failed. */
    private static void assertHowFast(JsonNode stats) {
        assertThat(stats.get("window").asString()).isEqualTo("1h");
        assertThat(stats.get("times")).singleElement().satisfies(times -> {
            assertThat(times.propertyNames())
                    .containsExactly(
                            "type",
                            "count",
                            "succeeded",
                            "failed",
                            "waitMeanMillis",
                            "waitP50Millis",
                            "waitP90Millis",
                            "waitP95Millis",
                            "waitP99Millis",
                            "runMeanMillis",
                            "runP50Millis",
                            "runP90Millis",
                            "runP95Millis",
                            "runP99Millis");
            assertThat(times.get("type").asString()).isEqualTo("exec");
            assertThat(times.get("count").asInt()).isEqualTo(2);
            assertThat(times.get("failed").asInt()).isEqualTo(2);
            assertThat(times.get("runP50Millis").isIntegralNumber()).isTrue();
        });
        assertThat(stats.at("/timesInAll/failed").asInt()).isEqualTo(2);
        assertThat(stats.at("/throughput/minutes")).hasSize(60);
        assertThat(stats.at("/throughput/hours")).hasSize(24);
        assertThat(stats.at("/throughput/types/0/type").asString()).isEqualTo("exec");
        int failed = 0;
        for (JsonNode minute : stats.at("/throughput/minutes")) {
            assertThat(minute.propertyNames())
                    .containsExactly(
                            "at",
                            "succeeded",
                            "failed",
                            "waitP50Millis",
                            "waitP95Millis",
                            "waitP99Millis",
                            "runP50Millis",
                            "runP95Millis",
                            "runP99Millis");
            assertThat(minute.get("runP99Millis").isNull())
                    .isEqualTo(minute.get("failed").asInt() == 0);
            failed += minute.get("failed").asInt();
        }
        assertThat(failed).isEqualTo(2);
    }

    @Test
    void watchWithoutATerminalRunsUntilASignal() {
        cli.json("enqueue", "t", "--json");
        Cli.Running watching = cli.start(List.of(), "stats", "--watch", "--every", "500ms");
        Cli.contentOf(watching.out());
        await().atMost(Cli.DEADLINE)
                .until(() -> Files.readString(watching.out()).split("1 job\n", -1).length > 2);
        Cli.Result result = watching.signal("INT").end();
        assertThat(result.status()).isZero();
        assertThat(result.out()).doesNotContain("\u001b");
        assertThat(result.err()).isEmpty();
    }

    @Test
    void watchRefusesJsonOutput() {
        cli.json("enqueue", "t", "--json");
        Cli.Result json = cli.run("stats", "--watch", "--json");
        assertThat(json.status()).isEqualTo(2);
        assertThat(json.out()).isEmpty();
        assertThat(json.err()).contains("--watch", "--json", "exactly one");
        assertThat(cli.run("stats", "--every", "1s").status()).isEqualTo(2);
        Cli.Result since = cli.run("stats", "--since", "59s");
        assertThat(since.status()).isEqualTo(2);
        assertThat(since.err()).contains("--since", "59s", "1m to 7d");
    }
}
