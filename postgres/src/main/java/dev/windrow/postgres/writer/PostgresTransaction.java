package dev.windrow.postgres.writer;

import dev.windrow.AttemptOutcome;
import dev.windrow.EventKind;
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

/**
 * What all verbs of one transaction share: ids, the time, what is to be recorded at its end, and what to tell once it has
 * committed.
 */
public final class PostgresTransaction implements WriteTransaction {
    /** A clock that is set back by more was ahead before; by less, times stand still until it has caught up. */
    private static final long CLOCK_STEP_MILLIS = 1000;

    private static final Columns<Attempt> ATTEMPTS = new Columns<Attempt>()
            .longs(Attempt::job)
            .longs(Attempt::token)
            .longs(Attempt::startedAt)
            .longs(Attempt::finishedAt)
            .ints(Attempt::attempt)
            .ints(Attempt::worker)
            .texts(attempt -> attempt.outcome.name())
            .texts(Attempt::errorCode)
            .texts(Attempt::errorDetail);

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

    /** An attempt that has ended. */
    public record Attempt(
            long job,
            long token,
            @Nullable Long startedAt,
            long finishedAt,
            int attempt,
            int worker,
            AttemptOutcome outcome,
            @Nullable String errorCode,
            @Nullable String errorDetail) {}

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
    /** The run of the server, and what was learned from it. */
    public final Learned learned;

    public final Names names;
    private final Names.Used used;
    public final ClaimCursors claimCursors;
    public final PassedOver passedOver;
    public final ServerClock clock;
    public final Minutes minutes;
    /** The server's clock, read once: all rows of a transaction have the same time. */
    private final long now;
    /** The scheduled time of jobs that run now: never below an earlier one of this process, unless that was by a clock ahead. */
    private final long stamp;

    private final boolean clockWasAhead;

    /** The lanes that limits or rates concern. */
    private Set<Integer> limited;
    /** The number of the lock under which pauses and limits of queues and types change. */
    private final long controlsLock;

    /** A number of this store's own, from which the locks of its keys are made. */
    public final long keysLock;

    /** The number of the lock under which chains that go on look for cycles. */
    public final long cyclesLock;

    private final ArrayDeque<Long> ids;
    /** When the next job is due by the server's clock, as far as this transaction knows; null: none is scheduled, or it has not looked. */
    private @Nullable Long due;

    private boolean lookedForDue;
    /** The first time that a job has got in this transaction. */
    private long scheduled = Long.MAX_VALUE;

    /** What goes on in the place of completed jobs, and whom those wait for who wait for chains. */
    public final Chains chains = new Chains(this);

    /** Whose turn it is, of jobs with concurrency keys. */
    public final KeyPermits permits = new KeyPermits(this);
    /** What becomes of the children of jobs that end. */
    public final Dependents dependents = new Dependents(this);

    private final List<Attempt> attempts = new ArrayList<>();
    private final List<Event> events = new ArrayList<>();
    private final Map<Counter, Long> counters = new LinkedHashMap<>();
    private final Failures failures = new Failures();
    /** Where jobs have become ready and are not all claimed, with the first place. */
    private final Map<Integer, ClaimCursors.Place> readyLanes = new LinkedHashMap<>();
    /** The same, claimed or not. */
    private final Map<Integer, ClaimCursors.Place> places = new HashMap<>();
    /** Where jobs may start that had to wait. */
    private final Set<Integer> openedLanes = new HashSet<>();
    /** Where jobs have got a time at which they are due. */
    private final Set<Integer> dueLanes = new HashSet<>();
    /** Where jobs have stopped running. */
    private final Set<Integer> freedLanes = new HashSet<>();

    private final CommitNotices notices = new CommitNotices();
    private final List<Runnable> afterwards = new ArrayList<>();
    /** True if the change that is applied now has waited for rows that others have locked, and goes without them. */
    public boolean leavesOutLocked;

    private boolean wrote;
    private @Nullable Long witness;
    private @Nullable String number;

    /**
     * The transaction that is open on these statements' connection.
     *
     * @param learned what was learned from the run of the server that the connection leads to
     * @param used the names that it uses, whose numbers are known
     * @param now the server's clock
     * @param limited the lanes that limits or rates concern
     * @param ids as many as it has new jobs
     */
    PostgresTransaction(
            PostgresStatements statements,
            Shared shared,
            Learned learned,
            Names.Used used,
            long now,
            Set<Integer> limited,
            ArrayDeque<Long> ids) {
        this.statements = statements;
        this.learned = learned;
        this.names = learned.names();
        this.used = used;
        this.claimCursors = learned.claimCursors();
        this.passedOver = learned.passedOver();
        this.clock = shared.clock();
        this.minutes = shared.minutes();
        this.now = now;
        long latest = shared.stamps().accumulateAndGet(now, Math::max);
        this.clockWasAhead = latest - now > CLOCK_STEP_MILLIS;
        this.stamp = clockWasAhead ? now : latest;
        this.limited = limited;
        this.controlsLock = shared.controlsLock();
        this.keysLock = shared.controlsLock() + 1;
        this.cyclesLock = shared.controlsLock() + 2;
        this.ids = ids;
    }

    @Override
    public PostgresStatements statements() {
        return statements;
    }

    @Override
    public long now() {
        return now;
    }

    @Override
    public long stamp() {
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

    /** {@link #stamp} for a new job of this lane and priority: of those it overtakes none that wait, by whatever clock they were enqueued. */
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

    /** The time at which the next job is due, for promotions and claims. Looks for it if this transaction has not. */
    @Nullable public Long due() throws SQLException {
        if (!lookedForDue) {
            lookForDue();
        }
        return due;
    }

    /** Looks for the next job that is due, which sees what this transaction has written. */
    public void lookForDue() throws SQLException {
        DueCursor.View view = learned.due().view();
        due(due(statements.get(JobSql.NEXT_DUE).set(1, view.from()).rows(), view));
        afterwards(view::move);
    }

    /** The answer of {@link JobSql#NEXT_DUE}, which ends the look of this view. */
    public static @Nullable Long due(ResultSet answer, DueCursor.View view) throws SQLException {
        try (ResultSet row = answer) {
            row.next();
            Long first = Rows.longOrNull(row, 1);
            view.found(first);
            Long wakes = Rows.longOrNull(row, 2);
            return first == null || wakes == null
                    ? (first == null ? wakes : first)
                    : Long.valueOf(Math.min(first, wakes));
        }
    }

    /** Nothing is due before. */
    public void due(@Nullable Long at) {
        due = at;
        lookedForDue = true;
    }

    /** Something will be due at this time. */
    public void dueAt(long at) {
        due = due == null ? at : Math.min(due, at);
        scheduled = Math.min(scheduled, at);
    }

    /** The number of an actor that this transaction was said to use. */
    @Override
    public long actor(String name) {
        return used.number(name);
    }

    /** An actor that this transaction has read with its number may be used by its name. */
    public void learn(String actor, int number) {
        used.actor(actor, number);
    }

    /** The number of a worker that this transaction was said to use. */
    @Override
    public long worker(WorkerId id) {
        return used.number(id);
    }

    @Override
    public long nextId() {
        return ids.remove();
    }

    /** Something was written that {@link #record} does not know of. */
    @Override
    public void wrote() {
        wrote = true;
    }

    /** Something was written about a job that stays: a row of its log, its progress. */
    @Override
    public void wroteAbout(long job) {
        wrote();
        witness = job;
    }

    /** A job about which it has written what stays, by which it can be told from another one of its number; null if there is none. */
    @Nullable Long witness() {
        return witness;
    }

    /** An entry of the event log, in order. */
    @Override
    public void event(long job, long at, EventKind kind, long actor, long token, @Nullable String detail) {
        witness = job;
        events.add(new Event(
                /* job= */ job,
                /* at= */ at,
                /* kind= */ kind,
                /* actor= */ actor,
                /* token= */ token,
                /* detail= */ detail));
    }

    /** An attempt of a job in this lane has ended. */
    public void attempt(int lane, Attempt attempt) {
        attempts.add(attempt);
        if (attempt.attempt > 1) {
            counters.merge(new Counter(lane, null, attempt.attempt), 1L, Long::sum);
        }
    }

    /** A job came into a state; if it is ready, at this place. */
    public void entered(int lane, JobState state, ClaimCursors.@Nullable Place ready) {
        counters.merge(new Counter(lane, state.name(), null), 1L, Long::sum);
        if (state == JobState.PENDING) {
            ready(lane, Objects.requireNonNull(ready));
        } else if (state == JobState.SCHEDULED) {
            dueLanes.add(lane);
        }
    }

    /** A job that came into this lane is ready, and waits for its turn. */
    public void enteredHeld(int lane) {
        counters.merge(new Counter(lane, JobState.PENDING.name(), null), 1L, Long::sum);
    }

    /** A job of this lane may be claimed, at this place. */
    public void ready(int lane, ClaimCursors.Place place) {
        readyLanes.merge(lane, place, PostgresTransaction::lower);
        places.merge(lane, place, PostgresTransaction::lower);
    }

    /** Jobs of this lane can be claimed later. */
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

    /** This transaction has changed what limits and rates concern. */
    void readLimited() throws SQLException {
        Set<Integer> lanes = new HashSet<>();
        try (ResultSet rows = statements.get(LimitSql.LIMITED_LANES).rows()) {
            while (rows.next()) {
                lanes.add(rows.getInt(1));
            }
        }
        limited = lanes;
    }

    /** True if a limit or a rate concerns one of these lanes. */
    public boolean isLimited(Lanes lanes) {
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

    /** The pauses or limits of these lanes have changed, or a time: what waits there may be claimed then. */
    public void opened(Collection<Integer> lanes) {
        openedLanes.addAll(lanes);
    }

    /** Where jobs have stopped running, others may start that a limit has kept from it: in the same queue or of the same type. */
    void openFreed() {
        for (int lane : freedLanes) {
            Names.Lane name = limited.contains(lane) ? names.laneOrNull(lane) : null;
            if (name != null) {
                opened(names.lanes(Set.of(name.queue()), null));
                opened(names.lanes(null, Set.of(name.type())));
            }
        }
    }

    /** The same in a caller's transaction, which does not know what limits concern. */
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

    /** The same of a job with this concurrency key, or none. */
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

    /** Nothing is left to claim in these lanes, which a claim of this transaction has looked at: nobody need look there. */
    public void emptied(Collection<Integer> lanes) {
        readyLanes.keySet().removeAll(lanes);
        openedLanes.removeAll(lanes);
    }

    /** True if a job became ready here at a place that these cursors leave out. */
    public boolean readiedBefore(ClaimCursors.View view) {
        return places.entrySet().stream().anyMatch(entry -> view.leavesOut(entry.getKey(), entry.getValue()));
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

    /** What is to be done after the commit. */
    public void afterwards(Runnable action) {
        afterwards.add(action);
    }

    /** Whether there is something to record. */
    boolean hasWritten() {
        return wrote
                || !attempts.isEmpty()
                || !events.isEmpty()
                || !failures.isEmpty()
                || counters.values().stream().anyMatch(n -> n != 0);
    }

    /** Writes what is left to write; answers the transaction's number. */
    String record() throws SQLException {
        failures.write(statements);
        PostgresQuery query = statements.get(JobSql.RECORD);
        bind(query);
        try (ResultSet row = query.rows()) {
            String of = number(row);
            number = of;
            return of;
        }
    }

    /** Its number, if {@link #record} has asked for it. */
    @Nullable public String number() {
        return number;
    }

    /** All of it was written. */
    void recorded() {
        wrote = false;
        attempts.clear();
        events.clear();
        counters.clear();
        failures.clear();
    }

    /** Writes what is left to write, and commits, in one message. */
    void recordAndCommit() throws SQLException {
        failures.write(statements);
        PostgresQuery query = statements.together(JobSql.RECORD, TransactionSql.COMMIT);
        bind(query);
        try (ResultSet row = query.first()) {
            number(row);
        }
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
        query.bind(1, ATTEMPTS, attempts);
        query.bind(10, EVENTS, events);
        query.bind(16, DELTAS, deltas);
    }

    /** After the commit, and before anybody hears of it: claims that begin from now on find what became ready. */
    public void committed() {
        afterwards.forEach(Runnable::run);
        places.forEach(claimCursors::ready);
        if (scheduled < Long.MAX_VALUE) {
            learned.due().scheduled(scheduled);
        }
    }

    /** Whoever waits is told, after {@link #committed}. */
    public void tell(StoreHints hints) {
        tellLanes(hints);
        notices.tell(hints, clock::toLocal);
    }

    /** The same if it may not have committed: no worker is told that it has lost a job. */
    public void tellIfCommitted(StoreHints hints) {
        tellLanes(hints);
        notices.tellIfCommitted(hints, clock::toLocal);
    }

    private void tellLanes(StoreHints hints) {
        for (Names.Lane lane : lanes(concerned())) {
            hints.ready(lane.queue(), lane.type());
        }
    }

    /** True if there is something to tell after the commit, or left to do. */
    public boolean hasNews() {
        return !notices.isEmpty()
                || !concerned().isEmpty()
                || !places.isEmpty()
                || scheduled < Long.MAX_VALUE
                || !permits.left().isEmpty()
                || !dependents.left().isEmpty();
    }

    /** The lanes of which others are told. */
    public Set<Integer> concerned() {
        Set<Integer> concerned = new HashSet<>(readyLanes.keySet());
        concerned.addAll(openedLanes);
        concerned.addAll(dueLanes);
        return concerned;
    }

    /** Where jobs have become ready in this transaction and are not all claimed, or may start that had to wait. */
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

    /** What others are told of it. */
    public void tell(Notifier notifier) {
        // Before the lanes: who is told of them looks from there.
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
