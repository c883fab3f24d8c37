package dev.windrow.store.job;

import dev.windrow.JobState;
import org.jspecify.annotations.Nullable;

/**
 * The state of a job, and which worker is missing for it to run.
 *
 * @param queue its queue
 * @param type its type
 * @param state its state
 * @param served true if a live worker serves its queue
 * @param handled true if a live worker handles its type: one that serves its queue, or any if none serves the queue
 * @param similar a type that a live worker handles and whose name differs only by case, or null
 * @param priority its priority
 * @param minimum the lowest priority that the live workers of its queue and type take; null if none handles it
 */
public record Explanation(
        String queue,
        String type,
        JobState state,
        boolean served,
        boolean handled,
        @Nullable String similar,
        int priority,
        @Nullable Integer minimum) {
    /** Returns a sentence, such as {@code PENDING in queue 'images', and no live worker serves queue 'images'}. */
    public String text() {
        String text = "%s in queue '%s'".formatted(state, queue);
        // In other states the job first waits for something else.
        if (state != JobState.PENDING && state != JobState.SCHEDULED) {
            return text;
        }
        if (served && handled) {
            return minimum == null || priority >= minimum
                    ? text
                    : text + ", and no live worker takes priority %d: minimum %d".formatted(priority, minimum);
        }
        String missing = handled
                ? ""
                : "handles type '%s'%s"
                        .formatted(type, similar == null ? "" : " (a live worker handles '%s')".formatted(similar));
        if (served) {
            return text + ", and no live worker of this queue " + missing;
        }
        return text + ", and no live worker serves queue '%s'".formatted(queue) + (handled ? "" : " or " + missing);
    }
}
