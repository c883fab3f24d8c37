package dev.windrow.engine.worker;

import dev.windrow.InvalidRequestException;
import dev.windrow.JobContext;
import dev.windrow.JobRequest;
import dev.windrow.JobTransaction;
import dev.windrow.JobType;
import dev.windrow.LogLevel;
import dev.windrow.TransactionWork;
import dev.windrow.WindrowException;
import dev.windrow.engine.Answers;
import dev.windrow.engine.EngineContext;
import dev.windrow.engine.job.Verbs;
import dev.windrow.engine.monitor.LogContext;
import dev.windrow.engine.monitor.Traces;
import dev.windrow.engine.payload.Encoded;
import dev.windrow.engine.payload.Texts;
import dev.windrow.engine.step.AttemptSteps;
import dev.windrow.engine.workflow.ParentResults;
import dev.windrow.payload.Json;
import dev.windrow.payload.Metadata;
import dev.windrow.step.StepWork;
import dev.windrow.step.VoidStepWork;
import dev.windrow.store.SafeLogger;
import dev.windrow.store.job.Change;
import dev.windrow.store.job.ChangeResult;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.LeaseToken;
import dev.windrow.store.job.Settle;
import dev.windrow.workflow.ParentOutcome;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * A claimed job of a worker, from its claim until its end is acknowledged. It is also the context of the handler.
 *
 * <p>Exactly one party ends it. That is the slot when the handler has returned, or another part of the worker before
 * that: at a stop, a lost lease, or a stuck handler. Interrupts reach the handler's thread only between its start and
 * that end. A batch handler ends each of its attempts, and its thread is interrupted by the {@link BatchCall}.
 */
public final class Attempt implements JobContext, Call {
    /** The reason for which a handler must stop. */
    public enum Reason {
        /** The deadline passed. */
        TIMEOUT,
        /** The worker stops. */
        STOP,
        /** Cancellation of the job was requested. */
        CANCEL,
        /** The worker no longer holds the job. */
        LOST
    }

    private static final Logger log = SafeLogger.of(Attempt.class);

    // The phases. The thread that enters INTERRUPTING leaves it within a few instructions.
    private static final int READY = 0;
    private static final int RUNNING = 1;
    private static final int INTERRUPTING = 2;
    private static final int ENDED = 3;

    private final ClaimedJob job;
    private final LeaseToken leaseToken;
    private final Registration<?, ?> registration;
    private final Claimer.Group group;
    private final EngineContext context;
    private final Reporter reporter;
    /** Created when the handler first reports; most handlers do not. */
    private final AtomicReference<@Nullable UnsentReports> reports = new AtomicReference<>();

    /** Created at the handler's first step; most handlers have none. */
    private final AtomicReference<@Nullable AttemptSteps> steps = new AtomicReference<>();

    private final AtomicInteger phase = new AtomicInteger(READY);

    // Written by the slot before the phase becomes RUNNING.
    private @Nullable Thread thread;
    private @Nullable BatchCall batch;
    private @Nullable Duration timeout;
    private @Nullable Transactions transactions;
    private Traces.@Nullable Run run;
    private String slotName = "";
    private long startedAtMillis;
    private long startNanos;
    private long deadlineNanos;

    private volatile Map<String, String> loggedMetadata = Map.of();
    private volatile boolean handlerCalled;
    private volatile @Nullable CompletableFuture<Void> startRecord;
    /** True if cancellation was requested, even if the handler got another reason first. */
    private volatile boolean cancelRequested;
    // Written once, in the phase INTERRUPTING.
    private volatile @Nullable Reason reason;
    private volatile long interruptedNanos;
    private volatile @Nullable String output;
    private volatile @Nullable Next next;
    /** The settlement inside a transaction of the caller, which may be committed or not. */
    private volatile @Nullable Settle inTransaction;

    private final List<Runnable> afterCommit = new CopyOnWriteArrayList<>();

    /**
     * The next job of the chain.
     *
     * @param job the request as the handler gave it
     * @param payload its payload, encoded when the handler gave it
     */
    record Next(JobRequest<?, ?> job, Encoded payload) {}

    /** Ends attempts inside the caller's transactions. */
    public interface Transactions {
        JobTransaction on(Attempt attempt, Connection connection);
    }

    Attempt(
            ClaimedJob job,
            Registration<?, ?> registration,
            Claimer.Group group,
            EngineContext context,
            Reporter reporter) {
        this.job = job;
        this.leaseToken = job.leaseToken();
        this.registration = registration;
        this.group = group;
        this.context = context;
        this.reporter = reporter;
    }

    public ClaimedJob job() {
        return job;
    }

    public LeaseToken leaseToken() {
        return leaseToken;
    }

    Registration<?, ?> registration() {
        return registration;
    }

    Claimer.Group group() {
        return group;
    }

    @Override
    public List<Attempt> attempts() {
        return List.of(this);
    }

    // ---- its life, as the engine drives it --------------------------------------------------------------------------

    /** Puts the attempt into a call of a batch handler, before it begins. */
    void inBatch(BatchCall call) {
        batch = call;
    }

    boolean isInBatch() {
        return batch != null;
    }

    /** Changes READY to RUNNING, on this thread; false if another thread took the attempt away before. */
    boolean begin(String slot, Duration limit, Transactions with) {
        transactions = with;
        thread = Thread.currentThread();
        slotName = slot;
        timeout = limit;
        startedAtMillis = context.time().now().toEpochMilli();
        startNanos = context.time().nanoTime();
        deadlineNanos = startNanos + limit.toNanos();
        return phase.compareAndSet(READY, RUNNING);
    }

    /** Reads the metadata that log lines and traces have. If that fails, returns false, and the job runs without them there. */
    boolean readLoggedMetadata() {
        if (context.metadataInLogs().isEmpty()) {
            return true;
        }
        try {
            Metadata metadata = metadata();
            Map<String, String> values = new LinkedHashMap<>();
            context.metadataInLogs()
                    .forEach(name -> metadata.text(name).ifPresent(text -> values.put(name, Texts.line(text))));
            loggedMetadata = values;
            return true;
        } catch (RuntimeException e) {
            log.debug("The metadata of {} could not be read: its log lines and its trace have none", this, e);
            return false;
        }
    }

    /** Returns the values of metadata for log lines and traces, by their names. */
    public Map<String, String> loggedMetadata() {
        return loggedMetadata;
    }

    /** Stores how the attempt is traced, before its handler is called. */
    void traced(Traces.Run with) {
        run = with;
    }

    /** Returns the trace context of this attempt; null if it is not traced, or was not begun. */
    @Nullable public String runTraceparent() {
        Traces.Run traced = run;
        return traced == null ? null : traced.traceparent();
    }

    /** Records that the handler is about to be called. */
    void handlerCalled() {
        handlerCalled = true;
    }

    /** Keeps the future of the record of the start. */
    void recordsStart(CompletableFuture<Void> record) {
        startRecord = record;
    }

    /** Ends the record of the start, if it is not written yet: the settlement has the start, and is queued. */
    void endRecordsStart() {
        CompletableFuture<Void> record = startRecord;
        if (record != null) {
            record.complete(null);
        }
    }

    /** Changes READY to ENDED. True for the caller that may decide about the job. */
    boolean takeBack() {
        return phase.compareAndSet(READY, ENDED);
    }

    /**
     * Changes RUNNING to ENDED. True for the caller that may decide about the job. No interrupt is sent after this. An
     * interrupt that was sent before is still pending on the handler's thread.
     */
    boolean end() {
        while (true) {
            if (phase.compareAndSet(RUNNING, ENDED)) {
                return true;
            }
            int found = phase.get();
            if (found == READY || found == ENDED) {
                return false;
            }
            // Another thread is sending an interrupt, and needs a few instructions if it has the processor; or it has
            // finished by now.
            LockSupport.parkNanos(1);
        }
    }

    boolean isRunning() {
        int now = phase.get();
        return now == RUNNING || now == INTERRUPTING;
    }

    public boolean isEnded() {
        return phase.get() == ENDED;
    }

    /**
     * Tells a running handler to stop, once; the first reason remains. False if the handler does not run, or has a
     * reason already.
     */
    boolean interrupt(Reason why) {
        if (!phase.compareAndSet(RUNNING, INTERRUPTING)) {
            // Another thread is setting a reason at this moment, or the attempt has ended. In both cases this call is
            // late.
            return false;
        }
        try {
            if (reason != null || thread == null) {
                return false;
            }
            interruptedNanos = context.time().nanoTime();
            reason = why;
            if (batch == null) {
                thread.interrupt();
            } else {
                batch.stops();
            }
            return true;
        } finally {
            phase.set(RUNNING);
        }
    }

    /** Records that cancellation of the job was requested. */
    void cancelRequested() {
        cancelRequested = true;
    }

    @Nullable public Reason reason() {
        return reason;
    }

    /** True if the handler's thread was interrupted. In a batch that may be later than the reason. */
    boolean isInterrupted() {
        return batch == null ? reason != null : batch.isInterrupted();
    }

    /** Returns the time of the interrupt by the monotonic clock. */
    long interruptedNanos() {
        return batch == null ? interruptedNanos : batch.interruptedNanos();
    }

    long startNanos() {
        return startNanos;
    }

    long deadlineNanos() {
        return deadlineNanos;
    }

    Duration timeout() {
        return timeout == null ? Duration.ZERO : timeout;
    }

    /** Returns the time when the handler was called; null if it never was. */
    @Nullable Long startedAtMillis() {
        return handlerCalled ? Long.valueOf(startedAtMillis) : null;
    }

    /** Returns the time when the slot took the attempt, even if the handler was not called. */
    long begunAtMillis() {
        return startedAtMillis;
    }

    /** Returns the reports of this attempt, created at the first call. */
    UnsentReports reports() {
        UnsentReports made = reports.get();
        if (made == null) {
            UnsentReports fresh = reporter.reports(this);
            UnsentReports other = reports.compareAndExchange(null, fresh);
            made = other == null ? fresh : other;
        }
        return made;
    }

    @Nullable UnsentReports reportsIfAny() {
        return reports.get();
    }

    /** Returns the durable steps, created at the first call. */
    AttemptSteps steps() {
        AttemptSteps made = steps.get();
        if (made == null) {
            AttemptSteps fresh = new AttemptSteps(this, context);
            AttemptSteps other = steps.compareAndExchange(null, fresh);
            made = other == null ? fresh : other;
        }
        return made;
    }

    /** Returns the pause by which a step ends the attempt; null if none does. */
    AttemptSteps.@Nullable Pause pause() {
        AttemptSteps made = steps.get();
        return made == null ? null : made.pause();
    }

    /**
     * Throws the exception of a pause again if a handler has caught it, so that the handler cannot end its job in
     * another way.
     */
    void requireNoPause() {
        AttemptSteps.Pause asked = pause();
        if (asked != null) {
            throw asked.thrown();
        }
    }

    /**
     * Returns an exception with the stack of the handler's thread if the handler has called {@code System.exit}; null
     * if not.
     */
    @Nullable Throwable exiting() {
        Thread handler = thread;
        if (handler == null || !isRunning()) {
            return null;
        }
        StackTraceElement[] stack = handler.getStackTrace();
        for (StackTraceElement frame : stack) {
            if (frame.getClassName().equals("java.lang.Runtime")
                    && frame.getMethodName().equals("exit")) {
                Throwable exit = new IllegalStateException("the handler called System.exit");
                exit.setStackTrace(stack);
                return exit;
            }
        }
        return null;
    }

    @Nullable Thread thread() {
        return thread;
    }

    @Nullable String output() {
        return output;
    }

    @Nullable Next next() {
        return next;
    }

    /** Records that the attempt was ended inside a transaction that is not committed yet. */
    void endedInTransaction(Settle settlement) {
        inTransaction = settlement;
    }

    @Nullable public Settle inTransaction() {
        return inTransaction;
    }

    /** True if the handler registered actions for the time after its commit. */
    boolean hasActions() {
        return !afterCommit.isEmpty();
    }

    /** Runs the actions that the handler registered for the time after its commit. */
    void completed() {
        for (Runnable action : afterCommit) {
            context.callbacks()
                    .run(() -> LogContext.about(this, () -> {
                        try {
                            action.run();
                        } catch (RuntimeException | Error e) {
                            log.warn(
                                    "An after-commit action of {} has failed and is not retried; the job is completed",
                                    this,
                                    e);
                        }
                    }));
        }
    }

    // ---- the context of the handler ---------------------------------------------------------------------------------

    @Override
    public long id() {
        return job.id();
    }

    @Override
    public String type() {
        return job.type();
    }

    @Override
    public String queue() {
        return job.queue();
    }

    @Override
    public @Nullable String name() {
        return job.name();
    }

    @Override
    public int attempt() {
        return job.attempt();
    }

    @Override
    public int maxAttempts() {
        return job.maxAttempts();
    }

    @Override
    public String worker() {
        return slotName;
    }

    @Override
    public Instant deadline() {
        return Instant.ofEpochMilli(startedAtMillis).plus(timeout());
    }

    @Override
    public boolean shouldStop() {
        if (reason != null || cancelRequested) {
            return true;
        }
        long now = context.time().nanoTime();
        // The watch loop may be a moment late. Whatever the handler throws from now on is because of the deadline.
        boolean unused = Maintenance.interruptIfLate(this, now);
        return reason != null || now - deadlineNanos >= 0;
    }

    @Override
    public boolean isCancelRequested() {
        return cancelRequested;
    }

    @Override
    public @Nullable String traceparent() {
        return job.traceparent();
    }

    @Override
    public Metadata metadata() {
        return context.store().metadata(job.id());
    }

    @Override
    public void mergeMetadata(Metadata patch) {
        Change change = Change.byId(Change.Verb.MERGE_METADATA, List.of(job.id()), reporter.worker())
                .metadata(Objects.requireNonNull(patch, "patch"))
                .holder(leaseToken)
                .build();
        // An interrupt does not end this wait, because then the caller would not know if the change was written.
        ChangeResult unused = Answers.getCalmly(context.store(), change);
    }

    @Override
    public List<ParentOutcome> parents() {
        return ParentResults.loaded(context.store().parents(job.id()), context.payloads());
    }

    @Override
    public <O> O parentResult(int index, JobType<?, O> type) {
        return ParentResults.at(context.store().parents(job.id()), index, type, context.payloads());
    }

    @Override
    public <O> O parentResult(JobType<?, O> type) {
        return ParentResults.only(context.store().parents(job.id()), type, context.payloads());
    }

    @Override
    public <O> List<O> parentResults(JobType<?, O> type) {
        return ParentResults.all(context.store().parents(job.id()), type, context.payloads());
    }

    @Override
    public <O> O result(ParentOutcome parent, JobType<?, O> type) {
        return ParentResults.decode(parent, type, context.payloads());
    }

    // The codec decodes to this class. A cast by the class itself would refuse primitives.
    @SuppressWarnings("unchecked")
    @Override
    public <T> T decode(Json json, Class<T> type) {
        T value;
        try {
            value = (T) context.payloads().decode(json.text(), type);
        } catch (WindrowException e) {
            throw e;
        } catch (RuntimeException e) {
            throw new InvalidRequestException("JSON does not fit %s: %s".formatted(type.getTypeName(), e), e);
        }
        if (value == null) {
            throw new InvalidRequestException("JSON null does not fit " + type.getTypeName());
        }
        return value;
    }

    @Override
    public void progress(double fraction) {
        progress(checked(fraction), false, null);
    }

    @Override
    public void progress(String message) {
        progress(null, true, Objects.requireNonNull(message, "message"));
    }

    @Override
    public void progress(double fraction, String message) {
        progress(checked(fraction), true, Objects.requireNonNull(message, "message"));
    }

    private static double checked(double fraction) {
        // This refuses NaN as well.
        if (!(fraction >= 0 && fraction <= 1)) {
            throw new InvalidRequestException("progress %s is not allowed: 0 to 1".formatted(fraction));
        }
        return fraction;
    }

    private void progress(@Nullable Double fraction, boolean withMessage, @Nullable String message) {
        if (isEnded()) {
            return;
        }
        UnsentReports to = reports();
        String line = message == null || message.isEmpty() ? null : Texts.line(message);
        if (to.progress(context.time().now().toEpochMilli(), fraction, withMessage, line)) {
            reporter.waits(to);
        }
    }

    @Override
    public void log(LogLevel level, String message) {
        Objects.requireNonNull(level, "level");
        String line = Texts.line(message);
        if (isEnded()) {
            return;
        }
        UnsentReports to = reports();
        if (to.log(context.time().now().toEpochMilli(), level, line)) {
            reporter.waits(to);
        }
    }

    @Override
    public void continueWith(JobRequest<?, ?> job) {
        if (next != null) {
            throw new InvalidRequestException(
                    "job %d has one continuation: continueWith was already called".formatted(id()));
        }
        Verbs.checkNext(registration.type(), job);
        next = new Next(Traces.with(job, runTraceparent()), Verbs.encode(context.payloads(), job));
    }

    @Override
    public JobTransaction on(Connection connection) {
        return Objects.requireNonNull(transactions, "the handler runs").on(this, connection);
    }

    @Override
    public <T extends @Nullable Object, E extends Exception> T completeInTransaction(TransactionWork<T, E> work)
            throws E {
        Objects.requireNonNull(work, "work");
        requireNoPause();
        // This comes before the transaction. On SQLite the report would wait for the transaction, and would be refused
        // after the end of the attempt.
        reporter.sendRest(this);
        return context.store().inTransaction(connection -> {
            T result = work.run(connection);
            on(connection).complete(result);
            return result;
        });
    }

    @Override
    public <T extends @Nullable Object, E extends Exception> T step(
            String name, Class<T> type, StepWork<? extends T, E> work) throws E {
        return steps().step(name, type, Objects.requireNonNull(work, "work"));
    }

    // The type says that its result is null, and the analysis does not look that far.
    @SuppressWarnings("NullAway")
    @Override
    public <E extends Exception> void stepVoid(String name, VoidStepWork<E> work) throws E {
        Objects.requireNonNull(work, "work");
        StepWork<@Nullable Void, E> answering = () -> {
            work.run();
            return null;
        };
        Void unused = steps().step(name, Void.class, answering);
    }

    @Override
    public <T extends @Nullable Object, E extends Exception> T stepInTransaction(
            String name, Class<T> type, TransactionWork<? extends T, E> work) throws E {
        return steps().stepInTransaction(name, type, Objects.requireNonNull(work, "work"));
    }

    @Override
    public void sleep(String name, Duration duration) {
        requireNoBatch();
        steps().sleep(name, duration);
    }

    @Override
    public <T> Optional<T> awaitEvent(String name, Class<T> type, Duration timeout) {
        requireNoBatch();
        return steps().awaitEvent(name, type, timeout);
    }

    @Override
    public boolean awaitEvent(String name, Duration timeout) {
        requireNoBatch();
        return steps().awaitEvent(name, timeout);
    }

    /** Refuses a pause, which ends the attempt by an exception: in a batch that would end all other attempts. */
    private void requireNoBatch() {
        if (batch != null) {
            throw new InvalidRequestException(
                    "%s is in a batch, and cannot sleep or await an event there: give it a handler of its own"
                            .formatted(this));
        }
    }

    @Override
    public String idempotencyKey(String stepName) {
        return "windrow-%d-%s".formatted(job.id(), AttemptSteps.checkName(stepName));
    }

    @Override
    public void afterCommit(Runnable action) {
        afterCommit.add(Objects.requireNonNull(action, "action"));
    }

    @Override
    public void output(String text) {
        output = Texts.output(text);
    }

    @Override
    public String toString() {
        return "job %d (%s, attempt %d)".formatted(job.id(), job.type(), job.attempt());
    }
}
