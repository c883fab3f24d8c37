package dev.windrow;

import com.google.errorprone.annotations.CheckReturnValue;
import dev.windrow.limit.ConcurrencyKey;
import dev.windrow.payload.Metadata;
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
 * A job that is to be enqueued: a type, an input, and options. Immutable: each option returns a copy. An option that is not allowed throws an
 * {@link InvalidRequestException}.
 *
 * @param <I> the type of the input
 * @param <O> the type of the output
 */
@CheckReturnValue
public final class JobRequest<I extends @Nullable Object, O extends @Nullable Object> {
    private final JobType<I, O> type;
    private final @Nullable I input;
    // The fields are assigned in with() only, before a new instance is published.
    private @Nullable String queue;
    private int priority;
    private @Nullable Duration delay;
    private @Nullable Instant runAt;
    private @Nullable Integer maxAttempts;
    private @Nullable Duration timeout;
    private @Nullable RetryPolicy retry;
    private @Nullable String name;
    private Set<String> tags = Set.of();
    private Metadata metadata = Metadata.none();
    private List<Parent> parents = List.of();
    private @Nullable String traceparent;
    private @Nullable Dedupe dedupe;
    private @Nullable ConcurrencyKey concurrencyKey;
    private @Nullable Duration externalCompletion;
    private boolean beginsChain;

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
        copy.metadata = metadata;
        copy.parents = parents;
        copy.traceparent = traceparent;
        copy.dedupe = dedupe;
        copy.concurrencyKey = concurrencyKey;
        copy.externalCompletion = externalCompletion;
        copy.beginsChain = beginsChain;
        change.accept(copy);
        copy.checkWait();
        if (copy.dedupe != null && copy.dedupe.setsTime() && (copy.delay != null || copy.runAt != null)) {
            throw new InvalidRequestException(
                    "dedupe strategy %s sets the time at which the job is due: a delay or a run-at is not allowed with it"
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
                    "dedupe strategy %s is not allowed for a job that waits for external completion: only keep"
                            .formatted(dedupe.strategy().name().toLowerCase(Locale.ROOT)));
        }
    }

    /** Sets the queue: 1 to 100 of {@code A-Z a-z 0-9 . _ -}, beginning with a letter or digit; default the type's queue. */
    public JobRequest<I, O> withQueue(String queue) {
        Bounds.queue(queue);
        return with(copy -> copy.queue = queue);
    }

    /** Sets the priority: -32768 to 32767, default 0. A job with a higher priority runs first. */
    public JobRequest<I, O> withPriority(int priority) {
        Bounds.range("priority", priority, Short.MIN_VALUE, Short.MAX_VALUE);
        return with(copy -> copy.priority = priority);
    }

    /**
     * Makes the job due after this time, by the store's clock: 0 to 3650 days, default 0. Replaces {@link #withRunAt}.
     *
     * @throws InvalidRequestException if the delay is out of range, the job waits for external completion, or its dedupe strategy debounces or
     *     throttles
     */
    public JobRequest<I, O> withDelay(Duration delay) {
        Bounds.delay("delay", delay);
        return with(copy -> {
            copy.delay = delay;
            copy.runAt = null;
        });
    }

    /**
     * Makes the job due at this instant, in the year 9999 at the latest. A job with an instant in the past is due now. Replaces {@link #withDelay}.
     *
     * @throws InvalidRequestException if the instant is too late, the job waits for external completion, or its dedupe strategy debounces or
     *     throttles
     */
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

    /** Sets the maximum number of attempts: 1 to 1000, default the type's. */
    public JobRequest<I, O> withMaxAttempts(int maxAttempts) {
        Bounds.range("max attempts", maxAttempts, 1, 1000);
        return with(copy -> copy.maxAttempts = maxAttempts);
    }

    /** Sets the time limit of each attempt: 1 ms to 3650 days, default the type's. */
    public JobRequest<I, O> withTimeout(Duration timeout) {
        Bounds.positive("timeout", timeout);
        return with(copy -> copy.timeout = timeout);
    }

    /**
     * Sets the retry policy of this job, which is stored with the job; default the type's policies.
     *
     * @throws InvalidRequestException if it is a {@linkplain RetryPolicy#custom custom} policy, which cannot be stored
     */
    public JobRequest<I, O> withRetry(RetryPolicy retry) {
        if (retry instanceof RetryPolicy.Custom) {
            throw new InvalidRequestException(
                    "a custom retry policy cannot be stored with a job: give it to the job's type with withRetry");
        }
        return with(copy -> copy.retry = retry);
    }

    /** Sets a name, a label for humans: 1 to 200 characters, default none. */
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

    /** Sets metadata, which are stored beside the payload and can be changed later; default {@link Metadata#none}. Replaces earlier ones. */
    public JobRequest<I, O> withMetadata(Metadata metadata) {
        return with(copy -> copy.metadata = metadata);
    }

    /** Makes the job wait until these jobs are {@code COMPLETED}. The job also waits when one of them fails, until a retry of that one succeeds. */
    public JobRequest<I, O> withParents(JobRef<?>... more) {
        return withParents(ParentPolicy.WAIT, List.of(more));
    }

    /** Makes the job wait until these jobs are {@code COMPLETED}. The job also waits when one of them fails, until a retry of that one succeeds. */
    public JobRequest<I, O> withParents(Collection<? extends JobRef<?>> more) {
        return withParents(ParentPolicy.WAIT, more);
    }

    /** Makes the job wait for these jobs, with a policy; see {@link #withParents(ParentPolicy, Collection)}. */
    public JobRequest<I, O> withParents(ParentPolicy onFailure, JobRef<?>... more) {
        return withParents(onFailure, List.of(more));
    }

    /**
     * Makes the job wait for these jobs. They follow the parents of earlier calls in declared order.
     *
     * @param onFailure the policy for a parent that ends without success
     * @throws InvalidRequestException if a parent is named twice, the id of a parent is below 1, or the job has more than 50 000 parents
     */
    public JobRequest<I, O> withParents(ParentPolicy onFailure, Collection<? extends JobRef<?>> more) {
        return withMoreParents(onFailure, more.stream().map(JobRef::id).toList(), false);
    }

    /** Makes the job wait until these chains are completed; see {@link #withChainParents(ParentPolicy, Collection)}. */
    public JobRequest<I, O> withChainParents(ChainRef<?>... more) {
        return withChainParents(ParentPolicy.WAIT, List.of(more));
    }

    /** Makes the job wait until these chains have ended; see {@link #withChainParents(ParentPolicy, Collection)}. */
    public JobRequest<I, O> withChainParents(ParentPolicy onFailure, ChainRef<?>... more) {
        return withChainParents(onFailure, List.of(more));
    }

    /**
     * Makes the job wait until these chains have ended: until the last job of each chain is {@code COMPLETED}. The last job is the one
     * that did not {@linkplain JobContext#continueWith continue} with another job. It is the {@linkplain JobContext#parents parent} that the handler
     * reads.
     *
     * @param onFailure the policy for a chain that ends without success
     * @throws InvalidRequestException if a parent is named twice
     */
    public JobRequest<I, O> withChainParents(ParentPolicy onFailure, Collection<? extends ChainRef<?>> more) {
        return withMoreParents(onFailure, more.stream().map(ChainRef::id).toList(), true);
    }

    private JobRequest<I, O> withMoreParents(ParentPolicy onFailure, List<Long> more, boolean chains) {
        List<Parent> all = new ArrayList<>(parents);
        Set<Long> seen = new HashSet<>();
        all.forEach(parent -> seen.add(parent.id()));
        for (long parent : more) {
            if (parent < 1) {
                throw new InvalidRequestException("parent %d is not allowed: ids of jobs begin at 1".formatted(parent));
            }
            if (!seen.add(parent)) {
                throw new InvalidRequestException("parent %d is named twice".formatted(parent));
            }
            all.add(new Parent(parent, onFailure, chains));
        }
        Bounds.range("number of parents", all.size(), 0, Bounds.MAX_PARENTS);
        return with(copy -> copy.parents = List.copyOf(all));
    }

    /** Sets the W3C trace context that the attempts continue: 1 to 200 characters, default none. */
    public JobRequest<I, O> withTraceparent(String traceparent) {
        Bounds.text("traceparent", traceparent, 200);
        return with(copy -> copy.traceparent = traceparent);
    }

    /**
     * Sets a dedupe key: at most one job of the type holds a key at a time. {@link Dedupe} sets how long the job holds the key, and the effect on
     * further jobs with it.
     *
     * @throws InvalidRequestException if the strategy debounces or throttles, and the job has a delay or a run-at. Also if the job waits for external
     *     completion, and the strategy is not {@code KEEP}
     */
    public JobRequest<I, O> withDedupe(Dedupe dedupe) {
        return with(copy -> copy.dedupe = dedupe);
    }

    /**
     * Sets a dedupe key of 1 to 200 characters with the defaults of {@link Dedupe#key}. The enqueue writes no second job while a job of this type
     * with the same key has not ended.
     */
    public JobRequest<I, O> withDedupeKey(String key) {
        return withDedupe(Dedupe.key(key));
    }

    /** Sets a concurrency key, which jobs share so that only a limited number of them runs at once, or one after the other; default none. */
    public JobRequest<I, O> withConcurrencyKey(ConcurrencyKey concurrencyKey) {
        return with(copy -> copy.concurrencyKey = concurrencyKey);
    }

    /**
     * Makes the job wait for its external completion ({@link JobHandle#complete}, {@link JobHandle#fail}): no worker runs it, and it needs no
     * handler. If the job has parents, it waits for them first. A caller may complete or fail it before they have ended. An operator's retry makes
     * the job wait again.
     *
     * <p>Any process with a worker ends a wait whose time is over, within about a second. The types of the worker do not matter.
     *
     * @param timeout the maximum wait, 1 ms to 3650 days after the end of the last parent. After it the job is {@code FAILED} as
     *     {@link ErrorCodes#TIMEOUT_WAIT}
     * @throws InvalidRequestException if the timeout is out of range, the job has a delay or a run-at, or its dedupe strategy is not {@code KEEP}
     */
    public JobRequest<I, O> withExternalCompletion(Duration timeout) {
        Bounds.positive("wait", timeout);
        return with(copy -> copy.externalCompletion = timeout);
    }

    /** Returns this job as the first one of a declared chain. */
    JobRequest<I, O> beginningChain() {
        return with(copy -> copy.beginsChain = true);
    }

    /** Returns the type. */
    public JobType<I, O> type() {
        return type;
    }

    /** Returns the input, unchanged. */
    public @Nullable I input() {
        return input;
    }

    /** Returns the queue of the job: its own, or the type's. */
    public String queue() {
        return queue == null ? type.queue() : queue;
    }

    /** Returns the priority. */
    public int priority() {
        return priority;
    }

    /** Returns the delay after the enqueue, or null. */
    public @Nullable Duration delay() {
        return delay;
    }

    /** Returns the instant at which the job is due, or null. */
    public @Nullable Instant runAt() {
        return runAt;
    }

    /** Returns the maximum number of attempts: the job's own, or the type's. */
    public int maxAttempts() {
        return maxAttempts == null ? type.maxAttempts() : maxAttempts;
    }

    /** Returns the time limit of an attempt: the job's own or the type's. Null for the worker's default. */
    public @Nullable Duration timeout() {
        return timeout == null ? type.timeout() : timeout;
    }

    /** Returns the job's own retry policy, or null for the type's. */
    public @Nullable RetryPolicy retry() {
        return retry;
    }

    /** Returns the name, a label for humans, or null. */
    public @Nullable String name() {
        return name;
    }

    /** Returns the metadata. */
    public Metadata metadata() {
        return metadata;
    }

    /** Returns the tags, in no order. */
    public Set<String> tags() {
        return tags;
    }

    /** Returns the dependencies, in declared order. */
    public List<Parent> parents() {
        return parents;
    }

    /** Returns the trace context, or null. */
    public @Nullable String traceparent() {
        return traceparent;
    }

    /** Returns the dedupe key with its scope and strategy, or null. */
    public @Nullable Dedupe dedupe() {
        return dedupe;
    }

    /** Returns the concurrency key, or null. */
    public @Nullable ConcurrencyKey concurrencyKey() {
        return concurrencyKey;
    }

    /** Returns the maximum wait for the external completion, or null if a worker runs the job. */
    public @Nullable Duration externalCompletion() {
        return externalCompletion;
    }

    /** True if the job begins a declared chain: {@link JobChain#job} has made it. */
    public boolean beginsChain() {
        return beginsChain;
    }
}
