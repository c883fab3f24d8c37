package dev.windrow.workflow;

/**
 * One dependency of a job.
 *
 * @param id the id of the job to wait for
 * @param onFailure the policy for the case that it ends without success
 * @param chain true to wait for the end of the chain of this job; false to wait for the job alone
 */
public record Parent(long id, ParentPolicy onFailure, boolean chain) {
    /** Creates a dependency on a job alone. */
    public Parent(long id, ParentPolicy onFailure) {
        this(id, onFailure, false);
    }
}
