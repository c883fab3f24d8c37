package dev.windrow.sqlite.limit;

import dev.windrow.limit.LimitTarget;
import dev.windrow.limit.Rate;
import dev.windrow.sqlite.job.ReadyLane;
import dev.windrow.sqlite.writer.SqliteTransaction;
import dev.windrow.store.limit.RateLimiter;
import dev.windrow.store.sql.connection.Query;
import dev.windrow.store.sql.connection.Rows;
import dev.windrow.store.sql.limit.StoredLimits;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A claim from lanes, some of which have a limit or a rate. Chooses the jobs that may start, in claim order, and returns the time at which the next
 * one may. The write lock makes that exact: no other connection counts or claims at the same time. Lanes without free capacity are not read, so that
 * their waiting jobs delay no other job.
 */
public final class LimitedClaim {
    /** The remaining capacity of one queue or type. */
    private static final class Room {
        private final LimitTarget scope;
        private final @Nullable RateLimiter limiter;
        private long left;
        private int started;

        Room(LimitTarget scope, @Nullable RateLimiter limiter, long left) {
            this.scope = scope;
            this.limiter = limiter;
            this.left = left;
        }

        void take() {
            left--;
            started++;
        }
    }

    private final SqliteTransaction tx;
    private final List<ReadyLane> lanes;
    private final int minPriority;
    private final Map<LimitTarget, @Nullable Room> rooms = new HashMap<>();
    private final Map<Long, List<Room>> byLane = new HashMap<>();

    /** Counts the free capacity of these lanes, for jobs of this priority or more. */
    public LimitedClaim(SqliteTransaction tx, List<ReadyLane> lanes, int minPriority) throws SQLException {
        this.tx = tx;
        this.lanes = lanes;
        this.minPriority = minPriority;
        for (ReadyLane lane : lanes) {
            List<Room> concern = new ArrayList<>();
            if (lane.limited()) {
                for (LimitTarget scope : List.of(
                        LimitTarget.queue(lane.name().queue()),
                        LimitTarget.type(lane.name().type()))) {
                    Room room = room(scope);
                    if (room != null) {
                        concern.add(room);
                    }
                }
            }
            byLane.put(lane.id(), concern);
        }
    }

    /** True if a queue or a type has a limit or a rate. */
    public static boolean isLimited(SqliteTransaction tx, LimitTarget scope) throws SQLException {
        try (ResultSet row = limit(tx, scope).rows()) {
            return row.next();
        }
    }

    private static Query limit(SqliteTransaction tx, LimitTarget scope) throws SQLException {
        Query limit = tx.statements().get(LimitSql.READ_LIMIT);
        limit.set(1, scope.kind().name()).set(2, scope.name());
        return limit;
    }

    private @Nullable Room room(LimitTarget scope) throws SQLException {
        if (!rooms.containsKey(scope)) {
            Room room = null;
            try (ResultSet row = limit(tx, scope).rows()) {
                if (row.next()) {
                    Long max = Rows.longOrNull(row, 1);
                    Rate rate = StoredLimits.rate(row, 2);
                    RateLimiter limiter = rate == null ? null : RateLimiter.at(rate, row.getLong(5), tx.now());
                    long left = limiter == null ? Long.MAX_VALUE : limiter.allowed();
                    room = new Room(scope, limiter, max == null ? left : Math.min(left, max - tx.running(scope)));
                }
            }
            rooms.put(scope, room);
        }
        return rooms.get(scope);
    }

    /** Returns the best jobs that may start, at most {@code limit}. They count as started from now on. */
    public List<Long> choose(int limit) throws SQLException {
        PriorityQueue<ReadyLane.Candidate> candidates = new PriorityQueue<>();
        lanes.forEach(lane -> candidates.add(lane.best()));
        Set<Long> looked = new HashSet<>();
        List<Long> chosen = new ArrayList<>();
        while (chosen.size() < limit && !candidates.isEmpty()) {
            ReadyLane.Candidate best = candidates.remove();
            List<Room> concern = byLane.getOrDefault(best.lane(), List.of());
            int max = limit - chosen.size();
            for (Room room : concern) {
                max = (int) Math.min(max, room.left);
            }
            if (max > 0) {
                if (looked.add(best.lane())) {
                    addNext(best, max, candidates);
                }
                concern.forEach(Room::take);
                chosen.add(best.id());
            }
        }
        for (Room room : rooms.values()) {
            if (room != null && room.limiter != null && room.started > 0) {
                room.limiter.start(room.started);
                tx.statements()
                        .get(LimitSql.SET_NEXT_START)
                        .set(1, room.scope.kind().name())
                        .set(2, room.scope.name())
                        .set(3, room.limiter.dueMicros())
                        .update();
            }
        }
        return chosen;
    }

    /** Adds the jobs of a lane after its best one. The best one is among the {@code max} jobs that are read. */
    private void addNext(ReadyLane.Candidate head, int max, PriorityQueue<ReadyLane.Candidate> candidates)
            throws SQLException {
        if (max > 1) {
            try (ResultSet rows = tx.statements()
                    .get(LimitSql.CANDIDATES)
                    .set(1, head.lane())
                    .set(2, max)
                    .set(3, minPriority)
                    .rows()) {
                while (rows.next()) {
                    if (rows.getLong(1) != head.id()) {
                        candidates.add(
                                new ReadyLane.Candidate(rows.getLong(1), head.lane(), rows.getInt(2), rows.getLong(3)));
                    }
                }
            }
        }
    }

    /** Returns the lanes that have ready jobs after the claim. */
    public Set<Long> stillReady() throws SQLException {
        Set<Long> ready = new HashSet<>();
        try (ResultSet rows = tx.statements()
                .get(LimitSql.STILL_READY)
                .set(1, ReadyLane.array(lanes))
                .rows()) {
            while (rows.next()) {
                ready.add(rows.getLong(1));
            }
        }
        return ready;
    }

    /** Returns the first time at which a job in these lanes may start that only a rate holds back. Null if no rate holds a job back. */
    @Nullable public Long opensAt(Set<Long> stillReady) {
        Long first = null;
        for (long lane : stillReady) {
            for (Room room : byLane.getOrDefault(lane, List.of())) {
                if (room.limiter != null && room.limiter.allowed() == 0) {
                    long opens = room.limiter.opensAtMillis();
                    first = first == null ? opens : Math.min(first, opens);
                }
            }
        }
        return first;
    }
}
