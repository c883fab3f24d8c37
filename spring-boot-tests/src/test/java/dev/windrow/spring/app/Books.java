package dev.windrow.spring.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobState;
import dev.windrow.Store;
import dev.windrow.Windrow;
import dev.windrow.monitor.Statistics;
import dev.windrow.postgres.PostgresStore;
import dev.windrow.spring.app.RunningShop.Place;
import dev.windrow.sqlite.SqliteStore;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.Map;

/** What must be true of the database after the application has ended. */
final class Books {
    private Books() {}

    /** Ends the application by SIGTERM. It has no error, uses no destroyed bean, and keeps the time. */
    static void requireGoodEnd(RunningShop shop, long withinMillis) throws InterruptedException {
        long millis = shop.terminate();
        assertThat(millis).as("milliseconds to the end of\n" + shop.output()).isLessThan(withinMillis);
        assertThat(shop.output())
                .doesNotContain("DESTROYED BEAN USED")
                .doesNotContainPattern(" ERROR |could not be|Exception: ");
    }

    /** No job is lost or held, and each completed one has exactly one charge. Returns the number of completed ones. */
    static long require(Place place, long jobs) throws Exception {
        Map<JobState, Long> states;
        try (Windrow windrow = Windrow.open(store(place))) {
            Statistics statistics = windrow.monitor().statistics();
            states = statistics.states();
        }
        assertThat(states.values().stream().mapToLong(Long::longValue).sum())
                .as("jobs in %s", states)
                .isEqualTo(jobs);
        long completed = states.get(JobState.COMPLETED);
        assertThat(completed + states.get(JobState.PENDING))
                .as("jobs in %s", states)
                .isEqualTo(jobs);
        try (Connection connection = DriverManager.getConnection(place.url());
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT count(*), count(DISTINCT job) FROM charges")) {
            row.next();
            assertThat(row.getLong(1)).as("charges").isEqualTo(completed);
            assertThat(row.getLong(2)).as("charged jobs").isEqualTo(completed);
        }
        return completed;
    }

    private static Store store(Place place) {
        if (place.kind() == Cell.StoreKind.SQLITE) {
            return SqliteStore.at(Path.of(place.url().substring("jdbc:sqlite:".length())));
        }
        return PostgresStore.configure(place.url()).schema(place.schema()).build();
    }
}
