package dev.windrow.testkit;

import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.Windrow;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The comparison of two runs of a handler. */
final class Repeats {
    private static final String FIRST = "the first run of the handler";
    private static final String SECOND = "the second run of the handler, after a crash,";

    private final Windrow windrow;
    private final JobRunner runner;
    private final Stories stories;

    Repeats(Windrow windrow, JobRunner runner, Stories stories) {
        this.windrow = windrow;
        this.runner = runner;
        this.stories = stories;
    }

    /** Runs a job twice, the first time with a crash, and compares what it leaves. */
    <I extends @Nullable Object> void require(JobType<I, ?> type, I input, Supplier<?> observed) {
        // A job with one attempt would not run again.
        long job = windrow.enqueue(type.job(input).withMaxAttempts(Math.max(2, type.maxAttempts())))
                .id();
        runner.run(job, JobRunner.Fault.CRASH);
        Throwable failure = runner.thrown(job);
        if (failure != null) {
            throw error(job, FIRST, "completes", "threw " + Stories.thrown(failure), failure);
        }
        Object first = Observed.of(observed.get());
        if (state(job) == JobState.SCHEDULED) {
            runner.runAttempt(job);
        }
        failure = runner.thrown(job);
        if (failure != null) {
            throw error(job, SECOND, "completes again", "threw " + Stories.thrown(failure), failure);
        }
        if (state(job) != JobState.COMPLETED) {
            throw error(job, SECOND, "completes again", "is " + state(job), null);
        }
        Object second = Observed.of(observed.get());
        if (!Objects.deepEquals(first, second)) {
            throw error(
                    job,
                    SECOND,
                    "leaves " + Stories.text(first) + ", as the first one",
                    "left " + Stories.text(second),
                    null);
        }
    }

    private JobState state(long job) {
        return windrow.job(job).info().state();
    }

    private AssertionError error(long job, String who, String expected, String found, @Nullable Throwable failure) {
        AssertionError error = new AssertionError(
                "\nexpected: %s %s\n but was: it %s\n\n%s".formatted(who, expected, found, stories.of(job)));
        if (failure != null) {
            error.addSuppressed(failure);
        }
        return error;
    }
}
