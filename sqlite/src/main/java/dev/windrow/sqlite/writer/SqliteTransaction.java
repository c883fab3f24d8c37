package dev.windrow.sqlite.writer;

import dev.windrow.EventKind;
import dev.windrow.JobState;
import dev.windrow.limit.LimitTarget;
import dev.windrow.sqlite.connection.SqliteStatements;
import dev.windrow.sqlite.job.Enqueues;
import dev.windrow.sqlite.job.Insert;
import dev.windrow.sqlite.job.JobSql;
import dev.windrow.sqlite.limit.KeyPermits;
import dev.windrow.sqlite.limit.LimitSql;
import dev.windrow.sqlite.limit.LimitedClaim;
import dev.windrow.sqlite.monitor.CounterSql;
import dev.windrow.sqlite.payload.BlobSql;
import dev.windrow.sqlite.workflow.Chains;
import dev.windrow.sqlite.workflow.Dependents;
import dev.windrow.store.StoreHints;
import dev.windrow.store.job.LeaseToken;
import dev.windrow.store.job.WorkerId;
import dev.windrow.store.payload.Stage;
import dev.windrow.store.sql.connection.Query;
import dev.windrow.store.sql.job.Failures;
import dev.windrow.store.sql.writer.CommitNotices;
import dev.windrow.store.sql.writer.WriteTransaction;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What all verbs of one write transaction share: ids, the time, counters, and what to tell once it has committed. The
 * connection is inside a transaction that holds the write lock or takes it with the first statement.
 */
public final class SqliteTransaction implements WriteTransaction {
    /** Ids to take when the first ones did not suffice, at least and at most; in between, as many again. */
    private static final int MORE_IDS = 64;

    private static final int MAX_IDS = 1000;
    /** A clock that is set back by more was ahead before; by less, times stand still until it has caught up. */
    private static final long CLOCK_STEP_MILLIS = 1000;

    private static final Insert<Event> EVENTS = new Insert<>(
            JobSql.INSERT_EVENT,
            (values, event) -> values.add(event.job)
                    .add(event.seq)
                    .add(event.at)
                    .add(event.kind.name())
                    .add(event.actor)
                    .add(event.token)
                    .add(event.detail));

    private record Counter(long lane, String key) {}

    /** The state of a lane: open or paused, limited or not. */
    public record LaneState(boolean open, boolean limited) {}

    private record Event(
            long job,
            long seq,
            long at,
            EventKind kind,
            long actor,
            long token,
            @Nullable String detail) {}

    /**
     * The write-ahead log, for what writes many pages.
     *
     * @param isDurable true if commits survive a power loss
     * @param isLong true if readers keep so much of it from being written back that it must not become longer
     */
    public record Log(boolean isDurable, boolean isLong) {}

    private final SqliteStatements statements;
    public final Log log;
    public final Names.InTransaction names;
    public final Minutes.@Nullable Samples minutes;
    /** The wall clock, read once: all rows of a transaction have the same time. */
    private final long now;

    private final IdFloor idFloor;
    /** How many ids to take at first: as many as the transaction is known to need. */
    private final int ids;
    /**
     * The latest time that a transaction has had. Taken with the first ids: a transaction that finds nothing to do writes nothing, and its
     * commit costs nothing.
     */
    private long stamp = Long.MIN_VALUE;

    private long nextId;
    private long endOfIds;
    private long lanesDeleted;
    private final Map<Counter, Long> states = new HashMap<>();
    private final Map<Counter, Long> retries = new HashMap<>();
    private final Failures failures = new Failures();
    /** Where jobs have become ready, and are not all claimed. */
    private final Set<Long> readyLanes = new HashSet<>();
    /** Where jobs have stopped running. */
    private final Set<Long> freedLanes = new HashSet<>();
    /** The lanes that were looked at. */
    private final Map<Long, LaneState> laneStates = new HashMap<>();
    /** Where jobs have got a time at which they are due. */
    private final Set<Long> dueLanes = new HashSet<>();

    private final CommitNotices notices = new CommitNotices();
    private final List<Event> events = new ArrayList<>();
    private @Nullable Witness witness;
    /** Whose turn it is, of jobs with concurrency keys. */
    public final KeyPermits permits = new KeyPermits(this);
    /** The last jobs of chains that others wait for. */
    public final Chains.Ends chainEnds = new Chains.Ends();
    /** What becomes of the children of jobs that end. */
    public final Dependents dependents = new Dependents(this);
    /** Jobs that are to be inserted. */
    public final Enqueues.NewRows newRows = new Enqueues.NewRows();

    SqliteTransaction(
            SqliteStatements statements,
            Names names,
            Minutes.@Nullable Samples minutes,
            long now,
            IdFloor idFloor,
            int ids,
            Log log) {
        this.statements = statements;
        this.log = log;
        this.names = names.new InTransaction(statements);
        this.minutes = minutes;
        this.now = now;
        this.idFloor = idFloor;
        this.ids = ids;
    }

    @Override
    public SqliteStatements statements() {
        return statements;
    }

    @Override
    public long now() {
        return now;
    }

    @Override
    public long actor(String name) throws SQLException {
        return names.actor(name);
    }

    @Override
    public long worker(WorkerId id) throws SQLException {
        return names.worker(id);
    }

    /** All that is written counts here, whatever has written it. */
    @Override
    public void wrote() {}

    @Override
    public void wroteAbout(long job) {}

    @Override
    public long storeTime(long localMillis) {
        return localMillis;
    }

    @Override
    public long localTime(long storeMillis) {
        return storeMillis;
    }

    /**
     * The scheduled time of jobs that run now: never below an earlier one, unless that was by a clock ahead. Writes when it is asked for
     * first.
     */
    @Override
    public long stamp() throws SQLException {
        if (stamp == Long.MIN_VALUE) {
            takeIds(ids);
        }
        return wasClockAhead() ? now : stamp;
    }

    private boolean wasClockAhead() {
        return stamp - now > CLOCK_STEP_MILLIS;
    }

    /** The same for a new job of this lane and priority: of those it overtakes none that wait, by whatever clock they were enqueued. */
    public long stamp(long lane, int priority) throws SQLException {
        long at = stamp();
        if (!wasClockAhead()) {
            return at;
        }
        Long latest =
                statements.get(JobSql.LAST_READY).set(1, lane).set(2, priority).oneOrNull();
        return latest == null ? now : Math.max(now, latest);
    }

    private void takeIds(int count) throws SQLException {
        long floor;
        do {
            floor = idFloor.get();
            takeIds(count, floor);
            // In a caller's transaction this may have waited for the write lock, and another one was rolled back
            // meanwhile.
        } while (idFloor.get() > floor);
        idFloor.raise(endOfIds);
    }

    private void takeIds(int count, long floor) throws SQLException {
        Query take = statements.get(TransactionSql.TAKE_IDS);
        take.set(1, count).set(2, now).set(3, floor);
        // RETURNING is read to its end and closed: an open statement would make the commit fail.
        try (ResultSet row = take.rows()) {
            if (!row.next()) {
                throw new SQLException("windrow_ids has lost its row");
            }
            nextId = row.getLong(1);
            endOfIds = nextId + count;
            if (stamp == Long.MIN_VALUE) {
                stamp = row.getLong(2);
            }
            lanesDeleted = row.getLong(3);
        }
    }

    /** The number of a lane, for jobs that are to be added to it. */
    public long lane(String queue, String type) throws SQLException {
        if (endOfIds == 0) {
            takeIds(ids);
        }
        names.deletions(lanesDeleted);
        return names.lane(queue, type);
    }

    /** This transaction has deleted lanes: so many were deleted by now. */
    public void lanesDeleted(long deletions) {
        lanesDeleted = deletions;
    }

    /** True if this transaction has counted jobs of a lane. */
    public boolean hasCounted(long lane) {
        return states.keySet().stream().anyMatch(counter -> counter.lane == lane)
                || retries.keySet().stream().anyMatch(counter -> counter.lane == lane);
    }

    /** The first id that this transaction has not taken; 0 when it has taken none. */
    long endOfIds() {
        return endOfIds;
    }

    /** An id for a job, or a number for an event: unique in the store, growing. */
    @Override
    public long nextId() throws SQLException {
        if (nextId == endOfIds) {
            takeIds(endOfIds == 0 ? ids : Math.max(MORE_IDS, Math.min(MAX_IDS, ids)));
        }
        return nextId++;
    }

    /** Adds an entry to the event log; written with {@link #flushEvents}. */
    @Override
    public void event(long job, long at, EventKind kind, long actor, long token, @Nullable String detail)
            throws SQLException {
        Event event = new Event(
                /* job= */ job,
                /* seq= */ nextId(),
                /* at= */ at,
                /* kind= */ kind,
                /* actor= */ actor,
                /* token= */ token,
                /* detail= */ detail);
        events.add(event);
        witness = new Witness(job, event.seq);
    }

    /** Writes the events added so far. Their jobs must have been written before. */
    public void flushEvents() throws SQLException {
        EVENTS.all(statements, events);
        events.clear();
    }

    /** A job of this lane was added in a state. */
    public void entered(long lane, JobState state) {
        states.merge(new Counter(lane, state.name()), 1L, Long::sum);
        if (state == JobState.PENDING) {
            readyLanes.add(lane);
        } else if (state == JobState.SCHEDULED) {
            dueLanes.add(lane);
        }
    }

    /** A job of this lane was added, and waits for its turn. */
    public void enteredHeld(long lane) {
        states.merge(new Counter(lane, JobState.PENDING.name()), 1L, Long::sum);
    }

    /** A job of this lane may be claimed now. */
    public void ready(long lane) {
        readyLanes.add(lane);
    }

    /** Jobs of this lane can be claimed later. */
    public void due(long lane) {
        dueLanes.add(lane);
    }

    /** Nothing is left to claim in the lanes of these queues and types: no worker needs to look there. */
    public void emptied(Set<String> queues, Set<String> types) throws SQLException {
        for (Iterator<Long> lanes = readyLanes.iterator(); lanes.hasNext(); ) {
            if (names.laneOf(lanes.next()).isOf(queues, types)) {
                lanes.remove();
            }
        }
    }

    @Override
    public String type(long lane) throws SQLException {
        return names.laneOf(lane).type();
    }

    /** A job of this lane left a state. */
    @Override
    public void left(long lane, JobState state) {
        states.merge(new Counter(lane, state.name()), -1L, Long::sum);
        if (state == JobState.RUNNING) {
            freedLanes.add(lane);
        }
    }

    /** The number of running jobs of a queue or a type, with the changes of this transaction. */
    public long running(LimitTarget scope) throws SQLException {
        boolean queue = scope.kind() == LimitTarget.Kind.QUEUE;
        long running = statements
                .get(LimitSql.COUNT_RUNNING)
                .set(1, queue ? scope.name() : null)
                .set(2, queue ? null : scope.name())
                .one();
        for (Map.Entry<Counter, Long> entry : states.entrySet()) {
            if (entry.getKey().key().equals(JobState.RUNNING.name())) {
                Names.Lane lane = names.laneOf(entry.getKey().lane());
                if (scope.name().equals(queue ? lane.queue() : lane.type())) {
                    running += entry.getValue();
                }
            }
        }
        return running;
    }

    public LaneState laneState(long lane) throws SQLException {
        LaneState known = laneStates.get(lane);
        if (known == null) {
            try (ResultSet row = statements.get(JobSql.LANE_STATE).set(1, lane).rows()) {
                if (!row.next()) {
                    throw new SQLException("lane " + lane + " does not exist");
                }
                known = new LaneState(row.getBoolean(1), row.getBoolean(2));
            }
            laneStates.put(lane, known);
        }
        return known;
    }

    @Override
    public long stage(Stage first) throws SQLException {
        long blob = nextId();
        Stage.Whole whole = first.whole();
        statements
                .get(BlobSql.STAGE)
                .set(1, blob)
                .set(2, whole == null ? null : Long.valueOf(whole.bytes()))
                .set(3, whole == null ? null : whole.sha256())
                .set(4, now)
                .update();
        statements
                .get(BlobSql.STAGE_PART)
                .set(1, blob)
                .set(2, first.position())
                .set(3, first.content())
                .update();
        return blob;
    }

    /** The write lock is held. */
    @Override
    public void lockControls() {}

    @Override
    public void limitLanes(LimitTarget scope) throws SQLException {
        statements
                .get(LimitSql.LIMIT_LANES)
                .set(1, scope.kind().name())
                .set(2, scope.name())
                .update();
        laneStates.clear();
        readyLanes.addAll(readyOf(scope));
    }

    /** Where jobs have stopped running, others may start that a limit has kept from it: in the same queue or of the same type. */
    void openFreed() throws SQLException {
        Set<LimitTarget> freed = new HashSet<>();
        for (long lane : freedLanes) {
            if (laneState(lane).limited) {
                Names.Lane name = names.laneOf(lane);
                freed.add(LimitTarget.queue(name.queue()));
                freed.add(LimitTarget.type(name.type()));
            }
        }
        for (LimitTarget scope : freed) {
            if (LimitedClaim.isLimited(this, scope)) {
                readyLanes.addAll(readyOf(scope));
            }
        }
    }

    private List<Long> readyOf(LimitTarget scope) throws SQLException {
        boolean queue = scope.kind() == LimitTarget.Kind.QUEUE;
        return statements
                .get(LimitSql.READY_OF)
                .set(1, queue ? scope.name() : null)
                .set(2, queue ? null : scope.name())
                .list(rows -> rows.getLong(1));
    }

    /** A job of this lane, with this concurrency key or none, has changed its state. */
    public void moved(long job, long lane, @Nullable String key, JobState from, JobState to) throws SQLException {
        left(lane, from);
        if (key != null && to == JobState.PENDING) {
            enteredHeld(lane);
            if (from == JobState.RUNNING) {
                ready(lane);
            }
        } else {
            entered(lane, to);
        }
        permits.moved(job, lane, key, from, to);
    }

    @Override
    public void goesOn(long job, long lane, @Nullable String concurrencyKey, long priority) throws SQLException {
        moved(job, lane, concurrencyKey, JobState.BLOCKED, JobState.PENDING);
    }

    /** An attempt with this number has ended. */
    public void attemptEnded(long lane, int attempt) {
        if (attempt > 1) {
            retries.merge(new Counter(lane, Integer.toString(attempt)), 1L, Long::sum);
        }
    }

    /** A job is FAILED with this code, or none, since this time. */
    public void failed(@Nullable String errorCode, long at) {
        failures.failed(errorCode, at);
    }

    /** A job that was FAILED with this code, or none, is not any more: it was retried, or is gone. */
    @Override
    public void noLongerFailed(@Nullable String errorCode) {
        failures.noLongerFailed(errorCode, 1);
    }

    @Override
    public CommitNotices notices() {
        return notices;
    }

    /** This running job was ended by another than its holder. */
    public void superseded(LeaseToken leaseToken) throws SQLException {
        notices.superseded(leaseToken);
        statements.get(JobSql.COUNT_SUPERSEDED).update();
    }

    /** Writes what was summed up. The last statement before the commit. */
    void writeSums() throws SQLException {
        Query add = statements.get(CounterSql.ADD_COUNTER);
        boolean any = false;
        for (Map.Entry<Counter, Long> entry : states.entrySet()) {
            if (entry.getValue() != 0) {
                add.set(1, entry.getKey().lane())
                        .set(2, entry.getKey().key())
                        .set(3, entry.getValue())
                        .add();
                any = true;
            }
        }
        if (any) {
            add.batch();
        }
        if (!retries.isEmpty()) {
            Query addRetries = statements.get(CounterSql.ADD_RETRY_COUNTER);
            for (Map.Entry<Counter, Long> entry : retries.entrySet()) {
                addRetries
                        .set(1, entry.getKey().lane())
                        .set(2, Long.parseLong(entry.getKey().key()))
                        .set(3, entry.getValue())
                        .add();
            }
            addRetries.batch();
        }
        failures.write(statements);
        states.clear();
        retries.clear();
    }

    /** After the commit: what was added is known. */
    void committed() {
        names.committed();
    }

    /** What is to be done when the transaction has committed. Read before its statements are closed. */
    Aftermath aftermath() throws SQLException {
        return new Aftermath(
                /* notices= */ notices,
                /* lanes= */ lanesToTell(),
                /* concernsOthers= */ !readyLanes.isEmpty() || !dueLanes.isEmpty() || notices.concernsOthers(),
                /* parents= */ dependents.left(),
                /* witness= */ witness,
                /* endOfIds= */ endOfIds);
    }

    /**
     * What is left to do after a commit.
     *
     * @param notices what is told
     * @param lanes where jobs have become ready, or will be when they are due
     * @param concernsOthers true if other processes may act upon it
     * @param parents ended parents whose children are not all released
     * @param witness an entry of the event log that the transaction has written; null if it has written none
     * @param endOfIds the first id that the transaction has not taken
     */
    public record Aftermath(
            CommitNotices notices,
            List<Names.Lane> lanes,
            boolean concernsOthers,
            Set<Long> parents,
            @Nullable Witness witness,
            long endOfIds) {
        public boolean isEmpty() {
            return lanes.isEmpty() && parents.isEmpty() && notices.isEmpty();
        }

        /** Tells this process. */
        public void tell(StoreHints hints) {
            lanes.forEach(lane -> hints.ready(lane.queue(), lane.type()));
            notices.tell(hints, time -> time);
        }
    }

    /** An entry of the event log. */
    public record Witness(long job, long seq) {}

    /** Where jobs have become ready, or will be when they are due. */
    private List<Names.Lane> lanesToTell() throws SQLException {
        Set<Long> lanes = new HashSet<>(dueLanes);
        lanes.addAll(readyLanes);
        List<Names.Lane> told = new ArrayList<>(lanes.size());
        for (long lane : lanes) {
            told.add(names.laneOf(lane));
        }
        return told;
    }

    /** Where jobs have become ready in this transaction. */
    List<Names.Lane> readyLanes() throws SQLException {
        List<Names.Lane> lanes = new ArrayList<>(readyLanes.size());
        for (long lane : readyLanes) {
            lanes.add(names.laneOf(lane));
        }
        return lanes;
    }
}
