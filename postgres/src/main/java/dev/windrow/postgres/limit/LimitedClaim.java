package dev.windrow.postgres.limit;

import dev.windrow.limit.LimitTarget;
import dev.windrow.limit.Rate;
import dev.windrow.postgres.connection.PostgresQuery;
import dev.windrow.postgres.job.ClaimCursors;
import dev.windrow.postgres.job.Claims;
import dev.windrow.postgres.job.Lanes;
import dev.windrow.postgres.writer.Names;
import dev.windrow.postgres.writer.PostgresTransaction;
import dev.windrow.store.limit.RateLimiter;
import dev.windrow.store.sql.connection.Rows;
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
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One claim from lanes of which some have limits or rates. It chooses the jobs that may start, in claim order, and determines when the next one may.
 * It locks the limits to the end of the transaction, so that no other transaction counts in between. It does not wait for a lock that another
 * transaction has. It treats that limit as reached, and reads it again soon. It does not query lanes without free slots, so that their waiting jobs
 * delay no other job.
 */
public final class LimitedClaim {
    /** The time until a limit is read again that another transaction has locked: as long as a commit takes. */
    private static final int AGAIN_MILLIS = 5;
    /** The number of further jobs that are tried at once for each job that another transaction has locked. */
    private static final int MORE = 4;

    /**
     * The time within which earlier claims are assumed to commit. Claims that began before a limit was set do not know the limit (ADR 22). Also the
     * shortest interval between two records of the start of the count.
     */
    private static final long MINUTE_MILLIS = 60_000;

    private record Candidate(long job, int lane) {}

    /** The free slots of one queue or type. */
    private static final class Room {
        private final LimitTarget scope;
        private final @Nullable RateLimiter limiter;
        /** True if another transaction has locked it. */
        private final boolean busy;

        private long left;
        private int started;
        /** The time before which none of its running jobs was claimed; null if it is not known. */
        private @Nullable Long since;
        /** The new value of {@code since} after the count, which is to be stored; null if there is none. */
        private @Nullable Long counted;

        Room(LimitTarget scope, @Nullable RateLimiter limiter, long left, boolean busy) {
            this.scope = scope;
            this.limiter = limiter;
            this.left = left;
            this.busy = busy;
        }

        void take() {
            left--;
            started++;
        }

        void giveBack() {
            left++;
            started--;
        }
    }

    private final PostgresTransaction tx;
    private final Lanes lanes;
    private final int minPriority;
    private final Map<LimitTarget, Room> rooms = new LinkedHashMap<>();
    /** The limits of each lane with ready jobs. */
    private final Map<Integer, List<Room>> byLane = new LinkedHashMap<>();

    /** Begins a claim from these lanes, of jobs of this priority or more. */
    public LimitedClaim(PostgresTransaction tx, Lanes lanes, int minPriority) {
        this.tx = tx;
        this.lanes = lanes;
        this.minPriority = minPriority;
    }

    /** Finds the lanes with ready jobs, and counts the free slots of limits that are not counted yet. */
    private Claims.Look look(ClaimCursors.View view) throws SQLException {
        Claims.Look look = Claims.look(tx, new Claims.Seek(lanes, minPriority, true), tx.concerned(), view);
        Set<String> queues = new HashSet<>();
        Set<String> types = new HashSet<>();
        Map<Integer, Names.Lane> found = new LinkedHashMap<>();
        for (int lane : look.ready()) {
            if (!byLane.containsKey(lane)) {
                Names.Lane name = tx.names.laneOf(tx.statements(), lane);
                found.put(lane, name);
                if (!rooms.containsKey(LimitTarget.queue(name.queue()))) {
                    queues.add(name.queue());
                }
                if (!rooms.containsKey(LimitTarget.type(name.type()))) {
                    types.add(name.type());
                }
            }
        }
        if (!found.isEmpty()) {
            count(queues, types);
        }
        found.forEach((lane, name) -> {
            List<Room> concerned = new ArrayList<>();
            add(concerned, LimitTarget.queue(name.queue()));
            add(concerned, LimitTarget.type(name.type()));
            byLane.put(lane, concerned);
        });
        return look;
    }

    /** Counts the free slots. */
    private void count(Set<String> queues, Set<String> types) throws SQLException {
        Set<LimitTarget> limits = new HashSet<>();
        try (ResultSet rows = limits(LimitSql.FIND_LIMITS, queues, types).rows()) {
            while (rows.next()) {
                limits.add(StoredLimits.scope(rows));
            }
        }
        Map<Room, Integer> maxRunning = new LinkedHashMap<>();
        try (ResultSet rows = limits(LimitSql.LOCK_LIMITS, queues, types).rows()) {
            while (rows.next()) {
                Rate rate = StoredLimits.rate(rows, 4);
                RateLimiter limiter = rate == null ? null : RateLimiter.at(rate, rows.getLong(7), tx.now());
                Room room = new Room(
                        StoredLimits.scope(rows), limiter, limiter == null ? Long.MAX_VALUE : limiter.allowed(), false);
                rooms.put(room.scope, room);
                room.since = Rows.longOrNull(rows, 8);
                Integer max = StoredLimits.maxRunning(rows, 3);
                if (max != null) {
                    maxRunning.put(room, max);
                }
            }
        }
        for (Map.Entry<Room, Integer> limit : maxRunning.entrySet()) {
            Room room = limit.getKey();
            room.left = Math.min(room.left, limit.getValue() - running(room));
        }
        for (LimitTarget scope : limits) {
            if (!rooms.containsKey(scope)) {
                rooms.put(scope, new Room(scope, null, 0, true));
            }
        }
    }

    private PostgresQuery limits(String sql, Set<String> queues, Set<String> types) throws SQLException {
        return tx.statements().get(sql).texts(1, queues).texts(2, types);
    }

    private void add(List<Room> concerned, LimitTarget scope) {
        Room room = rooms.get(scope);
        if (room != null) {
            concerned.add(room);
        }
    }

    /**
     * Counts running jobs. An ended job leaves a dead entry in the index, which stays behind any long transaction. So the count leaves out entries
     * that were claimed before the first job that was running at an earlier count. All claims from these lanes take the lock of the limit, so that no
     * other claim starts a job in between.
     */
    private long running(Room room) throws SQLException {
        long since = room.since == null ? Long.MIN_VALUE : room.since;
        try (ResultSet row =
                named(LimitSql.COUNT_RUNNING, room.scope).set(3, since).rows()) {
            row.next();
            Long first = Rows.longOrNull(row, 2);
            // No later claim gets an earlier time, unless the clock is set back.
            long next = Math.min(first == null ? Long.MAX_VALUE : first, tx.now() - MINUTE_MILLIS);
            boolean back = room.since != null && tx.now() < since;
            if (back || room.since == null || next - since >= MINUTE_MILLIS) {
                room.counted = back ? Long.valueOf(tx.now()) : Long.valueOf(next);
            }
            return row.getLong(1);
        }
    }

    private PostgresQuery named(String sql, LimitTarget scope) throws SQLException {
        return tx.statements().get(sql).set(1, scope.kind().name()).set(2, scope.name());
    }

    /**
     * Chooses, locks and returns the first jobs that may start, at most so many, after these cursors. They count as started. Leaves out jobs that
     * another transaction has locked, and tries the next ones in their place. It locks no other jobs at first. Once some were locked by other
     * transactions, it tries several times as many at once. So a thousand of them do not cost a hundred tries.
     */
    public List<Long> choose(ClaimCursors.View view, int limit) throws SQLException {
        Set<Integer> ready = look(view).ready();
        Set<Long> locked = new HashSet<>();
        Set<Candidate> passed = new HashSet<>();
        for (; ; ) {
            List<Candidate> candidates = candidates(ready, view, limit, passed);
            List<Candidate> chosen = start(candidates, limit);
            Set<Candidate> tried = new LinkedHashSet<>(chosen);
            candidates.stream().limit((long) MORE * passed.size()).forEach(tried::add);
            tried.removeIf(candidate -> locked.contains(candidate.job));
            locked.addAll(lock(tried));
            List<Long> jobs = chosen.stream().map(Candidate::job).toList();
            if (locked.containsAll(jobs)) {
                return jobs;
            }
            chosen.forEach(candidate -> rooms(candidate).forEach(Room::giveBack));
            tried.stream().filter(candidate -> !locked.contains(candidate.job)).forEach(passed::add);
        }
    }

    private List<Room> rooms(Candidate candidate) {
        return byLane.getOrDefault(candidate.lane, List.of());
    }

    /** Reads the ready jobs of the lanes with free slots, in claim order, without the skipped ones. */
    private List<Candidate> candidates(Set<Integer> ready, ClaimCursors.View view, int limit, Set<Candidate> passed)
            throws SQLException {
        List<Integer> open = new ArrayList<>();
        List<Integer> caps = new ArrayList<>();
        for (int lane : ready) {
            long cap = limit;
            for (Room room : byLane.getOrDefault(lane, List.of())) {
                cap = Math.min(cap, room.left);
            }
            if (cap > 0) {
                long here = passed.stream()
                        .filter(candidate -> candidate.lane == lane)
                        .count();
                open.add(lane);
                caps.add((int) (cap + (1 + MORE) * here));
            }
        }
        List<Candidate> candidates = new ArrayList<>();
        if (open.isEmpty()) {
            return candidates;
        }
        PostgresQuery look = tx.statements()
                .get(LimitSql.CANDIDATES)
                .array(1, "int4", open.toArray())
                .array(2, "int4", caps.toArray());
        ClaimCursors.bindPlaces(look, 3, open.stream().map(view::place).toList());
        look.set(6, Integer.valueOf(-minPriority));
        try (ResultSet rows = look.rows()) {
            while (rows.next()) {
                candidates.add(new Candidate(rows.getLong(1), rows.getInt(2)));
            }
        }
        candidates.removeAll(passed);
        return candidates;
    }

    /** Returns the first of these candidates that may start, at most so many. They count as started. */
    private List<Candidate> start(List<Candidate> candidates, int limit) {
        List<Candidate> chosen = new ArrayList<>();
        for (Candidate candidate : candidates) {
            List<Room> concerned = rooms(candidate);
            if (chosen.size() < limit && concerned.stream().allMatch(room -> room.left > 0)) {
                concerned.forEach(Room::take);
                chosen.add(candidate);
            }
        }
        return chosen;
    }

    private List<Long> lock(Set<Candidate> jobs) throws SQLException {
        List<Long> locked = new ArrayList<>();
        if (jobs.isEmpty()) {
            return locked;
        }
        try (ResultSet rows = tx.statements()
                .get(LimitSql.LOCK_READY)
                .ids(1, jobs.stream().map(Candidate::job).toList())
                .array(2, "int4", jobs.stream().map(Candidate::lane).toArray())
                .rows()) {
            while (rows.next()) {
                locked.add(rows.getLong(1));
            }
        }
        return locked;
    }

    /** Stores the times of the next starts, and the starts of the counts. */
    public void started() throws SQLException {
        for (Room room : rooms.values()) {
            if (room.started == 0) {
                continue;
            }
            if (room.limiter != null) {
                room.limiter.start(room.started);
                named(LimitSql.SET_NEXT_START, room.scope)
                        .set(3, room.limiter.dueMicros())
                        .update();
            }
            if (room.counted != null) {
                named(LimitSql.SET_RUNNING_SINCE, room.scope)
                        .set(3, room.counted)
                        .update();
            }
        }
    }

    /**
     * Returns the lanes after the claim, once the times of the next starts are stored.
     *
     * @param toTheEnd true if the claim got fewer jobs than it asked for, so that lanes with free slots were read to their ends
     * @param view the cursors after which to read
     */
    public Claims.Left left(boolean toTheEnd, ClaimCursors.View view) throws SQLException {
        Claims.Look look = look(view);
        Set<Integer> waiting = new HashSet<>();
        Map<Integer, Long> opensAt = new HashMap<>();
        for (int lane : look.ready()) {
            List<Room> concerned = byLane.getOrDefault(lane, List.of());
            if (toTheEnd && concerned.stream().allMatch(room -> room.left > 0)) {
                waiting.add(lane);
            }
            for (Room room : concerned) {
                Long opens = opensAt(room);
                if (opens != null) {
                    opensAt.merge(lane, opens, Math::min);
                }
            }
        }
        return new Claims.Left(look.empty(), waiting, opensAt);
    }

    private @Nullable Long opensAt(Room room) {
        if (room.busy) {
            return tx.now() + AGAIN_MILLIS;
        }
        return room.limiter != null && room.limiter.allowed() == 0 ? Long.valueOf(room.limiter.opensAtMillis()) : null;
    }
}
