package dev.windrow.store.job;

import java.util.concurrent.CompletableFuture;

/**
 * A claim that a worker prepares for the moment when jobs become ready. The store applies it in the same transaction that makes them ready, so that
 * one commit is enough for both.
 *
 * @param request the claim of the worker; its slots are reserved until the result is known
 * @param answer the result; the store completes it once, on its own thread: after the commit with the claimed jobs, even if there are none, or with
 *     the failure
 */
public record WaitingClaim(Claim request, CompletableFuture<Claimed> answer) {}
