package dev.windrow.testkit.contract;

import dev.windrow.Dedupe;
import dev.windrow.limit.ConcurrencyKey;
import dev.windrow.store.job.JobRow;
import dev.windrow.store.workflow.ParentPlaces;
import dev.windrow.workflow.Parent;
import dev.windrow.workflow.ParentPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
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
        return new NewRow(JobRow.of(type, queue, 3, "test").build());
    }

    /** Higher runs first. */
    public NewRow priority(int priority) {
        return with(builder -> builder.priority(priority));
    }

    /** Not before this long from the moment of writing. */
    public NewRow delay(Duration delay) {
        return with(builder -> builder.delayMillis(delay.toMillis()).runAtMillis(null));
    }

    /** Not before this instant. */
    public NewRow runAt(Instant instant) {
        return with(builder -> builder.delayMillis(null).runAtMillis(instant.toEpochMilli()));
    }

    /** How many attempts at most. */
    public NewRow maxAttempts(int attempts) {
        return with(builder -> builder.maxAttempts(attempts));
    }

    /** The tags. */
    public NewRow tags(String... tags) {
        return with(builder -> builder.tags(List.of(tags)));
    }

    /** One more parent: the chain in which a job is. */
    public NewRow afterChain(long job, ParentPolicy policy) {
        return after(new Parent(job, policy, true));
    }

    /** One more parent. */
    public NewRow after(long parent, ParentPolicy policy) {
        return after(new Parent(parent, policy));
    }

    private NewRow after(Parent parent) {
        List<Parent> parents = new ArrayList<>(row.parents());
        parents.add(parent);
        return new NewRow(row.withParents(List.copyOf(parents)));
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
        return new NewRow(
                row.withParents(ids.stream().map(id -> new Parent(id, policy)).toList()));
    }

    /** The payload, JSON text. */
    public NewRow payload(@Nullable String payload) {
        return with(builder -> builder.payload(payload));
    }

    /** A name for people. */
    public NewRow name(String name) {
        return with(builder -> builder.name(name));
    }

    /** Who enqueues. */
    public NewRow actor(String actor) {
        return with(builder -> builder.actor(actor));
    }

    /** The time limit, the stored retry policy and the trace context. */
    public NewRow extras(@Nullable Long timeoutMillis, @Nullable String retryPolicy, @Nullable String traceparent) {
        return with(builder ->
                builder.timeoutMillis(timeoutMillis).retryPolicy(retryPolicy).traceparent(traceparent));
    }

    /** The dedupe key with its scope and strategy. */
    public NewRow dedupe(@Nullable Dedupe dedupe) {
        return with(builder -> builder.dedupe(dedupe));
    }

    /** The key that it shares with other jobs. */
    public NewRow concurrencyKey(@Nullable ConcurrencyKey key) {
        return with(builder -> builder.concurrencyKey(key));
    }

    /** It is not run, but waits for external completion, for at most this long once its parents have ended. */
    public NewRow external(Duration timeout) {
        return with(builder -> builder.waitMillis(timeout.toMillis()));
    }

    private NewRow with(Consumer<JobRow.Builder> step) {
        JobRow.Builder builder = row.toBuilder();
        step.accept(builder);
        return new NewRow(builder.build());
    }
}
