package dev.windrow.postgres.writer;

import dev.windrow.AttemptOutcome;
import dev.windrow.EventKind;
import dev.windrow.EventLevel;
import dev.windrow.JobState;
import dev.windrow.limit.LimitTarget;
import dev.windrow.postgres.connection.PostgresQuery;
import dev.windrow.postgres.connection.PostgresStatements;
import dev.windrow.postgres.connection.ServerClock;
import dev.windrow.postgres.job.ClaimCursors;
import dev.windrow.postgres.job.DueCursor;
import dev.windrow.postgres.job.JobSql;
import dev.windrow.postgres.job.Lanes;
import dev.windrow.postgres.job.PassedOver;
import dev.windrow.postgres.limit.KeyPermits;
import dev.windrow.postgres.limit.LimitSql;
import dev.windrow.postgres.payload.BlobSql;
import dev.windrow.postgres.processes.Notifier;
import dev.windrow.postgres.workflow.Chains;
import dev.windrow.postgres.workflow.Dependents;
import dev.windrow.store.StoreHints;
import dev.windrow.store.job.WorkerId;
import dev.windrow.store.payload.Stage;
import dev.windrow.store.sql.connection.Columns;
import dev.windrow.store.sql.connection.Rows;
import dev.windrow.store.sql.job.Failures;
import dev.windrow.store.sql.writer.CommitNotices;
import dev.windrow.store.sql.writer.WriteTransaction;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The state that all verbs of one transaction share: ids, the time, the rows to record at its end, and the notices for after its commit. */
public final class PostgresTransaction implements WriteTransaction {
    /** The smallest step back that shows that the clock was ahead before. After a smaller one, times stay constant until the clock has caught up. */
    public static final long CLOCK_STEP_MILLIS = 1000;

    private static final List<String> RECORD_AND_COMMIT = List.of(JobSql.RECORD, TransactionSql.COMMIT);

    private static final Columns<Attempt> ATTEMPTS = new Columns<Attempt>()
            .longs(Attempt::job)
            .longs(Attempt::token)
            .longs(Attempt::startedAt)
            .longs(Attempt::finishedAt)
            .ints(Attempt::attempt)
            .ints(Attempt::worker)
            .texts(attempt -> attempt.outcome.name())
            .texts(Attempt::errorCode)
            .texts(Attempt::errorDetail)
            .ints(Attempt::run)
            .longs(Attempt::claimedAt);

    private static final Columns<Event> EVENTS = new Columns<Event>()
            .longs(Event::job)
            .longs(Event::at)
            .longs(Event::token)
            .ints(event -> (int) event.actor)
            .texts(event -> event.kind.name())
            .texts(Event::detail);

    private static final Columns<Delta> DELTAS = new Columns<Delta>()
            .ints(Delta::lane)
            .ints(Delta::attempt)
            .longs(Delta::n)
            .texts(Delta::state);

    /** An ended attempt. */
    public record Attempt(
            long job,
            long token,
            @Nullable Long startedAt,
            long finishedAt,
            int attempt,
            int worker,
            AttemptOutcome outcome,
            @Nullable String errorCode,
            @Nullable String errorDetail,
            int run,
            long claimedAt) {}

    private record Event(
            long job,
            long at,
            EventKind kind,
            long actor,
            long token,
            @Nullable String detail) {}

    private record Counter(
            int lane, @Nullable String state, @Nullable Integer attempt) {}

    private record Delta(
            int lane,
            @Nullable Integer attempt,
            long n,
            @Nullable String state) {}

    private final PostgresStatements statements;
    /** The run of the server, and the data that was learned from it. */
    public final Learned learned;

    public final Names names;
    private final Names.Used used;
    public final ClaimCursors claimCursors;
    public final PassedOver passedOver;
    public final ServerClock clock;
    public final Minutes minutes;
    private final EventLevel level;
    private final Shared shared;

    /** The beginning that is to be sent with the first statement; null if the transaction has begun. */
    private @Nullable Beginning beginning;
    /** True if the first statement was sent with the beginning. */
    private boolean sentAhead;
    /** True if it claims before it knows whether jobs are due. */
    private boolean claimsAhead;
    /** True if a limit or a rate applied to the lanes of one of its claims. */
    private boolean claimsLimited;
    /** The lanes of the claim that is sent with the beginning; null if there is none. */
    private @Nullable Lanes lanesAhead;

    /** The time of the server's clock, read once: all rows of a transaction have the same time. */
    private long now;
    /** The scheduled time of jobs that are ready now. It is never below an earlier one of this process, unless the clock was ahead then. */
    private long stamp;

    private boolean clockWasAhead;
    /** The time of the transaction by the server's clock. */
    private long serverMillis;

    /** The lanes with limits or rates. */
    private Set<Integer> limited;
    /** The number of the lock for changes of pauses and limits of queues and types. */
    private final long controlsLock;

    /** A number of this store, from which the locks of its keys are made. */
    public final long keysLock;

    /** The number of the lock for the search for cycles when chains are continued. */
    public final long cyclesLock;

    private final ArrayDeque<Long> ids;
    /**
     * The time at which the next job is due by the server's clock, as far as this transaction knows. Null if none is scheduled, or if it has not been
     * read.
     */
    private @Nullable Long due;

    private boolean lookedForDue;
    /** The earliest due time that a job has got in this transaction. */
    private long scheduled = Long.MAX_VALUE;

    /** The next jobs of completed jobs, and the ends of chains for which children wait. */
    public final Chains chains = new Chains(this);

    /** The permits of jobs with concurrency keys. */
    public final KeyPermits permits = new KeyPermits(this);
    /** The effects of ended jobs on their children. */
    public final Dependents dependents = new Dependents(this);

    private final List<Attempt> attempts = new ArrayList<>();
    private final List<Event> events = new ArrayList<>();
    private final Map<Counter, Long> counters = new LinkedHashMap<>();
    private final Failures failures = new Failures();
    /** The lanes in which jobs have become ready and are not all claimed, with the first position. */
    private final Map<Integer, ClaimCursors.Place> readyLanes = new LinkedHashMap<>();
    /** The lanes in which jobs have become ready, claimed or not, with the first position. */
    private final Map<Integer, ClaimCursors.Place> places = new HashMap<>();
    /** The lanes in which jobs may start that had to wait. */
    private final Set<Integer> openedLanes = new HashSet<>();
    /** The lanes in which jobs have got a due time. */
    private final Set<Integer> dueLanes = new HashSet<>();
    /** The lanes in which jobs have stopped running. */
    private final Set<Integer> freedLanes = new HashSet<>();

    private final CommitNotices notices = new CommitNotices();
    private final List<Runnable> afterwards = new ArrayList<>();
    /** True if the current change has waited for rows that other transactions have locked, and now skips them. */
    public boolean leavesOutLocked;

    /** The last block of ids that was taken before its end. */
    private long idBlock;

    private boolean wrote;
    private boolean recorded;
    private @Nullable Witness witness;

    private @Nullable String number;

    /**
     * Makes the object for the open transaction on the connection of these statements.
     *
     * @param learned the data that was learned from the run of the connection's server
     * @param used the names that it uses, whose numbers are known
     * @param now the time of the server's clock
     * @param limited the lanes with limits or rates
     * @param ids as many ids as the transaction has new jobs
     */
    PostgresTransaction(
            PostgresStatements statements,
            Shared shared,
            Learned learned,
            Names.Used used,
            long now,
            Set<Integer> limited,
            ArrayDeque<Long> ids) {
        this(statements, shared, learned, used, ids);
        begun(now, limited);
    }

    /** Makes the object for a transaction that has not begun. */
    PostgresTransaction(
            PostgresStatements statements, Shared shared, Learned learned, Names.Used used, ArrayDeque<Long> ids) {
        this.statements = statements;
        this.shared = shared;
        this.learned = learned;
        this.names = learned.names();
        this.used = used;
        this.claimCursors = learned.claimCursors();
        this.passedOver = learned.passedOver();
        this.clock = shared.clock();
        this.minutes = shared.minutes();
        this.level = shared.level();
        this.limited = Set.of();
        this.controlsLock = shared.controlsLock();
        this.keysLock = shared.controlsLock() + 1;
        this.cyclesLock = shared.controlsLock() + 2;
        this.ids = ids;
    }

    /** Notes the beginning: the time of the server's clock, and the lanes with limits or rates. */
    void begun(long time, Set<Integer> limitedLanes) {
        beginning = null;
        now = time;
        long latest = shared.stamps().accumulateAndGet(now, Math::max);
        clockWasAhead = latest - now > CLOCK_STEP_MILLIS;
        stamp = clockWasAhead ? now : latest;
        limited = limitedLanes;
    }

    /** Notes the time of the transaction by the server's clock. With a manual clock, {@link #now} is another one. */
    void serverMillis(long time) {
        serverMillis = time;
    }

    /** Returns the time of the transaction by the server's clock, once the beginning was read. */
    long serverMillis() {
        return serverMillis;
    }

    /** True if its beginning was sent and read. */
    public boolean hasBegun() {
        return beginning == null;
    }

    /** Begins at the first statement, or at {@link #begin}. */
    void beginBy(Beginning first) {
        beginning = first;
        statements.openBy(() -> first.send(this));
    }

    /** Begins now, if the transaction has not begun. */
    void begin() throws SQLException {
        Beginning first = beginning;
        if (first != null) {
            statements.openBy(null);
            first.send(this);
        }
    }

    /** Takes ids for new jobs. */
    void takeIds(int count) throws SQLException {
        ids.addAll(learned.ids().take(statements, count));
        idBlock = learned.ids().block();
    }

    /**
     * Returns statements that are sent in one message, and with the beginning if the transaction has not begun. Their results are read by
     * {@link PostgresQuery#first} and {@link PostgresQuery#next}. They must not depend on what the beginning reads.
     */
    public PostgresQuery first(List<String> sqls) throws SQLException {
        Beginning first = beginning;
        if (first == null) {
            return sqls.size() == 1 ? statements.get(sqls.get(0)) : statements.together(sqls);
        }
        statements.openBy(null);
        sentAhead = true;
        return first.with(this, sqls);
    }

    /** True if the first statement was sent with the beginning, which has failed or was not as assumed. */
    boolean hasFailedAhead() {
        return sentAhead && beginning != null;
    }

    /** True if claims come before anything else, and the transaction has not begun. They assume that no job is due. */
    public boolean claimsAhead() {
        claimsAhead |= beginning != null;
        return beginning != null;
    }

    /** True if a limit or a rate applies to one of these lanes, from which jobs are claimed now. Before the beginning, a claim assumes that none does. */
    public boolean isLimitedForClaim(Lanes lanes) {
        if (beginning != null) {
            lanesAhead = lanes;
            return false;
        }
        boolean is = isLimited(lanes);
        claimsLimited |= is;
        return is;
    }

    /** True if a limit or a rate applied to the lanes of one of its claims. */
    boolean hasLimitedClaim() {
        return claimsLimited;
    }

    /**
     * Checks the assumptions of a claim that was sent with the beginning.
     *
     * @param due the due time of the next job
     * @param grown true if another process has added lanes
     */
    void requireAsAssumed(@Nullable Long due, boolean grown) {
        boolean isDue = claimsAhead && due != null && due <= now;
        if (sentAhead && (isDue || (lanesAhead != null && (grown || isLimited(lanesAhead))))) {
            throw new Beginning.AheadOfTime();
        }
    }

    @Override
    public PostgresStatements statements() {
        return statements;
    }

    @Override
    public long now() {
        requireBegun();
        return now;
    }

    /** Returns the time of the writes of a statement; null for the time of the server's transaction, which the statement knows itself. */
    @Nullable public Long nowOrServers() {
        return beginning == null ? Long.valueOf(now) : clock.isServers() ? null : Long.valueOf(clock.now());
    }

    private void requireBegun() {
        if (beginning != null) {
            throw new IllegalStateException("the transaction has not begun");
        }
    }

    @Override
    public long stamp() {
        requireBegun();
        return stamp;
    }

    @Override
    public long storeTime(long localMillis) {
        return clock.toServer(localMillis);
    }

    @Override
    public long localTime(long storeMillis) {
        return clock.toLocal(storeMillis);
    }

    /**
     * Returns {@link #stamp} for a new job of this lane and priority. The job does not overtake a waiting one, even one that was enqueued by another
     * clock.
     */
    public long stamp(int lane, int priority) throws SQLException {
        if (!clockWasAhead) {
            return stamp;
        }
        Long latest = statements
                .get(JobSql.LAST_READY)
                .set(1, Integer.valueOf(lane))
                .set(2, Integer.valueOf(-priority))
                .oneOrNull();
        return latest == null ? now : Math.max(now, latest);
    }

    /** Returns the time at which the next job is due, for promotions and claims. Reads it if this transaction has not read it. */
    @Nullable public Long due() throws SQLException {
        if (!lookedForDue) {
            lookForDue();
        }
        return due;
    }

    /** Reads the time of the next due job, including the writes of this transaction. */
    public void lookForDue() throws SQLException {
        DueCursor.View view = learned.due().view();
        due(due(statements.get(JobSql.NEXT_DUE).set(1, view.from()).rows(), view, true));
        afterwards(view::move);
    }

    /**
     * Reads the result of {@link JobSql#NEXT_DUE}, and ends the query of this view.
     *
     * @param alone false if statements were sent with it that may wait or take long
     */
    public static @Nullable Long due(ResultSet answer, DueCursor.View view, boolean alone) throws SQLException {
        try (ResultSet row = answer) {
            row.next();
            Long first = Rows.longOrNull(row, 1);
            if (alone) {
                view.found(first);
            } else {
                view.foundWithOthers(first);
            }
            Long wakes = Rows.longOrNull(row, 2);
            return first == null || wakes == null
                    ? (first == null ? wakes : first)
                    : Long.valueOf(Math.min(first, wakes));
        }
    }

    /** Notes that nothing is due before this time. */
    public void due(@Nullable Long at) {
        due = at;
        lookedForDue = true;
    }

    /** Notes that a job will be due at this time. */
    public void dueAt(long at) {
        due = due == null ? at : Math.min(due, at);
        scheduled = Math.min(scheduled, at);
    }

    /** Returns the number of an actor that was added to the names of this transaction. */
    @Override
    public long actor(String name) {
        return used.number(name);
    }

    /** Adds an actor that this transaction has read with its number. */
    public void learn(String actor, int number) {
        used.actor(actor, number);
    }

    /** Returns the number of a worker that was added to the names of this transaction. */
    @Override
    public long worker(WorkerId id) {
        return used.number(id);
    }

    @Override
    public long nextId() {
        return ids.remove();
    }

    /** Notes a write that is not among the rows of {@link #record}. */
    @Override
    public void wrote() {
        wrote = true;
    }

    @Override
    public void wroteAudit(long entry) {
        wrote();
        witness(Witness.Kind.AUDIT, entry, 0, now());
    }

    @Override
    public void wroteReport(long job, long token) {
        wrote();
        witness(Witness.Kind.REPORT, job, token, 0);
    }

    @Override
    public void wroteStep(long job, long token) {
        wrote();
        witness(Witness.Kind.STEP, job, token, now());
    }

    /** Notes a claim, a start or a completion, whose time and token are in the row of the job. */
    public void wroteJob(Witness.Kind kind, long job, long token, long at) {
        wrote();
        witness(kind, job, token, at);
    }

    /** Notes the input of a new job. */
    public void wroteInput(long job) {
        wrote();
        witness(Witness.Kind.INPUT, job, 0, now());
    }

    private void witness(Witness.Kind kind, long id, long token, long at) {
        if (witness == null || kind.compareTo(witness.kind()) < 0) {
            witness = new Witness(kind, id, token, at);
        }
    }

    /** Returns the row by which this transaction can be told from others with its number; null if there is none. */
    @Nullable Witness witness() {
        return witness;
    }

    /** Adds an entry of the event log, in order, unless the level of this process leaves it out. */
    @Override
    public void event(long job, long at, EventKind kind, long actor, long token, @Nullable String detail) {
        if (!level.includes(kind)) {
            // Only heartbeats are left out. Their progress was noted.
            return;
        }
        witness(Witness.Kind.EVENT, job, token, at);
        events.add(new Event(
                /* job= */ job,
                /* at= */ at,
                /* kind= */ kind,
                /* actor= */ actor,
                /* token= */ token,
                /* detail= */ detail));
    }

    /** Writes the events that were added so far, before {@link #record} writes the other rows. */
    @Override
    public void flushEvents() throws SQLException {
        if (!events.isEmpty()) {
            PostgresQuery query = statements.get(JobSql.RECORD);
            bind(query, List.of(), List.of());
            query.rows().close();
            events.clear();
            wrote();
        }
    }

    /** Adds the row of an ended attempt. */
    public void attempt(Attempt attempt) {
        attempts.add(attempt);
    }

    /** Counts the end of an attempt with this number, of a job in this lane. */
    public void attemptEnded(int lane, int attempt) {
        if (attempt > 1) {
            counters.merge(new Counter(lane, null, attempt), 1L, Long::sum);
        }
    }

    /** Notes that a job entered a state. A ready one can be claimed at this position. */
    public void entered(int lane, JobState state, ClaimCursors.@Nullable Place ready) {
        counters.merge(new Counter(lane, state.name(), null), 1L, Long::sum);
        if (state == JobState.PENDING) {
            ready(lane, Objects.requireNonNull(ready));
        } else if (state == JobState.SCHEDULED) {
            dueLanes.add(lane);
        }
    }

    /** Notes that a job entered this lane that is ready and waits for a permit. */
    public void enteredHeld(int lane) {
        counters.merge(new Counter(lane, JobState.PENDING.name(), null), 1L, Long::sum);
    }

    /** Notes that a job of this lane can be claimed at this position. */
    public void ready(int lane, ClaimCursors.Place place) {
        readyLanes.merge(lane, place, PostgresTransaction::lower);
        places.merge(lane, place, PostgresTransaction::lower);
    }

    /** Notes that jobs of this lane can be claimed later. */
    public void due(int lane) {
        dueLanes.add(lane);
    }

    private static ClaimCursors.Place lower(ClaimCursors.Place a, ClaimCursors.Place b) {
        return a.compareTo(b) <= 0 ? a : b;
    }

    @Override
    public String type(long lane) throws SQLException {
        return names.laneOf(statements, (int) lane).type();
    }

    @Override
    public void left(long lane, JobState state) {
        counters.merge(new Counter((int) lane, state.name(), null), -1L, Long::sum);
        if (state == JobState.RUNNING) {
            freedLanes.add((int) lane);
        }
    }

    /** Reads the limited lanes again, because this transaction has changed limits or rates. */
    void readLimited() throws SQLException {
        Set<Integer> lanes = new HashSet<>();
        try (ResultSet rows = statements.get(LimitSql.LIMITED_LANES).rows()) {
            while (rows.next()) {
                lanes.add(rows.getInt(1));
            }
        }
        limited = lanes;
    }

    /** True if a limit or a rate applies to one of these lanes. */
    public boolean isLimited(Lanes lanes) {
        requireBegun();
        return limited.stream().anyMatch(lanes::contains);
    }

    @Override
    public long stage(Stage first) throws SQLException {
        Stage.Whole whole = first.whole();
        return statements
                .get(BlobSql.STAGE)
                .set(1, whole == null ? null : Long.valueOf(whole.bytes()))
                .set(2, whole == null ? null : whole.sha256())
                .set(3, now)
                .set(4, first.content())
                .one();
    }

    @Override
    public void lockControls() throws SQLException {
        long unused =
                statements.get(LimitSql.LOCK_LIMIT_CHANGES).set(1, controlsLock).one();
    }

    @Override
    public void limitLanes(LimitTarget scope) throws SQLException {
        Set<String> name = Set.of(scope.name());
        boolean queue = scope.kind() == LimitTarget.Kind.QUEUE;
        statements
                .get(LimitSql.LIMIT_LANES)
                .texts(1, queue ? name : Set.of())
                .texts(2, queue ? Set.of() : name)
                .update();
        readLimited();
        opened(queue ? names.lanes(name, null) : names.lanes(null, name));
    }

    /** Notes that waiting jobs of these lanes can be claimed after the commit. The reason is a change of pauses or limits, or a time. */
    public void opened(Collection<Integer> lanes) {
        openedLanes.addAll(lanes);
    }

    /** Opens lanes in which jobs may start because others have stopped running: limited lanes of the same queue or the same type. */
    void openFreed() {
        for (int lane : freedLanes) {
            Names.Lane name = limited.contains(lane) ? names.laneOrNull(lane) : null;
            if (name != null) {
                opened(names.lanes(Set.of(name.queue()), null));
                opened(names.lanes(null, Set.of(name.type())));
            }
        }
    }

    /** Opens freed lanes in a caller's transaction, which must first read which lanes are limited. */
    void openFreedByCaller() throws SQLException {
        if (!freedLanes.isEmpty()) {
            readLimited();
            openFreed();
        }
    }

    public void moved(int lane, JobState from, JobState to, ClaimCursors.@Nullable Place ready) {
        left(lane, from);
        entered(lane, to, ready);
    }

    /** Notes a move of a job with this concurrency key, or with none. */
    public void moved(
            long job, @Nullable String key, int lane, JobState from, JobState to, ClaimCursors.@Nullable Place ready) {
        if (key == null) {
            moved(lane, from, to, ready);
            return;
        }
        left(lane, from);
        if (to == JobState.PENDING && from != JobState.RUNNING) {
            enteredHeld(lane);
        } else {
            entered(lane, to, ready);
        }
        permits.moved(job, key, from, to);
    }

    @Override
    public void goesOn(long job, long lane, @Nullable String concurrencyKey, long priority) {
        ClaimCursors.Place place = new ClaimCursors.Place((int) -priority, stamp, job);
        moved(job, concurrencyKey, (int) lane, JobState.BLOCKED, JobState.PENDING, place);
    }

    /** Notes that a claim of this transaction has left nothing to claim in these lanes, so that no worker need query them. */
    public void emptied(Collection<Integer> lanes) {
        readyLanes.keySet().removeAll(lanes);
        openedLanes.removeAll(lanes);
    }

    /** True if a job became ready at a position that these cursors leave out. */
    public boolean readiedBefore(ClaimCursors.View view) {
        return places.entrySet().stream().anyMatch(entry -> view.leavesOut(entry.getKey(), entry.getValue()));
    }

    /** Notes that a job is FAILED with this code, or with none, since this time. */
    public void failed(@Nullable String errorCode, long at) {
        failures.failed(errorCode, at);
    }

    /** Notes that a job is no longer FAILED with this code, or with none: it was retried or deleted. */
    @Override
    public void noLongerFailed(@Nullable String errorCode) {
        failures.noLongerFailed(errorCode, 1);
    }

    @Override
    public CommitNotices notices() {
        return notices;
    }

    /** Adds an action for after the commit. */
    public void afterwards(Runnable action) {
        afterwards.add(action);
    }

    /** True if there are rows to record. */
    boolean hasWritten() {
        return wrote
                || !attempts.isEmpty()
                || !events.isEmpty()
                || !failures.isEmpty()
                || counters.values().stream().anyMatch(n -> n != 0);
    }

    /** Writes the remaining rows, and reads the number of the transaction. */
    void record() throws SQLException {
        failures.write(statements);
        PostgresQuery query = statements.get(JobSql.RECORD);
        bind(query);
        try (ResultSet row = query.rows()) {
            number = number(row);
        }
    }

    /** Returns the number of the transaction; null if no statement has read it. */
    @Nullable public String number() {
        return number;
    }

    /** Notes the number of the transaction, which a statement has read. */
    public void number(@Nullable String of) {
        number = of;
    }

    /** True if it has written anything, also if the rows were recorded. Otherwise it can be repeated without harm. */
    boolean hasChanged() {
        return recorded || hasWritten();
    }

    /** Forgets the rows, which were all written. */
    void recorded() {
        recorded = true;
        wrote = false;
        attempts.clear();
        events.clear();
        counters.clear();
        failures.clear();
    }

    /** Writes the remaining rows and commits, in one message. */
    void recordAndCommit() throws SQLException {
        failures.write(statements);
        PostgresQuery query = statements.together(RECORD_AND_COMMIT);
        bind(query);
        query.first().close();
    }

    private static String number(ResultSet row) throws SQLException {
        if (!row.next()) {
            throw new SQLException("a transaction has no number");
        }
        return row.getString(1);
    }

    private void bind(PostgresQuery query) throws SQLException {
        List<Delta> deltas = new ArrayList<>();
        counters.forEach((counter, n) -> {
            if (n != 0) {
                deltas.add(new Delta(counter.lane, counter.attempt, n, counter.state));
            }
        });
        bind(query, attempts, deltas);
    }

    private void bind(PostgresQuery query, List<Attempt> ended, List<Delta> counted) throws SQLException {
        query.bind(1, ATTEMPTS, ended);
        query.bind(12, EVENTS, events);
        query.bind(18, DELTAS, counted);
    }

    /**
     * Notes the commit for the ids, if it was on disk before its answer: then the taking of ids before it is on disk, too. The server waits for the
     * disk only if the transaction has logged something. An update of no row logs nothing, so only rows that were surely inserted or changed count.
     */
    void noteFlush() {
        if (witness != null) {
            learned.ids().flushed(idBlock);
        }
    }

    /** Moves the cursors after the commit, and before any notification. Claims that begin from now on find the jobs that became ready. */
    public void committed() {
        afterwards.forEach(Runnable::run);
        places.forEach(claimCursors::ready);
        if (scheduled < Long.MAX_VALUE) {
            learned.due().scheduled(scheduled);
        }
    }

    /** Notifies the workers and callers that wait, after {@link #committed}. */
    public void tell(StoreHints hints) {
        tellLanes(hints);
        notices.tell(hints, clock::toLocal);
    }

    /** Notifies the workers and callers that wait after a commit whose outcome is unknown. It notifies no worker that it has lost a job. */
    public void tellIfCommitted(StoreHints hints) {
        tellLanes(hints);
        notices.tellIfCommitted(hints, clock::toLocal);
    }

    private void tellLanes(StoreHints hints) {
        for (Names.Lane lane : lanes(concerned())) {
            hints.ready(lane.queue(), lane.type());
        }
    }

    /** True if there are notifications or other work for after the commit. */
    public boolean hasNews() {
        return !notices.isEmpty()
                || !concerned().isEmpty()
                || !places.isEmpty()
                || scheduled < Long.MAX_VALUE
                || !permits.left().isEmpty()
                || !dependents.left().isEmpty();
    }

    /** Returns the lanes of which peer processes are notified. */
    public Set<Integer> concerned() {
        Set<Integer> concerned = new HashSet<>(readyLanes.keySet());
        concerned.addAll(openedLanes);
        concerned.addAll(dueLanes);
        return concerned;
    }

    /**
     * Returns the lanes in which jobs have become ready in this transaction and are not all claimed. Includes lanes in which waiting jobs may start.
     */
    List<Names.Lane> readyLanes() {
        Set<Integer> ready = new HashSet<>(readyLanes.keySet());
        ready.addAll(openedLanes);
        return lanes(ready);
    }

    private List<Names.Lane> lanes(Collection<Integer> ids) {
        List<Names.Lane> lanes = new ArrayList<>();
        for (int id : ids) {
            Names.Lane lane = names.laneOrNull(id);
            if (lane != null) {
                lanes.add(lane);
            }
        }
        return lanes;
    }

    /** Notifies peer processes. */
    public void tell(Notifier notifier) {
        // This comes before the lanes, because a process that is notified of them queries from that time on.
        if (scheduled < Long.MAX_VALUE) {
            notifier.scheduled(scheduled);
        }
        readyLanes.forEach((lane, place) -> ring(notifier, lane, place));
        concerned().forEach(lane -> {
            if (!readyLanes.containsKey(lane)) {
                ring(notifier, lane, null);
            }
        });
        notices.tell(notifier);
    }

    private void ring(Notifier notifier, int lane, ClaimCursors.@Nullable Place place) {
        Names.Lane name = names.laneOrNull(lane);
        if (name != null) {
            notifier.ready(name, place);
        }
    }
}
