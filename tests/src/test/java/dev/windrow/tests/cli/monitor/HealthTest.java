package dev.windrow.tests.cli.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.tests.cli.Cli;
import dev.windrow.tests.cli.CommandTest;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** {@code windrow health} from outside. */
class HealthTest extends CommandTest {
    private static boolean ok(JsonNode answer, int check, String name) {
        assertThat(answer.get("checks").get(check).get("name").asString()).isEqualTo(name);
        return answer.get("checks").get(check).get("ok").asBoolean();
    }

    @Test
    void aStoreIsHealthyUntilStricterLimitsAreRequested() {
        Cli.Result none = cli.run("health", "--json");
        assertThat(none.status()).isEqualTo(1);
        assertThat(none.json().get("ok").asBoolean()).isFalse();
        assertThat(none.json().get("checks")).hasSize(5);
        assertThat(ok(none.json(), 0, "store")).isFalse();
        assertThat(none.err()).contains("is not healthy (store, schema, workers, queues, lag): ");
        cli.enqueue("t", "--queue", "mail");
        JsonNode well = cli.json("health", "--json");
        assertThat(well.get("ok").asBoolean()).isTrue();
        assertThat(ok(well, 1, "schema") && ok(well, 2, "workers") && ok(well, 3, "queues") && ok(well, 4, "lag"))
                .isTrue();
        assertThat(well.at("/checks/3/detail").asString())
                .isEqualTo("no live worker serves queue 'mail' (1 ready job)");
        assertThat(well.get("unserved").toString()).isEqualTo("[{\"queue\":\"mail\",\"count\":1}]");
        Cli.Result asked = cli.run("health", "--json", "--require-worker", "--max-lag", "0s", "--queue", "mail");
        assertThat(asked.status()).isEqualTo(1);
        assertThat(ok(asked.json(), 1, "schema")).isTrue();
        assertThat(ok(asked.json(), 2, "workers")).isFalse();
        assertThat(ok(asked.json(), 3, "queues")).isFalse();
        assertThat(ok(asked.json(), 4, "lag")).isFalse();
        assertThat(asked.err()).contains("is not healthy (workers, queues, lag): no worker is alive for mail");
        assertThat(cli.run("health", "--max-lag", "0s", "--queue", "other").status())
                .as("its jobs are in time")
                .isZero();
        assertThat(cli.run("health").out()).contains("is healthy");
    }
}
