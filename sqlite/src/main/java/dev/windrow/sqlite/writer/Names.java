package dev.windrow.sqlite.writer;

import dev.windrow.store.job.WorkerId;
import dev.windrow.store.sql.connection.Statements;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of lanes and actors that this process knows. A number belongs to one lane for ever. A lane that nothing has used for long
 * is deleted, and comes back with another number: each deletion is counted in the database, and by that count a transaction sees whether this
 * process knows the lanes of today. A transaction keeps the names that it adds aside until it has committed.
 */
public final class Names {
    /** A (queue, type). */
    public record Lane(String queue, String type) {
        /** True if it is of one of these queues (null: any) and types (null: any). */
        public boolean isOf(@Nullable Set<String> queues, @Nullable Set<String> types) {
            return (queues == null || queues.contains(queue)) && (types == null || types.contains(type));
        }
    }

    /** The lanes as they are since a number of deletions. */
    private static final class Lanes {
        private final long deletions;
        private final Map<Lane, Long> ids = new ConcurrentHashMap<>();
        private final Map<Long, Lane> byId = new ConcurrentHashMap<>();
        /** All up to this one are known: lanes are numbered under the write lock. */
        private volatile long newest;

        Lanes(long deletions) {
            this.deletions = deletions;
        }

        /** All are known before the newest number says so: others read in between. */
        void add(Lanes more) {
            byId.putAll(more.byId);
            ids.putAll(more.ids);
            newest = Math.max(newest, more.newest);
        }

        void add(long id, Lane lane) {
            byId.put(id, lane);
            ids.put(lane, id);
            newest = Math.max(newest, id);
        }

        void addTo(Set<Long> found, @Nullable Set<String> queues, @Nullable Set<String> types) {
            byId.forEach((id, lane) -> {
                if (lane.isOf(queues, types)) {
                    found.add(id);
                }
            });
        }
    }

    /** The instance of a name that is a label and no worker. */
    private static final String LABEL = "";

    /** Users may act under many names: they are read again after this many. */
    static final int MAX_ACTORS = 10_000;

    private final Map<WorkerId, Long> actors = new ConcurrentHashMap<>();
    private final AtomicReference<Lanes> known = new AtomicReference<>(new Lanes(0));

    /** The number of actors that are kept in memory. */
    int knownActors() {
        return actors.size();
    }

    @Nullable public Lane lane(long id) {
        return known().byId.get(id);
    }

    private Lanes known() {
        return Objects.requireNonNull(known.get());
    }

    /** The known lanes of these queues (null: of any) and types (null: of any), in order of their numbers. */
    public List<Long> lanes(@Nullable Set<String> queues, @Nullable Set<String> types) {
        Set<Long> found = new TreeSet<>();
        known().addTo(found, queues, types);
        return new ArrayList<>(found);
    }

    /** Learns the lanes that others have added, and forgets those that are deleted; on a connection without changes of its own. */
    public void refresh(Statements statements) throws SQLException {
        Lanes before = known();
        learn(read(statements, before, before.newest));
    }

    /** Reads the lanes above a number, or all if some were deleted since those that are known. */
    private static Lanes read(Statements statements, Lanes known, long newest) throws SQLException {
        try (ResultSet rows = statements
                .get(TransactionSql.NEW_LANES)
                .set(1, newest)
                .set(2, known.deletions)
                .rows()) {
            if (!rows.next()) {
                throw new SQLException("windrow_ids has lost its row");
            }
            Lanes read = new Lanes(rows.getLong(1));
            while (rows.next()) {
                read.add(rows.getLong(1), new Lane(rows.getString(2), rows.getString(3)));
            }
            return read;
        }
    }

    /** Adds lanes of the same number of deletions, or begins anew with all lanes of a later one; what is older is not wanted. */
    private void learn(Lanes read) {
        Lanes now = known.updateAndGet(last -> read.deletions > last.deletions ? read : last);
        if (now != read && now.deletions == read.deletions) {
            now.add(read);
        }
    }

    /** The view of one transaction. */
    public final class InTransaction {
        private final Statements statements;
        private final Map<WorkerId, Long> newActors = new HashMap<>();
        private Lanes base = known();
        /** The lanes that are not in {@link #base}. */
        private Lanes added = new Lanes(base.deletions);
        /** True if all lanes of the database are known: under the write lock others add none. */
        private boolean complete;

        InTransaction(Statements statements) {
            this.statements = statements;
        }

        /** The number of a name, whatever it stands for: an operator, the system, a worker as the audit trail shows it. */
        public long actor(String name) throws SQLException {
            return worker(new WorkerId(name, LABEL));
        }

        /** The number of a worker, which no other worker of its name has. */
        public long worker(WorkerId id) throws SQLException {
            Long known = actors.get(id);
            if (known == null) {
                known = newActors.get(id);
            }
            if (known != null) {
                return known;
            }
            statements
                    .get(TransactionSql.INSERT_ACTOR)
                    .set(1, id.name())
                    .set(2, id.instance())
                    .update();
            long number = statements
                    .get(TransactionSql.FIND_ACTOR)
                    .set(1, id.name())
                    .set(2, id.instance())
                    .one();
            newActors.put(id, number);
            return number;
        }

        /** This transaction, which has the write lock, has seen so many deletions of lanes. */
        void deletions(long deletions) throws SQLException {
            if (deletions != added.deletions) {
                readNew();
            }
        }

        /** The number of a lane, which is added if it is new. Only after the transaction has looked for deletions under the write lock. */
        long lane(String queue, String type) throws SQLException {
            Lane lane = new Lane(queue, type);
            Long known = find(lane);
            if (known == null && !complete) {
                // Those of other processes first: after the commit, all up to the newest number count as known.
                readNew();
                complete = true;
                known = find(lane);
            }
            if (known != null) {
                return known;
            }
            long id = statements
                    .get(TransactionSql.INSERT_LANE)
                    .set(1, queue)
                    .set(2, type)
                    .one();
            added.add(id, lane);
            return id;
        }

        private @Nullable Long find(Lane lane) {
            Long known = base.ids.get(lane);
            return known == null ? added.ids.get(lane) : known;
        }

        /** Reads the lanes behind the newest one that is known here, or all if some were deleted. */
        private void readNew() throws SQLException {
            Lanes read = read(statements, added, Math.max(base.newest, added.newest));
            if (read.deletions == added.deletions) {
                added.add(read);
            } else {
                base = new Lanes(read.deletions);
                added = read;
            }
        }

        /** The lane of a number, known or added by this transaction. */
        public Lane laneOf(long id) throws SQLException {
            Lane lane = get(id);
            if (lane == null) {
                readNew();
                lane = get(id);
            }
            if (lane == null) {
                throw new SQLException("lane " + id + " does not exist");
            }
            return lane;
        }

        private @Nullable Lane get(long id) {
            Lane lane = base.byId.get(id);
            return lane == null ? added.byId.get(id) : lane;
        }

        /** The known lanes of these queues and types, in order of their numbers; those that this transaction has met included. */
        public NavigableSet<Long> lanes(Set<String> queues, Set<String> types) throws SQLException {
            readNew();
            NavigableSet<Long> found = new TreeSet<>();
            base.addTo(found, queues, types);
            added.addTo(found, queues, types);
            return found;
        }

        void committed() {
            if (actors.size() + newActors.size() > MAX_ACTORS) {
                actors.clear();
            }
            if (newActors.size() <= MAX_ACTORS) {
                actors.putAll(newActors);
            }
            learn(added);
        }
    }
}
