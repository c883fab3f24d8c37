package dev.windrow.tests.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.tests.cli.Cli.Result;
import dev.windrow.tests.stores.Target;
import dev.windrow.testserver.PostgresServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands on a database that is not there or holds no queue: a slip in a name must not make one. */
class NoQueueTest {
    private static final List<List<String>> LOOKING_OR_CHANGING = List.of(
            List.of("stats"),
            List.of("list"),
            List.of("show", "1"),
            List.of("metadata", "1"),
            List.of("workers"),
            List.of("doctor"),
            List.of("retry", "1"),
            List.of("cancel", "--type", "t"),
            List.of("enqueue", "t", "--depends-on", "1"));

    @TempDir
    private Path folder;

    private Path file;
    private Cli cli;

    @BeforeEach
    void setUp() {
        file = folder.resolve("notes.db");
        cli = new Cli(folder).with("WINDROW_DB", file.toString());
    }

    /** Each command on its own, with {@code --json}: it fails, says this, and prints nothing. */
    private void assertRefused(List<String> command, String because) {
        List<String> words = new ArrayList<>(command);
        words.add("--json");
        Result result = cli.run(words.toArray(String[]::new));
        assertThat(result.status()).as("%s: %s", words, result.err()).isEqualTo(1);
        assertThat(result.err()).as("%s", words).contains(because);
        assertThat(result.out()).as("%s", words).isEmpty();
    }

    /** These commands, and one for files only. */
    private static List<List<String>> onFiles() {
        List<List<String>> all = new ArrayList<>(LOOKING_OR_CHANGING);
        all.add(List.of("delete", "1", "--secure"));
        return all;
    }

    @Test
    void aMissingDatabaseFileIsNamedAndNotCreated() {
        for (List<String> words : onFiles()) {
            assertRefused(words, "database " + file + " does not exist");
            assertThat(folder.toFile().list((in, name) -> name.startsWith("notes")))
                    .as("%s", words)
                    .isEmpty();
        }
    }

    @Test
    void aDatabaseInMemoryIsRefusedAndNoFileIsCreated() {
        for (List<String> words : List.of(List.of("enqueue", "t"), List.of("list"))) {
            List<String> all = new ArrayList<>(words);
            all.addAll(List.of("--db", ":memory:"));
            assertRefused(all, "':memory:' (--db) is not allowed: jobs in memory end with the command");
        }
        assertThat(folder.toFile().list((in, name) -> name.contains("memory"))).isEmpty();
    }

    private void assertRefusedAndUntouched() throws Exception {
        byte[] before = Files.readAllBytes(file);
        for (List<String> words : onFiles()) {
            assertRefused(words, file + " has no queue");
            assertThat(Files.readAllBytes(file)).as("%s", words).isEqualTo(before);
            assertThat(folder.toFile().list((in, name) -> name.startsWith("notes")))
                    .as("%s", words)
                    .containsExactly("notes.db");
        }
    }

    @Test
    void anEmptyFileStaysEmpty() throws Exception {
        Files.createFile(file);
        assertRefusedAndUntouched();
    }

    @Test
    void anotherApplicationsFileStaysUnchangedUntilAJobIsEnqueued() throws Exception {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement()) {
            statement.execute("PRAGMA journal_mode = WAL");
            statement.execute("CREATE TABLE notes (text TEXT)");
            statement.execute("INSERT INTO notes VALUES ('milk')");
        }
        assertRefusedAndUntouched();
        assertThat(cli.json("enqueue", "t", "--json").get("state").asString()).isEqualTo("PENDING");
        assertThat(cli.json("stats", "--json").at("/states/PENDING").asInt()).isEqualTo(1);
        assertThat(notes()).isEqualTo("milk");
    }

    /** Which can be damaged, and then is examined. */
    @Test
    void aFileThatIsNotADatabaseFailsTheDiagnosisWithOneJsonValue() throws Exception {
        Files.writeString(file, "no database ".repeat(500));
        Result result = cli.run("doctor", "--json");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.json().get("checks").size()).isEqualTo(1);
        assertThat(result.json().at("/checks/0/name").asString()).isEqualTo("schema");
        assertThat(result.json().at("/checks/0/detail").asString())
                .contains(" is not a SQLite database: ", "nothing was changed");
        assertThat(result.json().at("/checks/0/remedy").asString()).contains("name the file of the queue with --db");
        assertThat(result.err()).contains("1 check of", "failed: schema;");
        assertThat(Files.readString(file)).isEqualTo("no database ".repeat(500));
    }

    @Test
    void aFolderIsRefusedAsADatabase() {
        for (String command : List.of("doctor", "list", "enqueue t")) {
            List<String> words = new ArrayList<>(List.of(command.split(" ")));
            words.addAll(List.of("--json", "--db", folder.toString()));
            Result result = cli.run(words.toArray(String[]::new));
            assertThat(result.status()).isEqualTo(1);
            assertThat(result.err()).contains(folder + " failed: it is a folder, not a file; name the file");
            assertThat(result.out()).isEmpty();
        }
    }

    @Test
    void anotherApplicationsServerDatabaseStaysUnchangedUntilAJobIsEnqueued() throws Exception {
        try (Target target = Target.newSchema(PostgresServer.shared())) {
            cli.on(target);
            String place = target.place().replaceFirst("\\?.*", "") + " (tables " + target.schema() + ".windrow_*)";
            assertRefused(List.of("stats"), place + " has no queue");
            assertThat(target.rows("SELECT nspname FROM pg_namespace WHERE nspname = '%s'".formatted(target.schema())))
                    .isEmpty();
            try (Connection connection = target.connect();
                    Statement statement = connection.createStatement()) {
                statement.execute("CREATE SCHEMA " + target.schema());
                statement.execute("CREATE TABLE notes (text TEXT)");
                statement.execute("INSERT INTO notes VALUES ('milk')");
            }
            for (List<String> words : LOOKING_OR_CHANGING) {
                assertRefused(words, place + " has no queue");
            }
            String tables = "SELECT tablename FROM pg_tables WHERE schemaname = '%s'".formatted(target.schema());
            assertThat(target.rows(tables)).containsExactly("notes");
            assertThat(cli.json("enqueue", "t", "--json").get("state").asString())
                    .isEqualTo("PENDING");
            assertThat(cli.json("stats", "--json").at("/states/PENDING").asInt())
                    .isEqualTo(1);
            assertThat(target.rows(tables)).contains("notes", "windrow_jobs");
            assertThat(target.rows("SELECT text FROM notes")).containsExactly("milk");
        }
    }

    private String notes() throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT text FROM notes")) {
            assertThat(rows.next()).isTrue();
            return rows.getString(1);
        }
    }
}
