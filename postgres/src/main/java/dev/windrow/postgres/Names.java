package dev.windrow.postgres;

import dev.windrow.store.WorkerId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The numbers that stand for lanes and actors in one run of the server. Both tables only grow, and names are committed
 * before they are used, in a transaction of their own: so a number stays true as long as that run, and no transaction waits for one that
 * uses a new name and stays open. A server that is started anew, or takes the place of another one, may have lost numbers and given them to other
 * names: what is read here says which run it comes from. Safe for use by many threads.
 */
final class Names {
    /** What the store itself does is done by this actor. */
    static final String SYSTEM = "system";

    /** The instance of a name that is a label and no worker. */
    private static final String LABEL = "";

    /** Users may act under many names: they are read again after this many. */
    private static final int MOST_ACTORS = 10_000;

    /** A (queue, type). */
    record Lane(String queue, String type) {}

    private final Standing standing;
    private final long run;
    private final long controlsLock;
    private final String statementTimeout;
    private final Map<WorkerId, Integer> actors = new ConcurrentHashMap<>();
    private final Map<Lane, Integer> lanes = new ConcurrentHashMap<>();
    private final Map<Integer, Lane> lanesById = new ConcurrentHashMap<>();
    /** Whether the lanes that were there were read. */
    private volatile boolean read;

    /**
     * The names of one run of the server, none of which is known yet.
     *
     * @param controlsLock new lanes obey the pauses and limits of their queues and types, which change under the lock of this number
     */
    Names(Standing standing, long run, long controlsLock, String statementTimeout) {
        this.standing = standing;
        this.run = run;
        this.controlsLock = controlsLock;
        this.statementTimeout = statementTimeout;
    }

    /** The names that a transaction is going to use, with the numbers of its actors once they are known. */
    static final class Used {
        private static final Integer UNKNOWN = 0;

        private final Map<WorkerId, Integer> actors = new HashMap<>(Map.of(label(SYSTEM), UNKNOWN));
        private final Set<Lane> lanes = new HashSet<>();

        private static WorkerId label(String name) {
            return new WorkerId(name, LABEL);
        }

        /** A name, whatever it stands for: an operator, the system, a worker as the audit trail shows it. */
        void actor(String name) {
            worker(label(name));
        }

        /** A worker, which has a number that no other worker of its name has. */
        void worker(WorkerId id) {
            actors.putIfAbsent(id, UNKNOWN);
        }

        void lane(String queue, String type) {
            lanes.add(new Lane(queue, type));
        }

        /** The number of a name that {@link Names#know} or {@link Names#ensure} was asked for. */
        int number(String name) {
            return number(label(name));
        }

        /** The number of a worker, likewise. */
        int number(WorkerId id) {
            Integer number = actors.get(id);
            if (number == null || number.equals(UNKNOWN)) {
                throw new IllegalStateException("the name " + id.name() + " has no number");
            }
            return number;
        }
    }

    /** True if all of these have numbers that are known, and the lanes were read. */
    boolean know(Used used) {
        boolean all = read && lanes.keySet().containsAll(used.lanes);
        for (Map.Entry<WorkerId, Integer> actor : used.actors.entrySet()) {
            actor.setValue(actors.getOrDefault(actor.getKey(), Used.UNKNOWN));
            all &= !actor.getValue().equals(Used.UNKNOWN);
        }
        return all;
    }

    /**
     * Gives numbers to those that {@link #know} has not found, and commits that. The session must be outside of a transaction.
     */
    void ensure(Session session, Used used) throws SQLException {
        boolean done = false;
        Map<WorkerId, Integer> readActors = new HashMap<>();
        try {
            // What holds up one name must not hold up everything else.
            session.get(Sql.BOUND_WAITS).set(1, statementTimeout).run();
            standing.require(session);
            List<WorkerId> newActors = used.actors.entrySet().stream()
                    .filter(actor -> actor.getValue().equals(Used.UNKNOWN))
                    .map(Map.Entry::getKey)
                    .sorted(Comparator.comparing(WorkerId::name).thenComparing(WorkerId::instance))
                    .toList();
            if (!newActors.isEmpty()) {
                List<String> names = newActors.stream().map(WorkerId::name).toList();
                List<String> instances =
                        newActors.stream().map(WorkerId::instance).toList();
                session.get(Sql.ADD_ACTORS).texts(1, names).texts(2, instances).update();
                try (ResultSet rows = session.get(Sql.FIND_ACTORS)
                        .texts(1, names)
                        .texts(2, instances)
                        .rows()) {
                    while (rows.next()) {
                        requireRun(rows.getLong(4));
                        readActors.put(new WorkerId(rows.getString(2), rows.getString(3)), rows.getInt(1));
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
            Map<Lane, Integer> readLanes = read && newLanes.isEmpty() ? Map.of() : readLanes(session.statements());
            session.commit();
            done = true;
            learnActors(used, readActors);
            learn(readLanes);
        } finally {
            if (!done) {
                session.rollback();
            }
        }
    }

    private void learnActors(Used used, Map<WorkerId, Integer> found) {
        if (actors.size() + found.size() > MOST_ACTORS) {
            actors.clear();
        }
        actors.putAll(found);
        used.actors.putAll(found);
    }

    private void requireRun(long read) throws SQLException {
        if (read != run) {
            throw PostgresErrors.anotherServer();
        }
    }

    /** Learns the lanes that others have added. */
    void refresh(Statements statements) throws SQLException {
        learn(readLanes(statements));
    }

    private Map<Lane, Integer> readLanes(Statements statements) throws SQLException {
        Map<Lane, Integer> found = new HashMap<>();
        try (ResultSet rows = statements.get(Sql.READ_LANES).rows()) {
            while (rows.next()) {
                requireRun(rows.getLong(4));
                found.put(new Lane(rows.getString(2), rows.getString(3)), rows.getInt(1));
            }
        }
        return found;
    }

    private void learn(Map<Lane, Integer> found) {
        found.forEach((lane, id) -> {
            lanesById.put(id, lane);
            lanes.put(lane, id);
        });
        read = true;
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
