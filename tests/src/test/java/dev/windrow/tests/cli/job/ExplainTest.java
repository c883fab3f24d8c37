package dev.windrow.tests.cli.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.tests.cli.Cli.Result;
import dev.windrow.tests.cli.CommandTest;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** {@code windrow explain} from outside, and the line of {@code show}. */
class ExplainTest extends CommandTest {
    private JsonNode explain(String id) {
        JsonNode explained = cli.json("explain", id, "--json");
        assertThat(explained.propertyNames()).containsExactly("id", "state", "reasons");
        assertThat(explained.get("id").asString()).isEqualTo(id);
        return explained;
    }

    @Test
    void aJobWithoutAWorkerNamesTheCommandThatStartsOne() {
        String id = cli.enqueue("resize", "--queue", "images");
        assertThat(cli.run("explain", id).out())
                .isEqualTo(
                        "Job " + id + "  PENDING\n"
                                + "  no live worker serves queue 'images' (windrow work --queue images)\n"
                                + "  no live worker of its queue handles type 'resize' (start a worker with a handler of it)\n");
        JsonNode explained = explain(id);
        assertThat(explained.get("state").asString()).isEqualTo("PENDING");
        assertThat(explained.at("/reasons/0").toString())
                .isEqualTo("{\"reason\":\"QUEUE_NOT_SERVED\","
                        + "\"text\":\"no live worker serves queue 'images' (windrow work --queue images)\","
                        + "\"queue\":\"images\"}");
        assertThat(explained.at("/reasons/1").propertyNames()).containsExactly("reason", "text", "type", "similar");
        assertThat(cli.run("show", id).out())
                .contains("  waits      no live worker serves queue 'images' (windrow work");
    }

    @Test
    void aPausedQueueIsResumedByTheCommandInItsReason() {
        String id = cli.enqueue("exec", "--queue", "mail", "--", "true");
        assertThat(cli.run("pause", "mail", "--reason", "provider is down").status())
                .isZero();
        JsonNode paused = explain(id).at("/reasons/0");
        assertThat(paused.propertyNames())
                .containsExactly("reason", "text", "queue", "type", "key", "pausedAt", "pausedBy", "pauseReason");
        assertThat(paused.get("reason").asString()).isEqualTo("PAUSED");
        assertThat(paused.get("queue").asString()).isEqualTo("mail");
        assertThat(paused.get("type").isNull()).isTrue();
        assertThat(paused.get("pauseReason").asString()).isEqualTo("provider is down");
        assertThat(paused.get("text").asString()).endsWith(": provider is down (windrow resume mail)");
        assertThat(cli.run("resume", "mail").status()).isZero();
        assertThat(explain(id).at("/reasons/0/reason").asString()).isEqualTo("QUEUE_NOT_SERVED");
    }

    @Test
    void waitsHaveTheirData() {
        String parent = cli.enqueue("exec", "--delay", "1h", "--", "true");
        String child = cli.enqueue("exec", "--depends-on", parent, "--", "true");
        JsonNode due = explain(parent).at("/reasons/0");
        assertThat(due.propertyNames()).containsExactly("reason", "text", "at");
        assertThat(due.get("text").asString()).endsWith("(windrow trigger " + parent + ")");
        JsonNode waits = explain(child).at("/reasons/0");
        assertThat(waits.get("reason").asString()).isEqualTo("WAITS_FOR_PARENTS");
        assertThat(waits.get("open").asInt()).isEqualTo(1);
        assertThat(waits.get("parents").toString())
                .isEqualTo("[{\"id\":\"" + parent + "\",\"state\":\"SCHEDULED\",\"onFailure\":\"wait\"}]");
        assertThat(cli.run("show", child).out()).contains("  waits      waits for job " + parent + " SCHEDULED\n");
        String external = cli.enqueue("approve", "--external", "1h");
        JsonNode event = explain(external).at("/reasons/0");
        assertThat(event.propertyNames()).containsExactly("reason", "text", "event", "until");
        assertThat(event.get("event").isNull()).isTrue();
    }

    @Test
    void anEndedJobIsFoundByItsKey() {
        String id = cli.enqueue("exec", "--dedupe-key", "k", "--max-attempts", "1", "--", "false");
        cli.run("work", "--until-idle", "--allow-exec");
        JsonNode ended = cli.json("explain", "--key", "k", "--type", "exec", "--json");
        assertThat(ended.get("id").asString()).isEqualTo(id);
        assertThat(ended.get("state").asString()).isEqualTo("FAILED");
        assertThat(ended.at("/reasons/0").propertyNames()).containsExactly("reason", "text", "at", "errorCode");
        assertThat(ended.at("/reasons/0/errorCode").asString()).isEqualTo("PROCESS:EXIT_1");
        assertThat(cli.run("show", id).out()).doesNotContain("  waits ");
    }

    @Test
    void aJobThatDoesNotExistIsNamed() {
        cli.enqueue("t");
        Result missing = cli.run("explain", "4711", "--json");
        assertThat(missing.status()).isEqualTo(1);
        assertThat(missing.out()).isEmpty();
        assertThat(missing.err()).contains("job 4711 does not exist");
        assertThat(cli.run("explain").status()).isEqualTo(2);
    }
}
