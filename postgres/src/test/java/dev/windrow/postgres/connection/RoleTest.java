package dev.windrow.postgres.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.StoreUnavailableException;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.postgres.Hooks;
import dev.windrow.postgres.PostgresStore;
import dev.windrow.postgres.TwoTransactions;
import dev.windrow.postgres.job.LoneEnqueue;
import dev.windrow.postgres.writer.Writer;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A database user with only the privileges that docs/postgres.md names. */
class RoleTest extends TwoTransactions {
    private final String role = "r_" + schema;

    @BeforeEach
    void makeRole() throws SQLException {
        open(Writer.Probe.NONE).close();
        tables.execute("CREATE ROLE " + role + " LOGIN; GRANT USAGE ON SCHEMA " + schema + " TO " + role
                + "; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA " + schema + " TO " + role
                + "; GRANT USAGE ON ALL SEQUENCES IN SCHEMA " + schema + " TO " + role);
    }

    @AfterEach
    void dropRole() throws SQLException {
        tables.execute("DROP OWNED BY " + role + "; DROP ROLE " + role);
    }

    private String asRole() {
        return server.url().replaceFirst("user=[^&]+", "user=" + role);
    }

    private StoreDriver openAsRole() {
        return new StoreDriver(PostgresStore.configure(asRole()).schema(schema).build(), time);
    }

    @Test
    void aRestrictedRoleRunsJobsAndPassesTheDiagnosis() throws SQLException {
        try (StoreDriver store = openAsRole()) {
            store.enqueue(NewRow.job());
            assertThat(store.complete(store.claimOne())).isTrue();
            assertThat(store.diagnose().failed()).isEmpty();
            assertThat(tables.one("SELECT count(*) > 0 FROM pg_stat_activity WHERE usename = '" + role + "'"))
                    .isEqualTo("t");
        }
    }

    @Test
    void aRestrictedRoleWritesASingleJobInOneMessage() {
        StoreDriver store = new StoreDriver(
                Hooks.probe(PostgresStore.configure(asRole()).schema(schema), disturbance)
                        .build(),
                time);
        try (store) {
            store.enqueue(NewRow.job());
            long id = store.enqueue(NewRow.job());
            assertThat(disturbance.sent).extracting(LoneEnqueue::id).containsExactly(id);
        }
    }

    @Test
    void aVacuumThatTheServerSkipsFailsAndNamesTheAllowedRole() {
        try (StoreDriver store = openAsRole()) {
            assertThatThrownBy(() -> store.store().vacuum())
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("windrow_actors")
                    .hasMessageContaining("the owner of the tables");
        }
    }
}
