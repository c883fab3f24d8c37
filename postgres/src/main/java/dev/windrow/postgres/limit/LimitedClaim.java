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
 * One claim from lanes of which a limit or a rate concerns some: chooses the jobs that are allowed to start, in claim order, and says when
 * the next one may. What limits a lane is locked to the end of the transaction, so that nobody else counts meanwhile; a lock that
 * somebody else has is not waited for: it is as good as full, and looked at again soon. Lanes without room are not looked at, so that
 * what waits in them is in nobody's way.
 */
public final class LimitedClaim {
    /** When to look again at what somebody else has locked: as long as a commit takes. */
    private static final int AGAIN_MILLIS = 5;
    /** Behind each job that another transaction has locked, so many more are tried at once. */
    private static final int MORE = 4;

    /**
     * Claims that begin before a limit is set do not know of it, and are taken to commit within this time (ADR 22). It is also how seldom it is kept since when jobs run.
     */
    private static final long MINUTE_MILLIS = 60_000;

    private record Candidate(long job, int lane) {}

    /** What one queue or type leaves. */
    private static final class Room {
        private final LimitTarget scope;
        private final @Nullable RateLimiter limiter;
        /** Whether somebody else has locked it. */
        private final boolean busy;

        private long left;
        private int started;
        /** No job of it runs that was claimed before; null: not known. */
        private @Nullable Long since;
        /** The same as it is to be kept, by what was counted; null: nothing was. */
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
    private final Map<LimitTarget, Room> rooms = new LinkedHashMap<>();
    /** The limits of each of the lanes in which jobs are ready. */
    private final Map<Integer, List<Room>> byLane = new LinkedHashMap<>();

    /** A claim from these lanes. */
    public LimitedClaim(PostgresTransaction tx, Lanes lanes) {
        this.tx = tx;
        this.lanes = lanes;
    }

    /** Looks where jobs are ready, and counts what there is room for of the limits that it has not counted. */
    private Claims.Look look(ClaimCursors.View view) throws SQLException {
        Claims.Look look = Claims.look(tx, lanes, tx.concerned(), view, true);
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

    /** Counts what there is room for. */
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
     * Counts what runs. A job that has ended leaves a dead entry in the index, which stays behind any long transaction: so what was claimed before the first job that ran at an earlier count is not
     * looked at. All claims of these lanes have the lock of the limit, so that no other claim starts a job meanwhile.
     */
    private long running(Room room) throws SQLException {
        long since = room.since == null ? Long.MIN_VALUE : room.since;
        try (ResultSet row =
                named(LimitSql.COUNT_RUNNING, room.scope).set(3, since).rows()) {
            row.next();
            Long first = Rows.longOrNull(row, 2);
            // Nothing that is claimed from now on is before, unless the clock is set back.
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
     * The best jobs that may start, at most so many, behind these cursors; they are locked, and count as started from now on. Jobs that another
     * transaction has locked are left out. They are found by trying: the next ones are chosen, and locked, in their place. No others are locked; but once some were locked
     * by others, several times as many are tried at once, so that a thousand of them cost no hundred tries.
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

    /** The ready jobs of the lanes with room, in claim order, without those that were passed over. */
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
        try (ResultSet rows = look.rows()) {
            while (rows.next()) {
                candidates.add(new Candidate(rows.getLong(1), rows.getInt(2)));
            }
        }
        candidates.removeAll(passed);
        return candidates;
    }

    /** The first of these that may start, at most so many; they count as started. */
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

    /** Keeps when the next starts are due, and since when jobs run. */
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
     * What is left, once it is kept when the next starts are due.
     *
     * @param toTheEnd whether fewer jobs came than were asked for, so that lanes with room have been looked at to their ends
     * @param view behind what to look
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
