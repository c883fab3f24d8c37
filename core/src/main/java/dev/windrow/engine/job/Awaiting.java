package dev.windrow.engine.job;

import dev.windrow.AttemptOutcome;
import dev.windrow.AwaitTimeoutException;
import dev.windrow.ChainRef;
import dev.windrow.Durations;
import dev.windrow.Explanation;
import dev.windrow.JobHistory;
import dev.windrow.JobNotFoundException;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.JobUnsuccessfulException;
import dev.windrow.TimeSource;
import dev.windrow.WindrowException;
import dev.windrow.engine.payload.Payloads;
import dev.windrow.engine.worker.Settings;
import dev.windrow.payload.Json;
import dev.windrow.store.OpenStore;
import dev.windrow.store.SafeLogger;
import dev.windrow.store.query.StoredHistory;
import dev.windrow.workflow.ParentOutcome;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** The verb await. It uses the store's hints for jobs that end in this process, and a slow poll for all other jobs. */
public final class Awaiting {
    private static final long FIRST_POLL_NANOS = Duration.ofMillis(5).toNanos();
    private static final long LAST_POLL_NANOS = Duration.ofMillis(200).toNanos();
    /** The longest wait. A longer one has the same effect as an endless one, and would overflow the clock. */
    private static final Duration MAX_WAIT = Duration.ofDays(3650);

    private static final Logger log = SafeLogger.of(Awaiting.class);

    private final OpenStore store;
    private final Waiters waiters;
    private final Payloads payloads;
    private final TimeSource time;

    public Awaiting(OpenStore store, Waiters waiters, Payloads payloads, TimeSource time) {
        this.store = store;
        this.waiters = waiters;
        this.payloads = payloads;
        this.time = time;
    }

    // The reference was made by a job type, which ties its output to O. The result is null only if the type has no
    // result.
    @SuppressWarnings({"unchecked", "NullAway"})
    public <O extends @Nullable Object> O await(JobRef<O> job, Duration timeout) {
        Settings.notNegative("timeout", timeout);
        ParentOutcome outcome = ended(job.id(), time.nanoTime(), timeout);
        return (O) result(job.id(), job.output(), outcome);
    }

    /**
     * Waits for the end of a chain. A job's continuation is written in the transaction that completes the job.
     * Therefore the last job of an ended chain remains the last one.
     */
    @SuppressWarnings({"unchecked", "NullAway"}) // as in await
    public <O extends @Nullable Object> O awaitChain(ChainRef<O> chain, Duration timeout) {
        Settings.notNegative("timeout", timeout);
        long start = time.nanoTime();
        while (true) {
            long id = last(chain);
            ParentOutcome outcome = ended(id, start, timeout);
            if (outcome.state() != JobState.COMPLETED || last(chain) == id) {
                JobType<?, ?> last = chain.last();
                if (outcome.state() == JobState.COMPLETED && last != null && !last.isNamed(outcome.type())) {
                    throw new WindrowException(
                            "chain %s ended with job %d of type '%s': it is declared to end with '%s'"
                                    .formatted(chain, id, outcome.type(), last.name()));
                }
                return (O) result(id, chain.output(), outcome);
            }
        }
    }

    private long last(ChainRef<?> chain) {
        return store.chainInfo(chain.id())
                .orElseThrow(() -> new JobNotFoundException("chain of job", chain.id()))
                .lastJob();
    }

    private @Nullable Object result(long id, Type output, ParentOutcome outcome) {
        if (outcome.state() != JobState.COMPLETED) {
            throw unsuccessful(id, outcome);
        }
        return decode(id, output, outcome.result());
    }

    /** Reads the detail and the stack trace, which are not needed for parents and awaited jobs that complete. */
    private JobUnsuccessfulException unsuccessful(long id, ParentOutcome outcome) {
        Optional<StoredHistory> history = Optional.empty();
        try {
            // If the job was retried after its outcome was read, its history is about the new attempts.
            history = store.history(id).filter(found -> found.job().state() == outcome.state());
        } catch (WindrowException e) {
            // The caller must get the known outcome even without the reason.
            log.warn("The reason why job {} is {} could not be read: {}", id, outcome.state(), e.getMessage());
        }
        JobHistory.Attempt last = history.map(Awaiting::last).orElse(null);
        boolean cancelled = outcome.state() == JobState.CANCELLED;
        return new JobUnsuccessfulException(
                id,
                outcome.state(),
                outcome.errorCode(),
                // A handler that cancels its job records the reason in its attempt. An earlier attempt has no
                // information about the end.
                cancelled && last != null && last.outcome() == AttemptOutcome.CANCELLED
                        ? last.errorDetail()
                        : history.map(found -> found.job().errorDetail()).orElse(null),
                last == null ? null : last.stackTrace());
    }

    private static JobHistory.@Nullable Attempt last(JobHistory history) {
        List<JobHistory.Attempt> attempts = history.attempts();
        return attempts.isEmpty() ? null : attempts.get(attempts.size() - 1);
    }

    private @Nullable Object decode(long id, Type type, @Nullable Json result) {
        if (result == null && type != Void.class && type != Json.class) {
            throw new WindrowException(
                    "job %d completed without a result: its type has results of %s".formatted(id, type.getTypeName()));
        }
        try {
            return payloads.decode(result == null ? null : result.text(), type);
        } catch (WindrowException e) {
            throw e;
        } catch (RuntimeException e) {
            throw new WindrowException(
                    "job %d completed, but its result does not fit %s: %s".formatted(id, type.getTypeName(), e), e);
        }
    }

    /**
     * Throws with the reason why the job has not ended. Returns the outcome if the job ends while the reason is read.
     */
    private ParentOutcome atTimeout(long id, JobState seen, Duration waited) {
        String state = seen.name();
        try {
            state = store.explain(id).map(Explanation::text).orElse(state);
            ParentOutcome outcome = store.outcome(id).orElseThrow(() -> new JobNotFoundException("job", id));
            if (outcome.state().isFinished()) {
                return outcome;
            }
        } catch (JobNotFoundException e) {
            throw e;
        } catch (WindrowException e) {
            log.debug("The reason why job {} waits could not be read", id, e);
        }
        throw new AwaitTimeoutException("job %d has not ended after %s: it is %s; the job is unchanged"
                .formatted(id, Durations.text(waited), state));
    }

    private ParentOutcome ended(long id, long start, Duration timeout) {
        long limit = timeout.compareTo(MAX_WAIT) > 0 ? MAX_WAIT.toNanos() : Math.max(0, timeout.toNanos());
        long pause = FIRST_POLL_NANOS;
        try (Waiters.Waiter waiter = waiters.register(id, time)) {
            while (true) {
                ParentOutcome outcome = store.outcome(id).orElseThrow(() -> new JobNotFoundException("job", id));
                if (outcome.state().isFinished()) {
                    return outcome;
                }
                long waited = time.nanoTime() - start;
                if (waited >= limit) {
                    return atTimeout(id, outcome.state(), Duration.ofMillis(waited / 1_000_000));
                }
                waiter.await(start + Math.min(limit, waited + pause));
                pause = Math.min(LAST_POLL_NANOS, pause * 2);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new WindrowException("the wait for job %d was interrupted; the job continues".formatted(id), e);
        }
    }
}
