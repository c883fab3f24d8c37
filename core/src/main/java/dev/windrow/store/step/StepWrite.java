package dev.windrow.store.step;

import dev.windrow.JobHistory.StepKind;
import dev.windrow.store.Command;
import dev.windrow.store.Weight;
import dev.windrow.store.job.LeaseToken;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Writes a durable step of a running attempt, or reads a waiting one. Returns the step; empty when the holder has lost the job and nothing was
 * written. An existing step of that name stays, and is the result. A wait is over when its time has come by the store's clock. Then a sleep becomes
 * {@code DONE}, an event {@code TIMED_OUT}, and stays so.
 *
 * <p>Fails with {@link dev.windrow.InvalidRequestException} if a step of another kind has the name, or the job has {@link #MAX_STEPS} already.
 *
 * @param leaseToken the job and token
 * @param name the step's name within its job
 * @param kind its kind
 * @param result for {@code STEP}: JSON text, or null
 * @param waitMillis for {@code SLEEP} and {@code EVENT}: how long it lasts at most, from now by the store's clock; else null
 * @param startedAtMillis when it was begun
 */
public record StepWrite(
        LeaseToken leaseToken,
        String name,
        StepKind kind,
        @Nullable String result,
        @Nullable Long waitMillis,
        long startedAtMillis)
        implements Command<Optional<StepAnswer>> {
    /** The most steps of a job, signals included. */
    public static final int MAX_STEPS = 10_000;

    /**
     * Returns the write of a step that has done its work.
     *
     * @param result JSON text, or null
     */
    public static StepWrite work(LeaseToken leaseToken, String name, @Nullable String result, long startedAtMillis) {
        return new StepWrite(
                /* leaseToken= */ leaseToken,
                /* name= */ name,
                /* kind= */ StepKind.STEP,
                /* result= */ result,
                /* waitMillis= */ null,
                /* startedAtMillis= */ startedAtMillis);
    }

    /**
     * Returns the write of a step that waits, or the read of an existing one.
     *
     * @param kind {@code SLEEP} or {@code EVENT}
     * @param max the time that it lasts at most
     */
    public static StepWrite waits(
            LeaseToken leaseToken, String name, StepKind kind, Duration max, long startedAtMillis) {
        return new StepWrite(
                /* leaseToken= */ leaseToken,
                /* name= */ name,
                /* kind= */ kind,
                /* result= */ null,
                /* waitMillis= */ max.toMillis(),
                /* startedAtMillis= */ startedAtMillis);
    }

    /** Refuses a wait without an end, and a step with one. */
    public StepWrite {
        if ((waitMillis == null) != (kind == StepKind.STEP)) {
            throw new IllegalArgumentException(
                    "a maximum wait is required for a sleep or an event, and not allowed for a step: " + kind);
        }
        if (result != null && kind != StepKind.STEP) {
            throw new IllegalArgumentException("a result is not allowed for a step that waits: " + kind);
        }
    }

    /** Returns why a job gets no further step. */
    public static String tooMany(long job) {
        return "job %d has %d steps and signals already, which is the maximum".formatted(job, MAX_STEPS);
    }

    /** Returns why a step of this kind cannot have the name of a step of another kind. */
    public static String otherKind(long job, String name, StepKind wanted, StepKind found) {
        return "step '%s' of job %d is a %s, and cannot be a %s: names are unique within a job"
                .formatted(name, job, found, wanted);
    }

    @Override
    public Phase phase() {
        return Phase.STEP;
    }

    @Override
    public String what() {
        return "writing step '%s' of job %d".formatted(name, leaseToken.id());
    }

    @Override
    public int weight() {
        return 1 + Weight.of(result);
    }

    @Override
    public Long attemptOf() {
        return leaseToken.id();
    }
}
