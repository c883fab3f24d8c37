package dev.windrow.workflow;

import dev.windrow.Enqueued;
import dev.windrow.InvalidRequestException;
import dev.windrow.Jobs;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What {@link Jobs#submit} wrote. Durable when it is returned by a verb of {@code Windrow}; committed with the caller's transaction when
 * it is returned by a verb on a connection. Immutable.
 *
 * @param id the workflow's id: positive, never the id of a job
 * @param workflow what was submitted
 * @param jobs the stored jobs, in the order in which their nodes were added
 */
public record SubmittedWorkflow(long id, Workflow workflow, List<Enqueued<?>> jobs) {
    /** Copies the list. */
    public SubmittedWorkflow {
        jobs = List.copyOf(jobs);
    }

    /**
     * Returns the stored job of a node; of a batch, of its callback.
     *
     * @throws InvalidRequestException if it was not a node of this workflow when the workflow was submitted
     */
    public <O extends @Nullable Object> Enqueued<O> job(Workflow.Node<O> node) {
        if (node.workflow() != workflow || node.place() >= jobs.size()) {
            throw new InvalidRequestException("%s is not a job of workflow %d".formatted(node, id));
        }
        Enqueued<?> job = jobs.get(node.place());
        return Enqueued.of(node.job().type(), job.id(), job.state(), job.deduplicated());
    }
}
