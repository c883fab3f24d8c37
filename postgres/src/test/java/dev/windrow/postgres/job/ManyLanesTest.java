package dev.windrow.postgres.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.limit.LimitTarget;
import dev.windrow.postgres.TestTables;
import dev.windrow.postgres.TwoTransactions;
import dev.windrow.postgres.connection.Session;
import dev.windrow.postgres.writer.Learned;
import dev.windrow.postgres.writer.Names;
import dev.windrow.postgres.writer.Writer;
import dev.windrow.store.job.Claim;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.limit.KeyLimits;
import dev.windrow.store.limit.LimitChange;
import dev.windrow.store.sql.writer.Batch;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lanes without ready jobs cost a claim no scans of indexes. A claim takes the first jobs of all other lanes in claim order. */
class ManyLanesTest extends TwoTransactions {
    /** A probe that counts the scans of the last transaction with claims. */
    private final class Scans implements Writer.Probe {
        private long before;
        private long scans;

        private long count(Session session) throws SQLException {
            String sql = tables.tables().inSchema("""
                    SELECT sum(pg_stat_get_xact_numscans(i::regclass))
                      FROM unnest(ARRAY['windrow_jobs_claim', 'windrow_jobs_running']) AS g (i)
                    """);
            try (Statement statement = session.connection().createStatement();
                    ResultSet row = statement.executeQuery(sql)) {
                row.next();
                return row.getLong(1);
            }
        }

        @Override
        public void began(Session session, Batch batch) throws SQLException {
            if (batch.has(Claim.class)) {
                before = count(session);
            }
        }

        @Override
        public void committing(Session session, Batch batch) throws SQLException {
            if (batch.has(Claim.class)) {
                scans = count(session) - before;
            }
        }
    }

    private static Set<String> queues(int count) {
        return IntStream.range(0, count).mapToObj(i -> "q" + i).collect(Collectors.toSet());
    }

    private static NewRow job(int queue) {
        return NewRow.of("q" + queue, "t");
    }

    private static Claim request(Set<String> queues, int limit) {
        return StoreDriver.request("w", queues, Set.of("t"), limit);
    }

    private static List<Long> claim(StoreDriver store, Set<String> queues, int limit) {
        return store.claim(request(queues, limit)).jobs().stream()
                .map(ClaimedJob::id)
                .toList();
    }

    private static Learned learned(StoreDriver store) {
        return TestTables.learned(store);
    }

    /** Makes queries from the head seem slow, so that claims begin after the cursors. */
    private static void slow(StoreDriver store) {
        learned(store).claimCursors().lookedAtHead(TimeUnit.HOURS.toNanos(1));
        learned(store).claimCursors().lookedAtHead(TimeUnit.HOURS.toNanos(1));
    }

    /** Counts the scans of a claim of one of three ready jobs, while so many other queues are empty. */
    private long scansOfAClaim(int empty, boolean limited) {
        String suffix = "-" + empty;
        Set<String> queues = queues(empty).stream().map(name -> name + suffix).collect(Collectors.toSet());
        try (StoreDriver web = open(Writer.Probe.NONE)) {
            web.enqueueAll(queues.stream().map(name -> NewRow.of(name, "t")).toList());
            assertThat(claim(web, queues, empty)).hasSize(empty);
            if (limited) {
                queues.forEach(name -> StoreDriver.answer(
                        KeyLimits.change(web.store(), LimitChange.limit(LimitTarget.queue(name), "anna", 1_000_000))));
            }
            web.enqueueAll(
                    queues.stream().limit(3).map(name -> NewRow.of(name, "t")).toList());
        }
        Scans scans = new Scans();
        try (StoreDriver worker = open(scans)) {
            assertThat(claim(worker, queues, 1)).hasSize(1);
        }
        return scans.scans;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aClaimReadsNoLaneWithoutReadyJobs(boolean limited) {
        assertThat(scansOfAClaim(100, limited)).isPositive().isEqualTo(scansOfAClaim(10, limited));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aClaimTakesTheBestJobsOfItsLanesAndNoneOfOtherLanes(boolean behindMarks) {
        Random random = new Random(1);
        int lanes = 30;
        try (StoreDriver store = open(Writer.Probe.NONE)) {
            Set<String> served =
                    queues(lanes).stream().filter(queue -> !queue.endsWith("3")).collect(Collectors.toSet());
            store.enqueueAll(
                    IntStream.range(0, lanes).mapToObj(ManyLanesTest::job).toList());
            assertThat(claim(store, served, lanes)).hasSize(lanes - 3);
            if (behindMarks) {
                slow(store);
            }
            Map<Long, Integer> priorities = new HashMap<>();
            for (int i = 0; i < 300; i++) {
                int queue = random.nextInt(lanes);
                int priority = random.nextInt(5);
                long id = store.enqueue(job(queue).priority(priority));
                if (queue % 10 != 3) {
                    priorities.put(id, priority);
                }
            }
            List<Long> expected = priorities.keySet().stream()
                    .sorted(Comparator.comparing((Long id) -> -priorities.get(id))
                            .thenComparing(id -> id))
                    .toList();
            List<Long> claimed = new ArrayList<>();
            for (List<Long> some = claim(store, served, 7); !some.isEmpty(); some = claim(store, served, 7)) {
                claimed.addAll(some);
            }
            assertThat(claimed).isEqualTo(expected);
        }
    }

    @Test
    void aClaimBeginsAtTheCursorOfEachLane() {
        try (StoreDriver store = open(Writer.Probe.NONE)) {
            List<Long> jobs = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                jobs.add(store.enqueue(job(i)));
            }
            Names names = learned(store).names();
            ClaimCursors claimCursors = learned(store).claimCursors();
            ClaimCursors.Place end = new ClaimCursors.Place(0, Long.MAX_VALUE, 0);
            for (String queue : List.of("q1", "q3")) {
                claimCursors.view(names.lanes(request(Set.of(queue), 1))).claimed(Map.of(names.lane(queue, "t"), end));
            }
            slow(store);
            assertThat(claim(store, queues(5), 5)).containsExactly(jobs.get(0), jobs.get(2), jobs.get(4));
            // The process learns of the other jobs.
            claimCursors.ready(names.lane("q3", "t"), new ClaimCursors.Place(0, 0, 0));
            assertThat(claim(store, queues(5), 5)).containsExactly(jobs.get(3));
        }
    }

    @Test
    void theNextClaimReadsALaneThatAnotherProcessHasAdded() {
        try (StoreDriver worker = open(Writer.Probe.NONE);
                StoreDriver web = open(Writer.Probe.NONE)) {
            List<Long> first = List.of(worker.enqueue(job(0)), worker.enqueue(job(1)));
            for (int i = 2; i < 12; i++) {
                long better = web.enqueue(job(i).priority(1));
                assertThat(claim(worker, queues(i + 1), 1)).containsExactly(better);
            }
            assertThat(claim(worker, queues(12), 5)).isEqualTo(first);
        }
    }
}
