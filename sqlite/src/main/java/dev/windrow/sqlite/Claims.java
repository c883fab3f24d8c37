package dev.windrow.sqlite;

import dev.windrow.EventKind;
import dev.windrow.JobState;
import dev.windrow.store.ClaimRequest;
import dev.windrow.store.Claimed;
import dev.windrow.store.ClaimedJob;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The verbs promote (SCHEDULED -> PENDING) and claim (PENDING -> RUNNING). */
final class Claims {
    /** Due jobs that one transaction promotes at most, so that a flood of them does not hold the lock. */
    private static final int PROMOTIONS = 1000;

    /** Jobs that the claims of all processes take in a round when few are ready. See docs/benchmarks.md. */
    private static final int SHARED = 300;
    /** What a claim may take in any case: below it, the commit costs more than the work. */
    private static final int LEAST = 25;
    /** Of what is ready, all processes together take this part in a round of turns. */
    private static final int ROUNDS = 4;

    private record Row(ClaimedJob job, int priority) {}

    private static final Comparator<Row> ORDER = Comparator.comparingInt(Row::priority)
            .reversed()
            .thenComparingLong(row -> row.job().scheduledAtMillis())
            .thenComparingLong(row -> row.job().id());

    private Claims() {}

    static void promote(WriteTransaction tx) throws SQLException {
        tx.turns.touchDue();
        PreparedStatement due = tx.statements.get(Sql.DUE_JOBS);
        due.setLong(1, tx.now);
        due.setInt(2, PROMOTIONS);
        record Due(long job, long lane, @Nullable String key) {}
        List<Due> jobs = new ArrayList<>();
        try (ResultSet rows = due.executeQuery()) {
            while (rows.next()) {
                jobs.add(new Due(rows.getLong(1), rows.getLong(2), rows.getString(3)));
            }
        }
        if (jobs.isEmpty()) {
            return;
        }
        PreparedStatement promote = tx.statements.get(Sql.PROMOTE);
        for (Due job : jobs) {
            promote.setLong(1, job.job);
            promote.addBatch();
        }
        int[] counts = promote.executeBatch();
        for (int i = 0; i < counts.length; i++) {
            if (counts[i] == 1) {
                Due job = jobs.get(i);
                tx.moved(job.job, job.lane, job.key, JobState.SCHEDULED, JobState.PENDING);
            }
        }
    }

    static @Nullable Long nextDue(WriteTransaction tx) throws SQLException {
        return Rows.oneOrNull(tx.statements.get(Sql.NEXT_DUE));
    }

    /** What a claim may take while others share the file, at least: with much more, who comes first takes what all could share. */
    static int share(int others) {
        return others == 0 ? Integer.MAX_VALUE : Math.max(LEAST, SHARED / (others + 1));
    }

    /**
     * The same with many jobs ready: a part of them that shrinks as they do, so that turns are worth their cost and all
     * end together. (Guided self-scheduling: Polychronopoulos and Kuck, 1987.)
     */
    private static int share(WriteTransaction tx, String lanes, int others) throws SQLException {
        if (others == 0) {
            return Integer.MAX_VALUE;
        }
        PreparedStatement ready = tx.statements.get(Sql.READY);
        ready.setString(1, lanes);
        return (int) Math.min(Integer.MAX_VALUE, Math.max(share(others), Rows.one(ready) / (ROUNDS * (others + 1L))));
    }

    /**
     * Takes what was asked for, and no more than is fair. Looks at the lanes in which jobs are ready, and of these into as many as it may take jobs: those
     * with the best ones.
     *
     * @param others how many other processes use the file
     */
    static Claimed claim(WriteTransaction tx, ClaimRequest request, int others, @Nullable Long nextDue)
            throws SQLException {
        List<ReadyLane> ready = new ArrayList<>(ReadyLane.of(tx, request, Integer.MAX_VALUE));
        if (ready.isEmpty()) {
            tx.emptied(request.queues(), request.types());
            return new Claimed(List.of(), nextDue, false);
        }
        int limit = Math.min(share(tx, ReadyLane.array(ready), others), request.limit());
        long worker = tx.names.worker(request.worker());
        GovernedClaim governed = null;
        PreparedStatement claim;
        if (ready.stream().anyMatch(ReadyLane::governed)) {
            governed = new GovernedClaim(tx, ready);
            claim = tx.statements.get(ControlSql.CLAIM_THESE);
            claim.setString(1, JsonText.array(governed.choose(limit)));
        } else {
            if (ready.size() > limit) {
                ready.sort(Comparator.comparing(ReadyLane::best));
            }
            claim = tx.statements.get(Sql.CLAIM);
            claim.setString(1, ReadyLane.array(ready.subList(0, Math.min(limit, ready.size()))));
            claim.setInt(5, limit);
        }
        claim.setLong(2, worker);
        claim.setLong(3, tx.now + request.leaseMillis());
        claim.setLong(4, tx.now);
        List<Row> claimed = new ArrayList<>();
        try (ResultSet rows = claim.executeQuery()) {
            while (rows.next()) {
                claimed.add(row(tx, rows));
            }
        }
        claimed.sort(ORDER);
        List<ClaimedJob> jobs = new ArrayList<>(claimed.size());
        List<Keys.Key> keys = new ArrayList<>();
        for (Row row : claimed) {
            ClaimedJob job = row.job();
            jobs.add(job);
            Keys.Key key = Keys.Key.of(tx, job.lane(), job.dedupeType(), job.dedupeKey(), job.id());
            if (key != null) {
                keys.add(key);
            }
            tx.event(job.id(), tx.now, EventKind.CLAIMED, worker, job.token(), null);
            tx.moved(job.id(), job.lane(), job.concurrencyKey(), JobState.PENDING, JobState.RUNNING);
        }
        tx.flushEvents();
        Set<Long> stillReady = governed == null ? Set.of() : governed.stillReady();
        Long opensAt = governed == null ? null : governed.opensAt(stillReady);
        Keys.giveUp(tx, KeySql.KEY_STARTED, keys);
        if (opensAt != null) {
            // Who is told of them has to know the time too, for this worker may have no room then.
            if (!jobs.isEmpty()) {
                stillReady.forEach(tx::ready);
            }
        } else if (jobs.size() < limit) {
            // What limits keep back here, they keep back from everybody.
            tx.emptied(request.queues(), request.types());
        }
        return new Claimed(jobs, sooner(nextDue, opensAt), limit < request.limit() && jobs.size() == limit);
    }

    private static @Nullable Long sooner(@Nullable Long a, @Nullable Long b) {
        return a == null ? b : b == null ? a : Long.valueOf(Math.min(a, b));
    }

    private static Row row(WriteTransaction tx, ResultSet rows) throws SQLException {
        long lane = rows.getLong(3);
        Names.Lane name = tx.names.laneOf(lane);
        ClaimedJob job = new ClaimedJob(
                rows.getLong(1),
                rows.getLong(2),
                lane,
                name.queue(),
                name.type(),
                rows.getString(9),
                rows.getString(12),
                rows.getInt(6),
                rows.getInt(7),
                Rows.longOrNull(rows, 8),
                rows.getString(10),
                rows.getString(11),
                rows.getString(13),
                rows.getString(15),
                rows.getString(14),
                rows.getLong(5),
                tx.now);
        return new Row(job, rows.getInt(4));
    }
}
