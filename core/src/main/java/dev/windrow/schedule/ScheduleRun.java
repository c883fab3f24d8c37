package dev.windrow.schedule;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The outcome of a due time of a schedule, or of several consecutive due times without a job. */
public interface ScheduleRun {
    /** The due time; the first one of several. */
    Instant due();

    /** The last one of several due times. It is the same as {@link #due()} for a single one. */
    Instant until();

    /** The number of due times, 1 for a single one; null if they are too many to count. */
    @Nullable Long runs();

    /** The time of the decision, by the store's clock. */
    Instant at();

    /** The outcome. */
    Outcome outcome();

    /** The id of the enqueued job; null if none was enqueued. */
    @Nullable Long job();

    /** The outcomes of a due time. */
    enum Outcome {
        /** A job was enqueued. */
        ENQUEUED,
        /** The previous job had not ended: {@link Overlap#SKIP}. */
        SKIPPED_OVERLAP,
        /** The due time was missed, because no process decided it in time: {@link Misfire}. */
        MISSED
    }
}
