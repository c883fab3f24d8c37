package dev.windrow.limit;

import dev.windrow.JobState;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A concurrency key at the moment of the read: its pause and limits, and the jobs that have or await its permits.
 *
 * @param limits the pause and the limits of an operator; {@link Limits#target} is the key
 * @param permits the maximum number of permits at once: the smaller one of the operator's limit and the limit of the first waiting job, or without a
 *     waiting job of the first holder; null: no limit
 * @param waiting the number of jobs that wait for a permit; {@link #MAX_COUNTED} means as many or more
 * @param held the number of jobs with a permit; {@link #MAX_COUNTED} means as many or more
 * @param holders the first {@link #MAX_HOLDERS} jobs with a permit
 */
public record KeyInfo(Limits limits, @Nullable Integer permits, int waiting, int held, List<Holder> holders) {
    /** The number up to which the jobs of a key are counted: {@value}. */
    public static final int MAX_COUNTED = 1000;

    /** The maximum number of named holders of a key: {@value}. */
    public static final int MAX_HOLDERS = 5;

    /** Copies the list. */
    public KeyInfo {
        holders = List.copyOf(holders);
    }

    /**
     * A job with a permit.
     *
     * @param id the job
     * @param state its state: {@code RUNNING}, {@code PENDING} if no worker has claimed it yet, or another one if its sequence keeps the permit
     * @param startedAt the last start of its handler; null if it has not started
     */
    public record Holder(long id, JobState state, @Nullable Instant startedAt) {}

    /** Returns the text of the key. */
    public String key() {
        return limits.target().name();
    }
}
