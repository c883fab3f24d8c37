package dev.windrow;

import com.google.errorprone.annotations.CheckReturnValue;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A kind of chain: the type of its first job, and the type of the job that ends it and has its result. Immutable. The jobs between them may be of any
 * type. If a type declares its next types with {@link JobType#withNext}, only they may follow it.
 *
 * <pre>{@code
 * static final JobChain<Page, Integer> CRAWL = JobChain.of(FETCH, SUMMARY);
 * ChainRef<Integer> chain = windrow.enqueue(CRAWL, page);
 * Integer entries = windrow.awaitChain(chain, ofMinutes(5));
 * }</pre>
 *
 * @param <I> the type of the first job's input
 * @param <O> the type of the last job's result
 */
@CheckReturnValue
public final class JobChain<I extends @Nullable Object, O extends @Nullable Object> {
    private final JobType<I, ?> first;
    private final JobType<?, O> last;

    private JobChain(JobType<I, ?> first, JobType<?, O> last) {
        this.first = first;
        this.last = last;
    }

    /**
     * Returns a chain that begins with a job of one type and ends with a job of another one, or of the same.
     *
     * @throws InvalidRequestException if no sequence of declared types leads from the first to the last type. A type without a declaration, or of
     *     which only the name is known, may lead to any type
     */
    public static <I extends @Nullable Object, O extends @Nullable Object> JobChain<I, O> of(
            JobType<I, ?> first, JobType<?, O> last) {
        Set<String> found = new LinkedHashSet<>();
        if (!first.isNamed(last.name()) && !leads(first, last, found)) {
            throw new InvalidRequestException("a chain from '%s' cannot end with '%s': only %s can follow"
                    .formatted(first.name(), last.name(), names(found)));
        }
        return new JobChain<>(first, last);
    }

    /** True if the last type may be reached. Adds the names of all types that can follow, as far as they were looked at. */
    private static boolean leads(JobType<?, ?> first, JobType<?, ?> last, Set<String> found) {
        Map<String, JobType<?, ?>> known = new HashMap<>();
        learn(first, known);
        learn(last, known);
        Deque<JobType<?, ?>> left = new ArrayDeque<>(List.of(first));
        while (!left.isEmpty()) {
            JobType<?, ?> type = left.remove();
            if (type.allowsNext(last)) {
                return true;
            }
            for (String name : type.next()) {
                JobType<?, ?> next = known.get(name);
                if (next == null) {
                    return true;
                }
                if (found.add(name)) {
                    left.add(next);
                }
            }
        }
        return false;
    }

    private static void learn(JobType<?, ?> type, Map<String, JobType<?, ?>> known) {
        if (known.putIfAbsent(type.name(), type) == null) {
            type.aliases().forEach(alias -> known.putIfAbsent(alias, type));
            type.nextTypes().forEach(next -> learn(next, known));
        }
    }

    private static String names(Set<String> names) {
        return names.stream().map(name -> "'" + name + "'").collect(Collectors.joining(", "));
    }

    /**
     * Returns the first job of a chain, for options and an enqueue. {@link #ref} makes the reference of the chain from the id of the enqueued job. In
     * a schedule, and as a next job of another chain, it is a job like any other.
     *
     * @param input the input; see {@link JobType#job(Object)}
     * @throws InvalidRequestException if the input is null and the type has an input
     */
    public JobRequest<I, ?> job(@Nullable I input) {
        return first.job(input).beginningChain();
    }

    /** Returns the first job of a chain for each input, in their order. */
    public List<JobRequest<I, ?>> jobs(Collection<? extends I> inputs) {
        return inputs.stream().<JobRequest<I, ?>>map(this::job).toList();
    }

    /**
     * Returns a reference to a chain of this kind.
     *
     * @param id the id of its first job, or of any other job of it
     */
    public ChainRef<O> ref(long id) {
        return new ChainRef<>(id, last.output(), last);
    }

    /** Returns the type of the first job. */
    public JobType<I, ?> first() {
        return first;
    }

    /** Returns the type of the job that ends the chain. */
    public JobType<?, O> last() {
        return last;
    }

    @Override
    public String toString() {
        return first + " to " + last;
    }
}
