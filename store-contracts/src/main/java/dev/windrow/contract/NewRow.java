package dev.windrow.contract;

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
 * A job to be written by a store, built step by step. The default is type {@code t} in queue {@code q}, due now, with three attempts and no payload.
 * Each step returns another instance.
 *
 * @param row the row so far
 */
public record NewRow(JobRow row) {
    /** Returns a job with the defaults. */
    public static NewRow job() {
        return of("q", "t");
    }

    /** Returns a job of another lane. */
    public static NewRow of(String queue, String type) {
        return new NewRow(JobRow.of(type, queue, 3, "test").build());
    }

    /** Returns the job with a priority; higher runs first. */
    public NewRow priority(int priority) {
        return with(builder -> builder.priority(priority));
    }

    /** Returns the job with a least delay from the moment of writing. */
    public NewRow delay(Duration delay) {
        return with(builder -> builder.delayMillis(delay.toMillis()).runAtMillis(null));
    }

    /** Returns the job with an earliest start. */
    public NewRow runAt(Instant instant) {
        return with(builder -> builder.delayMillis(null).runAtMillis(instant.toEpochMilli()));
    }

    /** Returns the job with this number of attempts at most. */
    public NewRow maxAttempts(int attempts) {
        return with(builder -> builder.maxAttempts(attempts));
    }

    /** Returns the job with tags. */
    public NewRow tags(String... tags) {
        return with(builder -> builder.tags(List.of(tags)));
    }

    /** Returns the job as the first one of a declared chain. */
    public NewRow beginsChain() {
        return with(builder -> builder.beginsChain(true));
    }

    /** Returns the job with one more parent: the chain of a job. */
    public NewRow afterChain(long job, ParentPolicy policy) {
        return after(new Parent(job, policy, true));
    }

    /** Returns the job with one more parent. */
    public NewRow after(long parent, ParentPolicy policy) {
        return after(new Parent(parent, policy));
    }

    private NewRow after(Parent parent) {
        List<Parent> parents = new ArrayList<>(row.parents());
        parents.add(parent);
        return new NewRow(row.withParents(List.copyOf(parents)));
    }

    /** Returns the job with one more parent: the job at this place of its call, from 0. */
    public NewRow afterPlace(int place, ParentPolicy policy) {
        return after(ParentPlaces.named(place), policy);
    }

    /** Returns the job in the workflow that its call makes. */
    public NewRow inWorkflow() {
        return new NewRow(row.withWorkflow(JobRow.NEW_WORKFLOW));
    }

    /** Returns the job with all these parents, with one policy. */
    public NewRow afterAll(List<Long> ids, ParentPolicy policy) {
        return new NewRow(
                row.withParents(ids.stream().map(id -> new Parent(id, policy)).toList()));
    }

    /** Returns the job with a payload, JSON text. */
    public NewRow payload(@Nullable String payload) {
        return with(builder -> builder.payload(payload));
    }

    /** Returns the job with metadata, JSON text. */
    public NewRow metadata(@Nullable String metadata) {
        return with(builder -> builder.metadata(metadata));
    }

    /** Returns the job with a descriptive name. */
    public NewRow name(String name) {
        return with(builder -> builder.name(name));
    }

    /** Returns the job with the actor that enqueues it. */
    public NewRow actor(String actor) {
        return with(builder -> builder.actor(actor));
    }

    /** Returns the job with a time limit, a stored retry policy and a trace context. */
    public NewRow extras(@Nullable Long timeoutMillis, @Nullable String retryPolicy, @Nullable String traceparent) {
        return with(builder ->
                builder.timeoutMillis(timeoutMillis).retryPolicy(retryPolicy).traceparent(traceparent));
    }

    /** Returns the job with a dedupe key with its scope and strategy. */
    public NewRow dedupe(@Nullable Dedupe dedupe) {
        return with(builder -> builder.dedupe(dedupe));
    }

    /** Returns the job with a key that it shares with other jobs. */
    public NewRow concurrencyKey(@Nullable ConcurrencyKey key) {
        return with(builder -> builder.concurrencyKey(key));
    }

    /** Returns the job waiting for external completion, for at most this long once its parents have ended. No worker runs it. */
    public NewRow external(Duration timeout) {
        return with(builder -> builder.waitMillis(timeout.toMillis()));
    }

    private NewRow with(Consumer<JobRow.Builder> step) {
        JobRow.Builder builder = row.toBuilder();
        step.accept(builder);
        return new NewRow(builder.build());
    }
}
