package dev.windrow.engine;

import dev.windrow.AwaitTimeoutException;
import dev.windrow.Durations;
import dev.windrow.JobNotFoundException;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.JobUnsuccessfulException;
import dev.windrow.Json;
import dev.windrow.ParentOutcome;
import dev.windrow.TimeSource;
import dev.windrow.WindrowException;
import dev.windrow.store.Store;
import java.lang.reflect.Type;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The verb await: the store's hints for jobs that end in this process, and a slow poll for all others. */
final class Awaiting {
    private static final long FIRST_POLL_NANOS = Duration.ofMillis(5).toNanos();
    private static final long LAST_POLL_NANOS = Duration.ofMillis(200).toNanos();
    /** Longer waits are as good as endless, and would overflow the clock. */
    private static final Duration MAX_WAIT = Duration.ofDays(3650);

    private final Store store;
    private final Waiters waiters;
    private final Payloads payloads;
    private final TimeSource time;

    Awaiting(Store store, Waiters waiters, Payloads payloads, TimeSource time) {
        this.store = store;
        this.waiters = waiters;
        this.payloads = payloads;
        this.time = time;
    }

    <O> @Nullable O await(JobRef<O> job, Duration timeout) {
        ParentOutcome outcome = ended(job.id(), timeout);
        if (outcome.state() != JobState.COMPLETED) {
            throw new JobUnsuccessfulException(job.id(), outcome.state(), outcome.errorCode(), null);
        }
        return decode(job, outcome.result());
    }

    // The reference was made by a job type, which ties its output to O.
    @SuppressWarnings("unchecked")
    private <O> @Nullable O decode(JobRef<O> job, @Nullable Json result) {
        Type type = job.output();
        try {
            return (O) payloads.decode(result == null ? null : result.text(), type);
        } catch (WindrowException e) {
            throw e;
        } catch (RuntimeException e) {
            throw new WindrowException(
                    "job %d completed, but its result does not fit %s: %s".formatted(job.id(), type.getTypeName(), e),
                    e);
        }
    }

    private ParentOutcome ended(long id, Duration timeout) {
        long start = time.nanoTime();
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
                    throw new AwaitTimeoutException("job %d is still %s after %s; it goes on"
                            .formatted(id, outcome.state(), Durations.text(Duration.ofMillis(waited / 1_000_000))));
                }
                waiter.await(start + Math.min(limit, waited + pause));
                pause = Math.min(LAST_POLL_NANOS, pause * 2);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new WindrowException("the wait for job %d was interrupted; the job goes on".formatted(id), e);
        }
    }
}
