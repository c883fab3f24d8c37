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
 * The numbers of lanes and actors that this process knows. A number belongs to one lane forever. A lane that was unused for long is deleted, and gets
 * another number when it is used again. The database counts the deletions. By that count a transaction sees if this process knows the present lanes.
 * A transaction keeps the names that it adds separate until it has committed.
 */
public final class Names {
    /** A (queue, type). */
    public record Lane(String queue, String type) {
        /** True if the lane is of one of these queues (null: any) and types (null: any). */
        public boolean isOf(@Nullable Set<String> queues, @Nullable Set<String> types) {
            return (queues == null || queues.contains(queue)) && (types == null || types.contains(type));
        }
    }

    /** The lanes as they are since a number of deletions. */
    private static final class Lanes {
        private final long deletions;
        private final Map<Lane, Long> ids = new ConcurrentHashMap<>();
        private final Map<Long, Lane> byId = new ConcurrentHashMap<>();
        /** The newest number. All lanes up to it are known, because lanes are numbered under the write lock. */
        private volatile long newest;

        Lanes(long deletions) {
            this.deletions = deletions;
        }

        /** Adds lanes. All are added before the newest number grows, because other threads read in between. */
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

    /** The instance of a name that is a label and not a worker. */
    private static final String LABEL = "";

    /** The most actors in memory. Users may act under many names. Above this number all are dropped, and read again. */
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

    /** Returns the known lanes of these queues (null: of any) and types (null: of any), in order of their numbers. */
    public List<Long> lanes(@Nullable Set<String> queues, @Nullable Set<String> types) {
        Set<Long> found = new TreeSet<>();
        known().addTo(found, queues, types);
        return new ArrayList<>(found);
    }

    /** Reads the lanes that other processes have added, and drops the deleted ones. For a connection without changes of its own. */
    public void refresh(Statements statements) throws SQLException {
        Lanes before = known();
        learn(read(statements, before, before.newest));
    }

    /** Reads the lanes above a number, or all lanes if some were deleted since the known ones were read. */
    private static Lanes read(Statements statements, Lanes known, long newest) throws SQLException {
        try (ResultSet rows = statements
                .get(TransactionSql.NEW_LANES)
                .set(1, newest)
                .set(2, known.deletions)
                .rows()) {
            if (!rows.next()) {
                throw new SQLException("the table of ids has no row; restore a backup");
            }
            Lanes read = new Lanes(rows.getLong(1));
            while (rows.next()) {
                read.add(rows.getLong(1), new Lane(rows.getString(2), rows.getString(3)));
            }
            return read;
        }
    }

    /** Adds lanes of the same number of deletions, or starts again with all lanes of a later number. Older lanes are ignored. */
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
        /** True if all lanes of the database are known: under the write lock other processes add none. */
        private boolean complete;

        InTransaction(Statements statements) {
            this.statements = statements;
        }

        /** Returns the number of a name. The name may be an operator, the system, or a worker as the audit trail shows it. */
        public long actor(String name) throws SQLException {
            return worker(new WorkerId(name, LABEL));
        }

        /** Returns the number of a worker, which no other worker of its name has. */
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

        /** Sets the number of deletions of lanes that this transaction, which has the write lock, has read. Reads the lanes again if it differs. */
        void deletions(long deletions) throws SQLException {
            if (deletions != added.deletions) {
                readNew();
            }
        }

        /**
         * Returns the number of a lane, which is added if it is new. Only after the transaction has read the number of deletions under the write
         * lock.
         */
        long lane(String queue, String type) throws SQLException {
            Lane lane = new Lane(queue, type);
            Long known = find(lane);
            if (known == null && !complete) {
                // First the lanes of other processes: after the commit, all lanes up to the newest number count as
                // known.
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

        /** Reads the lanes after the newest one that is known here, or all lanes if some were deleted. */
        private void readNew() throws SQLException {
            Lanes read = read(statements, added, Math.max(base.newest, added.newest));
            if (read.deletions == added.deletions) {
                added.add(read);
            } else {
                base = new Lanes(read.deletions);
                added = read;
            }
        }

        /** Returns the lane of a number, known or added by this transaction. */
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

        /** Returns the known lanes of these queues and types, in order of their numbers, including the lanes that this transaction has used. */
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
