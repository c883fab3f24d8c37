package dev.windrow.postgres;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What this process knows of the numbers that stand for lanes and actors. Both tables only grow, and names are committed
 * before anybody uses them, in a transaction of their own: so what is known stays true, and nobody waits for a transaction that
 * uses a new name and stays open. Safe for use by many threads.
 */
final class Names {
    /** A (queue, type). */
    record Lane(String queue, String type) {}

    private final Standing standing;
    private final long controlsLock;
    private final String statementTimeout;
    private final Map<String, Integer> actors = new ConcurrentHashMap<>();
    private final Map<Lane, Integer> lanes = new ConcurrentHashMap<>();
    private final Map<Integer, Lane> lanesById = new ConcurrentHashMap<>();

    /** New lanes obey what is said of their queues and types, which changes under the lock of this number. */
    Names(Standing standing, long controlsLock, String statementTimeout) {
        this.standing = standing;
        this.controlsLock = controlsLock;
        this.statementTimeout = statementTimeout;
    }

    /** The names that a transaction is going to use. */
    static final class Used {
        private final Set<String> actors = new HashSet<>();
        private final Set<Lane> lanes = new HashSet<>();

        void actor(String name) {
            actors.add(name);
        }

        void lane(String queue, String type) {
            lanes.add(new Lane(queue, type));
        }
    }

    /** Whether all of these have numbers that are known. */
    boolean know(Used used) {
        return actors.keySet().containsAll(used.actors) && lanes.keySet().containsAll(used.lanes);
    }

    /** Gives numbers to those that have none, and commits that. The session must be outside of a transaction. */
    void ensure(Session session, Used used) throws SQLException {
        boolean done = false;
        Map<String, Integer> readActors = new HashMap<>();
        try {
            // What holds up one name must not hold up everything else.
            session.get(Sql.BOUND_WAITS).set(1, statementTimeout).run();
            standing.require(session.statements());
            Set<String> newActors = new HashSet<>(used.actors);
            newActors.removeAll(actors.keySet());
            if (!newActors.isEmpty()) {
                List<String> sorted = newActors.stream().sorted().toList();
                session.get(Sql.ADD_ACTORS).texts(1, sorted).update();
                try (ResultSet rows =
                        session.get(Sql.FIND_ACTORS).texts(1, sorted).rows()) {
                    while (rows.next()) {
                        readActors.put(rows.getString(2), rows.getInt(1));
                    }
                }
            }
            Set<Lane> newLanes = new HashSet<>(used.lanes);
            newLanes.removeAll(lanes.keySet());
            if (!newLanes.isEmpty()) {
                // Sorted, so that two processes that add the same ones cannot deadlock.
                List<Lane> sorted = newLanes.stream()
                        .sorted((a, b) -> (a.queue + ' ' + a.type).compareTo(b.queue + ' ' + b.type))
                        .toList();
                session.get(ControlSql.LOCK_CONTROLS).set(1, controlsLock).one();
                session.get(Sql.ADD_LANES)
                        .texts(1, sorted.stream().map(Lane::queue).toList())
                        .texts(2, sorted.stream().map(Lane::type).toList())
                        .update();
                session.get(ControlSql.OBEY).update();
            }
            Map<Lane, Integer> read = newLanes.isEmpty() ? Map.of() : readLanes(session.statements());
            session.connection().commit();
            done = true;
            actors.putAll(readActors);
            learn(read);
        } finally {
            if (!done) {
                session.rollback();
            }
        }
    }

    /** Learns the lanes that others have added. */
    void refresh(Statements statements) throws SQLException {
        learn(readLanes(statements));
    }

    private static Map<Lane, Integer> readLanes(Statements statements) throws SQLException {
        Map<Lane, Integer> read = new ConcurrentHashMap<>();
        try (ResultSet rows = statements.get(Sql.READ_LANES).rows()) {
            while (rows.next()) {
                read.put(new Lane(rows.getString(2), rows.getString(3)), rows.getInt(1));
            }
        }
        return read;
    }

    private void learn(Map<Lane, Integer> read) {
        read.forEach((lane, id) -> {
            lanesById.put(id, lane);
            lanes.put(lane, id);
        });
    }

    /** The number of a name that {@link #ensure} was told of. */
    int actor(String name) {
        Integer id = actors.get(name);
        if (id == null) {
            throw new IllegalStateException("the name " + name + " has no number");
        }
        return id;
    }

    /** The number of a lane that {@link #ensure} was told of. */
    int lane(String queue, String type) {
        Integer id = lanes.get(new Lane(queue, type));
        if (id == null) {
            throw new IllegalStateException("the lane " + queue + "/" + type + " has no number");
        }
        return id;
    }

    @Nullable Integer laneOrNull(String queue, String type) {
        return lanes.get(new Lane(queue, type));
    }

    @Nullable Lane laneOrNull(int id) {
        return lanesById.get(id);
    }

    /** The lane of a number that was read in a transaction. */
    Lane laneOf(Statements statements, int id) throws SQLException {
        Lane lane = lanesById.get(id);
        if (lane == null) {
            refresh(statements);
            lane = lanesById.get(id);
        }
        if (lane == null) {
            throw new SQLException("lane " + id + " does not exist");
        }
        return lane;
    }

    /** The known lanes of these queues (null: of any) and types (null: of any). */
    List<Integer> lanes(@Nullable Collection<String> queues, @Nullable Collection<String> types) {
        List<Integer> found = new ArrayList<>();
        lanesById.forEach((id, lane) -> {
            if ((queues == null || queues.contains(lane.queue())) && (types == null || types.contains(lane.type()))) {
                found.add(id);
            }
        });
        return found;
    }
}
