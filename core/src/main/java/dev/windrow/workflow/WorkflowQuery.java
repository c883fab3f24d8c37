package dev.windrow.workflow;

import com.google.errorprone.annotations.CheckReturnValue;
import dev.windrow.InvalidRequestException;
import dev.windrow.Windrow;

/**
 * A listing of the workflows that match a filter, newest first by their ids. Made by {@link Windrow#workflows}. Immutable.
 *
 * <p>Workflows that are submitted or deleted between two pages neither repeat nor hide other workflows. Each page reads one snapshot and blocks no
 * writer. The filter is checked workflow by workflow. A page ends after about 100 000 counted jobs or 5000 workflows.
 */
@CheckReturnValue
public interface WorkflowQuery {
    /**
     * Returns the query with this maximum number of workflows of a page: 1 to 1000, default 50.
     *
     * @throws InvalidRequestException if the number is out of range
     */
    WorkflowQuery limit(int limit);

    /**
     * Returns the query for the page after this position.
     *
     * @param position {@link WorkflowPage#next} of another page
     */
    WorkflowQuery after(long position);

    /** Reads the page. */
    WorkflowPage page();
}
