package dev.windrow.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.JobState;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.monitor.DiagnoseOptions;
import dev.windrow.sqlite.Durability;
import dev.windrow.testserver.PostgresServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SchemasTest {
    private final PostgresServer server = PostgresServer.shared();

    private List<String> schemas() throws SQLException {
        try (Connection connection = server.dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(
                        "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'windrow_bench_%' ORDER BY nspname")) {
            List<String> names = new ArrayList<>();
            while (rows.next()) {
                names.add(rows.getString(1));
            }
            return names;
        }
    }

    @Test
    void onlyCreatedSchemasAreDropped() throws Exception {
        List<String> before = schemas();
        SchemaDatabase others = new SchemaDatabase(server.url(), "windrow_bench_of_somebody_else");
        others.make();
        try (Schemas schemas = new Schemas(server.url())) {
            Database removed = schemas.next();
            removed.open().close();
            removed.remove();
            schemas.next().open().close();
            assertThat(schemas()).hasSize(before.size() + 2);
        }
        assertThat(schemas()).hasSize(before.size() + 1).contains(others.schema());
        assertThatThrownBy(others::make).isInstanceOf(SQLException.class);
        others.remove();
    }

    @Test
    void theServerReportsItsVersionAndItsSyncSetting() throws Exception {
        try (Schemas schemas = new Schemas(server.url());
                PostgresServer syncing = PostgresServer.start("fsync=on");
                Schemas durable = new Schemas(syncing.url())) {
            assertThat(schemas.version()).matches("PostgreSQL [1-9][0-9]+[.0-9a-z]*");
            assertThat(durable.durability()).isEqualTo(Durability.FULL);
        }
    }

    @Test
    void finishedJobsEqualThoseOfTheEngineAndItContinuesAfterThem() throws Exception {
        try (Schemas schemas = new Schemas(server.url())) {
            Database seeded = schemas.next();
            seeded.seed(1234, "\"x\"");
            Audit.completed(seeded, 1234);
            assertThat(Windrow.diagnose(seeded.store(), DiagnoseOptions.ALL).failed())
                    .isEmpty();
            try (Windrow windrow = seeded.open();
                    Worker worker = Work.start(windrow, 4)) {
                Work.enqueue(windrow, 300, "y");
                assertThat(worker.awaitIdle(Duration.ofMinutes(1))).isTrue();
                assertThat(windrow.monitor().statistics().states()).containsEntry(JobState.COMPLETED, 1534L);
            }
            Audit.completed(seeded, 1534);
        }
    }

    @Test
    void aWrongCountIsAnError() throws Exception {
        try (Schemas schemas = new Schemas(server.url())) {
            Database seeded = schemas.next();
            seeded.seed(10, "\"x\"");
            assertThatThrownBy(() -> Audit.completed(seeded, 11))
                    .isInstanceOf(BenchException.class)
                    .hasMessageContaining("10 instead of 11");
            try (Connection connection = seeded.connect();
                    Statement statement = connection.createStatement()) {
                statement.execute("UPDATE windrow_jobs SET started_at = NULL WHERE id = 3");
            }
            assertThatThrownBy(() -> Audit.completed(seeded, 10)).hasMessageContaining("9 instead of 10");
        }
    }
}
