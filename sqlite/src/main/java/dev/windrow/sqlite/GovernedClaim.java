package dev.windrow.sqlite;

import dev.windrow.Rate;
import dev.windrow.Scope;
import dev.windrow.store.Pace;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One claim from lanes of which a limit or a rate concerns some: chooses the jobs that are allowed to start, in claim order, and says when
 * the next one may. The write lock makes it exact: nobody else counts or claims meanwhile. Lanes without room are not looked at, so
 * that what waits in them is in nobody's way.
 */
final class GovernedClaim {
    /** What one queue or type leaves. */
    private static final class Room {
        private final Scope scope;
        private final List<Long> lanes;
        private final @Nullable Pace pace;
        private long left;
        private int started;

        Room(Scope scope, List<Long> lanes, @Nullable Pace pace, long left) {
            this.scope = scope;
            this.lanes = lanes;
            this.pace = pace;
            this.left = left;
        }

        void take() {
            left--;
            started++;
        }
    }

    private final WriteTransaction tx;
    private final List<Long> lanes;
    private final List<Room> all = new ArrayList<>();
    private final Map<Long, List<Room>> byLane = new HashMap<>();

    /** Counts what there is room for in these lanes. */
    GovernedClaim(WriteTransaction tx, List<Long> lanes) throws SQLException {
        this.tx = tx;
        this.lanes = lanes;
        try (ResultSet rows = tx.statements.get(ControlSql.READ_LIMITS).executeQuery()) {
            while (rows.next()) {
                Scope scope = new Scope(Scope.Kind.valueOf(rows.getString(1)), rows.getString(2));
                List<Long> concerned = Controls.lanes(tx, scope);
                if (concerned.stream().anyMatch(lanes::contains)) {
                    Long most = Rows.longOrNull(rows, 3);
                    Rate rate = Controls.rate(rows, 4);
                    Pace pace = rate == null ? null : Pace.at(rate, rows.getLong(7), tx.now);
                    add(new Room(scope, concerned, pace, room(concerned, most, pace)));
                }
            }
        }
    }

    private long room(List<Long> concerned, @Nullable Long most, @Nullable Pace pace) throws SQLException {
        long room = pace == null ? Long.MAX_VALUE : pace.allowed();
        return most == null ? room : Math.min(room, most - Controls.running(tx, concerned));
    }

    private void add(Room room) {
        all.add(room);
        room.lanes.forEach(
                lane -> byLane.computeIfAbsent(lane, key -> new ArrayList<>()).add(room));
    }

    private record Candidate(long id, long lane, int priority, long scheduledAt) {}

    private static final Comparator<Candidate> ORDER = Comparator.comparingInt(Candidate::priority)
            .reversed()
            .thenComparingLong(Candidate::scheduledAt)
            .thenComparingLong(Candidate::id);

    /** The best jobs that may start, at most so many; they count as started from now on. */
    List<Long> choose(int limit) throws SQLException {
        List<Candidate> candidates = new ArrayList<>();
        for (long lane : waitedFor()) {
            addBest(lane, limit, candidates);
        }
        candidates.sort(ORDER);
        List<Long> chosen = new ArrayList<>();
        for (Candidate candidate : candidates) {
            List<Room> rooms = byLane.getOrDefault(candidate.lane, List.of());
            if (chosen.size() < limit && rooms.stream().allMatch(room -> room.left > 0)) {
                rooms.forEach(Room::take);
                chosen.add(candidate.id);
            }
        }
        for (Room room : all) {
            if (room.pace != null && room.started > 0) {
                room.pace.start(room.started);
                PreparedStatement next = tx.statements.get(ControlSql.SET_NEXT_START);
                next.setString(1, room.scope.kind().name());
                next.setString(2, room.scope.name());
                next.setLong(3, room.pace.dueMicros());
                next.executeUpdate();
            }
        }
        return chosen;
    }

    /** The lanes that are not paused, and where jobs wait. */
    private List<Long> waitedFor() throws SQLException {
        List<Long> waitedFor = new ArrayList<>();
        PreparedStatement open = tx.statements.get(Sql.OPEN_LANES);
        open.setString(1, JsonText.array(lanes));
        try (ResultSet rows = open.executeQuery()) {
            while (rows.next()) {
                if (rows.getInt(2) != 0) {
                    waitedFor.add(rows.getLong(1));
                }
            }
        }
        return waitedFor;
    }

    /** Adds the best of a lane: as many as there is room for. */
    private void addBest(long lane, int limit, List<Candidate> candidates) throws SQLException {
        long most = limit;
        for (Room room : byLane.getOrDefault(lane, List.of())) {
            most = Math.min(most, room.left);
        }
        if (most > 0) {
            PreparedStatement best = tx.statements.get(ControlSql.CANDIDATES);
            best.setLong(1, lane);
            best.setLong(2, most);
            try (ResultSet rows = best.executeQuery()) {
                while (rows.next()) {
                    candidates.add(new Candidate(rows.getLong(1), lane, rows.getInt(2), rows.getLong(3)));
                }
            }
        }
    }

    /** When the first of the jobs that only a rate keeps from starting may start; null when there is none. */
    @Nullable Long opensAt() throws SQLException {
        Long first = null;
        for (Room room : all) {
            if (room.pace != null && room.pace.allowed() == 0 && isWaitedFor(room.lanes)) {
                long opens = room.pace.opensAtMillis();
                first = first == null ? opens : Math.min(first, opens);
            }
        }
        return first;
    }

    private boolean isWaitedFor(List<Long> concerned) throws SQLException {
        PreparedStatement waiting = tx.statements.get(ControlSql.IS_WAITED_FOR);
        waiting.setString(
                1, JsonText.array(concerned.stream().filter(lanes::contains).toList()));
        return Rows.one(waiting) != 0;
    }
}
