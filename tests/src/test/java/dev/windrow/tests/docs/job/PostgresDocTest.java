package dev.windrow.tests.docs.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobInfo;
import dev.windrow.Windrow;
import dev.windrow.postgres.PostgresStore;
import dev.windrow.query.JobFilter;
import dev.windrow.tests.docs.Docs;
import dev.windrow.testserver.PostgresServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** The code in docs/postgres.md compiles and behaves as described. */
class PostgresDocTest {
    private static final String CODE = "tests/src/test/java/dev/windrow/tests/docs/job/PostgresSnippet.java";

    @Test
    void javaSnippetsAreCompiledCode() {
        assertThat(Docs.blocks("java", "docs/postgres.md"))
                .isEqualTo(Docs.regions(CODE))
                .hasSize(2);
    }

    @Test
    void theTransactionCommitsRowAndJob() throws SQLException {
        PostgresServer server = PostgresServer.shared();
        String schema = server.newSchema();
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(server.url());
        source.setCurrentSchema(schema);
        try (Windrow windrow = Windrow.open(
                        PostgresStore.configure(source).schema(schema).build());
                Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE orders (customer text)");
            PostgresSnippet.order(windrow, (DataSource) source, "ada");
            assertThat(windrow.jobs(JobFilter.ALL)
                            .newestFirst()
                            .limit(10)
                            .page()
                            .jobs())
                    .extracting(JobInfo::type)
                    .containsExactly("image.resize");
            try (ResultSet row = statement.executeQuery("SELECT customer FROM orders")) {
                assertThat(row.next()).isTrue();
                assertThat(row.getString(1)).isEqualTo("ada");
            }
        }
    }
}
