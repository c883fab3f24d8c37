package dev.windrow.testkit;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.google.errorprone.annotations.CheckReturnValue;
import dev.windrow.Durations;
import dev.windrow.EventKind;
import dev.windrow.JobHistory;
import dev.windrow.JobRef;
import dev.windrow.JobType;
import java.time.Duration;
import java.time.Instant;
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
        String stories =
                jobs.isEmpty() ? "The test has enqueued no job, or has not committed it." : run.stories.of(jobs);
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

    /**
     * Keeps the jobs that were due this time after they were enqueued. A job without a delay is due in 0s. If a duplicate has replaced the job, the time
     * counts from then. The store keeps the next due time only: when a later attempt was planned, the first delay is known only if it was 0s, and a
     * failure says so. Use {@link JobAssert#isScheduledIn} for the next attempt.
     */
    @CanIgnoreReturnValue
    public EnqueuedAssert<I, O> dueIn(Duration expected) {
        return with("due in " + Durations.text(expected), expected::equals, EnqueuedAssert::firstDelay);
    }

    /** An unknown first delay. */
    private record Unknown(EventKind planned) {
        @Override
        public String toString() {
            return "unknown since " + planned;
        }
    }

    /** Returns the delay with which a job was enqueued or replaced. */
    private static Object firstDelay(JobHistory job) {
        Instant enqueued = job.job().createdAt();
        Instant claimed = null;
        EventKind planned = null;
        for (JobHistory.Event event : job.events()) {
            switch (event.event()) {
                case REPLACED -> {
                    enqueued = event.at();
                    claimed = null;
                    planned = null;
                }
                case CLAIMED -> claimed = claimed == null ? event.at() : claimed;
                case RETRY_SCHEDULED, SNOOZED, RETRIED -> planned = planned == null ? event.event() : planned;
                default -> {}
            }
        }
        if (enqueued.equals(claimed)) {
            return Duration.ZERO;
        }
        Duration delay = Duration.between(enqueued, job.job().scheduledAt());
        return planned != null ? new Unknown(planned) : delay.isNegative() ? Duration.ZERO : delay;
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
