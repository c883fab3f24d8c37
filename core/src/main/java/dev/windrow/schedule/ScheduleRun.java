package dev.windrow.schedule;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What became of a due time of a schedule; or of many due times in a row of which nothing came.
 *
 * @param due the due time, the first one of those in a row
 * @param until the last one of those in a row; of a single one that one
 * @param runs how many they are, 1 for a single one; null: too many to be counted
 * @param at the store's clock when this was decided
 * @param outcome what became of it
 * @param job the job that was made; null if none was
 */
public record ScheduleRun(
        Instant due,
        Instant until,
        @Nullable Long runs,
        Instant at,
        Outcome outcome,
        @Nullable Long job) {
    /** What becomes of a due time. */
    public enum Outcome {
        /** A job was made for it. */
        ENQUEUED,
        /** The job before had not ended: {@link Overlap#SKIP}. */
        SKIPPED_OVERLAP,
        /** It had passed before anybody could see to it: {@link Misfire}. */
        MISSED
    }
}
