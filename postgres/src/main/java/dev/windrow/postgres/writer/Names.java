package dev.windrow.postgres.writer;

import dev.windrow.postgres.connection.PostgresErrors;
import dev.windrow.postgres.connection.PostgresStatements;
import dev.windrow.postgres.connection.ServerClock;
import dev.windrow.postgres.connection.Session;
import dev.windrow.postgres.job.Lanes;
import dev.windrow.postgres.limit.LimitSql;
import dev.windrow.postgres.schema.SchemaGuard;
import dev.windrow.store.job.Claim;
import dev.windrow.store.job.WorkerId;
import dev.windrow.store.processes.BackgroundTask;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The numbers that stand for lanes and actors in one run of the server. A number stands for one name for ever, and names are committed
 * before they are used, in a transaction of their own: so a number stays true as long as that run, and no transaction waits for one that
 * uses a new name and stays open. A server that is started anew, or takes the place of another one, may have lost numbers and given them to other
 * names: what is read here says which run it comes from. Safe for use by many threads.
 *
 * <p>A lane that nothing uses is deleted {@link #KEPT} after its last use. So a transaction may add jobs to a lane whose time of use is at most
 * {@link #FRESH} old, by the server's clock; with an older one, the time is written anew first, or the lane is added again.
 */
public final class Names {
    /** What the store itself does is done by this actor. */
    static final String SYSTEM = "system";

    /** The instance of a name that is a label and no worker. */
    private static final String LABEL = "";

    /** Users may act under many names: they are read again after this many. */
    private static final int MAX_ACTORS = 10_000;

    private static final long FRESH = Duration.ofDays(1).toMillis();
    /** As long as the sums of its minutes. */
    public static final Duration KEPT = BackgroundTask.KEEP_MINUTES;

    /** A (queue, type). */
    public record Lane(String queue, String type) {}

    private final SchemaGuard guard;
    private final long run;
    private final long controlsLock;
    private final String statementTimeout;
    private final ServerClock clock;
    private final Map<WorkerId, Integer> actors = new ConcurrentHashMap<>();
    private final Map<Lane, Integer> lanes = new ConcurrentHashMap<>();
    /** The lanes that were read. The map is replaced, never changed: it holds all lanes up to its highest number. */
    private final AtomicReference<NavigableMap<Integer, Lane>> lanesById = new AtomicReference<>(new TreeMap<>());
    /** When each lane was used last, as far as this process knows; a later time may be in the database. */
    private final Map<Lane, Long> usedAt = new ConcurrentHashMap<>();
    /** When a transaction began last, by the server's clock. */
    private volatile long latest = Long.MIN_VALUE;
    /** Whether the lanes that were there were read. */
    private volatile boolean read;

    /**
     * The names of one run of the server, none of which is known yet.
     *
     * @param controlsLock new lanes obey the pauses and limits of their queues and types, which change under the lock of this number
     */
    Names(SchemaGuard guard, long run, long controlsLock, String statementTimeout, ServerClock clock) {
        this.guard = guard;
        this.run = run;
        this.controlsLock = controlsLock;
        this.statementTimeout = statementTimeout;
        this.clock = clock;
    }

    /** The names that a transaction is going to use, with the numbers of its actors once they are known. */
    public static final class Used {
        private static final Integer UNKNOWN = 0;

        private final Map<WorkerId, Integer> actors = new HashMap<>(Map.of(label(SYSTEM), UNKNOWN));
        private final Set<Lane> lanes = new HashSet<>();

        private static WorkerId label(String name) {
            return new WorkerId(name, LABEL);
        }

        /** A name, whatever it stands for: an operator, the system, a worker as the audit trail shows it. */
        public void actor(String name) {
            worker(label(name));
        }

        /** A name with the number that this transaction has read with it. */
        public void actor(String name, int number) {
            actors.put(label(name), number);
        }

        /** A worker, which has a number that no other worker of its name has. */
        void worker(WorkerId id) {
            actors.putIfAbsent(id, UNKNOWN);
        }

        public void lane(String queue, String type) {
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

    /** True if all of these have numbers that are known and may be used in a transaction that begins at this time, by the server's clock. */
    boolean know(Used used, long now) {
        latest = now;
        return know(used);
    }

    private boolean isFresh(Lane lane) {
        Long used = usedAt.get(lane);
        return used != null && latest < used + FRESH;
    }

    /** True if all of these have numbers that are known, and the lanes were read. */
    boolean know(Used used) {
        boolean all = read && used.lanes.stream().allMatch(this::isFresh);
        for (Map.Entry<WorkerId, Integer> actor : used.actors.entrySet()) {
            actor.setValue(actors.getOrDefault(actor.getKey(), Used.UNKNOWN));
            all &= !actor.getValue().equals(Used.UNKNOWN);
        }
        return all;
    }

    /**
     * Gives numbers to those that {@link #know} has not found, and commits that. The session must be outside of a transaction.
     */
    public void ensure(Session session, Used used) throws SQLException {
        boolean done = false;
        Map<WorkerId, Integer> readActors = new HashMap<>();
        try {
            // What holds up one name must not hold up everything else.
            session.get(TransactionSql.BOUND_WAITS).set(1, statementTimeout).run();
            guard.require(session);
            List<WorkerId> newActors = used.actors.entrySet().stream()
                    .filter(actor -> actor.getValue().equals(Used.UNKNOWN))
                    .map(Map.Entry::getKey)
                    .sorted(Comparator.comparing(WorkerId::name).thenComparing(WorkerId::instance))
                    .toList();
            if (!newActors.isEmpty()) {
                List<String> names = newActors.stream().map(WorkerId::name).toList();
                List<String> instances =
                        newActors.stream().map(WorkerId::instance).toList();
                session.get(TransactionSql.ADD_ACTORS)
                        .texts(1, names)
                        .texts(2, instances)
                        .update();
                try (ResultSet rows = session.get(TransactionSql.FIND_ACTORS)
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
            newLanes.removeIf(this::isFresh);
            if (!newLanes.isEmpty()) {
                // Sorted, so that two processes that add the same ones cannot deadlock.
                List<Lane> sorted = newLanes.stream()
                        .sorted((a, b) -> (a.queue + ' ' + a.type).compareTo(b.queue + ' ' + b.type))
                        .toList();
                session.get(LimitSql.LOCK_LIMIT_CHANGES).set(1, controlsLock).one();
                session.get(TransactionSql.ADD_LANES)
                        .texts(1, sorted.stream().map(Lane::queue).toList())
                        .texts(2, sorted.stream().map(Lane::type).toList())
                        .set(3, clock.isServers() ? null : Long.valueOf(clock.now()))
                        .update();
                session.get(LimitSql.LIMIT_LANES)
                        .texts(1, sorted.stream().map(Lane::queue).toList())
                        .texts(2, List.of())
                        .update();
            }
            List<Row> readLanes = read && newLanes.isEmpty() ? List.of() : readLanes(session.statements());
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
        if (actors.size() + found.size() > MAX_ACTORS) {
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
    public void refresh(PostgresStatements statements) throws SQLException {
        learn(readLanes(statements));
    }

    private record Row(int id, Lane lane, long usedAt) {}

    private List<Row> readLanes(PostgresStatements statements) throws SQLException {
        List<Row> found = new ArrayList<>();
        try (ResultSet rows = statements.get(TransactionSql.READ_LANES).rows()) {
            while (rows.next()) {
                requireRun(rows.getLong(4));
                found.add(new Row(rows.getInt(1), new Lane(rows.getString(2), rows.getString(3)), rows.getLong(5)));
            }
        }
        return found;
    }

    /** Of two readings that were made at once, the later time of use counts: it belongs to the newer number. */
    private void learn(List<Row> found) {
        for (Row row : found) {
            lanes.merge(row.lane, row.id, Math::max);
            usedAt.merge(row.lane, row.usedAt, Math::max);
        }
        lanesById.updateAndGet(known -> {
            NavigableMap<Integer, Lane> all = new TreeMap<>(known);
            found.forEach(row -> all.put(row.id, row.lane));
            return all;
        });
        read = true;
    }

    /** The number of a lane that {@link #ensure} was told of. */
    public int lane(String queue, String type) {
        Integer id = lanes.get(new Lane(queue, type));
        if (id == null) {
            throw new IllegalStateException("the lane " + queue + "/" + type + " has no number");
        }
        return id;
    }

    @Nullable public Integer laneOrNull(String queue, String type) {
        return lanes.get(new Lane(queue, type));
    }

    @Nullable public Lane laneOrNull(int id) {
        return known().get(id);
    }

    /** The lane of a number that was read in a transaction. */
    public Lane laneOf(PostgresStatements statements, int id) throws SQLException {
        Lane lane = laneOrNull(id);
        if (lane == null) {
            refresh(statements);
            lane = laneOrNull(id);
        }
        if (lane == null) {
            throw new SQLException("lane " + id + " does not exist");
        }
        return lane;
    }

    /** The highest number of a known lane; 0 if none is known. */
    int newest() {
        NavigableMap<Integer, Lane> known = known();
        return known.isEmpty() ? 0 : known.lastKey();
    }

    private NavigableMap<Integer, Lane> known() {
        return Objects.requireNonNull(lanesById.get());
    }

    /** The known lanes that a claim is for. */
    public Lanes lanes(Claim request) {
        return Lanes.of(
                known(),
                lane -> request.queues().contains(lane.queue) && request.types().contains(lane.type));
    }

    /** The known lanes of these queues (null: of any) and types (null: of any). */
    public List<Integer> lanes(@Nullable Collection<String> queues, @Nullable Collection<String> types) {
        List<Integer> found = new ArrayList<>();
        known().forEach((id, lane) -> {
            if ((queues == null || queues.contains(lane.queue())) && (types == null || types.contains(lane.type()))) {
                found.add(id);
            }
        });
        return found;
    }
}
