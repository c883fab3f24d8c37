package dev.windrow.store;

/**
 * An attempt whose handler was called.
 *
 * @param hold the job and token
 * @param worker the worker's name
 * @param atMillis when, in epoch milliseconds
 */
public record Started(Hold hold, String worker, long atMillis) {}
