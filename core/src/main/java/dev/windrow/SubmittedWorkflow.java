package dev.windrow;

import java.util.List;

/**
 * What {@link Jobs#submit} wrote. Durable when it is returned by a verb of {@code Windrow}; committed with the caller's transaction when
 * it is returned by a verb on a connection. Immutable.
 *
 * @param id the workflow's id: positive, never the id of a job
 * @param workflow what was submitted
 * @param jobs what became of each job, in the order in which they were added
 */
public record SubmittedWorkflow(long id, Workflow workflow, List<Enqueued<?>> jobs) {
    /** Copies the list. */
    public SubmittedWorkflow {
        jobs = List.copyOf(jobs);
    }

    /**
     * The stored job of a step: of a batch, its callback.
     *
     * @throws InvalidRequestException if it was not a step of this workflow when that was submitted
     */
    public <O> JobRef<O> ref(Workflow.Step<O> step) {
        return enqueued(step).ref();
    }

    /**
     * What became of a step.
     *
     * @throws InvalidRequestException if it was not a step of this workflow when that was submitted
     */
    public <O> Enqueued<O> enqueued(Workflow.Step<O> step) {
        if (step.workflow() != workflow || step.place() >= jobs.size()) {
            throw new InvalidRequestException("%s is not a job of workflow %d".formatted(step, id));
        }
        Enqueued<?> job = jobs.get(step.place());
        return new Enqueued<>(step.job().type().ref(job.ref().id()), job.state(), job.deduplicated());
    }

    /** The stored jobs, in the order in which they were added. */
    public List<JobRef<?>> refs() {
        return jobs.stream().<JobRef<?>>map(Enqueued::ref).toList();
    }
}
