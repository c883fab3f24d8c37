package dev.windrow.tests.cli.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.tests.cli.Cli.Result;
import dev.windrow.tests.cli.CommandTest;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** {@code --key} and {@code --type} in place of an id, from outside. */
class JobByKeyTest extends CommandTest {
    private static String[] keyed(String... words) {
        return Stream.concat(Arrays.stream(words), Stream.of("--type", "order.pay", "--key", "order 1"))
                .toArray(String[]::new);
    }

    private String enqueue() {
        return cli.enqueue("order.pay", "--dedupe-key", "order 1", "--delay", "1h");
    }

    private String state() {
        return cli.json(keyed("show", "--json")).get("state").asString();
    }

    private void changes(String id, String... words) {
        JsonNode changed = cli.json(keyed(words));
        assertThat(changed.toString()).isEqualTo("{\"changed\":1,\"ids\":[\"%s\"],\"skipped\":0}".formatted(id));
    }

    @Test
    void commandsTakeTheKeyAndTheTypeInPlaceOfAnId() {
        String id = enqueue();
        cli.enqueue("other", "--dedupe-key", "order 1");
        assertThat(cli.json(keyed("show", "--json")).get("id").asString()).isEqualTo(id);
        changes(id, "trigger", "--json");
        assertThat(state()).isEqualTo("PENDING");
        changes(id, "cancel", "--dry-run", "--json");
        assertThat(state()).isEqualTo("PENDING");
        changes(id, "cancel", "--json");
        assertThat(state()).isEqualTo("CANCELLED");
        changes(id, "retry", "--json", "--attempts", "5");
        assertThat(cli.json(keyed("signal", "paid", "{\"receipt\":5}", "--json"))
                        .toString())
                .isEqualTo("{\"id\":\"%s\",\"name\":\"paid\",\"state\":\"PENDING\",\"kept\":true}".formatted(id));
        assertThat(cli.json(keyed("metadata", "{\"to\":1}", "--json")).toString())
                .isEqualTo("{\"id\":\"%s\",\"metadata\":{\"to\":1}}".formatted(id));
        assertThat(cli.run(keyed("fail", "--error-code", "PAYMENT:DECLINED")).out())
                .isEqualTo("job " + id + " is FAILED\n");
        changes(id, "delete", "--json");
        String second = enqueue();
        assertThat(cli.json(keyed("complete", "{\"by\":\"ada\"}", "--json"))
                        .get("id")
                        .asString())
                .isEqualTo(second);
        JsonNode ended = cli.json(keyed("show", "--json"));
        assertThat(ended.get("result").toString()).isEqualTo("{\"by\":\"ada\"}");
        String third = enqueue();
        assertThat(cli.run(keyed("complete")).out()).isEqualTo("job " + third + " is COMPLETED\n");
    }

    @Test
    void aMissingJobIsNamedByTypeAndKey() {
        cli.enqueue("other", "--dedupe-key", "order 1");
        for (String[] words : new String[][] {
            keyed("show"),
            keyed("cancel"),
            keyed("retry"),
            keyed("trigger"),
            keyed("delete"),
            keyed("complete"),
            keyed("fail", "--error-code", "A:B"),
            keyed("metadata"),
            keyed("signal", "paid")
        }) {
            Result missing = cli.run(words);
            assertThat(missing.status()).as(words[0]).isEqualTo(1);
            assertThat(missing.err()).as(words[0]).contains("'order.pay'", "'order 1'");
            assertThat(missing.out()).as(words[0]).isEmpty();
        }
    }
}
