package dev.windrow.store;

import dev.windrow.JobStory.StepKind;
import org.jspecify.annotations.Nullable;

/**
 * A step that a running attempt wants written, guarded by its hold.
 *
 * @param hold the job and token
 * @param name the step's name within its job
 * @param kind what it is
 * @param result for {@code STEP}: JSON text, or null
 * @param waitMillis for {@code SLEEP} and {@code EVENT}: how long it lasts at most, from now by the store's clock; else null
 * @param startedAtMillis when it was begun
 */
public record StepWrite(
        Hold hold,
        String name,
        StepKind kind,
        @Nullable String result,
        @Nullable Long waitMillis,
        long startedAtMillis) {
    /** The most steps of a job, signals included. */
    public static final int MAX_STEPS = 10_000;

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
}
