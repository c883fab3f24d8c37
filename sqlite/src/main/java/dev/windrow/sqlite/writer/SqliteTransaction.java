package dev.windrow.sqlite.writer;

import dev.windrow.EventKind;
import dev.windrow.EventLevel;
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
import dev.windrow.store.job.Claim;
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
 * The state that all verbs of one write transaction share: ids, the time, counters, and the notifications for after the commit. The connection is
 * inside a transaction that holds the write lock or takes it with the first statement.
 */
public final class SqliteTransaction implements WriteTransaction {
    /** The least and the most ids to take when the first ones did not suffice. Between these limits, as many as at first. */
    private static final int MORE_IDS = 64;

    private static final int MAX_IDS = 1000;
    /** The largest step back of a clock by which times stop until the clock has caught up. Before a larger step, the clock was ahead. */
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
     * The write-ahead log, for commands that write many pages.
     *
     * @param isDurable true if commits survive a power loss
     * @param isLong true if readers prevent so much of it from being written back that it must not become longer
     */
    public record Log(boolean isDurable, boolean isLong) {}

    private final SqliteStatements statements;
    public final Log log;
    public final Names.InTransaction names;
    public final Minutes.@Nullable Samples minutes;
    /** The wall clock, read once: all rows of a transaction have the same time. */
    private final long now;

    private final IdFloor idFloor;
    private final EventLevel level;
    /** The number of ids to take at first: as many as the transaction is known to need. */
    private final int ids;
    /**
     * The latest time that a transaction has had. Read with the first ids: a transaction without work writes nothing, and its commit costs nothing.
     */
    private long stamp = Long.MIN_VALUE;

    private long nextId;
    private long endOfIds;
    private long lanesDeleted;
    private final Map<Counter, Long> states = new HashMap<>();
    private final Map<Counter, Long> retries = new HashMap<>();
    private final Failures failures = new Failures();
    /** The lanes in which jobs have become ready and are not all claimed. */
    private final Set<Long> readyLanes = new HashSet<>();
    /** The lanes in which jobs have stopped running. */
    private final Set<Long> freedLanes = new HashSet<>();
    /** The lanes whose state was read. */
    private final Map<Long, LaneState> laneStates = new HashMap<>();
    /** The lanes in which jobs have got a due time. */
    private final Set<Long> dueLanes = new HashSet<>();

    private final CommitNotices notices = new CommitNotices();
    private final List<Event> events = new ArrayList<>();
    private @Nullable Witness witness;
    private boolean moved;
    /** The permits of jobs with concurrency keys. */
    public final KeyPermits permits = new KeyPermits(this);
    /** The last jobs of chains for which other jobs wait. */
    public final Chains.Ends chainEnds = new Chains.Ends();
    /** The release of the children of jobs that end. */
    public final Dependents dependents = new Dependents(this);
    /** Jobs that are to be inserted. */
    public final Enqueues.NewRows newRows = new Enqueues.NewRows();

    SqliteTransaction(
            SqliteStatements statements,
            Names names,
            Minutes.@Nullable Samples minutes,
            long now,
            IdFloor idFloor,
            EventLevel level,
            int ids,
            Log log) {
        this.statements = statements;
        this.log = log;
        this.names = names.new InTransaction(statements);
        this.minutes = minutes;
        this.now = now;
        this.idFloor = idFloor;
        this.level = level;
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

    /** Does nothing: in this store all writes of a transaction count. */
    @Override
    public void wrote() {}

    @Override
    public void wroteAudit(long entry) {}

    @Override
    public void wroteReport(long job, long token) {}

    @Override
    public void wroteStep(long job, long token) {}

    @Override
    public long storeTime(long localMillis) {
        return localMillis;
    }

    @Override
    public long localTime(long storeMillis) {
        return storeMillis;
    }

    /**
     * Returns the scheduled time of jobs that run now. It is never earlier than a former one, unless the clock was ahead then. The first call writes.
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

    /**
     * Returns the scheduled time of a new job of this lane and priority. The job overtakes no waiting job of these, even if that was enqueued by a
     * clock that was ahead.
     */
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
            // In a caller's transaction this may have waited for the write lock, and another transaction was rolled
            // back during the wait.
        } while (idFloor.get() > floor);
        idFloor.raise(endOfIds);
    }

    private void takeIds(int count, long floor) throws SQLException {
        Query take = statements.get(TransactionSql.TAKE_IDS);
        take.set(1, count).set(2, now).set(3, floor);
        // RETURNING is read to its end and closed: an open statement would make the commit fail.
        try (ResultSet row = take.rows()) {
            if (!row.next()) {
                throw new SQLException("the table of ids has no row; restore a backup");
            }
            nextId = row.getLong(1);
            endOfIds = nextId + count;
            if (stamp == Long.MIN_VALUE) {
                stamp = row.getLong(2);
            }
            lanesDeleted = row.getLong(3);
        }
    }

    /** Returns the number of a lane, for jobs that are to be added to it. */
    public long lane(String queue, String type) throws SQLException {
        if (endOfIds == 0) {
            takeIds(ids);
        }
        names.deletions(lanesDeleted);
        return names.lane(queue, type);
    }

    /** Sets the number of lanes that were deleted so far, after this transaction has deleted some. */
    public void lanesDeleted(long deletions) {
        lanesDeleted = deletions;
    }

    /** True if this transaction has counted jobs of a lane. */
    public boolean hasCounted(long lane) {
        return states.keySet().stream().anyMatch(counter -> counter.lane == lane)
                || retries.keySet().stream().anyMatch(counter -> counter.lane == lane);
    }

    /** True if this transaction has taken ids, or has moved jobs. A transaction of claims that found no jobs has done neither. */
    boolean hasTaken() {
        return endOfIds != 0 || moved;
    }

    /** Returns an id for a job, or a number for an event: unique in the store, growing. */
    @Override
    public long nextId() throws SQLException {
        if (nextId == endOfIds) {
            takeIds(endOfIds == 0 ? ids : Math.max(MORE_IDS, Math.min(MAX_IDS, ids)));
        }
        return nextId++;
    }

    /** Adds an entry to the event log, unless the level of this process leaves it out. {@link #flushEvents} writes it. */
    @Override
    public void event(long job, long at, EventKind kind, long actor, long token, @Nullable String detail)
            throws SQLException {
        if (!level.includes(kind)) {
            return;
        }
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

    /** Writes the events that were added so far. Their jobs must have been written before. */
    @Override
    public void flushEvents() throws SQLException {
        EVENTS.all(statements, events);
        events.clear();
    }

    /** Counts a job of this lane that was added in a state. */
    public void entered(long lane, JobState state) {
        states.merge(new Counter(lane, state.name()), 1L, Long::sum);
        if (state == JobState.PENDING) {
            readyLanes.add(lane);
        } else if (state == JobState.SCHEDULED) {
            dueLanes.add(lane);
        }
    }

    /** Counts a job of this lane that was added and waits for a permit. */
    public void enteredHeld(long lane) {
        states.merge(new Counter(lane, JobState.PENDING.name()), 1L, Long::sum);
    }

    /** Records that a job of this lane may be claimed now. */
    public void ready(long lane) {
        readyLanes.add(lane);
    }

    /** Records that jobs of this lane can be claimed later. */
    public void due(long lane) {
        dueLanes.add(lane);
    }

    /**
     * Records that nothing is left for this claim. If it takes every priority, nothing is left in its lanes, and no worker needs a notification for
     * them.
     */
    public void emptied(Claim claim) throws SQLException {
        for (Iterator<Long> lanes = readyLanes.iterator(); !claim.hasMinimum() && lanes.hasNext(); ) {
            if (names.laneOf(lanes.next()).isOf(claim.queues(), claim.types())) {
                lanes.remove();
            }
        }
    }

    @Override
    public String type(long lane) throws SQLException {
        return names.laneOf(lane).type();
    }

    /** Counts a job of this lane that left a state. */
    @Override
    public void left(long lane, JobState state) {
        moved = true;
        states.merge(new Counter(lane, state.name()), -1L, Long::sum);
        if (state == JobState.RUNNING) {
            freedLanes.add(lane);
        }
    }

    /** Returns the number of running jobs of a queue or a type, with the changes of this transaction. */
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

    /** Does nothing: the write lock is held. */
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

    /** Finds ready jobs that a limit has held back and that may start now, because jobs of the same queue or type have stopped running. */
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

    /** Counts a job of this lane, with this concurrency key or none, that has changed its state. */
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

    /** Counts the end of an attempt with this number. */
    public void attemptEnded(long lane, int attempt) {
        if (attempt > 1) {
            retries.merge(new Counter(lane, Integer.toString(attempt)), 1L, Long::sum);
        }
    }

    /** Counts a job that is FAILED with this code, or none, since this time. */
    public void failed(@Nullable String errorCode, long at) {
        failures.failed(errorCode, at);
    }

    /** Counts a job that is no longer FAILED with this code, or none: it was retried or deleted. */
    @Override
    public void noLongerFailed(@Nullable String errorCode) {
        failures.noLongerFailed(errorCode, 1);
    }

    @Override
    public CommitNotices notices() {
        return notices;
    }

    /** Records that this running job was ended by another actor than its holder. */
    public void superseded(LeaseToken leaseToken) throws SQLException {
        notices.superseded(leaseToken);
        statements.get(JobSql.COUNT_SUPERSEDED).update();
    }

    /** Writes the sums. This is the last statement before the commit. */
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

    /** Adds the new names to the known ones, after the commit. */
    void committed() {
        names.committed();
    }

    /** Returns the work for after the commit. Read before the statements of the transaction are closed. */
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
     * The work that is left after a commit.
     *
     * @param notices the notifications to send
     * @param lanes the lanes in which jobs have become ready, or will be when they are due
     * @param concernsOthers true if other processes may have to act
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

        /** Notifies this process. */
        public void tell(StoreHints hints) {
            lanes.forEach(lane -> hints.ready(lane.queue(), lane.type()));
            notices.tell(hints, time -> time);
        }
    }

    /** An entry of the event log. */
    public record Witness(long job, long seq) {}

    /** Returns the lanes in which jobs have become ready, or will be when they are due. */
    private List<Names.Lane> lanesToTell() throws SQLException {
        Set<Long> lanes = new HashSet<>(dueLanes);
        lanes.addAll(readyLanes);
        List<Names.Lane> told = new ArrayList<>(lanes.size());
        for (long lane : lanes) {
            told.add(names.laneOf(lane));
        }
        return told;
    }

    /** Returns the lanes in which jobs have become ready in this transaction. */
    List<Names.Lane> readyLanes() throws SQLException {
        List<Names.Lane> lanes = new ArrayList<>(readyLanes.size());
        for (long lane : readyLanes) {
            lanes.add(names.laneOf(lane));
        }
        return lanes;
    }
}
