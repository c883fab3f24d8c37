package dev.windrow.testkit;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.google.errorprone.annotations.CheckReturnValue;
import dev.windrow.Durations;
import dev.windrow.JobHistory;
import dev.windrow.JobRef;
import dev.windrow.JobType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.assertj.core.api.AbstractAssert;
import org.jspecify.annotations.Nullable;

/**
 * Assertions about the jobs of a type that the test has enqueued, made by {@link WindrowTest#enqueued}. Each condition keeps the jobs that meet it, and
 * fails if none does. {@link #once} and {@link #times} compare the number of jobs that are left. A failure has the stories of the jobs.
 *
 * @param <I> the type of the input
 * @param <O> the type of the result
 */
public final class EnqueuedAssert<I extends @Nullable Object, O extends @Nullable Object>
        extends AbstractAssert<EnqueuedAssert<I, O>, List<JobHistory>> {
    private final TestRun run;
    private final JobType<I, O> type;
    /** The conditions so far, such as {@code a job of type 'mail' on queue slow}. */
    private final String what;

    EnqueuedAssert(TestRun run, JobType<I, O> type) {
        this(run, type, "type '" + type.name() + "'", run.jobsOf(type));
        if (actual.isEmpty()) {
            throw failure("a job of " + what + " was enqueued", "none was", run.jobs());
        }
    }

    private EnqueuedAssert(TestRun run, JobType<I, O> type, String what, List<JobHistory> jobs) {
        super(jobs, EnqueuedAssert.class);
        this.run = run;
        this.type = type;
        this.what = what;
    }

    private AssertionError failure(String expected, String found, List<Long> jobs) {
        String stories = jobs.isEmpty() ? "The test has enqueued no job." : run.stories.of(jobs);
        return failureWithActualExpected(
                found, expected, "%s", "\nexpected: %s\n but was: %s\n\n%s".formatted(expected, found, stories));
    }

    private static List<Long> ids(List<JobHistory> jobs) {
        return jobs.stream().map(history -> history.job().id()).toList();
    }

    /** Keeps the jobs with this value; if none has it, fails with the values that they have. */
    private <T extends @Nullable Object> EnqueuedAssert<I, O> with(
            String condition, Predicate<? super T> matches, Function<JobHistory, ? extends T> property) {
        List<JobHistory> left = new ArrayList<>();
        List<String> found = new ArrayList<>();
        for (JobHistory job : actual) {
            T value = property.apply(job);
            found.add("%s (job %d)".formatted(Stories.text(value), job.job().id()));
            if (matches.test(value)) {
                left.add(job);
            }
        }
        String all = what + " " + condition;
        if (left.isEmpty()) {
            throw failure("a job of " + all + " was enqueued", String.join(", ", found), ids(actual));
        }
        EnqueuedAssert<I, O> next = new EnqueuedAssert<>(run, type, all, left);
        next.info.useRepresentation(info.representation());
        return info.hasDescription() ? next.as(info.description()) : next;
    }

    /** Asserts that one job is left. */
    @CanIgnoreReturnValue
    public EnqueuedAssert<I, O> once() {
        return times(1);
    }

    /**
     * Asserts that this number of jobs is left.
     *
     * @param expected 1 or more; see {@link WindrowTest#notEnqueued} for none
     */
    @CanIgnoreReturnValue
    public EnqueuedAssert<I, O> times(int expected) {
        if (actual.size() != expected) {
            throw failure(
                    "%d %s of %s".formatted(expected, expected == 1 ? "job" : "jobs", what),
                    Integer.toString(actual.size()),
                    ids(actual));
        }
        return this;
    }

    /** Keeps the jobs with this input, decoded and compared by {@link Object#equals}. */
    @CanIgnoreReturnValue
    public EnqueuedAssert<I, O> withInput(I expected) {
        return with("with input " + Stories.text(expected), input -> Objects.equals(expected, input), this::input);
    }

    /**
     * Keeps the jobs with an input that meets a condition.
     *
     * @param condition the text of the condition, for messages
     */
    @CanIgnoreReturnValue
    public EnqueuedAssert<I, O> withInputMatching(String condition, Predicate<? super I> matches) {
        return with("with input matching '" + condition + "'", matches, this::input);
    }

    // The input was written by this type, or by a former version that it can read.
    @SuppressWarnings({"unchecked", "NullAway"})
    private I input(JobHistory job) {
        return (I) run.worker().decode(job.payload(), type.input());
    }

    /** Keeps the jobs in this queue. */
    @CanIgnoreReturnValue
    public EnqueuedAssert<I, O> onQueue(String expected) {
        return with("on queue " + expected, expected::equals, job -> job.job().queue());
    }

    /** Keeps the jobs that are due this time after they were enqueued. A job without a delay is due in 0 s. */
    @CanIgnoreReturnValue
    public EnqueuedAssert<I, O> dueIn(Duration expected) {
        return with(
                "due in " + Durations.text(expected),
                expected::equals,
                job -> Duration.between(job.job().createdAt(), job.job().scheduledAt()));
    }

    /** Keeps the jobs with all of these tags. */
    @CanIgnoreReturnValue
    public EnqueuedAssert<I, O> withTags(String... expected) {
        List<String> all = List.of(expected);
        return with(
                "with tags " + all.stream().collect(Collectors.joining(", ")),
                (List<String> tags) -> tags.containsAll(all),
                job -> job.job().tags());
    }

    /** Asserts that one job is left, and returns it, to run it or to assert more. */
    @CheckReturnValue
    public JobRef<O> job() {
        return type.ref(once().actual.get(0).job().id());
    }
}
