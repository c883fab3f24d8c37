package dev.windrow.sqlite;

import dev.windrow.ConcurrencyKey;
import dev.windrow.JobState;
import dev.windrow.Rate;
import dev.windrow.store.Pace;
import java.sql.PreparedStatement;
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
final class Turns {
    /** Jobs of one key that one transaction moves at most. */
    static final int PART = 1000;

    /** In place of a number: one after the other, and a place is kept until the job has ended. */
    static final int IN_SEQUENCE = 0;

    private final WriteTransaction tx;
    /** The keys to be arranged; true: places may have to be taken back as well. */
    private final Map<String, Boolean> touched = new LinkedHashMap<>();
    /** How many jobs got or lost a place. */
    private int moved;

    Turns(WriteTransaction tx) {
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

    static @Nullable Integer most(ConcurrencyKey key) {
        return key.inSequence() ? Integer.valueOf(IN_SEQUENCE) : key.maxRunning();
    }

    /** A new job that has been written; if it is ready, it joins the line. */
    void added(long job, long lane, ConcurrencyKey key, JobState state) throws SQLException {
        keep(job, key);
        if (state == JobState.PENDING) {
            join(job, lane, key.key());
        }
    }

    private void keep(long job, @Nullable ConcurrencyKey key) throws SQLException {
        PreparedStatement keep = tx.statements.get(Sql.KEEP_CONCURRENCY_KEY);
        keep.setLong(1, job);
        keep.setString(2, key == null ? null : key.key());
        keep.setObject(3, key == null ? null : most(key));
        keep.executeUpdate();
    }

    /** A waiting job that says anew what it is, from a state to a state; its key may be another one, or none. */
    void replaced(long job, long lane, @Nullable String before, @Nullable ConcurrencyKey after, JobState to)
            throws SQLException {
        if (before != null) {
            leave(job, before, Sql.LEAVE);
            unhold(job);
        }
        if (before != null || after != null) {
            keep(job, after);
        }
        if (after != null && to == JobState.PENDING) {
            join(job, lane, after.key());
        }
    }

    /** A job with this key, or none, has changed its state. */
    void moved(long job, long lane, @Nullable String key, JobState from, JobState to) throws SQLException {
        if (key == null) {
            return;
        }
        if (to == JobState.PENDING) {
            if (from == JobState.RUNNING) {
                // It has a place; but nothing of its key may start any more, perhaps.
                touched.put(key, true);
            } else {
                join(job, lane, key);
            }
        } else if (to != JobState.RUNNING) {
            boolean goesOn = from == JobState.RUNNING && !to.isFinished();
            leave(job, key, goesOn ? Sql.LEAVE_UNLESS_IN_SEQUENCE : Sql.LEAVE);
        }
    }

    private void join(long job, long lane, String key) throws SQLException {
        PreparedStatement join = tx.statements.get(Sql.JOIN_LINE);
        join.setLong(1, job);
        join.setLong(2, tx.nextId());
        if (join.executeUpdate() == 1) {
            hold(job);
            touched.putIfAbsent(key, false);
        } else {
            // It has kept its place.
            tx.ready(lane);
            touched.put(key, true);
        }
    }

    private void leave(long job, String key, String sql) throws SQLException {
        PreparedStatement leave = tx.statements.get(sql);
        leave.setLong(1, job);
        leave.executeUpdate();
        touched.putIfAbsent(key, false);
    }

    private void hold(long job) throws SQLException {
        PreparedStatement hold = tx.statements.get(Sql.HOLD);
        hold.setLong(1, job);
        hold.executeUpdate();
    }

    private void unhold(long job) throws SQLException {
        PreparedStatement unhold = tx.statements.get(Sql.UNHOLD);
        unhold.setLong(1, job);
        unhold.executeUpdate();
    }

    /** Something else is said of this key, or may have been. */
    void regard(String key) {
        touched.put(key, true);
    }

    /** The keys whose rates let a job start at last. */
    void touchDue() throws SQLException {
        PreparedStatement due = tx.statements.get(Sql.DUE_KEYS);
        due.setLong(1, tx.now);
        try (ResultSet rows = due.executeQuery()) {
            while (rows.next()) {
                touched.putIfAbsent(rows.getString(1), false);
            }
        }
    }

    /** Arranges this key now; answers how many jobs that moved. */
    int arrange(String key, boolean takeBack) throws SQLException {
        int before = moved;
        touched.put(key, takeBack);
        return arrange() - before;
    }

    /**
     * Keys with jobs in line that seem to have room.
     *
     * @param next where to go on; null at the end
     */
    record Stalled(List<String> keys, @Nullable String next) {}

    /** Looks at some keys behind this one. */
    static Stalled stalled(Statements statements, String after) throws SQLException {
        PreparedStatement look = statements.get(Sql.KEYS_IN_LINE);
        look.setString(1, after);
        look.setInt(2, PART);
        List<String> keys = new ArrayList<>();
        String last = null;
        int seen = 0;
        try (ResultSet rows = look.executeQuery()) {
            while (rows.next()) {
                last = rows.getString(1);
                seen++;
                if (rows.getInt(2) != 0) {
                    keys.add(last);
                }
            }
        }
        return new Stalled(keys, seen < PART ? null : last);
    }

    /** Gives places to those whose turn it is, and takes them back where that is said. Answers how many jobs that moved so far. */
    int arrange() throws SQLException {
        while (!touched.isEmpty()) {
            Map<String, Boolean> keys = new LinkedHashMap<>(touched);
            touched.clear();
            for (Map.Entry<String, Boolean> key : keys.entrySet()) {
                balance(key.getKey(), key.getValue());
            }
        }
        return moved;
    }

    private void balance(String key, boolean takeBack) throws SQLException {
        Said said = said(key);
        if (takeBack) {
            takeBack(key, said);
        }
        Long wakesAt = said.paused ? null : give(key, said);
        if (!Objects.equals(wakesAt, said.wakesAt)) {
            PreparedStatement wake = tx.statements.get(Sql.WAKE_KEY);
            wake.setString(1, key);
            wake.setObject(2, wakesAt);
            wake.executeUpdate();
        }
    }

    private Said said(String key) throws SQLException {
        PreparedStatement read = tx.statements.get(Sql.READ_KEY);
        read.setString(1, key);
        try (ResultSet row = read.executeQuery()) {
            if (!row.next()) {
                return Said.NOTHING;
            }
            Long most = Rows.longOrNull(row, 2);
            Rate rate = Controls.rate(row, 3);
            return new Said(
                    row.getLong(1) != 0,
                    most == null ? null : Math.toIntExact(most),
                    rate,
                    row.getLong(6),
                    Rows.longOrNull(row, 7));
        }
    }

    /** Those that are ready and have a place too many go back into the line, the last ones first. */
    private void takeBack(String key, Said said) throws SQLException {
        long excess = said.paused ? PART : said.most == null ? 0 : places(key, said.most + PART) - said.most;
        if (excess <= 0) {
            return;
        }
        for (long job : ready(key, (int) Math.min(PART, excess))) {
            place(job, Sql.TAKE_PLACE);
            hold(job);
            moved++;
        }
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
        Pace pace = rate == null ? null : Pace.at(rate, said.nextStart, tx.now);
        long allowed = rate == null || pace == null ? PART : allowed(key, rate, pace);
        int given = 0;
        if (room > 0 && allowed > 0) {
            for (Waiting next : line(key, (int) Math.min(room, allowed))) {
                Integer own = least(said.most, next.most);
                if (own != null && (most == null ? places(key, own) : places + given) >= own) {
                    break;
                }
                place(next.job, Sql.GIVE_PLACE);
                PreparedStatement release = tx.statements.get(Sql.UNHOLD);
                release.setLong(1, next.job);
                release.executeUpdate();
                tx.ready(next.lane);
                given++;
            }
        }
        moved += given;
        return rate == null || pace == null ? null : started(key, rate, pace, given, room > given);
    }

    /** How many a rate lets start now: no more than may start at once, those included that could have started already. */
    private long allowed(String key, Rate rate, Pace pace) throws SQLException {
        return Math.min(pace.allowed(), rate.burst() - ready(key, rate.burst()).size());
    }

    private @Nullable Long started(String key, Rate rate, Pace pace, int given, boolean hasRoom) throws SQLException {
        if (given > 0) {
            pace.start(given);
            PreparedStatement next = tx.statements.get(Sql.SET_NEXT_START);
            next.setString(1, "KEY");
            next.setString(2, key);
            next.setLong(3, pace.dueMicros());
            next.executeUpdate();
        }
        List<Waiting> head = hasRoom ? line(key, 1) : List.of();
        if (head.isEmpty()) {
            return null;
        }
        tx.due(head.get(0).lane);
        // Nobody tells when those have started that could: it is looked at again after as long as lies between two
        // starts.
        return pace.allowed() == 0
                ? pace.opensAtMillis()
                : tx.now + Math.max(1, rate.per().toMillis() / rate.count());
    }

    private static @Nullable Integer least(@Nullable Integer said, @Nullable Integer own) {
        Integer mine = own == null ? null : Integer.valueOf(Math.max(1, own));
        return said == null ? mine : mine == null ? said : Integer.valueOf(Math.min(said, mine));
    }

    private long places(String key, int most) throws SQLException {
        PreparedStatement count = tx.statements.get(Sql.COUNT_PLACES);
        count.setString(1, key);
        count.setInt(2, most);
        return Rows.one(count);
    }

    private List<Waiting> line(String key, int limit) throws SQLException {
        PreparedStatement line = tx.statements.get(Sql.LINE);
        line.setString(1, key);
        line.setInt(2, limit);
        List<Waiting> waiting = new ArrayList<>();
        try (ResultSet rows = line.executeQuery()) {
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
        PreparedStatement ready = tx.statements.get(Sql.PLACED_READY);
        ready.setString(1, key);
        ready.setInt(2, limit);
        List<Long> jobs = new ArrayList<>();
        try (ResultSet rows = ready.executeQuery()) {
            while (rows.next()) {
                jobs.add(rows.getLong(1));
            }
        }
        return jobs;
    }

    private void place(long job, String sql) throws SQLException {
        PreparedStatement place = tx.statements.get(sql);
        place.setLong(1, job);
        place.executeUpdate();
    }
}
