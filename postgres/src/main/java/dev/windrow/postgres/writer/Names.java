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
 * The numbers of lanes and actors in one run of the server. A number belongs to one name forever. Names are committed before they are used, in a
 * separate transaction. So a number stays valid during that run, and no transaction waits for one that uses a new name and stays open. A server that
 * has started again, or that replaces another one, may have lost numbers and assigned them to other names. So each query here also reads the run of
 * the server. Safe for use by many threads.
 *
 * <p>An unused lane is deleted {@link #KEPT} after its last use. So a transaction may add jobs to a lane only if its time of use is at most
 * {@link #FRESH} old, by the server's clock. If it is older, the time is written again first, or the lane is added again.
 */
public final class Names {
    /** The actor of changes by the store itself. */
    static final String SYSTEM = "system";

    /** The instance of a name that is a label and not a worker. */
    private static final String LABEL = "";

    /** The number of known actors above which they are forgotten and read again, because callers may act under many names. */
    private static final int MAX_ACTORS = 10_000;

    private static final long FRESH = Duration.ofDays(1).toMillis();
    /** The time for which an unused lane is kept: as long as the sums of its minutes. */
    public static final Duration KEPT = BackgroundTask.KEEP_THROUGHPUT;

    /** A (queue, type) pair. */
    public record Lane(String queue, String type) {}

    private final SchemaGuard guard;
    private final long run;
    private final long controlsLock;
    private final String statementTimeout;
    private final ServerClock clock;
    private final Map<WorkerId, Integer> actors = new ConcurrentHashMap<>();
    private final Map<Lane, Integer> lanes = new ConcurrentHashMap<>();
    /** The lanes that were read. The map is replaced, never changed. It holds all lanes up to its highest number. */
    private final AtomicReference<NavigableMap<Integer, Lane>> lanesById = new AtomicReference<>(new TreeMap<>());
    /** The last use of each lane, as far as this process knows. The database may have a later time. */
    private final Map<Lane, Long> usedAt = new ConcurrentHashMap<>();
    /** The begin of the latest transaction, by the server's clock. */
    private volatile long latest = Long.MIN_VALUE;
    /** True if the existing lanes were read. */
    private volatile boolean read;

    /**
     * Makes the names of one run of the server, none of which is known yet.
     *
     * @param controlsLock the number of the lock for changes of pauses and limits, which new lanes take over from their queues and types
     */
    Names(SchemaGuard guard, long run, long controlsLock, String statementTimeout, ServerClock clock) {
        this.guard = guard;
        this.run = run;
        this.controlsLock = controlsLock;
        this.statementTimeout = statementTimeout;
        this.clock = clock;
    }

    /** The names that a transaction is going to use, and the numbers of its actors once they are known. */
    public static final class Used {
        private static final Integer UNKNOWN = 0;

        private final Map<WorkerId, Integer> actors = new HashMap<>(Map.of(label(SYSTEM), UNKNOWN));
        private final Set<Lane> lanes = new HashSet<>();

        private static WorkerId label(String name) {
            return new WorkerId(name, LABEL);
        }

        /** Adds a name of any kind: an operator, the system, or a worker as the audit shows it. */
        public void actor(String name) {
            worker(label(name));
        }

        /** Adds a name with the number that this transaction has read with it. */
        public void actor(String name, int number) {
            actors.put(label(name), number);
        }

        /** Adds a worker, which has a number that no other worker of its name has. */
        void worker(WorkerId id) {
            actors.putIfAbsent(id, UNKNOWN);
        }

        public void lane(String queue, String type) {
            lanes.add(new Lane(queue, type));
        }

        /** Returns the number of a name for which {@link Names#know} or {@link Names#ensure} was called. */
        int number(String name) {
            return number(label(name));
        }

        /** Returns the number of a worker for which {@link Names#know} or {@link Names#ensure} was called. */
        int number(WorkerId id) {
            Integer number = actors.get(id);
            if (number == null || number.equals(UNKNOWN)) {
                throw new IllegalStateException("the name " + id.name() + " has no number");
            }
            return number;
        }
    }

    /** True if all of these have known numbers that may be used in a transaction that begins at this time. The time is by the server's clock. */
    boolean know(Used used, long now) {
        latest = now;
        return know(used);
    }

    private boolean isFresh(Lane lane) {
        Long used = usedAt.get(lane);
        return used != null && latest < used + FRESH;
    }

    /** Returns the time from which on the number of this lane may not be used without another look, by the server's clock. */
    long freshUntil(String queue, String type) {
        Long used = usedAt.get(new Lane(queue, type));
        return used == null ? Long.MIN_VALUE : used + FRESH;
    }

    /** True if all of these have known numbers, and the lanes were read. */
    boolean know(Used used) {
        boolean all = read && used.lanes.stream().allMatch(this::isFresh);
        for (Map.Entry<WorkerId, Integer> actor : used.actors.entrySet()) {
            actor.setValue(actors.getOrDefault(actor.getKey(), Used.UNKNOWN));
            all &= !actor.getValue().equals(Used.UNKNOWN);
        }
        return all;
    }

    /** Assigns numbers to the names that {@link #know} has not found, and commits. The session must be outside of a transaction. */
    public void ensure(Session session, Used used) throws SQLException {
        boolean done = false;
        Map<WorkerId, Integer> readActors = new HashMap<>();
        try {
            // A wait for one name must not delay everything else.
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
                // The lanes are sorted, so that two processes that add the same ones cannot deadlock.
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

    /** Reads the lanes that other processes have added. */
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

    /** Stores lanes that were read. If two readings were made at once, the later time of use counts, because it belongs to the newer number. */
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

    /** Returns the number of a lane for which {@link #ensure} was called. */
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

    /** Returns the lane of a number that was read in a transaction. */
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

    /** Returns the highest number of a known lane; 0 if none is known. */
    int newest() {
        NavigableMap<Integer, Lane> known = known();
        return known.isEmpty() ? 0 : known.lastKey();
    }

    private NavigableMap<Integer, Lane> known() {
        return Objects.requireNonNull(lanesById.get());
    }

    /** Returns the known lanes of a claim. */
    public Lanes lanes(Claim request) {
        return Lanes.of(
                known(),
                lane -> request.queues().contains(lane.queue) && request.types().contains(lane.type));
    }

    /** Returns the known lanes of these queues (null for any) and types (null for any). */
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
