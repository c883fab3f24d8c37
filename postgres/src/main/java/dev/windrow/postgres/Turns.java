package dev.windrow.postgres;

import dev.windrow.ConcurrencyKey;
import dev.windrow.JobState;
import dev.windrow.Rate;
import dev.windrow.store.Pace;
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
 * process that dies before it has given away what it freed is found by {@link PostgresStore#arrange}.
 */
final class Turns {
    /** Jobs of one key that one transaction moves at most. */
    static final int PART = 1000;

    /** In place of a number: one after the other, and a place is kept until the job has ended. */
    static final int IN_SEQUENCE = 0;

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

    private final WriteTransaction tx;
    private final List<Leaving> leaving = new ArrayList<>();
    /** Jobs that have become ready, in their order, with their keys. */
    private final Map<Long, String> joining = new LinkedHashMap<>();
    /** The keys to be arranged; true: places may have to be taken back as well. */
    private final Map<String, Boolean> touched = new LinkedHashMap<>();
    /** Keys that this transaction could not arrange, or not wholly. */
    private final Set<String> left = new LinkedHashSet<>();
    /** Keys of which more places are to be taken back; some jobs may be somebody else's at the moment. */
    private final Set<String> unfinished = new HashSet<>();
    /** Keys whose lock this transaction has. */
    private final Set<String> locked = new HashSet<>();

    Turns(WriteTransaction tx) {
        this.tx = tx;
    }

    static @Nullable Integer most(ConcurrencyKey key) {
        return key.inSequence() ? Integer.valueOf(IN_SEQUENCE) : key.maxRunning();
    }

    /** A new job that has been written; if it is ready, it joins the line. */
    void added(long job, ConcurrencyKey key, JobState state) {
        if (state == JobState.PENDING) {
            joining.put(job, key.key());
        }
    }

    /** A waiting job that says anew what it is; its key may be another one, or none. */
    void replaced(long job, @Nullable String before, @Nullable ConcurrencyKey after, JobState to) throws SQLException {
        if (before == null && after == null) {
            return;
        }
        if (before != null) {
            leave(job, before, false);
            write();
        }
        tx.statements
                .get(Sql.KEEP_CONCURRENCY_KEY)
                .set(1, job)
                .set(2, after == null ? null : after.key())
                .set(3, after == null ? null : most(after))
                .update();
        if (after != null && to == JobState.PENDING) {
            joining.put(job, after.key());
        }
    }

    /** A job with this key has changed its state. */
    void moved(long job, String key, JobState from, JobState to) {
        if (to == JobState.PENDING) {
            if (from == JobState.RUNNING) {
                // It has a place; but nothing of its key may start any more, perhaps.
                touched.put(key, true);
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
        touched.putIfAbsent(key, false);
    }

    /** Something else is said of this key, or may have been. */
    void regard(String key) {
        touched.put(key, true);
    }

    /** The keys whose rates let a job start at last. */
    void touchDue() throws SQLException {
        try (ResultSet rows = tx.statements.get(Sql.DUE_KEYS).set(1, tx.now).rows()) {
            while (rows.next()) {
                touched.putIfAbsent(rows.getString(1), false);
            }
        }
    }

    /** The keys that are still to be arranged, after the commit. */
    Set<String> left() {
        Set<String> keys = new LinkedHashSet<>(left);
        keys.addAll(touched.keySet());
        return keys;
    }

    /** Writes who has left and who has come. */
    void write() throws SQLException {
        if (!leaving.isEmpty()) {
            Query leave = tx.statements.get(Sql.LEAVE);
            LEAVING.bind(leave, 1, leaving);
            leave.update();
            leaving.clear();
            tx.wrote();
        }
        if (!joining.isEmpty()) {
            Map<Long, String> kept = new HashMap<>(joining);
            try (ResultSet rows =
                    tx.statements.get(Sql.JOIN_LINE).ids(1, joining.keySet()).rows()) {
                while (rows.next()) {
                    touched.putIfAbsent(Objects.requireNonNull(kept.remove(rows.getLong(1))), false);
                }
            }
            joining.clear();
            tx.wrote();
            if (!kept.isEmpty()) {
                // They have kept their places, and can be claimed; unless nothing of their keys may start any more.
                kept.values().forEach(this::regard);
                ready(tx.statements.get(Sql.READY_PLACES).ids(1, kept.keySet()));
            }
        }
    }

    private int ready(Query query) throws SQLException {
        int count = 0;
        try (ResultSet rows = query.rows()) {
            while (rows.next()) {
                tx.ready(rows.getInt(2), new Marks.Place(-rows.getInt(3), rows.getLong(4), rows.getLong(1)));
                count++;
            }
        }
        return count;
    }

    /** Arranges this key; answers whether nothing is left to do. */
    boolean arrange(String key, boolean takeBack) throws SQLException {
        touched.put(key, takeBack);
        arrange();
        return !left.contains(key) && !unfinished.contains(key);
    }

    /** Gives places to those whose turn it is, and takes them back where that is said. Answers whether there was something to look at. */
    boolean arrange() throws SQLException {
        write();
        if (touched.isEmpty()) {
            return false;
        }
        Map<String, Boolean> keys = new LinkedHashMap<>(touched);
        touched.clear();
        lock(keys.keySet());
        left.addAll(keys.keySet());
        keys.keySet().retainAll(locked);
        left.removeAll(keys.keySet());
        if (keys.isEmpty()) {
            return true;
        }
        List<Room> rooms = new ArrayList<>();
        List<Said> rated = new ArrayList<>();
        for (Said said : said(keys.keySet())) {
            if (Boolean.TRUE.equals(keys.get(said.key))) {
                takeBack(said);
            }
            if (!said.paused && said.waitedFor) {
                Room room = room(said);
                if (room.limit > 0) {
                    rooms.add(room);
                }
                if (said.rate != null) {
                    rated.add(said);
                }
            }
            if ((said.paused || !said.waitedFor) && said.wakesAt != null) {
                wake(said.key, null, null);
            }
        }
        Map<String, Integer> given = rooms.isEmpty() ? Map.of() : give(rooms);
        for (Room room : rooms) {
            if (given.getOrDefault(room.key, 0) == PART) {
                left.add(room.key);
            }
        }
        for (Said said : rated) {
            started(said, given.getOrDefault(said.key, 0));
        }
        return true;
    }

    private void lock(Set<String> keys) throws SQLException {
        List<String> wanted = keys.stream().filter(key -> !locked.contains(key)).toList();
        if (wanted.isEmpty()) {
            return;
        }
        try (ResultSet rows = tx.statements
                .get(Sql.TRY_KEYS)
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
        List<Said> all = new ArrayList<>();
        try (ResultSet rows = tx.statements.get(Sql.READ_KEYS).texts(1, keys).rows()) {
            while (rows.next()) {
                all.add(new Said(
                        rows.getString(1),
                        rows.getBoolean(2),
                        Controls.mostRunning(rows, 3),
                        Controls.rate(rows, 4),
                        rows.getLong(7),
                        Rows.longOrNull(rows, 8),
                        rows.getBoolean(9),
                        Controls.mostRunning(rows, 10),
                        rows.getInt(11)));
            }
        }
        return all;
    }

    /** Those that are ready and have a place too many go back into the line, the last ones first. */
    private void takeBack(Said said) throws SQLException {
        int excess = said.paused ? PART : said.most == null ? 0 : Math.min(PART, said.places - said.most);
        if (excess <= 0) {
            return;
        }
        List<Long> found = new ArrayList<>();
        try (ResultSet rows = tx.statements
                .get(Sql.PLACED_READY)
                .set(1, said.key)
                .set(2, Integer.valueOf(excess))
                .rows()) {
            while (rows.next()) {
                found.add(rows.getLong(1));
            }
        }
        if (found.isEmpty()) {
            return;
        }
        long taken = tx.statements.get(Sql.TAKE_PLACES).ids(1, found).one();
        tx.wrote();
        if (taken < found.size() || found.size() == PART) {
            unfinished.add(said.key);
        }
    }

    private Room room(Said said) throws SQLException {
        Integer least = said.least();
        long limit = least == null ? PART : Math.min(PART, least - (long) said.places);
        if (said.rate != null) {
            // No more than may start at once, those included that could have started already.
            long ready = tx.statements
                    .get(Sql.COUNT_PLACED_READY)
                    .set(1, said.key)
                    .set(2, Integer.valueOf(said.rate.burst()))
                    .one();
            limit = Math.min(
                    limit, Math.min(Pace.at(said.rate, said.nextStart, tx.now).allowed(), said.rate.burst() - ready));
        }
        return new Room(said.key, (int) Math.max(0, limit), said.places);
    }

    private Map<String, Integer> give(List<Room> rooms) throws SQLException {
        Query give = tx.statements.get(Sql.GIVE_PLACES);
        ROOMS.bind(give, 1, rooms);
        Map<String, Integer> given = new HashMap<>();
        try (ResultSet rows = give.rows()) {
            while (rows.next()) {
                tx.ready(rows.getInt(2), new Marks.Place(-rows.getInt(3), rows.getLong(4), rows.getLong(1)));
                given.merge(rows.getString(5), 1, Integer::sum);
            }
        }
        tx.wrote();
        return given;
    }

    private void started(Said said, int given) throws SQLException {
        Rate rate = Objects.requireNonNull(said.rate);
        Pace pace = Pace.at(rate, said.nextStart, tx.now);
        pace.start(given);
        Integer least = said.least();
        Long wakesAt = null;
        if (least == null || said.places + given < least) {
            Integer lane = lane(said.key);
            if (lane != null) {
                // Nobody tells when those have started that could: it is looked at again after as long as lies between
                // two starts.
                wakesAt = pace.allowed() == 0
                        ? pace.opensAtMillis()
                        : tx.now + Math.max(1, rate.per().toMillis() / rate.count());
                tx.dueAt(wakesAt);
                tx.due(lane);
            }
        }
        if (given > 0 || !Objects.equals(wakesAt, said.wakesAt)) {
            wake(said.key, wakesAt, given > 0 ? Long.valueOf(pace.dueMicros()) : null);
        }
    }

    /** The lane of the first one in line. */
    private @Nullable Integer lane(String key) throws SQLException {
        try (ResultSet row = tx.statements.get(Sql.FIRST_IN_LINE).set(1, key).rows()) {
            return row.next() ? Integer.valueOf(row.getInt(1)) : null;
        }
    }

    private void wake(String key, @Nullable Long at, @Nullable Long nextStart) throws SQLException {
        tx.statements.get(Sql.WAKE_KEY).set(1, key).set(2, at).set(3, nextStart).update();
        tx.wrote();
    }

    /**
     * Keys with jobs in line that seem to have room.
     *
     * @param next where to go on; null at the end
     */
    record Stalled(List<String> keys, @Nullable String next) {}

    /** Looks at some keys behind this one. */
    static Stalled stalled(Statements statements, String after) throws SQLException {
        List<String> keys = new ArrayList<>();
        String last = null;
        int seen = 0;
        try (ResultSet rows = statements
                .get(ReadSql.KEYS_IN_LINE)
                .set(1, after)
                .set(2, Integer.valueOf(PART))
                .rows()) {
            while (rows.next()) {
                last = rows.getString(1);
                seen++;
                if (rows.getBoolean(2)) {
                    keys.add(last);
                }
            }
        }
        return new Stalled(keys, seen < PART ? null : last);
    }
}
