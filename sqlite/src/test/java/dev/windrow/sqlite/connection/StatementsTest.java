package dev.windrow.sqlite.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.StoreUnavailableException;
import dev.windrow.sqlite.Durability;
import dev.windrow.sqlite.Stores;
import dev.windrow.sqlite.TestDatabase;
import dev.windrow.store.sql.connection.Query;
import dev.windrow.store.sql.connection.Statements;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Statements after an error of the disk and after an interrupt. The driver closes such a statement, and the next use gets another one. */
class StatementsTest {
    private static final String INSERT = "INSERT INTO t VALUES (zeroblob(100000))";
    private static final String COUNT_TO =
            "WITH RECURSIVE c (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM c WHERE n < ?) SELECT count(*) FROM c";

    @TempDir
    Path folder;

    private TestDatabase withLittleRoom() throws SQLException {
        TestDatabase database = TestDatabase.open(folder.resolve("small.db"));
        database.execute("CREATE TABLE t (x BLOB)");
        database.one("PRAGMA max_page_count = 3");
        return database;
    }

    private static void makeRoom(TestDatabase database) throws SQLException {
        database.one("PRAGMA max_page_count = 1000");
    }

    @Test
    void a_statement_that_has_failed_can_be_run_again() throws Exception {
        try (TestDatabase database = withLittleRoom();
                SqliteStatements statements = new SqliteStatements(database.connection(), Tables.DEFAULT)) {
            assertThatThrownBy(() -> statements.run(INSERT)).hasMessageContaining("SQLITE_FULL");
            makeRoom(database);
            statements.run(INSERT);
            assertThat(database.one("SELECT count(*) FROM t")).isEqualTo("1");
        }
    }

    @Test
    void after_a_failed_transaction_all_statements_are_prepared_again() throws Exception {
        try (TestDatabase database = withLittleRoom();
                SqliteStatements statements = new SqliteStatements(database.connection(), Tables.DEFAULT)) {
            Query failing = statements.get(INSERT);
            assertThatThrownBy(failing::update).hasMessageContaining("SQLITE_FULL");
            makeRoom(database);
            assertThatThrownBy(failing::update).isInstanceOf(SQLException.class);
            statements.forget();
            assertThat(statements.get(INSERT).update()).isEqualTo(1);
        }
    }

    @Test
    void a_read_that_timed_out_harms_no_later_read() throws Exception {
        Path file = folder.resolve("jobs.db");
        Stores.open(file).close();
        CountDownLatch stopped = new CountDownLatch(1);
        SqliteFile database = new SqliteFile(file, Durability.FULL, 1000);
        try (Readers readers = new Readers(
                database, database::openReader, Duration.ofMillis(500).toNanos(), "test")) {
            assertThatThrownBy(() -> readers.read("counting for hours", statements -> {
                        try {
                            return count(statements, Long.MAX_VALUE);
                        } finally {
                            stopped.countDown();
                        }
                    }))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("took longer than");
            Stores.await(stopped);
            for (int i = 0; i < 10; i++) {
                long counted = readers.read("counting", statements -> count(statements, 10));
                assertThat(counted).isEqualTo(10);
            }
        }
    }

    private static long count(Statements statements, long to) throws SQLException {
        return statements.get(COUNT_TO).set(1, to).one();
    }
}
