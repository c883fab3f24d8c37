package dev.windrow.postgres.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.IncompatibleStoreException;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.postgres.PostgresStore;
import dev.windrow.postgres.TwoTransactions;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A PostgreSQL server that behaves like an unfit one, by functions in a schema that comes first in the search path. */
class UnfitServersTest extends TwoTransactions {
    private final String first = "first_" + schema;

    @BeforeEach
    void makeSchema() throws SQLException {
        execute("CREATE SCHEMA " + first);
    }

    @AfterEach
    void dropSchema() throws SQLException {
        execute("DROP SCHEMA " + first + " CASCADE");
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = tables.connection().createStatement()) {
            statement.execute(sql);
        }
    }

    private void version(String version) throws SQLException {
        execute("CREATE FUNCTION %s.version() RETURNS text LANGUAGE sql AS $$ SELECT '%s' $$"
                .formatted(first, version));
    }

    private void withoutItsStart() throws SQLException {
        execute(("CREATE FUNCTION %s.pg_postmaster_start_time() RETURNS timestamptz LANGUAGE plpgsql AS"
                        + " $$ BEGIN RAISE EXCEPTION 'unknown function' USING ERRCODE = '42883'; END $$")
                .formatted(first));
    }

    private StoreDriver openThere() {
        return new StoreDriver(
                PostgresStore.configure(server.url() + "&options=-c%20search_path=" + first + ",pg_catalog")
                        .schema(schema)
                        .build(),
                time);
    }

    @ParameterizedTest
    @CsvSource({"CockroachDB CCL v24.1.0 (x86_64), pg_xact_status", "PostgreSQL 15.12-YB-2025.2.3.0-b1, YugabyteDB"})
    void anUnfitServerIsRefusedByItsVersion(String version, String reason) throws SQLException {
        version(version);
        assertThatThrownBy(this::openThere)
                .isInstanceOf(IncompatibleStoreException.class)
                .hasMessageContaining(version)
                .hasMessageContaining(reason);
    }

    @Test
    void anUnfitServerWhoseFirstStatementFailsIsRefusedByItsVersion() throws SQLException {
        version("CockroachDB CCL v24.1.0");
        withoutItsStart();
        assertThatThrownBy(this::openThere)
                .isInstanceOf(IncompatibleStoreException.class)
                .hasMessageContaining("CockroachDB");
    }

    @Test
    void aStoreOpensThroughAProxyThatLosesPreparedStatements() throws SQLException {
        // The driver does not see this text.
        execute(("CREATE FUNCTION %s.clock_timestamp() RETURNS timestamptz LANGUAGE plpgsql AS"
                        + " $$ BEGIN EXECUTE 'DEALLOCATE ALL'; RETURN pg_catalog.clock_timestamp(); END $$")
                .formatted(first));
        try (StoreDriver store = openThere()) {
            store.enqueue(NewRow.job());
        }
        assertThat(tables.one("SELECT count(*) FROM windrow_jobs")).isEqualTo("1");
    }
}
