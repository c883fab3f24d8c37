package dev.windrow.sqlite.limit;

import dev.windrow.JobState;
import dev.windrow.limit.ConcurrencyKey;
import dev.windrow.limit.Rate;
import dev.windrow.sqlite.writer.SqliteTransaction;
import dev.windrow.store.limit.Admit;
import dev.windrow.store.limit.KeysWithRoom;
import dev.windrow.store.limit.RateLimiter;
import dev.windrow.store.sql.connection.Query;
import dev.windrow.store.sql.connection.Rows;
import dev.windrow.store.sql.connection.Statements;
import dev.windrow.store.sql.limit.ConcurrencyKeys;
import dev.windrow.store.sql.limit.StoredLimits;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The permits of concurrency keys. A job that becomes ready waits for a permit, outside the claim index. A job frees its permit when it ends or waits
 * for something else. Before a transaction claims or commits, the first waiting jobs of each touched key get the free permits. The write lock makes
 * that exact. Claims do not read keys.
 */
public final class KeyPermits {
    /** The most jobs of one key that one transaction moves. */
    static final int PART = 1000;

    /** The shortest time until the store checks a rate again. All starts that the rate allows in this time come together then. */
    private static final long SOONEST_MILLIS = 5;
    /** The shortest time until the next check while jobs with a permit have not started. */
    private static final long LOOK_AGAIN_MILLIS = 100;

    private final SqliteTransaction tx;
    /** The reason to grant permits of a key. */
    private enum Touch {
        /** Jobs have become ready, or left. */
        MOVED,
        /** A job that has kept its permit is ready again. It must not start if its key is paused. */
        KEPT,
        /** The key's pause or limits have changed, and apply to ready jobs. */
        LIMITS_CHANGED
    }

    private final Map<String, Touch> touched = new LinkedHashMap<>();
    /** The number of jobs that have begun to wait. */
    private int joined;
    /** The number of jobs that have got a permit. */
    private int given;
    /** The number of ready jobs whose permits were taken back. */
    private int takenBack;

    public KeyPermits(SqliteTransaction tx) {
        this.tx = tx;
    }

    /** The pause and limits of a key. */
    private record Limit(
            boolean paused,
            @Nullable Integer max,
            @Nullable Rate rate,
            long nextStart,
            @Nullable Long wakesAt) {
        static final Limit NOTHING = new Limit(false, null, null, 0, null);
    }

    private record Waiting(long job, @Nullable Integer max, long lane) {}

    /** Stores the key of a new job. A ready job begins to wait for a permit. */
    public void added(long job, long lane, ConcurrencyKey key, JobState state) throws SQLException {
        keep(job, key);
        if (state == JobState.PENDING) {
            join(job, lane, key.key());
        }
    }

    private void keep(long job, @Nullable ConcurrencyKey key) throws SQLException {
        tx.statements()
                .get(PermitSql.KEEP_CONCURRENCY_KEY)
                .set(1, job)
                .set(2, key == null ? null : key.key())
                .set(3, key == null ? null : ConcurrencyKeys.max(key))
                .update();
    }

    /** Replaces a waiting job. With the same key it keeps its position, unless it has to wait for a time first. */
    public void replaced(
            long job,
            long lane,
            @Nullable String before,
            @Nullable ConcurrencyKey after,
            int priority,
            JobState from,
            JobState to)
            throws SQLException {
        boolean same = before != null && after != null && before.equals(after.key());
        if (before != null || after != null) {
            keep(job, after);
        }
        if (before != null && (!same || (from == JobState.PENDING && to == JobState.SCHEDULED))) {
            leave(job, before, PermitSql.LEAVE);
            tx.statements().get(PermitSql.HAS_PERMIT).set(1, job).update();
        } else if (before != null && after != null) {
            tx.statements()
                    .get(PermitSql.CHANGE_PERMIT)
                    .set(1, job)
                    .set(2, priority)
                    .set(3, ConcurrencyKeys.max(after))
                    .update();
            touch(after.key(), Touch.KEPT);
        }
        if (after != null && to == JobState.PENDING) {
            join(job, lane, after.key());
        }
    }

    private void touch(String key, Touch why) {
        touched.merge(key, why, (a, b) -> a.compareTo(b) > 0 ? a : b);
    }

    /** Records that a job, with or without this key, has changed its state. */
    public void moved(long job, long lane, @Nullable String key, JobState from, JobState to) throws SQLException {
        if (key == null) {
            return;
        }
        if (to == JobState.PENDING) {
            if (from == JobState.RUNNING) {
                // The job has a permit, but its key may be paused by now.
                touch(key, Touch.KEPT);
            } else {
                join(job, lane, key);
            }
        } else if (to != JobState.RUNNING) {
            boolean goesOn = from == JobState.RUNNING && !to.isFinished();
            leave(job, key, goesOn ? PermitSql.LEAVE_UNLESS_IN_SEQUENCE : PermitSql.LEAVE);
        }
    }

    private void join(long job, long lane, String key) throws SQLException {
        if (tx.statements()
                        .get(PermitSql.JOIN_KEY)
                        .set(1, job)
                        .set(2, tx.nextId())
                        .update()
                == 1) {
            joined++;
            makeWait(job);
            touch(key, Touch.MOVED);
        } else {
            // The job has kept its permit.
            tx.ready(lane);
            touch(key, Touch.KEPT);
        }
    }

    private void leave(long job, String key, String sql) throws SQLException {
        tx.statements().get(sql).set(1, job).update();
        touch(key, Touch.MOVED);
    }

    private void makeWait(long job) throws SQLException {
        tx.statements().get(PermitSql.AWAIT_PERMIT).set(1, job).update();
    }

    /** Touches the keys whose rates allow the next start. */
    public void touchDue() throws SQLException {
        try (ResultSet rows =
                tx.statements().get(PermitSql.DUE_KEYS).set(1, tx.now()).rows()) {
            while (rows.next()) {
                touch(rows.getString(1), Touch.MOVED);
            }
        }
    }

    /** Grants permits of these keys, until one batch is moved. False if a later transaction has to do more. */
    public boolean admit(Admit admit) throws SQLException {
        for (String key : admit.keys()) {
            touched.remove(key);
            if (balance(key, admit.changed() ? Touch.LIMITS_CHANGED : Touch.MOVED)) {
                return false;
            }
        }
        return true;
    }

    /** Reads a page of keys after this one. Returns the keys that have free permits for waiting jobs. */
    public static KeysWithRoom withRoom(Statements statements, String after, long now) throws SQLException {
        Query look = statements.get(PermitSql.WAITING_KEYS);
        look.set(1, after).set(2, PART).set(3, now);
        List<String> keys = new ArrayList<>();
        String last = null;
        int seen = 0;
        try (ResultSet rows = look.rows()) {
            while (rows.next()) {
                last = rows.getString(1);
                seen++;
                if (rows.getInt(2) != 0) {
                    keys.add(last);
                }
            }
        }
        return new KeysWithRoom(keys, seen < PART ? null : last);
    }

    /** Returns the paused or limited keys with ready jobs that must not start, because an earlier change of their limits was not finished. */
    public static List<String> disobedient(Statements statements) throws SQLException {
        return statements.get(PermitSql.UNFINISHED_KEYS).list(rows -> rows.getString(1));
    }

    /**
     * Grants free permits to the first waiting jobs. Grants not many more permits than jobs have begun to wait: the jobs of a resumed key get their
     * permits in batches. Takes back not many more than one batch, from keys that were paused or limited. The caller of the change continues, or the
     * next poll.
     */
    public void admit() throws SQLException {
        while (!touched.isEmpty()) {
            Map<String, Touch> keys = new LinkedHashMap<>(touched);
            touched.clear();
            for (Map.Entry<String, Touch> key : keys.entrySet()) {
                if (balance(key.getKey(), key.getValue()) && given < joined + PART && takenBack < PART) {
                    touch(key.getKey(), key.getValue());
                }
            }
        }
    }

    /** Moves at most {@link #PART} jobs of a key. True if more may exist. */
    private boolean balance(String key, Touch why) throws SQLException {
        Limit limit = limit(key);
        if (why != Touch.MOVED && takeBack(key, limit, why) == PART) {
            return true;
        }
        int before = given;
        Long wakesAt = limit.paused ? null : give(key, limit);
        if (!Objects.equals(wakesAt, limit.wakesAt)) {
            tx.statements().get(PermitSql.WAKE_KEY).set(1, key).set(2, wakesAt).update();
        }
        return given - before == PART;
    }

    private Limit limit(String key) throws SQLException {
        try (ResultSet row = tx.statements().get(PermitSql.READ_KEY).set(1, key).rows()) {
            if (!row.next()) {
                return Limit.NOTHING;
            }
            Rate rate = StoredLimits.rate(row, 3);
            return new Limit(
                    row.getLong(1) != 0,
                    StoredLimits.maxRunning(row, 2),
                    rate,
                    row.getLong(6),
                    Rows.longOrNull(row, 7));
        }
    }

    /** Takes back the permits of ready jobs that are above the limit, the last ones first. Returns their number. */
    private int takeBack(String key, Limit limit, Touch why) throws SQLException {
        // The rate grants them again, one after the other.
        boolean all = limit.paused || (limit.rate != null && why == Touch.LIMITS_CHANGED);
        long excess = all ? PART : limit.max == null ? 0 : granted(key, limit.max + PART) - limit.max;
        if (excess <= 0) {
            return 0;
        }
        List<Long> ready = ready(key, (int) Math.min(PART, excess));
        for (long job : ready) {
            write(job, PermitSql.TAKE_PERMIT);
            makeWait(job);
        }
        takenBack += ready.size();
        return ready.size();
    }

    /** Grants the free permits. If the rate keeps a job waiting, returns the time of the next check; else null. */
    private @Nullable Long give(String key, Limit limit) throws SQLException {
        List<Waiting> head = waiting(key, 1);
        if (head.isEmpty()) {
            return null;
        }
        Integer max = lowest(limit.max, head.get(0).max);
        long granted = max == null ? 0 : granted(key, max);
        long room = max == null ? PART : Math.min(PART, max - granted);
        Rate rate = limit.rate;
        if (rate == null) {
            give(key, limit, max, granted, room);
            return null;
        }
        RateLimiter limiter = RateLimiter.at(rate, limit.nextStart, tx.now());
        // Jobs with a permit that have not started are a part of the burst.
        int ready = ready(key, rate.burst()).size();
        int over = Math.min(limiter.allowed(), limiter.allowed() - (rate.burst() - ready));
        if (over > 0) {
            limiter.start(over);
        }
        int count = give(key, limit, max, granted, Math.min(room, limiter.allowed()));
        if (count > 0 || over > 0) {
            limiter.start(count);
            tx.statements()
                    .get(LimitSql.SET_NEXT_START)
                    .set(1, "KEY")
                    .set(2, key)
                    .set(3, limiter.dueMicros())
                    .update();
        }
        List<Waiting> rest = room > count ? waiting(key, 1) : List.of();
        if (rest.isEmpty()) {
            return null;
        }
        tx.due(rest.get(0).lane);
        // No notification comes when jobs with a permit have started.
        return Math.max(limiter.opensAtMillis(), tx.now() + (ready > 0 ? LOOK_AGAIN_MILLIS : SOONEST_MILLIS));
    }

    private int give(String key, Limit limit, @Nullable Integer max, long granted, long room) throws SQLException {
        int count = 0;
        for (Waiting next : room > 0 ? waiting(key, (int) room) : List.<Waiting>of()) {
            Integer own = lowest(limit.max, next.max);
            if (own != null && (max == null ? granted(key, own) : granted + count) >= own) {
                break;
            }
            write(next.job, PermitSql.GIVE_PERMIT);
            tx.statements().get(PermitSql.HAS_PERMIT).set(1, next.job).update();
            tx.ready(next.lane);
            count++;
        }
        given += count;
        return count;
    }

    private static @Nullable Integer lowest(@Nullable Integer limit, @Nullable Integer own) {
        Integer mine = own == null ? null : Integer.valueOf(Math.max(1, own));
        return limit == null ? mine : mine == null ? limit : Integer.valueOf(Math.min(limit, mine));
    }

    private long granted(String key, int max) throws SQLException {
        return tx.statements()
                .get(PermitSql.COUNT_PERMITS)
                .set(1, key)
                .set(2, max)
                .one();
    }

    private List<Waiting> waiting(String key, int limit) throws SQLException {
        List<Waiting> waiting = new ArrayList<>();
        try (ResultSet rows =
                tx.statements().get(PermitSql.WAITING).set(1, key).set(2, limit).rows()) {
            while (rows.next()) {
                Long max = Rows.longOrNull(rows, 2);
                waiting.add(new Waiting(
                        rows.getLong(1), max == null ? null : Integer.valueOf(max.intValue()), rows.getLong(3)));
            }
        }
        return waiting;
    }

    /** Returns the jobs with a permit that are not claimed, the last ones first. */
    private List<Long> ready(String key, int limit) throws SQLException {
        return tx.statements()
                .get(PermitSql.PERMITTED_READY)
                .set(1, key)
                .set(2, limit)
                .list(rows -> rows.getLong(1));
    }

    private void write(long job, String sql) throws SQLException {
        tx.statements().get(sql).set(1, job).update();
    }
}
