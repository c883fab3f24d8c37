package dev.windrow.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class InkTest {
    @ParameterizedTest
    @CsvSource({
        "AUTO,   '',                                true,  false",
        "AUTO,   TERM=xterm,                        true,  true",
        "AUTO,   TERM=xterm,                        false, false",
        "AUTO,   TERM=dumb,                         true,  false",
        "AUTO,   TERM=xterm NO_COLOR=1,             true,  false",
        "AUTO,   TERM=xterm NO_COLOR=,              true,  true",
        "AUTO,   CLICOLOR_FORCE=1,                  false, true",
        "AUTO,   CLICOLOR_FORCE=0,                  false, false",
        "AUTO,   CLICOLOR_FORCE=1 NO_COLOR=1,       true,  false",
        "ALWAYS, NO_COLOR=1,                        false, true",
        "NEVER,  TERM=xterm CLICOLOR_FORCE=1,       true,  false"
    })
    void coloursAreForTerminalsUnlessTheUserChoosesDifferently(
            Ink.Choice choice, String variables, boolean terminal, boolean on) {
        Map<String, String> environment = new HashMap<>();
        for (String variable : variables.split(" ", -1)) {
            String[] parts = variable.split("=", 2);
            environment.put(parts[0], parts.length == 1 ? "" : parts[1]);
        }
        assertThat(Ink.isOn(choice, environment::get, () -> terminal)).isEqualTo(on);
    }
}
