package dev.windrow.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FlushLoopTest {
    /** A page and the header of its frame. */
    private static final int FRAME = 4096 + 24;

    @TempDir
    private Path folder;

    private Connection connect() throws SQLException {
        Connection connection = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("a.db"));
        try (Statement statement = connection.createStatement()) {
            statement.execute("PRAGMA page_size = 4096");
            statement.execute("PRAGMA journal_mode = WAL");
            statement.execute("CREATE TABLE a (id INTEGER PRIMARY KEY, text TEXT)");
            statement.execute("CREATE TABLE b (id INTEGER PRIMARY KEY, text TEXT)");
        }
        return connection;
    }

    @Test
    void aCommitHasAFrameForEachPageThatItWrites() throws Exception {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            for (int i = 0; i < 20; i++) {
                statement.execute("BEGIN");
                statement.execute("INSERT INTO a (text) VALUES ('x')");
                statement.execute("INSERT INTO b (text) VALUES ('x')");
                statement.execute("COMMIT");
            }
            assertThat(SqliteLog.bytesOfCommit(folder.resolve("a.db-wal"))).isEqualTo(2 * FRAME);
        }
    }

    @Test
    void framesFromBeforeTheLogBeganAgainDoNotCount() throws Exception {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            for (int i = 0; i < 20; i++) {
                statement.execute("INSERT INTO a (text) VALUES ('x')");
            }
            statement.execute("PRAGMA wal_checkpoint(RESTART)");
            statement.execute("INSERT INTO b (text) VALUES (printf('%.*c', 20000, 'x'))");
            assertThat(SqliteLog.bytesOfCommit(folder.resolve("a.db-wal"))).isGreaterThan(5 * FRAME);
        }
    }

    @Test
    void aLogWithoutACommitIsAnError() throws Exception {
        Path log = Files.createFile(folder.resolve("empty-wal"));
        assertThatThrownBy(() -> SqliteLog.bytesOfCommit(log))
                .isInstanceOf(BenchException.class)
                .hasMessageContaining("empty-wal");
    }

    @Test
    void writesKeepTheLengthOfTheFileAndTheEndRemovesIt() throws Exception {
        Path file = folder.resolve("raw");
        try (FlushLoop loop = new FlushLoop(file, 4_000_000)) {
            long before = Files.size(file);
            for (int i = 0; i < 12; i++) {
                loop.flush();
            }
            assertThat(loop.perSecond(3)).isPositive();
            assertThat(Files.size(file)).isEqualTo(before).isGreaterThan(16_000_000);
        }
        assertThat(file).doesNotExist();
    }
}
