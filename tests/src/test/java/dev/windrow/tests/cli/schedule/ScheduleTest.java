package dev.windrow.tests.cli.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.tests.cli.Cli;
import dev.windrow.tests.cli.CommandTest;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** {@code windrow schedule} from outside. */
class ScheduleTest extends CommandTest {
    private static final String[] KEYS = {
        "name",
        "type",
        "queue",
        "payload",
        "jobName",
        "priority",
        "maxAttempts",
        "timeout",
        "retryPolicy",
        "concurrencyKey",
        "concurrencyLimit",
        "sequenceKey",
        "tags",
        "metadata",
        "cron",
        "zone",
        "every",
        "startsAt",
        "misfire",
        "overlap",
        "paused",
        "pausedAt",
        "pausedBy",
        "reason",
        "nextAt",
        "lastAt",
        "lastJob",
        "createdAt",
        "problem"
    };

    @Test
    void aScheduleHasTheRetryPolicyAndTheKeyOfItsJobs() {
        JsonNode added = cli.json(
                "schedule",
                "add",
                "sync",
                "sync.pull",
                "--every",
                "1h",
                "--retry-policy",
                "fixed(1000)",
                "--concurrency-key",
                "tenant-42",
                "--concurrency-limit",
                "2",
                "--json");
        assertThat(added.get("retryPolicy").asString()).isEqualTo("fixed(1000)");
        assertThat(added.get("concurrencyKey").asString()).isEqualTo("tenant-42");
        assertThat(added.get("concurrencyLimit").asInt()).isEqualTo(2);
        assertThat(added.get("sequenceKey").isNull()).isTrue();
        assertThat(cli.run("schedule", "show", "sync").out())
                .contains("retries  fixed(1000)", "key      tenant-42, at most 2 at once");
        String job = cli.json("schedule", "run", "sync", "--json").get("id").asString();
        assertThat(cli.json("show", job, "--json").get("concurrencyKey").asString())
                .isEqualTo("tenant-42");
        JsonNode changed =
                cli.json("schedule", "add", "sync", "sync.pull", "--every", "1h", "--sequence-key", "s", "--json");
        assertThat(changed.get("sequenceKey").asString()).isEqualTo("s");
        assertThat(changed.get("concurrencyKey").isNull()).isTrue();
        assertThat(changed.get("retryPolicy").isNull()).isTrue();
        Cli.Result wrong = cli.run("schedule", "add", "x", "y", "--every", "1h", "--retry-policy", "fixed(1s)");
        assertThat(wrong.status()).isEqualTo(2);
        assertThat(wrong.err()).contains("--retry-policy: retry policy 'fixed(1s)' is not exponential");
        assertThat(cli.run("schedule", "list", "--sequence-key", "s").err()).contains("they are for 'schedule add'");
    }

    @Test
    void aScheduleIsAddedListedPausedRunAndRemoved() {
        JsonNode added = cli.json(
                "schedule",
                "add",
                "nightly",
                "report.daily",
                "{\"of\":\"sales\"}",
                "--cron",
                "0 3 * * *",
                "--zone",
                "Europe/Berlin",
                "--overlap",
                "skip",
                "--misfire",
                "all",
                "--queue",
                "reports",
                "--priority",
                "5",
                "--max-attempts",
                "7",
                "--timeout",
                "10m",
                "--name",
                "Nightly",
                "--tag",
                "a",
                "--tag",
                "b",
                "--json");
        assertThat(added.propertyNames()).containsExactly(KEYS);
        assertThat(added.get("cron").asString()).isEqualTo("0 3 * * *");
        assertThat(added.get("zone").asString()).isEqualTo("Europe/Berlin");
        assertThat(added.get("misfire").asString()).isEqualTo("all");
        assertThat(added.get("overlap").asString()).isEqualTo("skip");
        assertThat(added.get("payload").get("of").asString()).isEqualTo("sales");
        assertThat(added.get("every").isNull()).isTrue();
        assertThat(added.get("nextAt").size()).isEqualTo(3);
        assertThat(Instant.parse(added.get("nextAt").get(0).asString())).isAfter(Instant.now());
        assertThat(cli.run("schedule", "add", "tick", "test.tick", "--every", "1h")
                        .out())
                .startsWith("schedule tick runs every 1h, next at ");
        JsonNode list = cli.json("schedule", "list", "--json").get("schedules");
        assertThat(list.size()).isEqualTo(2);
        assertThat(list.get(0)).isEqualTo(added);
        assertThat(list.get(1).get("every").asString()).isEqualTo("1h");
        assertThat(cli.run("schedule", "list").out())
                .contains("nightly", "'0 3 * * *' Europe/Berlin", "tick", "every 1h");

        assertThat(cli.run("schedule", "pause", "nightly", "--reason", "holidays")
                        .out())
                .matches("schedule nightly runs at '0 3 \\* \\* \\*' Europe/Berlin, paused by cli:\\S+: holidays\n");
        JsonNode run = cli.json("schedule", "run", "nightly", "--json");
        assertThat(run.get("schedule").asString()).isEqualTo("nightly");
        JsonNode job = cli.json("show", run.get("id").asString(), "--json");
        assertThat(job.get("type").asString()).isEqualTo("report.daily");
        assertThat(job.get("queue").asString()).isEqualTo("reports");
        assertThat(job.get("priority").asInt()).isEqualTo(5);
        assertThat(job.get("name").asString()).isEqualTo("Nightly");
        JsonNode shown = cli.json("schedule", "show", "nightly", "--json");
        assertThat(shown.get("paused").asBoolean()).isTrue();
        assertThat(shown.get("reason").asString()).isEqualTo("holidays");
        assertThat(shown.get("nextAt").isEmpty()).isTrue();
        assertThat(shown.get("lastJob").asString()).isEqualTo(run.get("id").asString());
        assertThat(shown.get("runs").isEmpty()).isTrue();
        assertThat(cli.run("schedule", "show", "nightly").out())
                .contains("Schedule nightly", "holidays", "report.daily");
        JsonNode stats = cli.json("stats", "--json").get("schedules");
        assertThat(stats.get("count").asInt()).isEqualTo(2);
        assertThat(stats.get("paused").asInt()).isEqualTo(1);
        assertThat(stats.get("overdueMillis").isNull()).isTrue();
        assertThat(cli.run("stats").out()).contains("Schedules\n  2, 1 paused\n");
        assertThat(cli.json("schedule", "resume", "nightly", "--json")
                        .get("paused")
                        .asBoolean())
                .isFalse();
        assertThat(cli.json("schedule", "remove", "nightly", "--json")
                        .get("removed")
                        .asBoolean())
                .isTrue();
        assertThat(cli.run("schedule", "remove", "tick").out()).contains("tick is removed");
        assertThat(cli.run("schedule", "list").out()).isEqualTo("no schedules\n");
        JsonNode audit = cli.json("audit", "--json").get("audit");
        assertThat(audit.get(0).get("action").asString()).isEqualTo("REMOVE");
        assertThat(audit.get(0).get("detail").get("schedule").asString()).isEqualTo("tick");
    }

    @Test
    void aWorkerRunsDueSchedules() {
        cli.json(
                "schedule",
                "add",
                "hourly",
                "exec",
                "--every",
                "1h",
                "--starting-at",
                "2026-01-01T00:00:00Z",
                "--json",
                "--",
                "true");
        JsonNode schedule = cli.json("schedule", "show", "hourly", "--json");
        assertThat(schedule.get("payload").toString()).contains("true");
        assertThat(schedule.get("startsAt").asString()).isEqualTo("2026-01-01T00:00:00.000Z");
        cli.json("schedule", "run", "hourly", "--json");
        assertThat(cli.json("work", "--until-idle", "--allow-exec", "--json")
                        .get("completed")
                        .asInt())
                .isEqualTo(1);
        assertThat(cli.json("doctor", "--full", "--json").get("ok").asBoolean()).isTrue();
    }

    @Test
    void aWrongScheduleIsRefusedByName() {
        for (List<String> words : List.of(
                List.of("schedule"),
                List.of("schedule", "begin", "s"),
                List.of("schedule", "show"),
                List.of("schedule", "list", "s"),
                List.of("schedule", "add", "s"),
                List.of("schedule", "add", "s", "t"),
                List.of("schedule", "add", "s", "t", "--cron", "0 3 * * *", "--every", "1h"),
                List.of("schedule", "add", "s", "t", "--cron", "0 3 * *"),
                List.of("schedule", "add", "s", "t", "--cron", "0 3 * * *", "--zone", "Mars/Olympus"),
                List.of("schedule", "add", "s", "t", "--every", "999ms"),
                List.of("schedule", "add", "s", "t", "--every", "1h", "--zone", "UTC"),
                List.of("schedule", "add", "s", "t", "--every", "1h", "--misfire", "never"),
                List.of("schedule", "add", "s", "t", "{", "--every", "1h"),
                List.of("schedule", "add", "no blanks", "t", "--every", "1h"),
                List.of("schedule", "add", "s", "t", "--every", "1h", "--", "true"),
                List.of("schedule", "pause", "s", "--every", "1h"),
                List.of("schedule", "show", "s", "--reason", "because"),
                List.of("schedule", "show", "s", "--frobnicate"))) {
            var result = cli.run(words.toArray(String[]::new));
            assertThat(result.status()).as("%s: %s", words, result.err()).isEqualTo(2);
            assertThat(result.err()).startsWith("windrow: ");
        }
        cli.json("schedule", "add", "s", "t", "--every", "1h", "--json");
        for (String verb : List.of("show", "pause", "resume", "run", "remove")) {
            var result = cli.run("schedule", verb, "nobody");
            assertThat(result.status()).isEqualTo(1);
            assertThat(result.err()).contains("schedule 'nobody' does not exist", "windrow schedule list");
        }
    }
}
