package dev.windrow.tests.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.tests.Once;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** {@code windrow stats} from outside. */
@Once
class StatsTest extends CommandTest {
    private static final String[] STATES = {
        "BLOCKED", "SCHEDULED", "PENDING", "RUNNING", "COMPLETED", "FAILED", "CANCELLED"
    };

    @Test
    void answersTheFiveQuestions() {
        cli.json("enqueue", "exec", "--json", "--max-attempts", "2", "--", "false");
        cli.json("work", "--until-idle", "--allow-exec", "--json");
        cli.json("enqueue", "nobody.does", "--queue", "other", "--json");
        JsonNode stats = cli.json("--json", "stats");
        assertThat(stats.propertyNames())
                .contains(
                        "states",
                        "types",
                        "queues",
                        "oldestRunning",
                        "retries",
                        "failures",
                        "unhandled",
                        "stuck",
                        "controls",
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
        assertThat(stats.get("failures").toString()).isEqualTo("[{\"errorCode\":\"PROCESS:EXIT_1\",\"count\":1}]");
        assertThat(stats.get("unhandled").toString()).isEqualTo("[{\"type\":\"nobody.does\",\"count\":1}]");
        assertThat(cli.run("stats").out()).contains("FAILED", "PROCESS:EXIT_1", "nobody.does");
    }
}
