package dev.windrow;

import com.google.errorprone.annotations.CheckReturnValue;
import dev.windrow.limit.ConcurrencyKey;
import dev.windrow.validation.Bounds;
import dev.windrow.workflow.Parent;
import dev.windrow.workflow.ParentPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A job that is about to be enqueued: a type, an input, and options. Immutable: each option returns a copy.
 *
 * @param <I> the input
 * @param <O> the output
 */
@CheckReturnValue
public final class JobRequest<I extends @Nullable Object, O extends @Nullable Object> {
    private final JobType<I, O> type;
    private final @Nullable I input;
    // Assigned only before an instance is published, in with().
    private @Nullable String queue;
    private int priority;
    private @Nullable Duration delay;
    private @Nullable Instant runAt;
    private @Nullable Integer maxAttempts;
    private @Nullable Duration timeout;
    private @Nullable RetryPolicy retry;
    private @Nullable String name;
    private Set<String> tags = Set.of();
    private List<Parent> parents = List.of();
    private @Nullable String traceparent;
    private @Nullable Dedupe dedupe;
    private @Nullable ConcurrencyKey concurrencyKey;
    private @Nullable Duration externalCompletion;

    JobRequest(JobType<I, O> type, @Nullable I input) {
        this.type = type;
        this.input = input;
    }

    private JobRequest<I, O> with(Consumer<JobRequest<I, O>> change) {
        JobRequest<I, O> copy = new JobRequest<>(type, input);
        copy.queue = queue;
        copy.priority = priority;
        copy.delay = delay;
        copy.runAt = runAt;
        copy.maxAttempts = maxAttempts;
        copy.timeout = timeout;
        copy.retry = retry;
        copy.name = name;
        copy.tags = tags;
        copy.parents = parents;
        copy.traceparent = traceparent;
        copy.dedupe = dedupe;
        copy.concurrencyKey = concurrencyKey;
        copy.externalCompletion = externalCompletion;
        change.accept(copy);
        copy.checkWait();
        if (copy.dedupe != null && copy.dedupe.setsTime() && (copy.delay != null || copy.runAt != null)) {
            throw new InvalidRequestException(
                    "dedupe strategy %s says when the job is due: no delay and no run-at beside it"
                            .formatted(copy.dedupe.strategy().name().toLowerCase(Locale.ROOT)));
        }
        return copy;
    }

    private void checkWait() {
        if (externalCompletion == null) {
            return;
        }
        if (delay != null || runAt != null) {
            throw new InvalidRequestException(
                    "a job that waits for external completion has no delay and no run-at: no worker runs it");
        }
        if (dedupe != null && dedupe.strategy() != Dedupe.Strategy.KEEP) {
            throw new InvalidRequestException(
                    "dedupe strategy %s is not for a job that waits for external completion: keep"
                            .formatted(dedupe.strategy().name().toLowerCase(Locale.ROOT)));
        }
    }

    /** In this queue instead of the type's: 1 to 100 of {@code A-Z a-z 0-9 . _ -}. */
    public JobRequest<I, O> withQueue(String queue) {
        Bounds.queue(queue);
        return with(copy -> copy.queue = queue);
    }

    /** Higher runs first: -32768 to 32767, default 0. */
    public JobRequest<I, O> withPriority(int priority) {
        Bounds.range("priority", priority, Short.MIN_VALUE, Short.MAX_VALUE);
        return with(copy -> copy.priority = priority);
    }

    /**
     * Not before this long from now, by the store's clock: 0 to 3650 days. Replaces {@link #withRunAt}.
     *
     * @throws InvalidRequestException if it is negative or longer
     */
    public JobRequest<I, O> withDelay(Duration delay) {
        Bounds.delay("delay", delay);
        return with(copy -> {
            copy.delay = delay;
            copy.runAt = null;
        });
    }

    /** Not before this instant (at most the year 9999); a past one runs now. Replaces {@link #withDelay}. */
    public JobRequest<I, O> withRunAt(Instant runAt) {
        if (runAt.isAfter(Bounds.MAX_INSTANT)) {
            throw new InvalidRequestException(
                    "run-at %s is not allowed: at most %s".formatted(runAt, Bounds.MAX_INSTANT));
        }
        return with(copy -> {
            copy.runAt = runAt;
            copy.delay = null;
        });
    }

    /** Sets the maximum of attempts: 1 to 1000, default the type's. */
    public JobRequest<I, O> withMaxAttempts(int maxAttempts) {
        Bounds.range("max attempts", maxAttempts, 1, 1000);
        return with(copy -> copy.maxAttempts = maxAttempts);
    }

    /** Sets the time limit of each attempt: from 1 ms, default the type's. */
    public JobRequest<I, O> withTimeout(Duration timeout) {
        Bounds.positive("timeout", timeout);
        return with(copy -> copy.timeout = timeout);
    }

    /**
     * Sets the spacing of this job's retries; default the type's policies. Stored with the job.
     *
     * @throws InvalidRequestException if it is {@linkplain RetryPolicy#custom a custom one}, which cannot be stored
     */
    public JobRequest<I, O> withRetry(RetryPolicy retry) {
        if (retry instanceof RetryPolicy.Custom) {
            throw new InvalidRequestException(
                    "a custom retry policy cannot be stored with a job: give it to the job's type with withRetry");
        }
        return with(copy -> copy.retry = retry);
    }

    /** A name for people, 1 to 200 characters. */
    public JobRequest<I, O> withName(String name) {
        Bounds.text("name", name, 200);
        return with(copy -> copy.name = name);
    }

    /** Adds tags, each of 1 to 100 characters; at most 20 in all. */
    public JobRequest<I, O> withTags(String... more) {
        Set<String> all = new LinkedHashSet<>(tags);
        for (String tag : more) {
            all.add(Bounds.text("tag", tag, 100));
        }
        Bounds.range("number of tags", all.size(), 0, Bounds.MAX_TAGS);
        return with(copy -> copy.tags = Set.copyOf(all));
    }

    /** Waits until these jobs are {@code COMPLETED}; keeps waiting when one of them fails. */
    public JobRequest<I, O> withParents(JobRef<?>... more) {
        return withParents(ParentPolicy.WAIT, List.of(more));
    }

    /** Waits until these jobs are {@code COMPLETED}; keeps waiting when one of them fails. */
    public JobRequest<I, O> withParents(Collection<? extends JobRef<?>> more) {
        return withParents(ParentPolicy.WAIT, more);
    }

    /** Waits for these jobs, with a policy for when one of them ends without success; see {@link #withParents(ParentPolicy, Collection)}. */
    public JobRequest<I, O> withParents(ParentPolicy onFailure, JobRef<?>... more) {
        return withParents(onFailure, List.of(more));
    }

    /**
     * Waits for these jobs, in declared order after those named before.
     *
     * @param onFailure what to do when one of them ends without success
     * @throws InvalidRequestException if a parent is named twice, is no id of a job, or is one too many: 50 000 are allowed
     */
    public JobRequest<I, O> withParents(ParentPolicy onFailure, Collection<? extends JobRef<?>> more) {
        return withMoreParents(onFailure, more, false);
    }

    /** Waits until the chains of these jobs are completed; see {@link #withChainParents(ParentPolicy, Collection)}. */
    public JobRequest<I, O> withChainParents(JobRef<?>... more) {
        return withChainParents(ParentPolicy.WAIT, List.of(more));
    }

    /** Waits until the chains of these jobs have ended; see {@link #withChainParents(ParentPolicy, Collection)}. */
    public JobRequest<I, O> withChainParents(ParentPolicy onFailure, JobRef<?>... more) {
        return withChainParents(onFailure, List.of(more));
    }

    /**
     * Waits until the chains in which these jobs are have ended: until each one's last job, which did not {@linkplain
     * JobContext#continueWith continue} with another one, is {@code COMPLETED}. Its {@linkplain JobContext#parents parent} is that
     * last job.
     *
     * @param onFailure what to do when a chain ends without success
     * @throws InvalidRequestException if a parent is named twice
     */
    public JobRequest<I, O> withChainParents(ParentPolicy onFailure, Collection<? extends JobRef<?>> more) {
        return withMoreParents(onFailure, more, true);
    }

    private JobRequest<I, O> withMoreParents(
            ParentPolicy onFailure, Collection<? extends JobRef<?>> more, boolean chains) {
        List<Parent> all = new ArrayList<>(parents);
        Set<Long> seen = new HashSet<>();
        all.forEach(parent -> seen.add(parent.id()));
        for (JobRef<?> parent : more) {
            if (parent.id() < 1) {
                throw new InvalidRequestException(
                        "parent %d is not allowed: ids of jobs begin at 1".formatted(parent.id()));
            }
            if (!seen.add(parent.id())) {
                throw new InvalidRequestException("parent %d is named twice".formatted(parent.id()));
            }
            all.add(new Parent(parent.id(), onFailure, chains));
        }
        Bounds.range("number of parents", all.size(), 0, Bounds.MAX_PARENTS);
        return with(copy -> copy.parents = List.copyOf(all));
    }

    /** The W3C trace context to continue, at most 200 characters. */
    public JobRequest<I, O> withTraceparent(String traceparent) {
        Bounds.text("traceparent", traceparent, 200);
        return with(copy -> copy.traceparent = traceparent);
    }

    /**
     * Only one job of the type may hold this key at a time; {@link Dedupe} says for how long, and what becomes of the others.
     *
     * @throws InvalidRequestException if it debounces or throttles, and the job says itself when it is due
     */
    public JobRequest<I, O> withDedupe(Dedupe dedupe) {
        return with(copy -> copy.dedupe = dedupe);
    }

    /** Dropped while a job of this type with the same key (1 to 200 characters) has not ended: {@link Dedupe#key}. */
    public JobRequest<I, O> withDedupeKey(String key) {
        return withDedupe(Dedupe.key(key));
    }

    /** Shares a key with other jobs: at most so many of them run at once, or one after the other. */
    public JobRequest<I, O> withConcurrencyKey(ConcurrencyKey concurrencyKey) {
        return with(copy -> copy.concurrencyKey = concurrencyKey);
    }

    /**
     * Never runs: it waits until it is completed externally ({@link JobHandle#complete}, {@link JobHandle#fail}). It needs no handler. If it has
     * parents, it waits for them first; whoever ends it before they have is welcome to. An operator's retry makes it wait again.
     *
     * <p>A wait that runs out of time is ended by any process that has a worker, of whatever type, within about a second.
     *
     * @param timeout how long it waits at most, 1 ms to 3650 days, from the end of its last parent: then it is {@code FAILED} as
     *     {@link ErrorCodes#TIMEOUT_WAIT}
     * @throws InvalidRequestException if the job says when it is due, or has a dedupe strategy other than keep
     */
    public JobRequest<I, O> withExternalCompletion(Duration timeout) {
        Bounds.positive("wait", timeout);
        return with(copy -> copy.externalCompletion = timeout);
    }

    /** The type. */
    public JobType<I, O> type() {
        return type;
    }

    /** The input, as given. */
    public @Nullable I input() {
        return input;
    }

    /** The queue it goes to. */
    public String queue() {
        return queue == null ? type.queue() : queue;
    }

    /** The priority. */
    public int priority() {
        return priority;
    }

    /** The delay from the moment of writing, or null. */
    public @Nullable Duration delay() {
        return delay;
    }

    /** The instant not to run before, or null. */
    public @Nullable Instant runAt() {
        return runAt;
    }

    /** The number of attempts. */
    public int maxAttempts() {
        return maxAttempts == null ? type.maxAttempts() : maxAttempts;
    }

    /** The time limit of an attempt: the job's own or the type's; null for the worker's default. */
    public @Nullable Duration timeout() {
        return timeout == null ? type.timeout() : timeout;
    }

    /** The job's own retry policy, or null for the type's. */
    public @Nullable RetryPolicy retry() {
        return retry;
    }

    /** The name for people, or null. */
    public @Nullable String name() {
        return name;
    }

    /** The tags, in no order. */
    public Set<String> tags() {
        return tags;
    }

    /** The dependencies, in declared order. */
    public List<Parent> parents() {
        return parents;
    }

    /** The trace context, or null. */
    public @Nullable String traceparent() {
        return traceparent;
    }

    /** The dedupe key with its scope and strategy, or null. */
    public @Nullable Dedupe dedupe() {
        return dedupe;
    }

    /** The key that it shares with other jobs, or null. */
    public @Nullable ConcurrencyKey concurrencyKey() {
        return concurrencyKey;
    }

    /** Returns the time for which it waits for its external completion, or null if it is run. */
    public @Nullable Duration externalCompletion() {
        return externalCompletion;
    }
}
