package dev.windrow.tests.cli.limit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.tests.cli.Cli;
import dev.windrow.tests.cli.CommandTest;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** {@code windrow pause}, {@code resume} and {@code limit} from outside. */
class ControlTest extends CommandTest {
    private static final String[] KEYS = {
        "queue", "type", "key", "paused", "pausedAt", "pausedBy", "reason", "maxRunning", "rate", "burst"
    };

    @Test
    void aPausedQueueWaitsUntilItIsResumed() {
        cli.json("enqueue", "exec", "--queue", "mail", "--json", "--", "true");
        JsonNode paused = cli.json("pause", "mail", "--reason", "provider is down", "--json");
        assertThat(paused.propertyNames()).contains(KEYS);
        assertThat(paused.get("queue").asString()).isEqualTo("mail");
        assertThat(paused.get("type").isNull()).isTrue();
        assertThat(paused.get("paused").asBoolean()).isTrue();
        assertThat(paused.get("reason").asString()).isEqualTo("provider is down");
        assertThat(paused.get("pausedAt").asString()).matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z");

        JsonNode idle = cli.json("work", "--queue", "mail", "--until-idle", "--allow-exec", "--json");
        assertThat(idle.get("completed").asInt()).isZero();
        JsonNode stats = cli.json("stats", "--json");
        assertThat(stats.at("/queues/0/paused").asBoolean()).isTrue();
        assertThat(stats.at("/limits/0/reason").asString()).isEqualTo("provider is down");
        assertThat(cli.run("stats").out()).contains("Paused and limited", "provider is down");

        assertThat(cli.run("resume", "mail").out()).isEqualTo("queue mail is not paused\n");
        JsonNode work = cli.json("work", "--queue", "mail", "--until-idle", "--allow-exec", "--json");
        assertThat(work.get("completed").asInt()).isEqualTo(1);
        assertThat(cli.json("stats", "--json").get("limits").isEmpty()).isTrue();
    }

    @Test
    void aTypeIsPausedAndLimited() {
        cli.json("enqueue", "exec", "--json", "--", "true");
        JsonNode paused = cli.json("--json", "pause", "--type", "exec");
        assertThat(paused.get("type").asString()).isEqualTo("exec");
        assertThat(paused.get("queue").isNull()).isTrue();
        assertThat(paused.get("reason").isNull()).isTrue();
        Cli.Result torn = cli.run("pause", "mail", "--reason", "two\nlines");
        assertThat(torn.status()).isEqualTo(2);
        assertThat(torn.err()).contains("--reason: 'two␊lines' is not allowed");
        JsonNode limited =
                cli.json("limit", "--type", "exec", "--running", "2", "--rate", "600/m", "--burst", "7", "--json");
        assertThat(limited.propertyNames()).contains(KEYS);
        assertThat(limited.get("paused").asBoolean()).isTrue();
        assertThat(limited.get("maxRunning").asInt()).isEqualTo(2);
        assertThat(limited.get("rate").asString()).isEqualTo("600/m");
        assertThat(limited.get("burst").asInt()).isEqualTo(7);
        assertThat(cli.json("resume", "--type", "exec", "--json").get("paused").asBoolean())
                .isFalse();
        JsonNode free = cli.json("limit", "--type", "exec", "--running", "none", "--rate", "none", "--json");
        assertThat(free.get("maxRunning").isNull()).isTrue();
        assertThat(free.get("rate").isNull()).isTrue();
        JsonNode work = cli.json("work", "--until-idle", "--allow-exec", "--json");
        assertThat(work.get("completed").asInt()).isEqualTo(1);
    }

    @Test
    void jobsOfOneKeyRunOneAfterTheOther() {
        for (int i = 0; i < 3; i++) {
            cli.json(
                    "enqueue",
                    "exec",
                    "--concurrency-key",
                    "tenant-42",
                    "--concurrency-limit",
                    "2",
                    "--json",
                    "--",
                    "true");
        }
        String first = cli.json("enqueue", "exec", "--sequence-key", "order-1", "--json", "--", "true")
                .get("id")
                .asString();
        String second = cli.json("enqueue", "exec", "--sequence-key", "order-1", "--json", "--", "true")
                .get("id")
                .asString();
        assertThat(cli.json("show", first, "--json").get("waitsForPermit").asBoolean())
                .isFalse();
        JsonNode waiting = cli.json("show", second, "--json");
        assertThat(waiting.get("concurrencyKey").asString()).isEqualTo("order-1");
        assertThat(waiting.get("waitsForPermit").asBoolean()).isTrue();
        assertThat(waiting.get("state").asString()).isEqualTo("PENDING");
        assertThat(cli.run("show", second).out()).contains("order-1, waits for a permit");

        assertThat(cli.run("limit", "--keys").out())
                .contains("KEY", "WAITING", "tenant-42", "2 of 2", "order-1", "1 of 1", first);
        JsonNode keys = cli.json("limit", "--keys", "--json");
        assertThat(keys.get("found").asInt()).isEqualTo(2);
        assertThat(keys.at("/keys/0").propertyNames()).contains(KEYS);
        assertThat(keys.at("/keys/0/key").asString()).isEqualTo("order-1");
        assertThat(keys.at("/keys/0/waiting").asInt()).isEqualTo(1);
        assertThat(keys.at("/keys/0/holders/0/id").asString()).isEqualTo(first);
        Cli.Result both = cli.run("limit", "--keys", "--key", "order-1");
        assertThat(both.status()).isEqualTo(2);
        assertThat(both.err()).contains("--keys stands alone");

        JsonNode paused = cli.json("pause", "--key", "order-1", "--json");
        assertThat(paused.get("key").asString()).isEqualTo("order-1");
        assertThat(paused.get("queue").isNull()).isTrue();
        JsonNode limited = cli.json("limit", "--key", "tenant-42", "--running", "1", "--json");
        assertThat(limited.get("maxRunning").asInt()).isEqualTo(1);
        JsonNode work = cli.json("work", "--until-idle", "--allow-exec", "--json");
        assertThat(work.get("completed").asInt()).isEqualTo(3);
        assertThat(cli.json("show", first, "--json").get("waitsForPermit").asBoolean())
                .isTrue();
        assertThat(cli.json("doctor", "--full", "--json").get("ok").asBoolean()).isTrue();

        cli.json("resume", "--key", "order-1", "--json");
        assertThat(cli.json("work", "--until-idle", "--allow-exec", "--json")
                        .get("completed")
                        .asInt())
                .isEqualTo(2);
    }
}
