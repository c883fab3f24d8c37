package dev.windrow.postgres.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.Dedupe;
import dev.windrow.EventKind;
import dev.windrow.JobState;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.limit.ConcurrencyKey;
import dev.windrow.postgres.Disturbance;
import dev.windrow.postgres.Hooks;
import dev.windrow.postgres.PostgresStore;
import dev.windrow.postgres.TestTables;
import dev.windrow.query.JobFilter;
import dev.windrow.store.job.Change;
import dev.windrow.store.job.ChangeByFilter;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.testkit.ManualTime;
import dev.windrow.testserver.PostgresServer;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Jobs that another enqueue replaces after a change or a claim began to look for jobs, and before it has locked them. */
class ReplacedMeanwhileTest {
    private static final Dedupe KEY = Dedupe.key("k").replace();
    private static final int GATE = 4711;

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
    void aReplacedJobIsSkippedByTheChange(JobFilter filter) {
        Disturbance disturbance = new Disturbance();
        ManualTime time = new ManualTime();
        try (StoreDriver store = new StoreDriver(
                Hooks.probe(
                                PostgresStore.configure(server.url())
                                        .schema(server.newSchema())
                                        .operationTimeout(Duration.ofSeconds(60)),
                                disturbance)
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
                    .of(Change.class)
                    .atBegin(session -> assertThat(store.enqueue(other)).isEqualTo(job));
            Change cancel = Change.byFilter(Change.Verb.CANCEL, filter, "anna").build();
            assertThat(StoreDriver.answer(ChangeByFilter.run(store.store(), cancel))
                            .ids())
                    .isEmpty();
            assertThat(store.events(job))
                    .as("it was found before")
                    .containsExactly(EventKind.ENQUEUED, EventKind.REPLACED);
            assertThat(store.state(job)).isEqualTo(JobState.SCHEDULED);
            assertThat(store.audit(10)).isEmpty();
        }
    }

    @Test
    void aClaimThatBeganBeforeAReplacementRunsTheNewPayload() throws Exception {
        String schema = server.newSchema();
        try (StoreDriver store = new StoreDriver(
                        PostgresStore.configure(server.url())
                                .schema(schema)
                                .operationTimeout(Duration.ofSeconds(60))
                                .build(),
                        new ManualTime());
                TestTables tables = TestTables.open(server, schema)) {
            long job = store.enqueue(
                    NewRow.job().dedupe(KEY).payload("\"old\"").name("old").tags("old"));
            long unkeyed = store.enqueue(NewRow.job().payload("\"unkeyed\""));
            holdClaimsInMidStatement(tables, schema);
            tables.execute("SELECT pg_advisory_lock(" + GATE + ")");
            CompletableFuture<List<ClaimedJob>> claim = new CompletableFuture<>();
            new Thread(() -> claim.completeAsync(() -> store.claim(2), Runnable::run)).start();
            Awaitility.await()
                    .atMost(Duration.ofSeconds(60))
                    .pollInterval(Duration.ofMillis(2))
                    .until(() -> tables.one("SELECT count(*) > 0 FROM pg_locks WHERE NOT granted AND objid = " + GATE)
                            .equals("t"));
            assertThat(store.enqueue(NewRow.job().dedupe(KEY).payload("\"new\"").name("new")))
                    .isEqualTo(job);
            tables.execute("SELECT pg_advisory_unlock(" + GATE + ")");
            List<ClaimedJob> claimed = claim.get(60, TimeUnit.SECONDS);
            assertThat(claimed).extracting(ClaimedJob::id).containsExactlyInAnyOrder(job, unkeyed);
            assertThat(claimed)
                    .filteredOn(each -> each.id() == job)
                    .singleElement()
                    .satisfies(each -> {
                        assertThat(each.payload()).isEqualTo("\"new\"");
                        assertThat(each.name()).isEqualTo("new");
                    });
            assertThat(claimed)
                    .filteredOn(each -> each.id() == unkeyed)
                    .extracting(ClaimedJob::payload)
                    .containsExactly("\"unkeyed\"");
            assertThat(store.events(job)).containsExactly(EventKind.ENQUEUED, EventKind.REPLACED, EventKind.CLAIMED);
        }
    }

    /**
     * Holds claims in the middle of their statement. A claim reads the lanes first. A view in their place makes it wait when it has begun and has not
     * locked a job. The function takes the lane as its argument. Without a column of it, the function could be called later in the plan.
     */
    private static void holdClaimsInMidStatement(TestTables tables, String schema) throws SQLException {
        tables.execute("ALTER TABLE windrow_lanes RENAME TO lanes_kept");
        tables.execute(
                "CREATE FUNCTION windrow_held(lane integer) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$ BEGIN"
                        + " IF current_query() LIKE '%head AS%' THEN PERFORM pg_advisory_lock_shared(" + GATE + ");"
                        + " PERFORM pg_advisory_unlock_shared(" + GATE + "); END IF; RETURN true; END $$");
        tables.execute(
                "CREATE VIEW windrow_lanes AS SELECT * FROM \"" + schema + "\".lanes_kept WHERE windrow_held(id)");
    }
}
