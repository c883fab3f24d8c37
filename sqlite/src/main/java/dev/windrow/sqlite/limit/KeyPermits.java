package dev.windrow.sqlite.limit;

import dev.windrow.JobState;
import dev.windrow.limit.ConcurrencyKey;
import dev.windrow.limit.Rate;
import dev.windrow.sqlite.job.KeySql;
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
 * Whose turn it is, of jobs that share a concurrency key. One that becomes ready joins the line of its key, held, outside the claim
 * index; one that leaves, or waits for something else, gives up its place; and before a transaction claims or commits, the keys that it
 * has touched are arranged: whoever is first in line takes what places there are. The write lock makes that exact. Claims know nothing of keys.
 */
public final class KeyPermits {
    /** Jobs of one key that one transaction moves at most. */
    static final int PART = 1000;

    /** When a rate is looked at again, at the earliest: what it allows meanwhile goes at once then. */
    private static final long SOONEST_MILLIS = 5;
    /** The same while jobs are ready that it has let go. */
    private static final long LOOK_AGAIN_MILLIS = 100;

    private final SqliteTransaction tx;
    /** Why a key is to be arranged. */
    private enum Touch {
        /** Jobs have come or gone. */
        MOVED,
        /** A job that has kept its place is ready again: it may not start if its key is paused. */
        KEPT,
        /** Something else is said of it: what is ready already has to obey. */
        SAID
    }

    private final Map<String, Touch> touched = new LinkedHashMap<>();
    /** How many jobs have joined lines. */
    private int joined;
    /** How many jobs have got a place. */
    private int given;
    /** How many jobs that were ready have gone back into the line. */
    private int takenBack;

    public KeyPermits(SqliteTransaction tx) {
        this.tx = tx;
    }

    /** What is said of a key. */
    private record Said(
            boolean paused,
            @Nullable Integer most,
            @Nullable Rate rate,
            long nextStart,
            @Nullable Long wakesAt) {
        static final Said NOTHING = new Said(false, null, null, 0, null);
    }

    private record Waiting(long job, @Nullable Integer most, long lane) {}

    /** A new job that has been written; if it is ready, it joins the line. */
    public void added(long job, long lane, ConcurrencyKey key, JobState state) throws SQLException {
        keep(job, key);
        if (state == JobState.PENDING) {
            join(job, lane, key.key());
        }
    }

    private void keep(long job, @Nullable ConcurrencyKey key) throws SQLException {
        tx.statements()
                .get(KeySql.KEEP_CONCURRENCY_KEY)
                .set(1, job)
                .set(2, key == null ? null : key.key())
                .set(3, key == null ? null : ConcurrencyKeys.most(key))
                .update();
    }

    /** A waiting job says anew what it is. With the same key it keeps its turn, unless it is to wait for a time first. */
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
            leave(job, before, KeySql.LEAVE);
            tx.statements().get(KeySql.UNHOLD).set(1, job).update();
        } else if (before != null && after != null) {
            tx.statements()
                    .get(KeySql.CHANGE_TURN)
                    .set(1, job)
                    .set(2, priority)
                    .set(3, ConcurrencyKeys.most(after))
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

    /** A job with this key, or none, has changed its state. */
    public void moved(long job, long lane, @Nullable String key, JobState from, JobState to) throws SQLException {
        if (key == null) {
            return;
        }
        if (to == JobState.PENDING) {
            if (from == JobState.RUNNING) {
                // It has a place; but nothing of its key may start any more, perhaps.
                touch(key, Touch.KEPT);
            } else {
                join(job, lane, key);
            }
        } else if (to != JobState.RUNNING) {
            boolean goesOn = from == JobState.RUNNING && !to.isFinished();
            leave(job, key, goesOn ? KeySql.LEAVE_UNLESS_IN_SEQUENCE : KeySql.LEAVE);
        }
    }

    private void join(long job, long lane, String key) throws SQLException {
        if (tx.statements().get(KeySql.JOIN_KEY).set(1, job).set(2, tx.nextId()).update() == 1) {
            joined++;
            hold(job);
            touch(key, Touch.MOVED);
        } else {
            // It has kept its place.
            tx.ready(lane);
            touch(key, Touch.KEPT);
        }
    }

    private void leave(long job, String key, String sql) throws SQLException {
        tx.statements().get(sql).set(1, job).update();
        touch(key, Touch.MOVED);
    }

    private void hold(long job) throws SQLException {
        tx.statements().get(KeySql.HOLD).set(1, job).update();
    }

    /** The keys whose rates let a job start at last. */
    public void touchDue() throws SQLException {
        try (ResultSet rows =
                tx.statements().get(KeySql.DUE_KEYS).set(1, tx.now()).rows()) {
            while (rows.next()) {
                touch(rows.getString(1), Touch.MOVED);
            }
        }
    }

    /** Arranges these keys now, until one part is moved; false if more is to be done, in a transaction after this one. */
    public boolean admit(Admit arrange) throws SQLException {
        for (String key : arrange.keys()) {
            touched.remove(key);
            if (balance(key, arrange.changed() ? Touch.SAID : Touch.MOVED)) {
                return false;
            }
        }
        return true;
    }

    /** Looks at some keys behind this one. */
    public static KeysWithRoom withRoom(Statements statements, String after, long now) throws SQLException {
        Query look = statements.get(KeySql.WAITING_KEYS);
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

    /** The keys that are paused or limited and have ready jobs that must not start: what was said of them was not brought to its end. */
    public static List<String> disobedient(Statements statements) throws SQLException {
        return statements.get(KeySql.UNFINISHED_KEYS).list(rows -> rows.getString(1));
    }

    /**
     * Gives places to those whose turn it is. Not to many more than have joined: a line that has waited for its key to be opened is let go
     * part by part. Nor are more than one part taken back, of keys that were paused or limited: who has said so goes on, or the next look.
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

    /** Moves at most {@link #PART} jobs of a key; answers whether that may not have been all. */
    private boolean balance(String key, Touch why) throws SQLException {
        Said said = said(key);
        if (why != Touch.MOVED && takeBack(key, said, why) == PART) {
            return true;
        }
        int before = given;
        Long wakesAt = said.paused ? null : give(key, said);
        if (!Objects.equals(wakesAt, said.wakesAt)) {
            tx.statements().get(KeySql.WAKE_KEY).set(1, key).set(2, wakesAt).update();
        }
        return given - before == PART;
    }

    private Said said(String key) throws SQLException {
        try (ResultSet row = tx.statements().get(KeySql.READ_KEY).set(1, key).rows()) {
            if (!row.next()) {
                return Said.NOTHING;
            }
            Rate rate = StoredLimits.rate(row, 3);
            return new Said(
                    row.getLong(1) != 0,
                    StoredLimits.mostRunning(row, 2),
                    rate,
                    row.getLong(6),
                    Rows.longOrNull(row, 7));
        }
    }

    /** Those that are ready and have a place too many go back into the line, the last ones first; answers how many. */
    private int takeBack(String key, Said said, Touch why) throws SQLException {
        // A rate hands them out again, one after the other.
        boolean all = said.paused || (said.rate != null && why == Touch.SAID);
        long excess = all ? PART : said.most == null ? 0 : places(key, said.most + PART) - said.most;
        if (excess <= 0) {
            return 0;
        }
        List<Long> ready = ready(key, (int) Math.min(PART, excess));
        for (long job : ready) {
            place(job, KeySql.TAKE_PERMIT);
            hold(job);
        }
        takenBack += ready.size();
        return ready.size();
    }

    /** Gives what places there are; answers when a rate allows the next start that is waited for, if one is in the way. */
    private @Nullable Long give(String key, Said said) throws SQLException {
        List<Waiting> head = line(key, 1);
        if (head.isEmpty()) {
            return null;
        }
        Integer most = least(said.most, head.get(0).most);
        long places = most == null ? 0 : places(key, most);
        long room = most == null ? PART : Math.min(PART, most - places);
        Rate rate = said.rate;
        if (rate == null) {
            give(key, said, most, places, room);
            return null;
        }
        RateLimiter pace = RateLimiter.at(rate, said.nextStart, tx.now());
        // What was let go and has not started yet is a part of the burst.
        int ready = ready(key, rate.burst()).size();
        int over = Math.min(pace.allowed(), pace.allowed() - (rate.burst() - ready));
        if (over > 0) {
            pace.start(over);
        }
        int count = give(key, said, most, places, Math.min(room, pace.allowed()));
        if (count > 0 || over > 0) {
            pace.start(count);
            tx.statements()
                    .get(LimitSql.SET_NEXT_START)
                    .set(1, "KEY")
                    .set(2, key)
                    .set(3, pace.dueMicros())
                    .update();
        }
        List<Waiting> rest = room > count ? line(key, 1) : List.of();
        if (rest.isEmpty()) {
            return null;
        }
        tx.due(rest.get(0).lane);
        // Nobody tells when those have started that could.
        return Math.max(pace.opensAtMillis(), tx.now() + (ready > 0 ? LOOK_AGAIN_MILLIS : SOONEST_MILLIS));
    }

    private int give(String key, Said said, @Nullable Integer most, long places, long limit) throws SQLException {
        int count = 0;
        for (Waiting next : limit > 0 ? line(key, (int) limit) : List.<Waiting>of()) {
            Integer own = least(said.most, next.most);
            if (own != null && (most == null ? places(key, own) : places + count) >= own) {
                break;
            }
            place(next.job, KeySql.GIVE_PERMIT);
            tx.statements().get(KeySql.UNHOLD).set(1, next.job).update();
            tx.ready(next.lane);
            count++;
        }
        given += count;
        return count;
    }

    private static @Nullable Integer least(@Nullable Integer said, @Nullable Integer own) {
        Integer mine = own == null ? null : Integer.valueOf(Math.max(1, own));
        return said == null ? mine : mine == null ? said : Integer.valueOf(Math.min(said, mine));
    }

    private long places(String key, int most) throws SQLException {
        return tx.statements()
                .get(KeySql.COUNT_PERMITS)
                .set(1, key)
                .set(2, most)
                .one();
    }

    private List<Waiting> line(String key, int limit) throws SQLException {
        List<Waiting> waiting = new ArrayList<>();
        try (ResultSet rows =
                tx.statements().get(KeySql.WAITING).set(1, key).set(2, limit).rows()) {
            while (rows.next()) {
                Long most = Rows.longOrNull(rows, 2);
                waiting.add(new Waiting(
                        rows.getLong(1), most == null ? null : Integer.valueOf(most.intValue()), rows.getLong(3)));
            }
        }
        return waiting;
    }

    /** Those that have a place and have not been claimed, the last ones first. */
    private List<Long> ready(String key, int limit) throws SQLException {
        return tx.statements()
                .get(KeySql.PERMITTED_READY)
                .set(1, key)
                .set(2, limit)
                .list(rows -> rows.getLong(1));
    }

    private void place(long job, String sql) throws SQLException {
        tx.statements().get(sql).set(1, job).update();
    }
}
