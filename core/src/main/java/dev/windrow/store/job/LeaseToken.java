package dev.windrow.store.job;

/**
 * The proof that a worker holds a running job.
 *
 * @param id the job
 * @param token the fencing token of the claim
 */
public record LeaseToken(long id, long token) {}
