package dev.windrow.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConfigTest {
    @TempDir
    private Path folder;

    private final Map<String, String> environment = new HashMap<>();

    private Config read() {
        return Config.read(environment::get, folder);
    }

    private Path file(String text) throws IOException {
        Path file = folder.resolve("my config");
        Files.writeString(file, text);
        environment.put("WINDROW_CONFIG", file.toString());
        return file;
    }

    @Test
    void aVariableTakesPrecedenceOverTheFile() throws IOException {
        Path file = file("# mine\n\n db = a = b.db \ncolor=never\n");
        Config config = read();
        assertThat(config.file()).isEqualTo(file);
        assertThat(config.given(Setting.DB)).isEqualTo(new Config.Given("a = b.db", "file", file + ", line 3"));
        environment.put("WINDROW_DB", "other.db");
        environment.put("WINDROW_COLOR", "");
        assertThat(read().given(Setting.DB)).isEqualTo(new Config.Given("other.db", "environment", "WINDROW_DB"));
        assertThat(read().given(Setting.COLOR)).extracting("text").isEqualTo("never");
        assertThat(read().given(Setting.DB_USER)).isNull();
    }

    @Test
    void theFileIsInTheUsualFolder() throws IOException {
        assertThat(read().file()).isNull();
        environment.put("HOME", folder.toString());
        assertThat(read().file()).as("none there").isNull();
        Path home = folder.resolve(".config/windrow/config");
        Files.createDirectories(home.getParent());
        Files.writeString(home, "db = home.db\n");
        assertThat(read().file()).isEqualTo(home);
        environment.put("XDG_CONFIG_HOME", folder.resolve("xdg").toString());
        assertThat(read().file()).isNull();
        environment.put("XDG_CONFIG_HOME", "relative");
        assertThat(read().file()).as("by the convention it does not count").isEqualTo(home);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "nosuch = 1|line 1: unknown setting 'nosuch'; settings: db, db-user",
                "db-password = x|(put a password into a file of its own and name it with db-password-file)",
                "db|line 1: the line has no =; write 'key = value'",
                "db =|line 1: db has no value",
                "DB = x|unknown setting 'DB'"
            })
    void aMistakeIsNamedWithFileAndLine(String text, String message) throws IOException {
        file(text + "\n");
        assertThatThrownBy(this::read)
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("my config, ")
                .hasMessageContaining(message);
    }

    @Test
    void aDuplicateKeyIsAMistake() throws IOException {
        file("db = a\n#\ndb = b\n");
        assertThatThrownBy(this::read)
                .hasMessageContaining("line 3: db is already set in ")
                .hasMessageContaining("line 1");
    }

    @Test
    void aMissingNamedFileIsAnError() throws IOException {
        environment.put("WINDROW_CONFIG", folder.resolve("none").toString());
        assertThatThrownBy(this::read).isInstanceOf(FailedException.class).hasMessageContaining("WINDROW_CONFIG");
        Path latin = folder.resolve("latin");
        Files.write(latin, new byte[] {'d', 'b', '=', (byte) 0xe4});
        environment.put("WINDROW_CONFIG", latin.toString());
        assertThatThrownBy(this::read).hasMessageContaining("is not UTF-8");
    }

    @ParameterizedTest
    @CsvSource({"true,true", "1,true", "on,true", "False,false", "0,false"})
    void aSwitchIsOnOrOff(String text, boolean on) {
        environment.put("WINDROW_VERBOSE", text);
        assertThat(read().isOn(Setting.VERBOSE)).isEqualTo(on);
    }

    @Test
    void aSwitchAcceptsNoOtherValue() {
        environment.put("WINDROW_VERBOSE", "maybe");
        assertThatThrownBy(() -> read().isOn(Setting.VERBOSE))
                .hasMessage("WINDROW_VERBOSE: 'maybe' is not allowed; allowed: true, false");
    }
}
