package dev.windrow;

/**
 * One dependency of a job.
 *
 * @param id the job to wait for
 * @param onFailure what to do when it ends without success
 */
public record Parent(long id, ParentPolicy onFailure) {}
