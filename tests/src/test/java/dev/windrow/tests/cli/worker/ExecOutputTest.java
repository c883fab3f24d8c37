package dev.windrow.tests.cli.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.tests.cli.CommandTest;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** What the programs of exec jobs write, from outside. */
class ExecOutputTest extends CommandTest {
    private String script(String script) {
        return cli.enqueue("exec", "--max-attempts", "1", "--", "sh", "-c", script);
    }

    private JsonNode show(String id) {
        return cli.json("show", id, "--json");
    }

    @Test
    void outputIsBoundedAndMayHoldAnyBytes() {
        String big = script("head -c 200000 /dev/zero | tr '\\0' x; echo the end >&2");
        String odd = script("printf 'a\\000b\\377\\303c\\n'; printf '\\000\\377' >&2; exit 0");
        String oddFailure = script("printf 'x\\000y\\377' >&2; exit 1");
        cli.json("work", "--until-idle", "--allow-exec", "--json");
        JsonNode history = show(big);
        assertThat(history.at("/result/stdout").asString()).isEqualTo("x".repeat(65536));
        assertThat(history.at("/result/stderr").asString()).isEqualTo("the end\n");
        assertThat(history.at("/attempts/0/output").asString()).contains("134464 more bytes", "the end");
        assertThat(show(odd).at("/result/stdout").asString()).isEqualTo("a\0b\ufffd\ufffdc\n");
        assertThat(show(oddFailure).get("errorDetail").asString()).isEqualTo("x\u2400y\ufffd");
        assertThat(cli.run("show", odd).status()).isZero();
    }
}
