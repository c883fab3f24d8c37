package dev.windrow.store.job;

import java.util.concurrent.CompletableFuture;

/**
 * A claim that a worker has ready for the moment when jobs become ready: the store takes it into the very transaction that
 * makes them so, and one commit does for both.
 *
 * @param request what the worker wants; its room is reserved until the answer
 * @param answer completed by the store on its own thread, once: after the commit with what was claimed, if only nothing, or
 *     with the failure
 */
public record WaitingClaim(Claim request, CompletableFuture<Claimed> answer) {}
