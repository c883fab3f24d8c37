package dev.windrow.store.job;

/**
 * The identity of a worker. Names are labels: two workers may have one name, in two processes or in one.
 *
 * @param name the worker's name, which the audit trail shows
 * @param instance distinguishes workers of one name; each start of a worker has its own value, which is never empty
 */
public record WorkerId(String name, String instance) {}
