package dev.windrow.tests.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.tests.Once;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** {@code windrow config}, the configuration file and colours, from outside. */
@Once
class ConfigTest {
    @TempDir
    Path folder;

    private Cli cli;

    @BeforeEach
    void setUp() {
        cli = new Cli(folder);
    }

    private void configure(String text) throws IOException {
        Path file = folder.resolve("xdg/windrow/config");
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private static JsonNode setting(JsonNode config, String name) {
        return StreamSupport.stream(config.get("settings").spliterator(), false)
                .filter(each -> each.get("name").asString().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void theConfigFileNamesTheDatabaseAndTheConfigCommandShowsIt() throws IOException {
        configure("db = mine.db\ncolor = always\n");
        cli.enqueue("t");
        assertThat(folder.resolve("mine.db")).exists();
        assertThat(cli.run("list").out()).as("colours").contains("\u001b[");
        assertThat(cli.run("list", "--color", "never").out()).doesNotContain("\u001b[");
        cli.with("WINDROW_DB_PASSWORD", "secret").with("WINDROW_COLOR", "never");
        JsonNode config = cli.json("config", "--json", "--verbose");
        assertThat(config.get("file").asString()).endsWith("xdg/windrow/config");
        assertThat(setting(config, "db").get("value").asString()).isEqualTo("mine.db");
        assertThat(setting(config, "db").get("from").asString()).isEqualTo("file");
        assertThat(setting(config, "db").get("origin").asString()).endsWith("config, line 1");
        assertThat(setting(config, "color").get("from").asString()).isEqualTo("environment");
        assertThat(setting(config, "verbose").get("origin").asString()).isEqualTo("--verbose");
        assertThat(setting(config, "db-password").get("value").asString()).isEqualTo("...");
        Cli.Result table = cli.run("config", "--db", "jdbc:postgresql://h/d?password=secret");
        assertThat(table.out()).contains("--db", "jdbc:postgresql://h/d").doesNotContain("secret");
        for (String odd : List.of("jdbc:postgresql://h/d?password=it's secret", "mysql://u:secret@h/d")) {
            assertThat(cli.run("config", "--db", odd).out()).contains("...").doesNotContain("secret");
        }
    }

    @Test
    void aMistakeInTheConfigFileFailsEachCommandExceptHelp() throws IOException {
        configure("databse = mine.db\n");
        Cli.Result list = cli.run("list");
        assertThat(list.status()).isEqualTo(2);
        assertThat(list.err()).contains("xdg/windrow/config, line 1: unknown setting 'databse'; settings: db,");
        assertThat(cli.run("list", "--help").status()).isZero();
    }
}
