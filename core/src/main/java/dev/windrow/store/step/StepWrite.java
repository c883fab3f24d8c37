package dev.windrow.store.step;

import dev.windrow.JobHistory.StepKind;
import dev.windrow.store.Command;
import dev.windrow.store.Weight;
import dev.windrow.store.job.LeaseToken;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Writes a durable step of a running attempt, or looks at one that waits; answers the step, empty when the holder has lost the job and nothing
 * was written. A step of that name that exists already stays, and is the answer. A wait is over when its time has come by the store's clock: a
 * sleep is {@code DONE} then, an event {@code TIMED_OUT}, and stays so.
 *
 * <p>Fails with {@link dev.windrow.InvalidRequestException} if the name is that of a step of another kind, or the job has {@link #MAX_STEPS}
 * already.
 *
 * @param leaseToken the job and token
 * @param name the step's name within its job
 * @param kind what it is
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
     * The write of a step that has done something.
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
     * The write of a step that waits, or a look at it.
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

    /** Refuses a wait without an end, and work with one. */
    public StepWrite {
        if ((waitMillis == null) != (kind == StepKind.STEP)) {
            throw new IllegalArgumentException("a step that waits says for how long, and no other one: " + kind);
        }
        if (result != null && kind != StepKind.STEP) {
            throw new IllegalArgumentException("a step that waits has no result yet: " + kind);
        }
    }

    /** Why a job gets no further step. */
    public static String tooMany(long job) {
        return "job %d has %d steps and signals, which is the most that a job may have".formatted(job, MAX_STEPS);
    }

    /** Why a step of this kind cannot have the name of one of another kind. */
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
