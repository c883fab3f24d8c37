package dev.windrow.store.job;

import org.jspecify.annotations.Nullable;

/**
 * A job that a worker holds.
 *
 * @param id the job
 * @param token the fencing token of this claim
 * @param lane the store's number for its (queue, type)
 * @param queue the queue
 * @param type the type's name as stored
 * @param name a descriptive name, or null
 * @param payload JSON text, or the {@link dev.windrow.payload.BlobRef} of a blob, which a claim does not read; or null
 * @param run the number of its run, from 1
 * @param used attempts of this run that count before this one
 * @param maxAttempts how many attempts at most
 * @param timeoutMillis the time limit of an attempt, or null
 * @param retryPolicy its own retry policy in stored form, or null
 * @param traceparent the trace context, or null
 * @param dedupeKey its dedupe key, or the key that its chain holds; or null
 * @param dedupeType the type within which its chain holds the key: the type of its first job; null for its own type
 * @param concurrencyKey the key that it shares with other jobs, or null
 * @param scheduledAtMillis when it was due
 * @param claimedAtMillis when it was claimed
 */
public record ClaimedJob(
        long id,
        long token,
        long lane,
        String queue,
        String type,
        @Nullable String name,
        @Nullable String payload,
        int run,
        int used,
        int maxAttempts,
        @Nullable Long timeoutMillis,
        @Nullable String retryPolicy,
        @Nullable String traceparent,
        @Nullable String dedupeKey,
        @Nullable String dedupeType,
        @Nullable String concurrencyKey,
        long scheduledAtMillis,
        long claimedAtMillis) {
    /** The token of the first attempt of a job. */
    public static final long FIRST_TOKEN = 1;

    /** Returns a new job without keys that a worker takes at once. */
    public static ClaimedJob first(long id, long lane, JobRow row, long scheduledAtMillis, long claimedAtMillis) {
        return new ClaimedJob(
                /* id= */ id,
                /* token= */ FIRST_TOKEN,
                /* lane= */ lane,
                /* queue= */ row.queue(),
                /* type= */ row.type(),
                /* name= */ row.name(),
                /* payload= */ row.payload(),
                /* run= */ 1,
                /* used= */ 0,
                /* maxAttempts= */ row.maxAttempts(),
                /* timeoutMillis= */ row.timeoutMillis(),
                /* retryPolicy= */ row.retryPolicy(),
                /* traceparent= */ row.traceparent(),
                /* dedupeKey= */ null,
                /* dedupeType= */ null,
                /* concurrencyKey= */ null,
                /* scheduledAtMillis= */ scheduledAtMillis,
                /* claimedAtMillis= */ claimedAtMillis);
    }

    /** Returns the number of the attempt that this claim allows, from 1. */
    public int attempt() {
        return used + 1;
    }

    /** Returns the lease token of the claim, with which the holder identifies itself to the store. */
    public LeaseToken leaseToken() {
        return new LeaseToken(id, token);
    }
}
