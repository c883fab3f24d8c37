package dev.windrow.engine.workflow;

import dev.windrow.query.JobQuery;
import dev.windrow.store.OpenStore;
import dev.windrow.validation.Bounds;
import dev.windrow.workflow.WorkflowFilter;
import dev.windrow.workflow.WorkflowPage;
import dev.windrow.workflow.WorkflowQuery;

/**
 * A listing of workflows.
 *
 * @param after the page has workflows with smaller ids
 */
public record WorkflowListing(OpenStore store, WorkflowFilter filter, long after, int limit) implements WorkflowQuery {
    @Override
    public WorkflowQuery limit(int workflows) {
        Bounds.range("limit", workflows, 1, JobQuery.MAX_LIMIT);
        return new WorkflowListing(store, filter, after, workflows);
    }

    @Override
    public WorkflowQuery after(long position) {
        return new WorkflowListing(store, filter, position, limit);
    }

    @Override
    public WorkflowPage page() {
        return store.workflows(filter, after, limit);
    }
}
