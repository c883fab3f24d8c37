package dev.windrow.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.ConcurrencyKey;
import dev.windrow.Dedupe;
import dev.windrow.EventKind;
import dev.windrow.JobFilter;
import dev.windrow.JobState;
import dev.windrow.store.Change;
import dev.windrow.testkit.ManualTime;
import dev.windrow.testkit.NewRow;
import dev.windrow.testkit.StoreDriver;
import dev.windrow.testserver.PostgresServer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A change by filter leaves out a job that was replaced by another enqueue after it was found and before its turn came. */
@Execution(ExecutionMode.SAME_THREAD)
class ReplacedMeanwhileTest {
    private static final Dedupe KEY = Dedupe.key("k").replace();

    private final PostgresServer server = PostgresServer.shared();

    /** The parts of a filter that a replacement can change. */
    static Stream<JobFilter> filters() {
        return Stream.of(
                JobFilter.ALL.withConcurrencyKey("old"),
                JobFilter.ALL.withName("old"),
                JobFilter.ALL.withPriority(3),
                JobFilter.ALL.withTags(List.of("old")),
                JobFilter.ALL.withScheduledBefore(Instant.parse("2100-01-01T00:00:00Z")));
    }

    @ParameterizedTest
    @MethodSource("filters")
    void aReplacedJobIsLeftOut(JobFilter filter) {
        Disturbance disturbance = new Disturbance();
        ManualTime time = new ManualTime();
        try (StoreDriver store = new StoreDriver(
                PostgresStore.configure(server.url())
                        .schema(server.newSchema())
                        .operationTimeout(Duration.ofSeconds(60))
                        .probe(disturbance)
                        .build(),
                time)) {
            long job = store.enqueue(NewRow.job()
                    .dedupe(KEY)
                    .concurrencyKey(ConcurrencyKey.of("old"))
                    .name("old")
                    .priority(3)
                    .tags("old")
                    .delay(Duration.ofDays(1)));
            NewRow other = NewRow.job()
                    .dedupe(KEY)
                    .concurrencyKey(ConcurrencyKey.of("new"))
                    .name("new")
                    .priority(4)
                    .tags("new")
                    .runAt(Instant.parse("2100-01-01T00:00:00Z"));
            disturbance
                    .of(Operation.Modify.class)
                    .atBegin(session -> assertThat(store.enqueue(other)).isEqualTo(job));
            Change cancel = new Change(Change.Verb.CANCEL, null, filter, "anna", null, null, null, null, false);
            assertThat(StoreDriver.answer(store.store().change(cancel)).ids()).isEmpty();
            assertThat(store.events(job))
                    .as("it was found before")
                    .containsExactly(EventKind.ENQUEUED, EventKind.REPLACED);
            assertThat(store.state(job)).isEqualTo(JobState.SCHEDULED);
            assertThat(store.store().audit(10)).isEmpty();
        }
    }
}
