package dev.windrow.store;

import java.util.Set;

/**
 * A worker's wish for work.
 *
 * @param worker the worker that asks
 * @param queues the queues that it serves
 * @param types the types that it handles
 * @param limit how many jobs at most, 1 to 1000
 * @param leaseMillis how long they are its own without renewal
 */
public record ClaimRequest(WorkerId worker, Set<String> queues, Set<String> types, int limit, long leaseMillis) {}
