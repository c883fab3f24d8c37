package dev.windrow.postgres.limit;

import dev.windrow.JobState;
import dev.windrow.limit.ConcurrencyKey;
import dev.windrow.limit.Rate;
import dev.windrow.postgres.connection.PostgresQuery;
import dev.windrow.postgres.connection.PostgresStatements;
import dev.windrow.postgres.job.ClaimCursors;
import dev.windrow.postgres.writer.PostgresTransaction;
import dev.windrow.store.limit.Admit;
import dev.windrow.store.limit.KeysWithRoom;
import dev.windrow.store.limit.RateLimiter;
import dev.windrow.store.sql.connection.Columns;
import dev.windrow.store.sql.connection.Rows;
import dev.windrow.store.sql.limit.ConcurrencyKeys;
import dev.windrow.store.sql.limit.StoredLimits;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The permits of concurrency keys. A job that becomes ready waits for a permit, outside the claim index. A job that ends, or waits for something
 * else, frees its permit. Before a transaction claims or commits, the first waiting jobs of each touched key get the free permits. Claims do not read
 * keys.
 *
 * <p>Permits are granted under an advisory lock of the key, kept to the commit, so that no other transaction counts in between. A transaction tries
 * the lock and never waits for it. If it does not get the lock, a later transaction grants. Freeing a permit needs no lock. Rows are locked job
 * first, then its permit. A job that another transaction has locked is left out: no transaction waits for another one here. If a process dies between
 * freeing and granting, {@link dev.windrow.store.limit.KeyLimits#admit} of another process grants.
 */
public final class KeyPermits {
    /** The most jobs of one key that one transaction moves. */
    static final int PART = 1000;

    /** The most locks of keys that one transaction takes. */
    private static final int MAX_LOCKS = 200;

    /** The shortest time until the store checks a rate again. The starts that the rate allows in that time then come together. */
    private static final long SOONEST_MILLIS = 5;
    /** The shortest time until the store checks a rate again while jobs with a permit have not started. */
    private static final long LOOK_AGAIN_MILLIS = 100;

    private static final Columns<Leaving> LEAVING =
            new Columns<Leaving>().longs(Leaving::job).ints(leaving -> leaving.goesOn ? 1 : 0);

    private static final Columns<Room> ROOMS =
            new Columns<Room>().texts(Room::key).ints(Room::limit).ints(Room::granted);

    private record Leaving(long job, boolean goesOn) {}

    /** The free permits of a key. */
    private record Room(String key, int limit, int granted) {}

    /** The pause and limits of a key, its granted permits, and the next start by its rate. */
    private record Limit(
            String key,
            boolean paused,
            @Nullable Integer max,
            @Nullable Rate rate,
            long nextStart,
            @Nullable Long wakesAt,
            boolean waitedFor,
            @Nullable Integer maxOfFirst,
            int granted) {
        /** Returns the most permits that the first waiting job allows; null for any number. */
        private @Nullable Integer lowest() {
            return max == null ? maxOfFirst : maxOfFirst == null ? max : Integer.valueOf(Math.min(max, maxOfFirst));
        }
    }

    private final PostgresTransaction tx;
    private final List<Leaving> leaving = new ArrayList<>();
    /** The jobs that have become ready, in their order, with their keys. */
    private final Map<Long, String> joining = new LinkedHashMap<>();
    /** The reason to grant permits of a key. */
    private enum Touch {
        /** The jobs of the key that have become ready, or left. */
        MOVED,
        /** A job that has kept its permit and is ready again. It must not start if its key is paused. */
        KEPT,
        /** A change of the pause or the limits, which ready jobs must follow. */
        LIMITS_CHANGED
    }

    private final Map<String, Touch> touched = new LinkedHashMap<>();
    /** The jobs that have kept their permits and can be claimed, with their keys. */
    private final Map<Long, String> kept = new LinkedHashMap<>();
    /** The keys whose permits this transaction could not grant, or not all of them. */
    private final Set<String> left = new LinkedHashSet<>();
    /** The keys with more permits to take back. Other transactions may have locked some of the jobs. */
    private final Set<String> unfinished = new HashSet<>();
    /** The keys whose lock this transaction has. */
    private final Set<String> locked = new HashSet<>();

    public KeyPermits(PostgresTransaction tx) {
        this.tx = tx;
    }

    /** Notes a new job that was written. A ready one waits for a permit. */
    public void added(long job, ConcurrencyKey key, JobState state) {
        if (state == JobState.PENDING) {
            joining.put(job, key.key());
        }
    }

    /** Notes that a waiting job was replaced. With the same key it keeps its position, unless it must first wait for a time. */
    public void replaced(
            long job, @Nullable String before, @Nullable ConcurrencyKey after, int priority, JobState from, JobState to)
            throws SQLException {
        if (before == null && after == null) {
            return;
        }
        boolean same = before != null && after != null && before.equals(after.key());
        if (before != null && (!same || (from == JobState.PENDING && to == JobState.SCHEDULED))) {
            leave(job, before, false);
            write();
            same = false;
        }
        if (same) {
            tx.statements()
                    .get(PermitSql.CHANGE_PERMIT)
                    .set(1, job)
                    .set(2, Integer.valueOf(priority))
                    .set(3, ConcurrencyKeys.max(Objects.requireNonNull(after)))
                    .update();
            touch(Objects.requireNonNull(before), Touch.KEPT);
        } else {
            tx.statements()
                    .get(PermitSql.KEEP_CONCURRENCY_KEY)
                    .set(1, job)
                    .set(2, after == null ? null : after.key())
                    .set(3, after == null ? null : ConcurrencyKeys.max(after))
                    .update();
        }
        if (after != null && to == JobState.PENDING) {
            joining.put(job, after.key());
        }
    }

    private void touch(String key, Touch why) {
        touched.merge(key, why, (a, b) -> a.compareTo(b) > 0 ? a : b);
    }

    /** Notes that a job with this key has changed its state. */
    public void moved(long job, String key, JobState from, JobState to) {
        if (to == JobState.PENDING) {
            if (from == JobState.RUNNING) {
                // It has a permit, but its key may have been paused.
                kept.put(job, key);
                touch(key, Touch.KEPT);
            } else {
                joining.put(job, key);
            }
        } else if (to != JobState.RUNNING) {
            leave(job, key, from == JobState.RUNNING && !to.isFinished());
        }
    }

    private void leave(long job, String key, boolean goesOn) {
        joining.remove(job);
        leaving.add(new Leaving(job, goesOn));
        touch(key, Touch.MOVED);
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

    /** Returns the keys whose permits are still to be granted after the commit. */
    public Set<String> left() {
        Set<String> keys = new LinkedHashSet<>(left);
        keys.addAll(touched.keySet());
        return keys;
    }

    /** Writes which jobs have left and which have become ready. */
    public void write() throws SQLException {
        if (!leaving.isEmpty()) {
            PostgresQuery leave = tx.statements().get(PermitSql.LEAVE);
            leave.bind(1, LEAVING, leaving);
            leave.update();
            leaving.clear();
            tx.wrote();
        }
        if (!joining.isEmpty()) {
            Map<Long, String> granted = new LinkedHashMap<>(joining);
            try (ResultSet rows = tx.statements()
                    .get(PermitSql.JOIN_KEY)
                    .ids(1, joining.keySet())
                    .rows()) {
                while (rows.next()) {
                    touch(Objects.requireNonNull(granted.remove(rows.getLong(1))), Touch.MOVED);
                }
            }
            joining.clear();
            tx.wrote();
            if (!granted.isEmpty()) {
                // These jobs have kept their permits or their positions. Jobs with a permit can be claimed.
                kept.putAll(granted);
                granted.values().forEach(key -> touch(key, Touch.KEPT));
                ready(tx.statements().get(PermitSql.READY_PERMITS).ids(1, granted.keySet()));
            }
        }
    }

    private void ready(PostgresQuery query) throws SQLException {
        try (ResultSet rows = query.rows()) {
            while (rows.next()) {
                tx.ready(rows.getInt(2), new ClaimCursors.Place(-rows.getInt(3), rows.getLong(4), rows.getLong(1)));
            }
        }
    }

    /**
     * Grants permits of these keys. Returns false if their limits have changed and not all ready jobs follow them. The other permits are granted
     * after this transaction.
     */
    public boolean admit(Admit admit) throws SQLException {
        admit.keys().forEach(key -> touch(key, admit.changed() ? Touch.LIMITS_CHANGED : Touch.MOVED));
        admit();
        return !admit.changed()
                || admit.keys().stream().allMatch(key -> locked.contains(key) && !unfinished.contains(key));
    }

    /** Grants free permits to the first waiting jobs, and takes permits back above changed limits. Returns true if a key was touched. */
    public boolean admit() throws SQLException {
        write();
        if (touched.isEmpty()) {
            return false;
        }
        Map<String, Touch> keys = new LinkedHashMap<>(touched);
        touched.clear();
        lock(keys.keySet());
        for (String key : keys.keySet()) {
            if (!locked.contains(key)) {
                left.add(key);
                doubtful(key);
            }
        }
        keys.keySet().retainAll(locked);
        kept.clear();
        if (!keys.isEmpty()) {
            balance(keys);
        }
        return true;
    }

    /**
     * Takes permits back from jobs that have kept them. Without the lock it is unknown whether they may start. They wait again, at their positions.
     */
    private void doubtful(String key) throws SQLException {
        List<Long> jobs = kept.entrySet().stream()
                .filter(each -> each.getValue().equals(key))
                .map(Map.Entry::getKey)
                .toList();
        if (!jobs.isEmpty()) {
            long unused = tx.statements()
                    .get(PermitSql.TAKE_PERMITS)
                    .ids(1, jobs)
                    .set(2, key)
                    .one();
        }
    }

    private void balance(Map<String, Touch> keys) throws SQLException {
        List<Room> rooms = new ArrayList<>();
        Map<String, Rated> rated = new LinkedHashMap<>();
        for (Limit seen : limit(keys.keySet())) {
            Limit limit = seen;
            Touch why = Objects.requireNonNull(keys.get(limit.key));
            int excess = why == Touch.MOVED ? 0 : excess(limit, why);
            if (excess > 0) {
                if (!takeBack(limit.key, excess)) {
                    unfinished.add(limit.key);
                    continue;
                }
                limit = limit(Set.of(limit.key)).get(0);
            }
            boolean gives = !limit.paused && limit.waitedFor;
            if (limit.wakesAt != null && (!gives || limit.rate == null)) {
                wake(limit.key, null, null);
            }
            if (gives) {
                Rated limiter = limit.rate == null ? null : rated(limit, limit.rate);
                if (limiter != null) {
                    rated.put(limit.key, limiter);
                }
                Room room = room(limit, limiter);
                if (room.limit > 0) {
                    rooms.add(room);
                }
            }
        }
        Map<String, Integer> given = rooms.isEmpty() ? Map.of() : give(rooms);
        for (Room room : rooms) {
            if (given.getOrDefault(room.key, 0) == PART) {
                left.add(room.key);
            }
        }
        for (Map.Entry<String, Rated> each : rated.entrySet()) {
            started(each.getValue(), given.getOrDefault(each.getKey(), 0));
        }
    }

    /** Tries the locks of these keys. Tries only a few, because the lock table of the server is limited and has other users. */
    private void lock(Set<String> keys) throws SQLException {
        List<String> wanted = keys.stream()
                .filter(key -> !locked.contains(key))
                .limit(Math.max(0, MAX_LOCKS - locked.size()))
                .toList();
        if (wanted.isEmpty()) {
            return;
        }
        try (ResultSet rows = tx.statements()
                .get(PermitSql.TRY_KEYS)
                .texts(1, wanted)
                .set(2, tx.keysLock)
                .rows()) {
            while (rows.next()) {
                locked.add(rows.getString(1));
            }
        }
    }

    /** Reads the limits after the locks, in a separate statement, so that it sees the commits of earlier holders. */
    private List<Limit> limit(Set<String> keys) throws SQLException {
        return tx.statements()
                .get(PermitSql.READ_KEYS)
                .texts(1, keys)
                .list(rows -> new Limit(
                        /* key= */ rows.getString(1),
                        /* paused= */ rows.getBoolean(2),
                        /* max= */ StoredLimits.maxRunning(rows, 3),
                        /* rate= */ StoredLimits.rate(rows, 4),
                        /* nextStart= */ rows.getLong(7),
                        /* wakesAt= */ Rows.longOrNull(rows, 8),
                        /* waitedFor= */ rows.getBoolean(9),
                        /* maxOfFirst= */ StoredLimits.maxRunning(rows, 10),
                        /* granted= */ rows.getInt(11)));
    }

    /** Returns the number of granted permits above the limit, at most as many as one transaction moves. */
    private static int excess(Limit limit, Touch why) {
        // A rate grants them again, one after the other.
        boolean all = limit.paused || (limit.rate != null && why == Touch.LIMITS_CHANGED);
        return all ? PART : limit.max == null ? 0 : Math.min(PART, limit.granted - limit.max);
    }

    /** Takes this many permits of ready jobs back, the last ones first. Returns true if that is done. */
    private boolean takeBack(String key, int excess) throws SQLException {
        List<Long> found = tx.statements()
                .get(PermitSql.PERMITTED_READY)
                .set(1, key)
                .set(2, Integer.valueOf(excess))
                .list(rows -> rows.getLong(1));
        if (found.isEmpty()) {
            return true;
        }
        long taken = tx.statements()
                .get(PermitSql.TAKE_PERMITS)
                .ids(1, found)
                .set(2, key)
                .one();
        tx.wrote();
        return taken == found.size() && taken < PART;
    }

    /**
     * A rate, and the starts that it allows now.
     *
     * @param ready the number of jobs that have a permit and have not started
     * @param charged true if the limiter was charged for these jobs beyond its former charge
     */
    private record Rated(Limit limit, Rate rate, RateLimiter limiter, int ready, boolean charged) {}

    private Rated rated(Limit limit, Rate rate) throws SQLException {
        RateLimiter limiter = RateLimiter.at(rate, limit.nextStart, tx.now());
        int ready = (int) tx.statements()
                .get(PermitSql.COUNT_PERMITTED_READY)
                .set(1, limit.key)
                .set(2, Integer.valueOf(rate.burst()))
                .one();
        // Jobs with a permit that have not started are a part of the burst.
        int over = Math.min(limiter.allowed(), limiter.allowed() - (rate.burst() - ready));
        if (over > 0) {
            limiter.start(over);
        }
        return new Rated(limit, rate, limiter, ready, over > 0);
    }

    private static Room room(Limit limit, @Nullable Rated rated) {
        Integer lowest = limit.lowest();
        long room = lowest == null ? PART : Math.min(PART, lowest - (long) limit.granted);
        if (rated != null) {
            room = Math.min(room, rated.limiter.allowed());
        }
        // If the first waiting job has no limit, not all permits are counted. A job with a limit then waits until it is
        // the first.
        int granted = lowest == null && limit.granted > PART ? Integer.MAX_VALUE / 2 : limit.granted;
        return new Room(limit.key, (int) Math.max(0, room), granted);
    }

    private Map<String, Integer> give(List<Room> rooms) throws SQLException {
        PostgresQuery give = tx.statements().get(PermitSql.GIVE_PERMITS);
        give.bind(1, ROOMS, rooms);
        Map<String, Integer> given = new HashMap<>();
        try (ResultSet rows = give.rows()) {
            while (rows.next()) {
                String key = rows.getString(5);
                long job = rows.getLong(1);
                if (rows.wasNull()) {
                    // Another transaction has locked the job, and may leave it unchanged.
                    left.add(key);
                } else {
                    tx.ready(rows.getInt(2), new ClaimCursors.Place(-rows.getInt(3), rows.getLong(4), job));
                    given.merge(key, 1, Integer::sum);
                }
            }
        }
        tx.wrote();
        return given;
    }

    private void started(Rated rated, int given) throws SQLException {
        Limit limit = rated.limit;
        RateLimiter limiter = rated.limiter;
        limiter.start(given);
        Integer lowest = limit.lowest();
        Long wakesAt = null;
        if (lowest == null || limit.granted + given < lowest) {
            Integer lane = lane(limit.key);
            if (lane != null) {
                // No notification comes when jobs with a permit have started.
                wakesAt = Math.max(
                        limiter.opensAtMillis(), tx.now() + (rated.ready > 0 ? LOOK_AGAIN_MILLIS : SOONEST_MILLIS));
                tx.dueAt(wakesAt);
                tx.due(lane);
            }
        }
        boolean moved = given > 0 || rated.charged;
        if (moved || !Objects.equals(wakesAt, limit.wakesAt)) {
            wake(limit.key, wakesAt, moved ? Long.valueOf(limiter.dueMicros()) : null);
        }
    }

    /** Reads the lane of the first waiting job. */
    private @Nullable Integer lane(String key) throws SQLException {
        return tx.statements().get(PermitSql.FIRST_WAITING).set(1, key).find(row -> Integer.valueOf(row.getInt(1)));
    }

    private void wake(String key, @Nullable Long at, @Nullable Long nextStart) throws SQLException {
        tx.statements()
                .get(PermitSql.WAKE_KEY)
                .set(1, key)
                .set(2, at)
                .set(3, nextStart)
                .update();
        tx.wrote();
    }

    /** Reads the paused or limited keys with ready jobs that must not start, because an earlier change of their limits was not finished. */
    public static List<String> disobedient(PostgresStatements statements) throws SQLException {
        return statements.get(PermitSql.UNFINISHED_KEYS).list(rows -> rows.getString(1));
    }

    /** Reads some keys after this one, and returns those with free permits. */
    public static KeysWithRoom withRoom(PostgresStatements statements, String after, long now) throws SQLException {
        List<String> keys = new ArrayList<>();
        String last = null;
        int seen = 0;
        try (ResultSet rows = statements
                .get(PermitSql.WAITING_KEYS)
                .set(1, after)
                .set(2, Integer.valueOf(PART))
                .set(3, now)
                .rows()) {
            while (rows.next()) {
                last = rows.getString(1);
                seen++;
                if (rows.getBoolean(2)) {
                    keys.add(last);
                }
            }
        }
        return new KeysWithRoom(keys, seen < PART ? null : last);
    }
}
