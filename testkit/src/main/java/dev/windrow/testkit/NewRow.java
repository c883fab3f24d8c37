package dev.windrow.testkit;

import dev.windrow.ConcurrencyKey;
import dev.windrow.Dedupe;
import dev.windrow.Parent;
import dev.windrow.ParentPolicy;
import dev.windrow.store.JobRow;
import dev.windrow.store.ParentPlaces;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A job to be written by a store, built step by step: by default of type {@code t} in queue {@code q}, due now, with
 * three attempts and no payload. Each step returns another instance.
 *
 * @param row the row so far
 */
public record NewRow(JobRow row) {
    /** A job with the defaults. */
    public static NewRow job() {
        return of("q", "t");
    }

    /** A job of another lane. */
    public static NewRow of(String queue, String type) {
        return new NewRow(new JobRow(
                type, queue, null, null, 0, null, null, 3, null, null, List.of(), List.of(), null, null, null, null,
                "test"));
    }

    /** Higher runs first. */
    public NewRow priority(int priority) {
        return with(priority, row.delayMillis(), row.runAtMillis(), row.maxAttempts(), row.tags(), row.parents());
    }

    /** Not before this long from the moment of writing. */
    public NewRow delay(Duration delay) {
        return with(row.priority(), delay.toMillis(), null, row.maxAttempts(), row.tags(), row.parents());
    }

    /** Not before this instant. */
    public NewRow runAt(Instant instant) {
        return with(row.priority(), null, instant.toEpochMilli(), row.maxAttempts(), row.tags(), row.parents());
    }

    /** How many attempts at most. */
    public NewRow maxAttempts(int attempts) {
        return with(row.priority(), row.delayMillis(), row.runAtMillis(), attempts, row.tags(), row.parents());
    }

    /** The tags. */
    public NewRow tags(String... tags) {
        return with(
                row.priority(), row.delayMillis(), row.runAtMillis(), row.maxAttempts(), List.of(tags), row.parents());
    }

    /** One more parent: the chain in which a job is. */
    public NewRow afterChain(long job, ParentPolicy policy) {
        List<Parent> parents = new ArrayList<>(row.parents());
        parents.add(new Parent(job, policy, true));
        return with(
                row.priority(),
                row.delayMillis(),
                row.runAtMillis(),
                row.maxAttempts(),
                row.tags(),
                List.copyOf(parents));
    }

    /** One more parent. */
    public NewRow after(long parent, ParentPolicy policy) {
        List<Parent> parents = new ArrayList<>(row.parents());
        parents.add(new Parent(parent, policy));
        return with(
                row.priority(),
                row.delayMillis(),
                row.runAtMillis(),
                row.maxAttempts(),
                row.tags(),
                List.copyOf(parents));
    }

    /** Waits for the job at this place of its call, from 0. */
    public NewRow afterPlace(int place, ParentPolicy policy) {
        return after(ParentPlaces.named(place), policy);
    }

    /** Of the workflow that its call makes. */
    public NewRow inWorkflow() {
        return new NewRow(row.withWorkflow(JobRow.NEW_WORKFLOW));
    }

    /** All these parents, with one policy. */
    public NewRow afterAll(List<Long> ids, ParentPolicy policy) {
        return with(
                row.priority(),
                row.delayMillis(),
                row.runAtMillis(),
                row.maxAttempts(),
                row.tags(),
                ids.stream().map(id -> new Parent(id, policy)).toList());
    }

    /** The payload, JSON text. */
    public NewRow payload(@Nullable String payload) {
        return texts(row.name(), payload, row.actor());
    }

    /** A name for people. */
    public NewRow name(String name) {
        return texts(name, row.payload(), row.actor());
    }

    /** Who enqueues. */
    public NewRow actor(String actor) {
        return texts(row.name(), row.payload(), actor);
    }

    /** The time limit, the stored retry policy and the trace context. */
    public NewRow extras(@Nullable Long timeoutMillis, @Nullable String retryPolicy, @Nullable String traceparent) {
        return new NewRow(new JobRow(
                row.type(),
                row.queue(),
                row.name(),
                row.payload(),
                row.priority(),
                row.delayMillis(),
                row.runAtMillis(),
                row.maxAttempts(),
                timeoutMillis,
                retryPolicy,
                row.tags(),
                row.parents(),
                traceparent,
                row.dedupe(),
                row.concurrencyKey(),
                row.waitMillis(),
                row.actor(),
                row.workflow()));
    }

    /** The dedupe key with its scope and strategy. */
    public NewRow dedupe(@Nullable Dedupe dedupe) {
        return new NewRow(new JobRow(
                row.type(),
                row.queue(),
                row.name(),
                row.payload(),
                row.priority(),
                row.delayMillis(),
                row.runAtMillis(),
                row.maxAttempts(),
                row.timeoutMillis(),
                row.retryPolicy(),
                row.tags(),
                row.parents(),
                row.traceparent(),
                dedupe,
                row.concurrencyKey(),
                row.waitMillis(),
                row.actor(),
                row.workflow()));
    }

    /** The key that it shares with other jobs. */
    public NewRow concurrencyKey(@Nullable ConcurrencyKey key) {
        return new NewRow(new JobRow(
                row.type(),
                row.queue(),
                row.name(),
                row.payload(),
                row.priority(),
                row.delayMillis(),
                row.runAtMillis(),
                row.maxAttempts(),
                row.timeoutMillis(),
                row.retryPolicy(),
                row.tags(),
                row.parents(),
                row.traceparent(),
                row.dedupe(),
                key,
                row.waitMillis(),
                row.actor(),
                row.workflow()));
    }

    /** It is not run, but waits for somebody outside, for at most this long once its parents have ended. */
    public NewRow waitsForOutside(Duration timeout) {
        return new NewRow(new JobRow(
                row.type(),
                row.queue(),
                row.name(),
                row.payload(),
                row.priority(),
                row.delayMillis(),
                row.runAtMillis(),
                row.maxAttempts(),
                row.timeoutMillis(),
                row.retryPolicy(),
                row.tags(),
                row.parents(),
                row.traceparent(),
                row.dedupe(),
                row.concurrencyKey(),
                timeout.toMillis(),
                row.actor(),
                row.workflow()));
    }

    private NewRow texts(@Nullable String name, @Nullable String payload, String actor) {
        return new NewRow(new JobRow(
                row.type(),
                row.queue(),
                name,
                payload,
                row.priority(),
                row.delayMillis(),
                row.runAtMillis(),
                row.maxAttempts(),
                row.timeoutMillis(),
                row.retryPolicy(),
                row.tags(),
                row.parents(),
                row.traceparent(),
                row.dedupe(),
                row.concurrencyKey(),
                row.waitMillis(),
                actor,
                row.workflow()));
    }

    private NewRow with(
            int priority,
            @Nullable Long delayMillis,
            @Nullable Long runAtMillis,
            int maxAttempts,
            List<String> tags,
            List<Parent> parents) {
        return new NewRow(new JobRow(
                row.type(),
                row.queue(),
                row.name(),
                row.payload(),
                priority,
                delayMillis,
                runAtMillis,
                maxAttempts,
                row.timeoutMillis(),
                row.retryPolicy(),
                tags,
                parents,
                row.traceparent(),
                row.dedupe(),
                row.concurrencyKey(),
                row.waitMillis(),
                row.actor(),
                row.workflow()));
    }
}
