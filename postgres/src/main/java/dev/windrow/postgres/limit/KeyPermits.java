package dev.windrow.postgres.limit;

import dev.windrow.JobState;
import dev.windrow.limit.ConcurrencyKey;
import dev.windrow.limit.Rate;
import dev.windrow.postgres.connection.PostgresQuery;
import dev.windrow.postgres.connection.PostgresStatements;
import dev.windrow.postgres.job.ClaimCursors;
import dev.windrow.postgres.job.KeySql;
import dev.windrow.postgres.query.ReadSql;
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
 * Whose turn it is, of jobs that share a concurrency key. One that becomes ready joins the line of its key, held, outside the claim
 * index; one that leaves, or waits for something else, gives up its place; and before a transaction claims or commits, the keys that it
 * has touched are arranged: whoever is first in line takes what places there are. Claims know nothing of keys.
 *
 * <p>Places are given under an advisory lock of the key, held to the commit, so that nobody else counts meanwhile. It is tried for and never
 * waited for: who does not get it, arranges the key again in a transaction after this one. To give up a place needs no lock. Rows are
 * locked job first, then its turn, and a job that somebody else has locked is left out: no transaction waits for another one here. What is left by a
 * process that dies before it has given away what it freed is found by {@link dev.windrow.store.limit.KeyLimits#admit}.
 */
public final class KeyPermits {
    /** Jobs of one key that one transaction moves at most. */
    static final int PART = 1000;

    /** Locks of keys that one transaction takes at most. */
    private static final int MOST_LOCKS = 200;

    /** When a rate is looked at again, at the earliest: what it allows meanwhile goes at once then. */
    private static final long SOONEST_MILLIS = 5;
    /** The same while jobs are ready that it has let go. */
    private static final long LOOK_AGAIN_MILLIS = 100;

    private static final Columns<Leaving> LEAVING =
            new Columns<Leaving>().longs(Leaving::job).ints(leaving -> leaving.goesOn ? 1 : 0);

    private static final Columns<Room> ROOMS =
            new Columns<Room>().texts(Room::key).ints(Room::limit).ints(Room::places);

    private record Leaving(long job, boolean goesOn) {}

    /** What a key leaves. */
    private record Room(String key, int limit, int places) {}

    /** What is said of a key, and how it stands. */
    private record Said(
            String key,
            boolean paused,
            @Nullable Integer most,
            @Nullable Rate rate,
            long nextStart,
            @Nullable Long wakesAt,
            boolean waitedFor,
            @Nullable Integer mostOfFirst,
            int places) {
        /** How many may have a place, as far as the first one in line is concerned; null: any number. */
        private @Nullable Integer least() {
            return most == null
                    ? mostOfFirst
                    : mostOfFirst == null ? most : Integer.valueOf(Math.min(most, mostOfFirst));
        }
    }

    private final PostgresTransaction tx;
    private final List<Leaving> leaving = new ArrayList<>();
    /** Jobs that have become ready, in their order, with their keys. */
    private final Map<Long, String> joining = new LinkedHashMap<>();
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
    /** Jobs that have kept their places and can be claimed, with their keys. */
    private final Map<Long, String> kept = new LinkedHashMap<>();
    /** Keys that this transaction could not arrange, or not wholly. */
    private final Set<String> left = new LinkedHashSet<>();
    /** Keys of which more places are to be taken back; some jobs may be somebody else's at the moment. */
    private final Set<String> unfinished = new HashSet<>();
    /** Keys whose lock this transaction has. */
    private final Set<String> locked = new HashSet<>();

    public KeyPermits(PostgresTransaction tx) {
        this.tx = tx;
    }

    /** A new job that has been written; if it is ready, it joins the line. */
    public void added(long job, ConcurrencyKey key, JobState state) {
        if (state == JobState.PENDING) {
            joining.put(job, key.key());
        }
    }

    /** A waiting job says anew what it is. With the same key it keeps its turn, unless it is to wait for a time first. */
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
                    .get(KeySql.CHANGE_TURN)
                    .set(1, job)
                    .set(2, Integer.valueOf(priority))
                    .set(3, ConcurrencyKeys.most(Objects.requireNonNull(after)))
                    .update();
            touch(Objects.requireNonNull(before), Touch.KEPT);
        } else {
            tx.statements()
                    .get(KeySql.KEEP_CONCURRENCY_KEY)
                    .set(1, job)
                    .set(2, after == null ? null : after.key())
                    .set(3, after == null ? null : ConcurrencyKeys.most(after))
                    .update();
        }
        if (after != null && to == JobState.PENDING) {
            joining.put(job, after.key());
        }
    }

    private void touch(String key, Touch why) {
        touched.merge(key, why, (a, b) -> a.compareTo(b) > 0 ? a : b);
    }

    /** A job with this key has changed its state. */
    public void moved(long job, String key, JobState from, JobState to) {
        if (to == JobState.PENDING) {
            if (from == JobState.RUNNING) {
                // It has a place; but nothing of its key may start any more, perhaps.
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

    /** The keys whose rates let a job start at last. */
    public void touchDue() throws SQLException {
        try (ResultSet rows =
                tx.statements().get(KeySql.DUE_KEYS).set(1, tx.now()).rows()) {
            while (rows.next()) {
                touch(rows.getString(1), Touch.MOVED);
            }
        }
    }

    /** The keys that are still to be arranged, after the commit. */
    public Set<String> left() {
        Set<String> keys = new LinkedHashSet<>(left);
        keys.addAll(touched.keySet());
        return keys;
    }

    /** Writes who has left and who has come. */
    public void write() throws SQLException {
        if (!leaving.isEmpty()) {
            PostgresQuery leave = tx.statements().get(KeySql.LEAVE);
            leave.bind(1, LEAVING, leaving);
            leave.update();
            leaving.clear();
            tx.wrote();
        }
        if (!joining.isEmpty()) {
            Map<Long, String> placed = new LinkedHashMap<>(joining);
            try (ResultSet rows = tx.statements()
                    .get(KeySql.JOIN_KEY)
                    .ids(1, joining.keySet())
                    .rows()) {
                while (rows.next()) {
                    touch(Objects.requireNonNull(placed.remove(rows.getLong(1))), Touch.MOVED);
                }
            }
            joining.clear();
            tx.wrote();
            if (!placed.isEmpty()) {
                // They have kept their places, or their turns: those can be claimed that are not held.
                kept.putAll(placed);
                placed.values().forEach(key -> touch(key, Touch.KEPT));
                ready(tx.statements().get(KeySql.READY_PERMITS).ids(1, placed.keySet()));
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

    /** Arranges these keys; false if their limits have changed and not all that is ready obeys. What is left to be given is given after this transaction. */
    public boolean admit(Admit arrange) throws SQLException {
        arrange.keys().forEach(key -> touch(key, arrange.changed() ? Touch.SAID : Touch.MOVED));
        admit();
        return !arrange.changed()
                || arrange.keys().stream().allMatch(key -> locked.contains(key) && !unfinished.contains(key));
    }

    /** Gives places to those whose turn it is, and takes them back where that is said. Answers whether there was something to look at. */
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

    /** Whether those that have kept their places may start is not known without the lock: they go back into the line, at their turn. */
    private void doubtful(String key) throws SQLException {
        List<Long> jobs = kept.entrySet().stream()
                .filter(each -> each.getValue().equals(key))
                .map(Map.Entry::getKey)
                .toList();
        if (!jobs.isEmpty()) {
            long unused = tx.statements()
                    .get(KeySql.TAKE_PERMITS)
                    .ids(1, jobs)
                    .set(2, key)
                    .one();
        }
    }

    private void balance(Map<String, Touch> keys) throws SQLException {
        List<Room> rooms = new ArrayList<>();
        Map<String, Rated> rated = new LinkedHashMap<>();
        for (Said seen : said(keys.keySet())) {
            Said said = seen;
            Touch why = Objects.requireNonNull(keys.get(said.key));
            int excess = why == Touch.MOVED ? 0 : excess(said, why);
            if (excess > 0) {
                if (!takeBack(said.key, excess)) {
                    unfinished.add(said.key);
                    continue;
                }
                said = said(Set.of(said.key)).get(0);
            }
            boolean gives = !said.paused && said.waitedFor;
            if (said.wakesAt != null && (!gives || said.rate == null)) {
                wake(said.key, null, null);
            }
            if (gives) {
                Rated pace = said.rate == null ? null : rated(said, said.rate);
                if (pace != null) {
                    rated.put(said.key, pace);
                }
                Room room = room(said, pace);
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

    /** Tries for no more locks than the server's table of locks has room for, whoever else uses it. */
    private void lock(Set<String> keys) throws SQLException {
        List<String> wanted = keys.stream()
                .filter(key -> !locked.contains(key))
                .limit(Math.max(0, MOST_LOCKS - locked.size()))
                .toList();
        if (wanted.isEmpty()) {
            return;
        }
        try (ResultSet rows = tx.statements()
                .get(KeySql.TRY_KEYS)
                .texts(1, wanted)
                .set(2, tx.keysLock)
                .rows()) {
            while (rows.next()) {
                locked.add(rows.getString(1));
            }
        }
    }

    /** After the locks, in a statement of its own: it sees what those have committed who had them before. */
    private List<Said> said(Set<String> keys) throws SQLException {
        return tx.statements()
                .get(KeySql.READ_KEYS)
                .texts(1, keys)
                .list(rows -> new Said(
                        /* key= */ rows.getString(1),
                        /* paused= */ rows.getBoolean(2),
                        /* most= */ StoredLimits.mostRunning(rows, 3),
                        /* rate= */ StoredLimits.rate(rows, 4),
                        /* nextStart= */ rows.getLong(7),
                        /* wakesAt= */ Rows.longOrNull(rows, 8),
                        /* waitedFor= */ rows.getBoolean(9),
                        /* mostOfFirst= */ StoredLimits.mostRunning(rows, 10),
                        /* places= */ rows.getInt(11)));
    }

    /** How many have a place too many, or as many as one transaction moves. */
    private static int excess(Said said, Touch why) {
        // A rate hands them out again, one after the other.
        boolean all = said.paused || (said.rate != null && why == Touch.SAID);
        return all ? PART : said.most == null ? 0 : Math.min(PART, said.places - said.most);
    }

    /** So many of those that are ready go back into the line, the last ones first; answers whether that is done. */
    private boolean takeBack(String key, int excess) throws SQLException {
        List<Long> found = tx.statements()
                .get(KeySql.PERMITTED_READY)
                .set(1, key)
                .set(2, Integer.valueOf(excess))
                .list(rows -> rows.getLong(1));
        if (found.isEmpty()) {
            return true;
        }
        long taken = tx.statements()
                .get(KeySql.TAKE_PERMITS)
                .ids(1, found)
                .set(2, key)
                .one();
        tx.wrote();
        return taken == found.size() && taken < PART;
    }

    /**
     * A rate, and how it stands.
     *
     * @param ready how many jobs it has let go that have not started yet
     * @param charged whether more was taken off for them than had been
     */
    private record Rated(Said said, Rate rate, RateLimiter pace, int ready, boolean charged) {}

    private Rated rated(Said said, Rate rate) throws SQLException {
        RateLimiter pace = RateLimiter.at(rate, said.nextStart, tx.now());
        int ready = (int) tx.statements()
                .get(KeySql.COUNT_PERMITTED_READY)
                .set(1, said.key)
                .set(2, Integer.valueOf(rate.burst()))
                .one();
        // What was let go and has not started yet is a part of the burst.
        int over = Math.min(pace.allowed(), pace.allowed() - (rate.burst() - ready));
        if (over > 0) {
            pace.start(over);
        }
        return new Rated(said, rate, pace, ready, over > 0);
    }

    private static Room room(Said said, @Nullable Rated rated) {
        Integer least = said.least();
        long limit = least == null ? PART : Math.min(PART, least - (long) said.places);
        if (rated != null) {
            limit = Math.min(limit, rated.pace.allowed());
        }
        // If the first in line has no number, places are not counted to their end, and one that has a number waits
        // until it is the first.
        int places = least == null && said.places > PART ? Integer.MAX_VALUE / 2 : said.places;
        return new Room(said.key, (int) Math.max(0, limit), places);
    }

    private Map<String, Integer> give(List<Room> rooms) throws SQLException {
        PostgresQuery give = tx.statements().get(KeySql.GIVE_PERMITS);
        give.bind(1, ROOMS, rooms);
        Map<String, Integer> given = new HashMap<>();
        try (ResultSet rows = give.rows()) {
            while (rows.next()) {
                String key = rows.getString(5);
                long job = rows.getLong(1);
                if (rows.wasNull()) {
                    // Somebody else has it, and may leave it as it is.
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
        Said said = rated.said;
        RateLimiter pace = rated.pace;
        pace.start(given);
        Integer least = said.least();
        Long wakesAt = null;
        if (least == null || said.places + given < least) {
            Integer lane = lane(said.key);
            if (lane != null) {
                // Nobody tells when those have started that could.
                wakesAt = Math.max(
                        pace.opensAtMillis(), tx.now() + (rated.ready > 0 ? LOOK_AGAIN_MILLIS : SOONEST_MILLIS));
                tx.dueAt(wakesAt);
                tx.due(lane);
            }
        }
        boolean moved = given > 0 || rated.charged;
        if (moved || !Objects.equals(wakesAt, said.wakesAt)) {
            wake(said.key, wakesAt, moved ? Long.valueOf(pace.dueMicros()) : null);
        }
    }

    /** The lane of the first one in line. */
    private @Nullable Integer lane(String key) throws SQLException {
        return tx.statements().get(KeySql.FIRST_WAITING).set(1, key).find(row -> Integer.valueOf(row.getInt(1)));
    }

    private void wake(String key, @Nullable Long at, @Nullable Long nextStart) throws SQLException {
        tx.statements()
                .get(KeySql.WAKE_KEY)
                .set(1, key)
                .set(2, at)
                .set(3, nextStart)
                .update();
        tx.wrote();
    }

    /** The keys that are paused or limited and have ready jobs that must not start: what was said of them was not brought to its end. */
    public static List<String> disobedient(PostgresStatements statements) throws SQLException {
        return statements.get(ReadSql.UNFINISHED_KEYS).list(rows -> rows.getString(1));
    }

    /** Looks at some keys behind this one. */
    public static KeysWithRoom withRoom(PostgresStatements statements, String after, long now) throws SQLException {
        List<String> keys = new ArrayList<>();
        String last = null;
        int seen = 0;
        try (ResultSet rows = statements
                .get(ReadSql.WAITING_KEYS)
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
