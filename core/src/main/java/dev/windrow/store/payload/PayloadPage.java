package dev.windrow.store.payload;

import dev.windrow.payload.Json;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The payloads of some jobs that match a filter, in the order of a listing.
 *
 * @param payloads one for each job
 * @param next the position after which the next page begins; null at the end
 * @param full true if it has the requested number of payloads, or as many as one call returns; false where the jobs end, or where a listing would end
 *     its page
 */
public record PayloadPage(List<Payload> payloads, @Nullable Long next, boolean full) {
    /** Copies the list. */
    public PayloadPage {
        payloads = List.copyOf(payloads);
    }

    /**
     * A payload as it is stored.
     *
     * @param job the job's id
     * @param json its text, or the {@link dev.windrow.payload.BlobRef} of one that is stored separately; null if the job has none
     */
    public record Payload(long job, @Nullable Json json) {}
}
