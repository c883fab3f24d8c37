package dev.windrow.postgres.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.EventKind;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobState;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.postgres.PostgresStore;
import dev.windrow.store.sql.connection.TablePrefix;
import dev.windrow.testkit.ManualTime;
import dev.windrow.testserver.PostgresServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The names that are put into statements. No other text of a user is ever put there. */
class TablesTest {
    private static final String LONGEST_SCHEMA = "a_schema_with_a_name_of_fifty_characters_012345678";
    private static final String LONGEST_PREFIX = "a_prefix_of_thirty_characters_";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "Public",
                "1st",
                "a-b",
                "a.b",
                "a b",
                "a;b",
                "a\"b",
                "a'b",
                "a\\b",
                "a$1",
                "a\n",
                "größe",
                "pg_jobs",
                "pg_catalog",
                "x\"; DROP TABLE t; --",
                LONGEST_SCHEMA + 'x'
            })
    void aSchemaNameThatNeedsQuotesIsRefused(String schema) {
        assertThatThrownBy(() -> new Tables(schema, TablePrefix.DEFAULT))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessage("schema '%s' is not allowed: 1 to 50 of a-z 0-9 _, not beginning with a digit or pg_"
                        .formatted(schema));
        assertThatThrownBy(() -> PostgresStore.configure("jdbc:postgresql://127.0.0.1:1/db")
                        .schema(schema)
                        .build())
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("schema '" + schema + "'");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "Jobs_",
                "1st_",
                "a-",
                "a.",
                "a b",
                "a;",
                "a\"",
                "a'",
                "a\\",
                "a$1",
                "a\n",
                "größe_",
                "sqlite_",
                LONGEST_PREFIX + 'x'
            })
    void aPrefixThatNeedsQuotesIsRefused(String prefix) {
        assertThatThrownBy(() -> new Tables(Tables.DEFAULT_SCHEMA, prefix))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessage(
                        "table prefix '%s' is not allowed: 1 to 30 of a-z 0-9 _, not beginning with a digit or sqlite_"
                                .formatted(prefix));
        assertThatThrownBy(() -> PostgresStore.configure("jdbc:postgresql://127.0.0.1:1/db")
                        .tablePrefix(prefix)
                        .build())
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("table prefix '" + prefix + "'");
    }

    @Test
    void eachQueueOfADatabaseHasItsOwnChannel() {
        String longest = new Tables(LONGEST_SCHEMA, LONGEST_PREFIX).channel();
        assertThat(longest).hasSizeLessThan(64);
        assertThat(List.of(
                        new Tables("public", "shop_").channel(),
                        new Tables("public", "mail_").channel(),
                        new Tables("shop", TablePrefix.DEFAULT).channel(),
                        new Tables("mail", TablePrefix.DEFAULT).channel(),
                        new Tables("public", TablePrefix.DEFAULT).channel(),
                        longest))
                .doesNotHaveDuplicates();
    }

    /** PostgreSQL cuts longer names without an error. Two stores would then share a table or an index. */
    @Test
    void theLongestNamesAreNotCut() throws SQLException {
        assertThat(LONGEST_SCHEMA).hasSize(50);
        assertThat(LONGEST_PREFIX).hasSize(30);
        PostgresServer server = PostgresServer.shared();
        PostgresStore store = PostgresStore.configure(server.dataSource())
                .schema(LONGEST_SCHEMA)
                .tablePrefix(LONGEST_PREFIX)
                .build();
        try (Connection connection = server.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            try (StoreDriver driver = new StoreDriver(store, new ManualTime())) {
                long job = driver.enqueue(NewRow.job());
                assertThat(driver.state(job)).isEqualTo(JobState.PENDING);
                assertThat(driver.events(job)).containsExactly(EventKind.ENQUEUED);
                try (ResultSet row = statement.executeQuery("""
                        SELECT count(*), count(*) FILTER (WHERE starts_with(relname, '%s')), max(length(relname))
                          FROM pg_class WHERE relnamespace = '%s'::regnamespace AND relkind IN ('r', 'i', 'S', 'v')
                        """.formatted(LONGEST_PREFIX, LONGEST_SCHEMA))) {
                    assertThat(row.next()).isTrue();
                    assertThat(row.getInt(1)).isGreaterThan(40).isEqualTo(row.getInt(2));
                    assertThat(row.getInt(3)).isLessThan(63);
                }
            } finally {
                statement.execute("SET client_min_messages = warning");
                statement.execute("DROP SCHEMA \"" + LONGEST_SCHEMA + "\" CASCADE");
            }
        }
    }
}
