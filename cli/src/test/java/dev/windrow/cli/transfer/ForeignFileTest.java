package dev.windrow.cli.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ForeignFileTest {
    @TempDir
    Path folder;

    private static List<String> ids(ForeignFile file) {
        List<String> ids = new ArrayList<>();
        file.each("SELECT id FROM jobs ORDER BY id", row -> ids.add(row.id("id")));
        return ids;
    }

    @Test
    void aFileInUseIsReadInOneSnapshot() throws Exception {
        Path path = folder.resolve("jobs.db");
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + path);
                Statement statement = connection.createStatement()) {
            statement.executeUpdate("PRAGMA journal_mode = WAL");
            statement.executeUpdate("CREATE TABLE jobs (id)");
            statement.executeUpdate("INSERT INTO jobs VALUES (1)");
            try (ForeignFile file = ForeignFile.open(path, "jobs.db")) {
                assertThat(ids(file)).containsExactly("1");
                statement.executeUpdate("INSERT INTO jobs VALUES (2)");
                assertThat(ids(file)).containsExactly("1");
            }
            try (ForeignFile file = ForeignFile.open(path, "jobs.db")) {
                assertThat(ids(file)).containsExactly("1", "2");
            }
        }
    }
}
