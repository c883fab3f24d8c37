package dev.windrow.testkit;

import dev.windrow.Handler;
import dev.windrow.JobFailure;
import dev.windrow.JobHistory;
import dev.windrow.JobInfo;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.Windrow;
import dev.windrow.engine.worker.ManualWorker;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Calls of a handler alone: one job each, by a worker that takes no other job. */
final class HandlerCalls {
    /** The priority of the jobs, and the minimum of their worker. */
    private static final int ALONE = Short.MAX_VALUE;

    private final Windrow windrow;
    private final JobRunner runner;
    private final Stories stories;
    private final Set<Long> jobs = ConcurrentHashMap.newKeySet();

    HandlerCalls(Windrow windrow, JobRunner runner, Stories stories) {
        this.windrow = windrow;
        this.runner = runner;
        this.stories = stories;
    }

    /** True if this is the job of a call. */
    boolean has(long job) {
        return jobs.contains(job);
    }

    /** Runs one job with this handler, by a worker of its own, which takes no other job. */
    <I extends @Nullable Object, O extends @Nullable Object> Outcome<O> call(
            Handler<I, O> handler, I input, CallContext<I, O> context) {
        JobRef<O> job = windrow.enqueue(context.request(input).withPriority(ALONE));
        jobs.add(job.id());
        ManualWorker caller =
                runner.start(worker -> worker.minPriority(ALONE).handle(context.type(), (given, attempt) -> {
                    if (attempt.attempt() < context.attempt()) {
                        throw JobFailure.retryAfter(
                                "TEST:EARLIER", "an attempt before the one of the test", Duration.ZERO);
                    }
                    return handler.handle(given, attempt);
                }));
        try {
            for (int i = 1; i <= context.attempt(); i++) {
                runner.runAttempt(caller, job.id());
            }
        } finally {
            caller.close();
        }
        return outcome(job);
    }

    // The result was encoded by the type of the job.
    @SuppressWarnings({"unchecked", "NullAway"})
    private <O extends @Nullable Object> Outcome<O> outcome(JobRef<O> job) {
        JobHistory history = windrow.job(job).history();
        return new CallOutcome<>(
                job,
                history.job(),
                () -> {
                    if (history.job().state() != JobState.COMPLETED) {
                        throw new AssertionError("\nexpected: %s has a result\n but was: %s\n\n%s"
                                .formatted(
                                        Stories.name(history.job()),
                                        history.job().state(),
                                        stories.of(job.id())));
                    }
                    return (O) runner.worker().decode(history.result(), job.output());
                },
                Optional.ofNullable(runner.thrown(job.id())));
    }

    private record CallOutcome<O extends @Nullable Object>(
            JobRef<O> job, JobInfo info, Supplier<O> decoded, Optional<Throwable> thrown) implements Outcome<O> {
        @Override
        public O result() {
            return decoded.get();
        }
    }
}
