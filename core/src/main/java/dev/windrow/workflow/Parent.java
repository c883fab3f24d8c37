package dev.windrow.workflow;

/**
 * One dependency of a job.
 *
 * @param id the job to wait for
 * @param onFailure what to do when it ends without success
 * @param chain whether to wait for the end of the chain in which the job is, and not for the job alone
 */
public record Parent(long id, ParentPolicy onFailure, boolean chain) {
    /** To wait for a job alone. */
    public Parent(long id, ParentPolicy onFailure) {
        this(id, onFailure, false);
    }
}
