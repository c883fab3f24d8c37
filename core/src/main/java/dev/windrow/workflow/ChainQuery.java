package dev.windrow.workflow;

import com.google.errorprone.annotations.CheckReturnValue;
import dev.windrow.InvalidRequestException;
import dev.windrow.Windrow;

/**
 * A listing of the chains that match a filter, newest first by the ids of their first jobs. Made by {@link Windrow#chains}. Immutable.
 *
 * <p>Chains that are begun or deleted between two pages neither repeat nor hide other chains. Each page reads one snapshot and blocks no writer. The
 * filter is checked chain by chain, for at most 20 000 chains a page.
 */
@CheckReturnValue
public interface ChainQuery {
    /**
     * Returns the query with this maximum number of chains of a page: 1 to 1000, default 50.
     *
     * @throws InvalidRequestException if the number is out of range
     */
    ChainQuery limit(int limit);

    /**
     * Returns the query for the page after this position.
     *
     * @param position {@link ChainPage#next} of another page
     */
    ChainQuery after(long position);

    /** Reads the page. */
    ChainPage page();
}
