package dev.windrow.testkit;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.google.errorprone.annotations.CheckReturnValue;
import dev.windrow.Durations;
import dev.windrow.EventKind;
import dev.windrow.JobHistory;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.assertj.core.api.AbstractAssert;
import org.jspecify.annotations.Nullable;

/**
 * Assertions about one job, made by {@link WindrowTest#assertThat}. Each one reads the job again. A failure has the expected and the found value, and
 * the story of the job: its state, attempts, events and errors.
 *
 * @param <O> the type of the job's result
 */
public final class JobAssert<O extends @Nullable Object> extends AbstractAssert<JobAssert<O>, JobRef<O>> {
    private final TestRun run;
    private Duration patience = Duration.ZERO;

    JobAssert(TestRun run, JobRef<O> job) {
        super(job, JobAssert.class);
        this.run = run;
    }

    /** Reads a property of a job. */
    private interface Property {
        @Nullable Object of(JobHistory history);
    }

    private JobAssert<O> has(String what, @Nullable Object expected, Property property) {
        isNotNull();
        JobHistory history = run.waiting(patience)
                .until(() -> run.windrow.job(actual).history(), read -> Objects.equals(expected, property.of(read)));
        Object found = property.of(history);
        if (Objects.equals(expected, found)) {
            return this;
        }
        String after = patience.isZero() ? "" : " after " + Durations.text(patience);
        AssertionError failure = failureWithActualExpected(
                found,
                expected,
                "%s",
                "\nexpected: %s %s %s\n but was: %s%s\n\n%s"
                        .formatted(
                                Stories.name(history.job()),
                                what,
                                Stories.text(expected),
                                Stories.text(found),
                                after,
                                run.stories.of(actual.id())));
        Throwable thrown = run.runner.thrown(actual.id());
        if (thrown != null) {
            failure.addSuppressed(thrown);
        }
        throw failure;
    }

    /**
     * Lets each of the following assertions wait until it holds, at most for this time. For jobs that run on other threads: with {@link
     * WindrowTest#live}, or with the workers of an application.
     *
     * @param time 0 or more
     * @throws dev.windrow.InvalidRequestException if the time is negative, or no other thread runs jobs because the clock is a {@link ManualTime}
     */
    @CheckReturnValue
    public JobAssert<O> within(Duration time) {
        run.requireWaiting(time);
        patience = time;
        return this;
    }

    /** Asserts that the job is in this state. */
    @CanIgnoreReturnValue
    public JobAssert<O> hasState(JobState expected) {
        return has("is", expected, history -> history.job().state());
    }

    /** Asserts that the job is {@code COMPLETED}. */
    @CanIgnoreReturnValue
    public JobAssert<O> isCompleted() {
        return hasState(JobState.COMPLETED);
    }

    /** Asserts that the job is {@code FAILED}: it has no further attempts. */
    @CanIgnoreReturnValue
    public JobAssert<O> isFailed() {
        return hasState(JobState.FAILED);
    }

    /** Asserts that the job is {@code CANCELLED}. */
    @CanIgnoreReturnValue
    public JobAssert<O> isCancelled() {
        return hasState(JobState.CANCELLED);
    }

    /** Asserts that the job is {@code SCHEDULED}, and due this time from now, by the clock of the test. A retry is due like that after its delay. */
    @CanIgnoreReturnValue
    public JobAssert<O> isScheduledIn(Duration delay) {
        return hasState(JobState.SCHEDULED)
                .has(
                        "is due in",
                        delay,
                        history -> Duration.between(
                                run.worker().time().now(), history.job().scheduledAt()));
    }

    /** Asserts that the last failed attempt has this error code. A job that is {@code COMPLETED} has none. */
    @CanIgnoreReturnValue
    public JobAssert<O> hasErrorCode(String code) {
        return has("has the error code", code, history -> history.job().errorCode());
    }

    /** Asserts that the job has this result, decoded. A job that is not {@code COMPLETED} has none. */
    @CanIgnoreReturnValue
    public JobAssert<O> hasResult(O expected) {
        return has("has the result", expected, history -> run.worker().decode(history.result(), actual.output()));
    }

    /**
     * Asserts that workers have claimed the job so often. Attempts that crashed, lost their lease, snoozed or were handed back count here, also if they
     * do not count towards the maximum of the job.
     */
    @CanIgnoreReturnValue
    public JobAssert<O> hasAttempts(int expected) {
        return has(
                "has attempts:", (long) expected, history -> history.attempts().size() + history.attemptsLeftOut());
    }

    /** Asserts that the event log of the job has exactly these entries, in this order. */
    @CanIgnoreReturnValue
    public JobAssert<O> hasEvents(EventKind... expected) {
        return has(
                "has the events",
                List.of(expected),
                history ->
                        history.events().stream().map(JobHistory.Event::event).toList());
    }
}
