package dev.windrow.sqlite.job;

import dev.windrow.JobState;
import dev.windrow.sqlite.limit.LimitSql;
import dev.windrow.sqlite.limit.LimitedClaim;
import dev.windrow.sqlite.writer.Names;
import dev.windrow.sqlite.writer.SqliteTransaction;
import dev.windrow.store.job.Claim;
import dev.windrow.store.job.Claimed;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.sql.connection.Query;
import dev.windrow.store.sql.job.ClaimedJobs;
import dev.windrow.store.sql.job.DedupeKey;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The verbs promote (SCHEDULED -> PENDING) and claim (PENDING -> RUNNING). */
public final class Claims {
    /** The most due jobs that one transaction promotes, so that very many of them do not hold the lock. */
    private static final int PROMOTIONS = 1000;

    /** The jobs that the claims of all processes take in a round when few are ready. See docs/benchmarks/older.md. */
    private static final int SHARED = 300;
    /** The jobs that a claim may take in any case: below it, the commit costs more than the work. */
    private static final int LEAST = 25;
    /** The divisor of the ready jobs: in a round of claims all processes together take a quarter of them. */
    private static final int ROUNDS = 4;

    private record Row(ClaimedJob job, int priority) {}

    private static final Comparator<Row> ORDER = Comparator.comparingInt(Row::priority)
            .reversed()
            .thenComparingLong(row -> row.job().scheduledAtMillis())
            .thenComparingLong(row -> row.job().id());

    private Claims() {}

    public static void promote(SqliteTransaction tx) throws SQLException {
        tx.permits.touchDue();
        Query due = tx.statements().get(JobSql.DUE_JOBS);
        due.set(1, tx.now()).set(2, PROMOTIONS);
        record Due(long job, long lane, @Nullable String key) {}
        List<Due> jobs = due.list(rows -> new Due(rows.getLong(1), rows.getLong(2), rows.getString(3)));
        if (jobs.isEmpty()) {
            return;
        }
        Query promote = tx.statements().get(JobSql.PROMOTE);
        for (Due job : jobs) {
            promote.set(1, job.job).add();
        }
        boolean[] promoted = promote.batch();
        for (int i = 0; i < promoted.length; i++) {
            if (promoted[i]) {
                Due job = jobs.get(i);
                tx.moved(job.job, job.lane, job.key, JobState.SCHEDULED, JobState.PENDING);
            }
        }
    }

    public static @Nullable Long nextDue(SqliteTransaction tx) throws SQLException {
        return tx.statements().get(JobSql.NEXT_DUE).oneOrNull();
    }

    /**
     * Returns how many jobs a claim may take at least while other processes share the file. With a much higher number, the first process takes the
     * jobs that all processes could share.
     */
    static int share(int others) {
        return others == 0 ? Integer.MAX_VALUE : Math.max(LEAST, SHARED / (others + 1));
    }

    /**
     * Does the same with many ready jobs. The result is a fraction of the ready jobs and shrinks with them. So a turn is worth its cost, and all
     * processes end together. (Guided self-scheduling: Polychronopoulos and Kuck, 1987.)
     */
    private static int share(SqliteTransaction tx, String lanes, int others) throws SQLException {
        if (others == 0) {
            return Integer.MAX_VALUE;
        }
        return (int) Math.min(
                Integer.MAX_VALUE,
                Math.max(
                        share(others),
                        tx.statements().get(JobSql.READY).set(1, lanes).one() / (ROUNDS * (others + 1L))));
    }

    /**
     * Takes the requested jobs, and no more than a fair share. Reads the lanes with ready jobs. Of these it takes jobs from at most as many lanes as
     * it may take jobs: the lanes with the best jobs.
     *
     * @param others the number of other processes that use the file
     */
    public static Claimed claim(SqliteTransaction tx, Claim request, int others, @Nullable Long nextDue)
            throws SQLException {
        List<ReadyLane> ready = new ArrayList<>(ReadyLane.of(tx, request, Integer.MAX_VALUE));
        if (ready.isEmpty()) {
            tx.emptied(request);
            return new Claimed(List.of(), nextDue, false);
        }
        int limit = Math.min(share(tx, ReadyLane.array(ready), others), request.limit());
        LimitedClaim limited = null;
        Query next;
        if (ready.stream().anyMatch(ReadyLane::limited)) {
            limited = new LimitedClaim(tx, ready, request.minPriority());
            next = tx.statements().get(LimitSql.CHOSEN_JOBS).ids(1, limited.choose(limit));
        } else {
            if (ready.size() > limit) {
                ready.sort(Comparator.comparing(ReadyLane::best));
            }
            next = tx.statements()
                    .get(JobSql.NEXT_JOBS)
                    .set(1, ReadyLane.array(ready.subList(0, Math.min(limit, ready.size()))))
                    .set(2, limit)
                    .set(3, request.minPriority());
        }
        List<Row> claimed = next.list(rows -> row(tx, rows));
        claimed.sort(ORDER);
        hold(tx, claimed, request);
        List<ClaimedJob> jobs = new ArrayList<>(claimed.size());
        List<DedupeKey> keys = new ArrayList<>();
        for (Row row : claimed) {
            ClaimedJob job = row.job();
            jobs.add(job);
            DedupeKey key = DedupeKey.of(tx, job.lane(), job.dedupeType(), job.dedupeKey(), job.id());
            if (key != null) {
                keys.add(key);
            }
            tx.moved(job.id(), job.lane(), job.concurrencyKey(), JobState.PENDING, JobState.RUNNING);
        }
        Set<Long> stillReady = limited == null ? Set.of() : limited.stillReady();
        Long opensAt = limited == null ? null : limited.opensAt(stillReady);
        Keys.giveUp(tx, DedupeSql.KEY_STARTED, keys);
        if (opensAt != null) {
            // Workers that are notified of these lanes have to learn the time too, because this worker may have no free
            // slots then.
            if (!jobs.isEmpty()) {
                stillReady.forEach(tx::ready);
            }
        } else if (jobs.size() < limit) {
            // The limits that hold these jobs back from this claim hold them back from all claims.
            tx.emptied(request);
        }
        return new Claimed(jobs, sooner(nextDue, opensAt), limit < request.limit() && jobs.size() == limit);
    }

    /** Writes that the worker holds the jobs. Under the write lock no other transaction has changed them since they were read. */
    private static void hold(SqliteTransaction tx, List<Row> claimed, Claim request) throws SQLException {
        if (claimed.isEmpty()) {
            return;
        }
        int held = tx.statements()
                .get(JobSql.CLAIM)
                .ids(1, claimed.stream().map(row -> row.job().id()).toList())
                .set(2, tx.names.worker(request.worker()))
                .set(3, tx.now() + request.leaseMillis())
                .set(4, tx.now())
                .update();
        if (held != claimed.size()) {
            throw new SQLException(
                    "a claim found %d ready jobs and could take %d: the file may be damaged; run 'windrow doctor --full'"
                            .formatted(claimed.size(), held));
        }
    }

    private static @Nullable Long sooner(@Nullable Long a, @Nullable Long b) {
        return a == null ? b : b == null ? a : Long.valueOf(Math.min(a, b));
    }

    private static Row row(SqliteTransaction tx, ResultSet rows) throws SQLException {
        long lane = rows.getLong(3);
        Names.Lane name = tx.names.laneOf(lane);
        int plain = rows.getInt(17);
        return new Row(
                ClaimedJobs.read(tx, rows, lane, name.queue(), name.type(), plain), plain > 0 ? 0 : rows.getInt(4));
    }
}
