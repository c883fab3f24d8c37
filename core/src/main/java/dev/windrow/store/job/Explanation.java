package dev.windrow.store.job;

import dev.windrow.JobState;

/**
 * The state of a job, and which worker is missing for it to run.
 *
 * @param queue its queue
 * @param type its type
 * @param state its state
 * @param served true if a live worker serves its queue
 * @param handled true if a live worker handles its type: one that serves its queue, or any if none serves the queue
 */
public record Explanation(String queue, String type, JobState state, boolean served, boolean handled) {
    /** Returns a sentence, such as {@code PENDING in queue 'images', and no live worker serves queue 'images'}. */
    public String text() {
        String text = "%s in queue '%s'".formatted(state, queue);
        // In other states the job first waits for something else.
        if ((state != JobState.PENDING && state != JobState.SCHEDULED) || (served && handled)) {
            return text;
        }
        if (served) {
            return text + ", and no live worker of this queue handles type '%s'".formatted(type);
        }
        return text
                + ", and no live worker serves queue '%s'".formatted(queue)
                + (handled ? "" : " or handles type '%s'".formatted(type));
    }
}
