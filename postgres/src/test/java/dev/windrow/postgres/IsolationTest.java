package dev.windrow.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.postgres.connection.Session;
import dev.windrow.postgres.job.LoneEnqueue;
import dev.windrow.postgres.writer.Writer;
import dev.windrow.store.Transition;
import dev.windrow.store.job.Claim;
import dev.windrow.store.job.Enqueue;
import dev.windrow.store.sql.writer.Batch;
import dev.windrow.testkit.ManualTime;
import dev.windrow.testserver.PostgresServer;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** A server whose transactions have another default isolation than the transactions of the store. */
@ParameterizedClass
@ValueSource(strings = {"repeatable read", "serializable"})
class IsolationTest {
    @Parameter
    String isolation;

    private final PostgresServer server = PostgresServer.shared();
    private final String schema = server.newSchema();
    private final Disturbance disturbance = new Disturbance();
    /** The isolation of each shared transaction, and the default of its connection. */
    private final Set<String> seen = ConcurrentHashMap.newKeySet();

    private final AtomicInteger sent = new AtomicInteger();

    @AfterEach
    void dropSchema() throws SQLException {
        try (TestTables tables = TestTables.open(server, schema)) {
            tables.execute("DROP SCHEMA \"" + schema + "\" CASCADE");
        }
    }

    private String url() {
        String option = "-c default_transaction_isolation=" + isolation.replace(" ", "\\ ");
        return server.url() + "&options=" + URLEncoder.encode(option, StandardCharsets.UTF_8);
    }

    private StoreDriver open(Writer.Probe probe) {
        return new StoreDriver(
                PostgresStore.configure(url()).schema(schema).probe(probe).build(), new ManualTime());
    }

    private static String isolations(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT current_setting('transaction_isolation') || ' for '"
                        + " || current_setting('default_transaction_isolation')")) {
            row.next();
            return row.getString(1);
        }
    }

    @Test
    void transactionsAreReadCommittedAndConnectionsKeepTheirSettings() throws Exception {
        Writer.Probe probe = new Writer.Probe() {
            @Override
            public void began(Session session, Batch batch) throws SQLException {
                seen.add(isolations(session.connection()));
                disturbance.began(session, batch);
            }

            @Override
            public void sending(LoneEnqueue lone) {
                sent.incrementAndGet();
            }
        };
        try (StoreDriver store = open(probe);
                StoreDriver other = open(Writer.Probe.NONE);
                Connection connection = DriverManager.getConnection(url())) {
            disturbance.of(Claim.class);
            store.enqueueAll(NewRow.job(), NewRow.job());
            // A stricter transaction would meet a row that has changed since its beginning, and fail.
            disturbance.atBegin(session -> assertThat(other.claim(1)).hasSize(1));
            assertThat(store.claim(1)).hasSize(1);
            assertThat(disturbance.transactions).hasValue(1);

            connection.setAutoCommit(false);
            assertThat(isolations(connection)).isEqualTo(isolation + " for " + isolation);
            store.store().apply(connection, new Enqueue(List.of(NewRow.job().row())));
            connection.commit();
            assertThat(store.settle(store.claimOne(), Transition.COMPLETE)).isTrue();
            String managed = store.store().inTransaction(IsolationTest::isolations);
            assertThat(managed).isEqualTo("read committed for " + isolation);
            store.enqueue(NewRow.job());
            store.enqueue(NewRow.job());
            assertThat(seen).containsExactly(managed);
            assertThat(sent).as("a message alone has the default isolation").hasValue(0);
        }
    }
}
