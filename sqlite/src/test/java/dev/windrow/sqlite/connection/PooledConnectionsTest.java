package dev.windrow.sqlite.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.windrow.JobState;
import dev.windrow.StoreUnavailableException;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.sqlite.Stores;
import dev.windrow.sqlite.writer.Writer;
import dev.windrow.store.job.Enqueue;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteDataSource;

/** An application whose pool gives connections with {@code autoCommit=false}, as frameworks often want it. */
class PooledConnectionsTest {
    @TempDir
    Path folder;

    private HikariDataSource pool(Path file, String settings) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl("jdbc:sqlite:" + file + settings);
        config.setAutoCommit(false);
        config.setMinimumIdle(2);
        config.setMaximumPoolSize(2);
        config.setIsolateInternalQueries(true);
        config.setConnectionTestQuery("SELECT 1");
        return new HikariDataSource(config);
    }

    private static void enqueue(StoreDriver store, Connection connection) {
        assertThat(store.store()
                        .apply(connection, new Enqueue(List.of(NewRow.job().row()))))
                .hasSize(1);
    }

    private static void read(Connection connection) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.executeQuery("SELECT count(*) FROM windrow_jobs").close();
        }
    }

    @Test
    void idleConnectionsThatLockAtTheirFirstStatementBlockNoWriter() throws Exception {
        Path file = folder.resolve("jobs.db");
        try (StoreDriver store = Stores.open(file);
                HikariDataSource pool = pool(file, "?foreign_keys=true&jdbc.explicit_readonly=true");
                Connection reader = pool.getConnection()) {
            store.enqueue(NewRow.job());
            try (Connection connection = pool.getConnection()) {
                read(connection);
                enqueue(store, connection);
                connection.commit();
                store.enqueue(NewRow.job());
                enqueue(store, connection);
                connection.rollback();
            }
            store.enqueue(NewRow.job());
            reader.setReadOnly(true);
            read(reader);
            store.enqueue(NewRow.job());
            reader.rollback();
            assertThat(store.count(JobState.PENDING)).isEqualTo(5);
        }
    }

    @Test
    void theDriversDataSourceLocksAtItsFirstStatementByItsConfigAndNotByItsUrl() throws Exception {
        Path file = folder.resolve("jobs.db");
        SQLiteConfig config = new SQLiteConfig();
        config.setExplicitReadOnly(true);
        try (StoreDriver store = Stores.open(file)) {
            assertThat(locksWhenItReads(new SQLiteDataSource(), file, store)).isFalse();
            assertThat(locksWhenItReads(new SQLiteDataSource(config), file, store))
                    .isTrue();
        }
    }

    private static boolean locksWhenItReads(SQLiteDataSource database, Path file, StoreDriver store)
            throws SQLException {
        database.setUrl("jdbc:sqlite:" + file + "?foreign_keys=true&jdbc.explicit_readonly=true");
        try (Connection connection = database.getConnection();
                Connection other = DriverManager.getConnection("jdbc:sqlite:" + file + "?busy_timeout=0");
                var statement = other.createStatement()) {
            connection.setAutoCommit(false);
            read(connection);
            Throwable busy = catchThrowable(() -> statement.execute("BEGIN IMMEDIATE"));
            if (busy == null) {
                statement.execute("ROLLBACK");
            }
            enqueue(store, connection);
            connection.rollback();
            return busy != null;
        }
    }

    @Test
    void anIdleConnectionThatHoldsTheWriteLockIsNamedInTheError() throws Exception {
        Path file = folder.resolve("jobs.db");
        try (StoreDriver store = Stores.open(file, Duration.ofMillis(500), Writer.Probe.NONE);
                HikariDataSource pool = pool(file, "?foreign_keys=true&transaction_mode=IMMEDIATE")) {
            pool.getConnection().close();
            assertThat(catchThrowable(() -> store.store()
                            .submit(new Enqueue(List.of(NewRow.job().row())))
                            .get(60, TimeUnit.SECONDS)))
                    .hasCauseInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("the write lock is held by this process")
                    .hasMessageContaining("autoCommit=false and transaction_mode=IMMEDIATE")
                    .hasMessageContaining("jdbc.explicit_readonly=true");
            assertThat(catchThrowable(() -> store.store().inTransaction(connection -> null)))
                    .isInstanceOf(StoreUnavailableException.class);
        }
    }
}
