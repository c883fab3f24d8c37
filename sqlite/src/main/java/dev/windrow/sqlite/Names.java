package dev.windrow.sqlite;

import dev.windrow.store.WorkerId;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What this process knows of the numbers that stand for lanes and actors. Both tables only grow, so what was committed
 * once stays true; what a transaction adds is kept aside until it has committed.
 */
final class Names {
    /** A (queue, type). */
    record Lane(String queue, String type) {}

    /** The instance of a name that is a label and no worker. */
    private static final String LABEL = "";

    /** Users may act under many names: they are read again after this many. */
    static final int MOST_ACTORS = 10_000;

    private final Map<WorkerId, Long> actors = new ConcurrentHashMap<>();
    private final Map<Lane, Long> lanes = new ConcurrentHashMap<>();
    private final Map<Long, Lane> lanesById = new ConcurrentHashMap<>();
    private volatile long newestLane;

    /** How many actors are kept in memory. */
    int knownActors() {
        return actors.size();
    }

    @Nullable Lane lane(long id) {
        return lanesById.get(id);
    }

    /** The known lanes of these queues (null: of any) and types (null: of any), in order of their numbers. */
    List<Long> lanes(@Nullable Set<String> queues, @Nullable Set<String> types) {
        List<Long> found = new ArrayList<>();
        lanesById.forEach((id, lane) -> {
            if ((queues == null || queues.contains(lane.queue())) && (types == null || types.contains(lane.type()))) {
                found.add(id);
            }
        });
        found.sort(null);
        return found;
    }

    /** Learns the lanes that others have added; on a connection without changes of its own. */
    void refresh(Statements statements) throws SQLException {
        learn(readNewLanes(statements, newestLane));
    }

    private static Map<Lane, Long> readNewLanes(Statements statements, long newest) throws SQLException {
        PreparedStatement query = statements.get(Sql.NEW_LANES);
        query.setLong(1, newest);
        Map<Lane, Long> read = new HashMap<>();
        try (ResultSet rows = query.executeQuery()) {
            while (rows.next()) {
                read.put(new Lane(rows.getString(2), rows.getString(3)), rows.getLong(1));
            }
        }
        return read;
    }

    /** All are known before the newest number says so: others read in between. */
    private void learn(Map<Lane, Long> read) {
        read.forEach((lane, id) -> {
            lanes.put(lane, id);
            lanesById.put(id, lane);
        });
        read.values().forEach(this::knownUpTo);
    }

    /** Lanes are numbered by commits under the write lock, so that all up to the newest committed one are known. */
    private void knownUpTo(long id) {
        newestLane = Math.max(newestLane, id);
    }

    /** The view of one transaction. */
    final class InTransaction {
        private final Statements statements;
        private final Map<WorkerId, Long> newActors = new HashMap<>();
        private final Map<Lane, Long> newLanes = new HashMap<>();
        private long newest;

        InTransaction(Statements statements) {
            this.statements = statements;
        }

        /** The number of a name, whatever it stands for: an operator, the system, a worker as the audit trail shows it. */
        long actor(String name) throws SQLException {
            return worker(new WorkerId(name, LABEL));
        }

        /** The number of a worker, which no other worker of its name has. */
        long worker(WorkerId id) throws SQLException {
            Long known = actors.get(id);
            if (known == null) {
                known = newActors.get(id);
            }
            if (known != null) {
                return known;
            }
            PreparedStatement insert = statements.get(Sql.INSERT_ACTOR);
            insert.setString(1, id.name());
            insert.setString(2, id.instance());
            insert.executeUpdate();
            PreparedStatement find = statements.get(Sql.FIND_ACTOR);
            find.setString(1, id.name());
            find.setString(2, id.instance());
            long number = Rows.one(find);
            newActors.put(id, number);
            return number;
        }

        long lane(String queue, String type) throws SQLException {
            Lane lane = new Lane(queue, type);
            Long known = lanes.get(lane);
            if (known == null) {
                known = newLanes.get(lane);
            }
            if (known == null) {
                // Those of other processes first: after the commit, all up to the newest number count as known.
                readNewLanes();
                known = newLanes.get(lane);
            }
            if (known != null) {
                return known;
            }
            PreparedStatement insert = statements.get(Sql.INSERT_LANE);
            insert.setString(1, queue);
            insert.setString(2, type);
            insert.executeUpdate();
            PreparedStatement find = statements.get(Sql.FIND_LANE);
            find.setString(1, queue);
            find.setString(2, type);
            long id = Rows.one(find);
            PreparedStatement obey = statements.get(ControlSql.OBEY);
            obey.setLong(1, id);
            obey.executeUpdate();
            newLanes.put(lane, id);
            newest = Math.max(newest, id);
            return id;
        }

        /** Those behind the newest one that is known here: of what this transaction adds each one would read all before it. */
        private void readNewLanes() throws SQLException {
            Map<Lane, Long> read = Names.readNewLanes(statements, Math.max(newest, newestLane));
            newLanes.putAll(read);
            read.values().forEach(id -> newest = Math.max(newest, id));
        }

        /** The lane of a number, known or added by this transaction. */
        Lane laneOf(long id) throws SQLException {
            Lane lane = lanesById.get(id);
            if (lane != null) {
                return lane;
            }
            readNewLanes();
            for (Map.Entry<Lane, Long> entry : newLanes.entrySet()) {
                if (entry.getValue() == id) {
                    return entry.getKey();
                }
            }
            throw new SQLException("lane " + id + " does not exist");
        }

        /**
         * The lanes of these queues (null: of any) and types (null: of any), including those that this transaction added.
         */
        List<Long> lanes(@Nullable Set<String> queues, @Nullable Set<String> types) throws SQLException {
            // Rows of other processes and uncommitted ones of this transaction look alike here: all wait for the
            // commit.
            readNewLanes();
            List<Long> found = Names.this.lanes(queues, types);
            newLanes.forEach((lane, id) -> {
                if ((queues == null || queues.contains(lane.queue()))
                        && (types == null || types.contains(lane.type()))
                        && !found.contains(id)) {
                    found.add(id);
                }
            });
            return found;
        }

        void committed() {
            if (actors.size() + newActors.size() > MOST_ACTORS) {
                actors.clear();
            }
            if (newActors.size() <= MOST_ACTORS) {
                actors.putAll(newActors);
            }
            learn(newLanes);
        }
    }
}
