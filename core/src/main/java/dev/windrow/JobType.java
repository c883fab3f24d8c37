package dev.windrow;

import com.google.errorprone.annotations.CheckReturnValue;
import dev.windrow.payload.Json;
import dev.windrow.payload.TypeRef;
import dev.windrow.validation.Bounds;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A kind of work: a name, the class of the input, the class of the output, and the defaults of its jobs. Immutable: each option returns a copy. The
 * database stores the name only. The program binds the classes here: they never come from stored data.
 *
 * <pre>{@code
 * static final JobType<Resize, Thumbnail> RESIZE = JobType.of("image.resize", Resize.class, Thumbnail.class);
 * }</pre>
 *
 * @param <I> the type of the input
 * @param <O> the type of the output; {@link Void} for a type without a result
 */
@CheckReturnValue
public final class JobType<I extends @Nullable Object, O extends @Nullable Object> {
    /** The default of the maximum number of attempts: 3. */
    public static final int DEFAULT_MAX_ATTEMPTS = 3;

    private final String name;
    private final Type input;
    private final Type output;
    private final Set<String> aliases;
    private final String queue;
    private final int maxAttempts;
    private final @Nullable Duration timeout;
    private final RetryRules retry;
    /** The declared next types by name, in declared order, with the type where it is known. Empty: any. */
    private final Map<String, Optional<JobType<?, ?>>> next;

    private JobType(
            String name,
            Type input,
            Type output,
            Set<String> aliases,
            String queue,
            int maxAttempts,
            @Nullable Duration timeout,
            RetryRules retry,
            Map<String, Optional<JobType<?, ?>>> next) {
        this.name = name;
        this.input = input;
        this.output = output;
        this.aliases = aliases;
        this.queue = queue;
        this.maxAttempts = maxAttempts;
        this.timeout = timeout;
        this.retry = retry;
        this.next = next;
    }

    /**
     * Returns a type with plain classes.
     *
     * @param name a letter, then up to 99 of {@code A-Z a-z 0-9 . _ -}. Names are exact: {@code sendMail} and {@code sendmail} are two types
     * @throws InvalidRequestException if the name is not allowed
     */
    public static <I extends @Nullable Object, O extends @Nullable Object> JobType<I, O> of(
            String name, Class<I> input, Class<O> output) {
        return create(name, input, output);
    }

    /** Returns a type whose jobs have neither an input nor a result. */
    public static JobType<@Nullable Void, @Nullable Void> of(String name) {
        return create(name, Void.class, Void.class);
    }

    /** Returns a type whose input or output is generic, such as a list. */
    public static <I extends @Nullable Object, O extends @Nullable Object> JobType<I, O> of(
            String name, TypeRef<I> input, TypeRef<O> output) {
        return create(name, input.type(), output.type());
    }

    /** Returns a type whose jobs have no result. */
    public static <I extends @Nullable Object> JobType<I, @Nullable Void> of(String name, Class<I> input) {
        return create(name, input, Void.class);
    }

    /** Returns a type whose input and output stay JSON text, for tools that handle jobs without their classes. */
    public static JobType<Json, Json> raw(String name) {
        return create(name, Json.class, Json.class);
    }

    private static <I extends @Nullable Object, O extends @Nullable Object> JobType<I, O> create(
            String name, Type input, Type output) {
        return new JobType<>(
                Bounds.type(name),
                input,
                output,
                Set.of(),
                "default",
                DEFAULT_MAX_ATTEMPTS,
                null,
                RetryRules.of(RetryPolicy.DEFAULT),
                Map.of());
    }

    /**
     * Returns this type with another queue for its jobs; default {@code default}.
     *
     * @throws InvalidRequestException if the name is not allowed for a queue
     */
    public JobType<I, O> withQueue(String queue) {
        return new JobType<>(name, input, output, aliases, Bounds.queue(queue), maxAttempts, timeout, retry, next);
    }

    /**
     * Returns this type with another maximum number of attempts: 1 to 1000, default {@value #DEFAULT_MAX_ATTEMPTS}.
     *
     * @throws InvalidRequestException if the number is out of range
     */
    public JobType<I, O> withMaxAttempts(int maxAttempts) {
        Bounds.range("max attempts", maxAttempts, 1, 1000);
        return new JobType<>(name, input, output, aliases, queue, maxAttempts, timeout, retry, next);
    }

    /**
     * Returns this type with a time limit for each attempt: 1 ms to 3650 days, default the worker's.
     *
     * @throws InvalidRequestException if the time is out of range
     */
    public JobType<I, O> withTimeout(Duration timeout) {
        Bounds.positive("timeout", timeout);
        return new JobType<>(name, input, output, aliases, queue, maxAttempts, timeout, retry, next);
    }

    /** Returns this type with another retry policy for all failures; default {@link RetryPolicy#DEFAULT}. */
    public JobType<I, O> withRetry(RetryPolicy retry) {
        return withRetry(RetryRules.of(retry));
    }

    /** Returns this type with retry rules: some failures are never retried, others have policies of their own. */
    public JobType<I, O> withRetry(RetryRules retry) {
        return new JobType<>(name, input, output, aliases, queue, maxAttempts, timeout, retry, next);
    }

    /**
     * Returns this type with more aliases: former names, under which its workers also take stored jobs.
     *
     * @throws InvalidRequestException if an alias is not allowed as a name
     */
    public JobType<I, O> withAliases(String... former) {
        Set<String> all = new LinkedHashSet<>(aliases);
        for (String alias : former) {
            all.add(Bounds.type(alias));
        }
        return new JobType<>(name, input, output, Set.copyOf(all), queue, maxAttempts, timeout, retry, next);
    }

    /**
     * Returns this type with more types that may follow it in a chain; default: any type may follow. From the first declaration on, a job of this type
     * continues with declared types only, under their names or aliases. A type that may follow itself is declared by its name.
     *
     * @see JobContext#continueWith
     */
    public JobType<I, O> withNext(JobType<?, ?>... types) {
        Map<String, Optional<JobType<?, ?>>> all = new LinkedHashMap<>(next);
        for (JobType<?, ?> type : types) {
            all.put(type.name(), Optional.of(type));
        }
        return withNext(all);
    }

    /**
     * Returns this type with more types that may follow it in a chain, by their names; see {@link #withNext(JobType...)}.
     *
     * @throws InvalidRequestException if a name is not allowed for a type
     */
    public JobType<I, O> withNext(String... types) {
        Map<String, Optional<JobType<?, ?>>> all = new LinkedHashMap<>(next);
        for (String type : types) {
            all.putIfAbsent(Bounds.type(type), Optional.empty());
        }
        return withNext(all);
    }

    private JobType<I, O> withNext(Map<String, Optional<JobType<?, ?>>> all) {
        return new JobType<>(
                name, input, output, aliases, queue, maxAttempts, timeout, retry, Collections.unmodifiableMap(all));
    }

    /**
     * Returns a job of this type, for options and an enqueue.
     *
     * @param input the input. Null only if the input's class is {@link Void}, or is {@link Json}, which may represent a type without input
     * @throws InvalidRequestException if the input is null and the type has an input
     */
    public JobRequest<I, O> job(@Nullable I input) {
        if (input == null && this.input != Void.class && this.input != Json.class) {
            throw new InvalidRequestException(
                    "job type '%s' needs an input of %s: null is not allowed. A type without input is declared with Void.class"
                            .formatted(name, this.input.getTypeName()));
        }
        return new JobRequest<>(this, input);
    }

    /**
     * Returns a job of this type without an input.
     *
     * @throws InvalidRequestException if the type has an input
     */
    public JobRequest<I, O> job() {
        return job(null);
    }

    /** Returns a job of this type for each input, in their order. */
    public List<JobRequest<I, O>> jobs(Collection<? extends I> inputs) {
        return inputs.stream().map(this::job).toList();
    }

    /** Returns a reference to the job of this type with this id. */
    public JobRef<O> ref(long id) {
        return new JobRef<>(id, output, this);
    }

    /** Returns the name under which jobs of this type are stored. */
    public String name() {
        return name;
    }

    /** Returns the type into which payloads are decoded. */
    public Type input() {
        return input;
    }

    /** Returns the type into which results are decoded. */
    public Type output() {
        return output;
    }

    /** Returns the former names, in no order. */
    public Set<String> aliases() {
        return aliases;
    }

    /** Returns the names of the types that may follow, in declared order. Empty: any type may follow. */
    public Set<String> next() {
        return next.keySet();
    }

    /** True if a job of the other type may follow a job of this type in a chain. */
    public boolean allowsNext(JobType<?, ?> other) {
        return next.isEmpty()
                || next.keySet().stream().anyMatch(other::isNamed)
                || nextTypes().anyMatch(type -> type.aliases.stream().anyMatch(other::isNamed));
    }

    /** Returns the declared next types of which more than the name is known. */
    Stream<JobType<?, ?>> nextTypes() {
        return next.values().stream().flatMap(Optional::stream);
    }

    /** True if this is the type's name or one of its aliases. */
    public boolean isNamed(String text) {
        return name.equals(text) || aliases.contains(text);
    }

    /** Returns the queue of its jobs, unless a job has another one. */
    public String queue() {
        return queue;
    }

    /** Returns the maximum number of attempts of its jobs, unless a job has another one. */
    public int maxAttempts() {
        return maxAttempts;
    }

    /** Returns the time limit of an attempt, or null for the worker's default. */
    public @Nullable Duration timeout() {
        return timeout;
    }

    /** Returns the rules by which failures are retried, with the default policy. */
    public RetryRules retry() {
        return retry;
    }

    @Override
    public String toString() {
        return name;
    }
}
