package dev.windrow.workflow;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of a listing of chains. It may have fewer chains than requested, even none, while there are more. The listing ends where {@code next} is null.
 *
 * @param chains the matching chains, newest first
 * @param next the position of the page after this one; null at the end
 * @param looked the number of chains that were compared with the filter
 * @param skipped the number of chains that are being deleted: their first job does not exist any more
 */
public record ChainPage(List<ChainInfo> chains, @Nullable Long next, long looked, long skipped) {
    /** Copies the list. */
    public ChainPage {
        chains = List.copyOf(chains);
    }
}
