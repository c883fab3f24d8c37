package dev.windrow.engine.worker;

import dev.windrow.ErrorCodes;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobTransaction;
import dev.windrow.Middleware;
import dev.windrow.StoreUnavailableException;
import dev.windrow.TimeSource;
import dev.windrow.TransitionRefusedException;
import dev.windrow.engine.Answers;
import dev.windrow.engine.EngineContext;
import dev.windrow.engine.Loop;
import dev.windrow.engine.job.CallersTransaction;
import dev.windrow.engine.job.Reads;
import dev.windrow.engine.job.Verbs;
import dev.windrow.engine.monitor.Listeners;
import dev.windrow.engine.monitor.LogContext;
import dev.windrow.engine.monitor.Traces;
import dev.windrow.engine.payload.BlobStreams;
import dev.windrow.engine.payload.Encoded;
import dev.windrow.engine.payload.Payloads;
import dev.windrow.engine.step.AttemptSteps;
import dev.windrow.monitor.WindrowEvent;
import dev.windrow.payload.ContentLostException;
import dev.windrow.store.Author;
import dev.windrow.store.LogThrottle;
import dev.windrow.store.OpenStore;
import dev.windrow.store.SafeLogger;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.Settle;
import dev.windrow.store.job.Started;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Runs one attempt on the thread of its slot, or on that of the caller of a {@link ManualWorker}: decodes, calls the handler through the middleware, encodes, judges and
 * settles.
 */
final class Execution implements Attempt.Transactions {
    private static final Logger log = SafeLogger.of(Execution.class);

    /** The number of attempts to write a long result, over some minutes, before its job is left to run again. */
    private static final int RESULT_TRIES = 20;

    private final Settings settings;
    private final List<Middleware> middleware;
    private final OpenStore store;
    private final TimeSource time;
    private final RandomGenerator random;
    private final Payloads payloads;
    private final BlobStreams.Target blobs;
    private final Listeners listeners;
    private final HeldClaims claims;
    private final RunTimes runTimes;
    private final Settler settler;
    private final Hooks hooks;
    private final Traces traces;
    private final LogThrottle unwritten;
    private final LogThrottle unrecorded;

    /** The callbacks to the other parts of the worker. */
    interface Hooks {
        /** Requests a check of the running attempts by this time of the monotonic clock, for example a deadline. */
        void wakeBy(long nanos);

        /** Notifies that an attempt has ended and its slot is free. */
        void roomFreed(Attempt attempt);

        /** Notifies that the start of an attempt is about to be recorded. */
        default void starting(Attempt attempt, CompletableFuture<Void> recorded) {}
    }

    Execution(
            Settings settings,
            EngineContext context,
            HeldClaims claims,
            RunTimes runTimes,
            Settler settler,
            Hooks hooks) {
        this.settings = settings;
        this.middleware = settings.middleware();
        this.store = context.store();
        this.time = context.time();
        this.random = context.random();
        this.payloads = context.payloads();
        this.blobs = payloads.ownTransactions();
        this.listeners = context.listeners();
        this.traces = context.traces();
        this.unwritten = new LogThrottle(time);
        this.unrecorded = new LogThrottle(time);
        this.claims = claims;
        this.runTimes = runTimes;
        this.settler = settler;
        this.hooks = hooks;
    }

    /** Runs attempts to their ends, on this thread. Exceptions and errors of the handler are caught. */
    void run(Call call, String slot) {
        if (call instanceof BatchCall batch) {
            new BatchRun(this, batch).run(slot);
        } else if (call instanceof Attempt attempt) {
            run(attempt, slot);
        }
    }

    Hooks hooks() {
        return hooks;
    }

    Traces traces() {
        return traces;
    }

    HeldClaims claims() {
        return claims;
    }

    private void run(Attempt attempt, String slot) {
        if (!attempt.begin(slot, limit(attempt), this)) {
            return;
        }
        hooks.wakeBy(attempt.deadlineNanos());
        boolean unused = attempt.readLoggedMetadata();
        Traces.Run run = traces.running(attempt);
        attempt.traced(run);
        Work work = new Work(attempt);
        Map<String, String> before = LogContext.enter(attempt);
        try {
            work.run();
        } finally {
            boolean ours = attempt.end();
            // A late interrupt belongs to this job. It is cleared before the next job begins on this thread.
            Thread.interrupted();
            try {
                if (ours) {
                    ended(attempt, work, run);
                }
            } finally {
                run.ended(null, null, work.failure);
                LogContext.leave(before);
            }
        }
    }

    /** Returns the time limit of an attempt. */
    Duration limit(Attempt attempt) {
        Long millis = attempt.job().timeoutMillis();
        if (millis != null) {
            return Duration.ofMillis(millis);
        }
        Duration ofType = attempt.registration().type().timeout();
        return ofType == null
                ? settings.queueTimeouts().getOrDefault(attempt.job().queue(), settings.defaultTimeout())
                : ofType;
    }

    /** The work between the start of an attempt and its end, with its result or failure. */
    final class Work {
        private final Attempt attempt;
        private boolean undecodable;

        @Nullable Object input;

        @Nullable Throwable failure;

        @Nullable Object result;

        Work(Attempt attempt) {
            this.attempt = attempt;
        }

        void run() {
            try {
                if (prepare()) {
                    Registration.OfOne<?, ?> registration = (Registration.OfOne<?, ?>) attempt.registration();
                    result = around(
                            (middleware, rest) -> middleware.around(attempt, rest),
                            () -> registration.call(input, attempt));
                }
            } catch (Throwable e) {
                failure = e;
            }
        }

        /** Decodes the input and records the start; false if the handler is not to be called. */
        boolean prepare() {
            try {
                input = payloads.decode(
                        attempt.job().payload(), attempt.registration().type().input());
            } catch (ContentLostException | StoreUnavailableException e) {
                failure = e;
                return false;
            } catch (Throwable e) {
                failure = e;
                undecodable = true;
                return false;
            }
            if (attempt.reason() == Attempt.Reason.CANCEL) {
                failure = new InterruptedException("cancelled before the handler was called");
                return false;
            }
            attempt.handlerCalled();
            recordStart(attempt);
            listeners.tell(() -> startedEvent(attempt));
            return true;
        }
    }

    /** Calls a handler through the middleware. */
    @Nullable Object around(Wrapper wrapper, Middleware.Call handler) throws Exception {
        return middleware.isEmpty() ? handler.call() : new Chain(middleware, 0, wrapper, handler).call();
    }

    /** The way in which a middleware wraps a call. */
    interface Wrapper {
        @Nullable Object around(Middleware middleware, Middleware.Call rest) throws Exception;
    }

    private static WindrowEvent startedEvent(Attempt attempt) {
        ClaimedJob job = attempt.job();
        long waited = Math.max(0, attempt.begunAtMillis() - job.scheduledAtMillis());
        return new WindrowEvent.AttemptStarted(
                job.id(), job.type(), job.queue(), job.attempt(), Duration.ofMillis(waited));
    }

    /** The rest of the middleware chain, from an index on. */
    private static final class Chain implements Middleware.Call {
        private final List<Middleware> middleware;
        private final int index;
        private final Wrapper wrapper;
        private final Middleware.Call handler;
        private boolean called;

        Chain(List<Middleware> middleware, int index, Wrapper wrapper, Middleware.Call handler) {
            this.middleware = middleware;
            this.index = index;
            this.wrapper = wrapper;
            this.handler = handler;
        }

        @Override
        public @Nullable Object call() throws Exception {
            if (called) {
                throw new IllegalStateException("a middleware called the rest of the chain twice");
            }
            called = true;
            return index == middleware.size()
                    ? handler.call()
                    : wrapper.around(middleware.get(index), new Chain(middleware, index + 1, wrapper, handler));
        }
    }

    /** Settles an attempt that has ended on this thread. */
    void ended(Attempt attempt, Work work, Traces.Run run) {
        long ranNanos = time.nanoTime() - attempt.startNanos();
        if (!attempt.isInBatch()) {
            runTimes.ended(ranNanos);
        }
        hooks.roomFreed(attempt);
        if (attempt.reason() == Attempt.Reason.LOST) {
            // The loss was found before the handler tried to end the job in a transaction, if it did. The store refused
            // that transaction, and the handler's end is of no use.
            claims.remove(attempt);
            return;
        }
        Ending ending;
        AttemptSteps.Pause pause = attempt.pause();
        try {
            if (attempt.reason() == Attempt.Reason.TIMEOUT) {
                ending = new Ending.TimedOut(attempt.timeout(), work.failure);
            } else if (work.failure != null && attempt.reason() == Attempt.Reason.CANCEL) {
                ending = new Ending.Cancelled(work.failure);
            } else if (pause != null) {
                ending = paused(attempt, pause, work.failure);
            } else if (work.undecodable && work.failure != null) {
                ending = new Ending.Undecodable(work.failure);
            } else if (work.failure != null) {
                // A stopping worker hands back jobs whose handlers fail, because it told them to stop. An end that a
                // handler requests by its exception is still valid.
                boolean handBack = attempt.reason() == Attempt.Reason.STOP && !Outcomes.isWish(work.failure);
                if (handBack) {
                    log.debug("{} is handed back; its handler ended with an exception", attempt, work.failure);
                }
                ending = handBack ? new Ending.HandedBack() : new Ending.Threw(work.failure);
            } else {
                ending = attempt.inTransaction() != null ? new Ending.NotCommitted() : returned(attempt, work.result);
            }
        } catch (StoreUnavailableException e) {
            log.error("The result of {} could not be written; its lease runs out, and it runs again", attempt, e);
            run.ended(null, ErrorCodes.NOT_STORED, e);
            throw e;
        } catch (Throwable e) {
            ending = new Ending.Unstorable(e);
        }
        long finished = time.now().toEpochMilli();
        Verdict verdict = Outcomes.verdict(ending, budget(attempt), finished, random);
        Settle said = attempt.inTransaction();
        if (said != null && work.failure == null) {
            // The settlement was committed, or the attempt fails because of it. Only the store will know.
            run.ended(said.outcome(), said.errorCode(), null);
        } else {
            run.ended(verdict.outcome(), verdict.reason().code(), work.failure);
        }
        Settle settlement = settlement(attempt, ending, verdict, finished);
        Throwable cause = ending instanceof Ending.Unstorable unstorable ? unstorable.failure() : work.failure;
        settler.settle(attempt, settlement, cause, ranNanos);
    }

    /**
     * Returns the ending of an attempt that a step has paused. The pause takes precedence over the handler's own end.
     * With that end, the job would do the rest of its work without the pause.
     */
    private static Ending paused(Attempt attempt, AttemptSteps.Pause pause, @Nullable Throwable failure) {
        if (failure != pause.thrown()) {
            log.warn(
                    "The handler of {} caught the exception by which {}; the attempt is paused anyway",
                    attempt,
                    pause.event() == null ? "it sleeps" : "it awaits event '" + pause.event() + "'",
                    failure);
        }
        return new Ending.Paused(pause.untilMillis(), pause.event());
    }

    private Ending returned(Attempt attempt, @Nullable Object result) {
        Encoded encoded = payloads.encode(result, attempt.registration().type().output(), "result");
        Attempt.Next next = attempt.next();
        return new Ending.Returned(
                place(attempt, encoded, "result"),
                next == null
                        ? null
                        : Verbs.row(next.job(), place(attempt, next.payload(), "payload"), settings.name()));
    }

    /** Writes a result or payload that is too long for its row, before the settlement that refers to it. */
    private @Nullable String place(Attempt attempt, Encoded result, String what) {
        for (int tries = 1; ; tries++) {
            try {
                String placed = payloads.place(result, blobs, what);
                unwritten.over(how -> log.info("Results and payloads can be written again: failed {}", how));
                return placed;
            } catch (StoreUnavailableException e) {
                // The work was done, so it is worth waiting for the store, as a settlement does.
                unwritten.tell(more -> log.warn(
                        "The {} of {} is not written yet, and the write is retried: {}{}",
                        what,
                        attempt,
                        e.getMessage(),
                        more));
                if (tries == RESULT_TRIES || !pause(Loop.pauseNanos(tries))) {
                    throw e;
                }
            }
        }
    }

    /** Waits for this time; returns false if the thread was interrupted. */
    private boolean pause(long nanos) {
        long until = time.nanoTime() + nanos;
        ReentrantLock lock = new ReentrantLock();
        Condition never = lock.newCondition();
        lock.lock();
        try {
            while (time.nanoTime() - until < 0) {
                time.awaitUntil(lock, never, until);
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Settles an attempt that the caller has ended. It was given up before its handler returned, or before its handler
     * was called.
     */
    void settleGivenUp(Attempt attempt, Ending ending, long ranNanos) {
        long finished = time.now().toEpochMilli();
        Verdict verdict = Outcomes.verdict(ending, budget(attempt), finished, random);
        Settle settlement = settlement(attempt, ending, verdict, finished);
        settler.settle(attempt, settlement, ending instanceof Ending.Exited exited ? exited.where() : null, ranNanos);
    }

    /** Records the start of an attempt without waiting, because the end of the attempt contains its start as well. */
    private void recordStart(Attempt attempt) {
        CompletableFuture<Void> recorded =
                store.submit(new Started(attempt.leaseToken(), settings.name(), attempt.begunAtMillis()));
        attempt.recordsStart(recorded);
        hooks.starting(attempt, recorded);
        Answers.then(recorded, (done, failure) -> {
            if (failure != null) {
                unrecorded.tell(more -> log.warn(
                        "The start of job {} is not recorded yet; its end will record it: {}{}",
                        attempt.leaseToken().id(),
                        failure.getMessage(),
                        more));
            }
        });
    }

    private Settle settlement(Attempt attempt, Ending ending, Verdict verdict, long finished) {
        Ending.Returned returned = ending instanceof Ending.Returned value ? value : null;
        return verdict.settlement(
                attempt.job(),
                settings.name(),
                new Verdict.Times(attempt.startedAtMillis(), finished),
                returned == null ? null : returned.result(),
                attempt.output(),
                returned == null ? null : returned.next(),
                attempt.runTraceparent());
    }

    @Override
    public JobTransaction on(Attempt attempt, Connection connection) {
        CallersTransaction transaction = new CallersTransaction(store, connection);
        return new EndInTransaction(
                new Verbs(transaction, new Reads(store, payloads), new Author(settings.name(), null), traces),
                attempt,
                payloads,
                transaction,
                ending -> {
                    attempt.requireNoPause();
                    if (attempt.isEnded()) {
                        throw new InvalidRequestException("%s has ended".formatted(attempt));
                    }
                    long finished = time.now().toEpochMilli();
                    Verdict verdict = Outcomes.verdict(ending, budget(attempt), finished, random);
                    Settle settlement = settlement(attempt, ending, verdict, finished);
                    // This comes before the call of the store. The store may commit the change and still fail to report
                    // it.
                    attempt.endedInTransaction(settlement);
                    settler.beforeEndInTransaction(attempt);
                    if (!store.apply(connection, settlement)) {
                        throw new TransitionRefusedException(
                                "%s is not held by this attempt any more: roll back".formatted(attempt));
                    }
                });
    }

    private static Outcomes.Budget budget(Attempt attempt) {
        ClaimedJob job = attempt.job();
        return new Outcomes.Budget(
                job.id(),
                job.used(),
                job.maxAttempts(),
                attempt.registration().type().retry(),
                job.retryPolicy());
    }
}
