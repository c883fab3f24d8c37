package dev.windrow.store.job;

import dev.windrow.JobState;

/**
 * What a job is doing, and which worker is missing for it to run.
 *
 * @param queue its queue
 * @param type its type
 * @param state its state
 * @param served whether a live worker serves its queue
 * @param handled whether a live worker handles its type: one that serves its queue, or any if none does
 */
public record Explanation(String queue, String type, JobState state, boolean served, boolean handled) {
    /** For people, such as {@code PENDING in queue 'images', and no live worker serves queue 'images'}. */
    public String text() {
        String text = "%s in queue '%s'".formatted(state, queue);
        // Other states wait for something else first.
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
