package dev.windrow.workflow;

import dev.windrow.Enqueued;
import dev.windrow.InvalidRequestException;
import dev.windrow.Jobs;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of {@link Jobs#submit}. The jobs are durable when a verb of {@code Windrow} returns it. If a verb on a connection returns it, they
 * commit with the caller's transaction. Immutable.
 *
 * @param id the workflow's id: positive, never the id of a job
 * @param workflow the submitted workflow
 * @param jobs the stored jobs, in the order in which their nodes were added
 */
public record SubmittedWorkflow(long id, Workflow workflow, List<Enqueued<?>> jobs) {
    /** Copies the list. */
    public SubmittedWorkflow {
        jobs = List.copyOf(jobs);
    }

    /**
     * Returns the stored job of a node. For a batch it is the callback.
     *
     * @throws InvalidRequestException if the node was not in this workflow when it was submitted
     */
    public <O extends @Nullable Object> Enqueued<O> job(Workflow.Node<O> node) {
        if (node.workflow() != workflow || node.place() >= jobs.size()) {
            throw new InvalidRequestException("%s is not a job of workflow %d".formatted(node, id));
        }
        Enqueued<?> job = jobs.get(node.place());
        return Enqueued.of(node.job().type(), job.id(), job.state(), job.deduplicated());
    }
}
