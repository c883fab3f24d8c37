package dev.windrow.workflow;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of a listing of workflows. It may have fewer workflows than requested, even none, while there are more. The listing ends where
 * {@code next} is null.
 *
 * @param workflows the matching workflows, newest first
 * @param next the position of the page after this one; null at the end
 * @param looked the number of workflows that were compared with the filter
 */
public record WorkflowPage(
        List<WorkflowInfo> workflows, @Nullable Long next, long looked) {
    /** Copies the list. */
    public WorkflowPage {
        workflows = List.copyOf(workflows);
    }
}
