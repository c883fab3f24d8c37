package dev.windrow.postgres;

import dev.windrow.contract.StoreDriver;
import dev.windrow.postgres.schema.Migrations;
import dev.windrow.postgres.writer.Writer;
import dev.windrow.testkit.ManualTime;
import dev.windrow.testserver.PostgresServer;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A base for tests that hold one transaction while another one passes. It has stores on one schema, as processes have them, and a view of locks. */
public abstract class TwoTransactions {
    public final PostgresServer server = PostgresServer.shared();
    public final String schema = server.newSchema();
    public final ManualTime time = new ManualTime();
    public final Disturbance disturbance = new Disturbance();
    public TestTables tables;

    @BeforeEach
    void openTables() throws SQLException {
        tables = TestTables.open(server, schema);
    }

    @AfterEach
    void closeTables() throws SQLException {
        tables.close();
    }

    public StoreDriver open(Writer.Probe probe) {
        return new StoreDriver(
                PostgresStore.configure(server.url())
                        .schema(schema)
                        .operationTimeout(Duration.ofSeconds(60))
                        .probe(probe)
                        .build(),
                time);
    }

    /** Waits until the future has ended, or a session waits for a lock in this schema or for one of its advisory locks. */
    public void awaitLock(CompletableFuture<?> begun) {
        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofMillis(2))
                .until(() -> begun.isDone()
                        || tables.one("SELECT count(*) > 0 FROM pg_locks l JOIN pg_stat_activity a USING (pid)"
                                        + " WHERE NOT l.granted AND (a.query LIKE '%" + schema + "%'"
                                        + " OR l.locktype = 'advisory' AND l.classid = "
                                        + (Migrations.lock(tables.tables()) >>> 32) + ")")
                                .equals("t"));
    }
}
