package dev.windrow.store;

import dev.windrow.ConcurrencyKey;
import dev.windrow.Dedupe;
import dev.windrow.Parent;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A new job as the store writes it: validated, the payload encoded.
 *
 * @param type the type's name
 * @param queue the queue
 * @param name a name for people, or null
 * @param payload JSON text, or the {@link dev.windrow.BlobRef} of a staged blob; or null
 * @param priority higher runs first
 * @param delayMillis not before this long from the moment of writing; null with {@code runAtMillis} or for now
 * @param runAtMillis not before this time in epoch milliseconds; null for now
 * @param maxAttempts how many attempts at most
 * @param timeoutMillis the time limit of an attempt, or null for the worker's default
 * @param retryPolicy the job's own policy in stored form, or null for the type's
 * @param tags the tags
 * @param parents the parents, in declared order
 * @param traceparent the trace context, or null
 * @param dedupe the dedupe key with its scope and strategy, or null
 * @param concurrencyKey the key that it shares with other jobs, or null
 * @param actor who enqueues, for the event log
 */
public record JobRow(
        String type,
        String queue,
        @Nullable String name,
        @Nullable String payload,
        int priority,
        @Nullable Long delayMillis,
        @Nullable Long runAtMillis,
        int maxAttempts,
        @Nullable Long timeoutMillis,
        @Nullable String retryPolicy,
        List<String> tags,
        List<Parent> parents,
        @Nullable String traceparent,
        @Nullable Dedupe dedupe,
        @Nullable ConcurrencyKey concurrencyKey,
        String actor) {}
