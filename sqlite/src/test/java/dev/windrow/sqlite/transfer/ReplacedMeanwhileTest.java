package dev.windrow.sqlite.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobState;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.limit.ConcurrencyKey;
import dev.windrow.query.JobFilter;
import dev.windrow.sqlite.Stores;
import dev.windrow.sqlite.connection.SqliteFile;
import dev.windrow.sqlite.writer.Writer;
import dev.windrow.store.job.Change;
import dev.windrow.store.job.ChangeByFilter;
import dev.windrow.store.sql.writer.Batch;
import java.nio.file.Path;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A change by filter and a job that another enqueue replaces. The change leaves the job out if it was replaced after it was found and before it was
 * changed.
 */
class ReplacedMeanwhileTest {
    @TempDir
    Path folder;

    /** Returns the parts of a filter that a replacement can change. */
    static Stream<JobFilter> filters() {
        return Stream.of(
                JobFilter.ALL.withConcurrencyKey("old"),
                JobFilter.ALL.withName("old"),
                JobFilter.ALL.withPriority(3),
                JobFilter.ALL.withTags(List.of("old")),
                JobFilter.ALL.withScheduledBefore(Instant.parse("2100-01-01T00:00:00Z")));
    }

    /** Changes the row as a replacement does, after the change has found the job and before it reads the job again. */
    private static final class Replacement implements Writer.Probe {
        private final AtomicBoolean isDone = new AtomicBoolean();

        @Override
        public void began(SqliteFile.Opened database, Batch batch) throws SQLException {
            if (batch.has(Change.class) && !isDone.getAndSet(true)) {
                try (Statement statement = database.connection().createStatement()) {
                    statement.execute(
                            "UPDATE windrow_jobs SET concurrency_key = 'new', name = 'new', priority = 4, scheduled_at = 4200000000000");
                    statement.execute("UPDATE windrow_tags SET tag = 'new'");
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("filters")
    void aReplacedJobIsSkippedByTheChange(JobFilter filter) throws Exception {
        Replacement replacement = new Replacement();
        try (StoreDriver store = Stores.open(folder.resolve("jobs.db"), Duration.ofSeconds(60), replacement)) {
            long job = store.enqueue(NewRow.job()
                    .concurrencyKey(ConcurrencyKey.of("old"))
                    .name("old")
                    .priority(3)
                    .tags("old"));
            Change cancel = Change.byFilter(Change.Verb.CANCEL, filter, "anna").build();
            assertThat(StoreDriver.answer(ChangeByFilter.run(store.store(), cancel))
                            .ids())
                    .isEmpty();
            assertThat(replacement.isDone).as("it was found before").isTrue();
            assertThat(store.state(job)).isEqualTo(JobState.PENDING);
            assertThat(store.audit(10)).isEmpty();
        }
    }
}
