package dev.windrow.engine;

import dev.windrow.Changed;
import dev.windrow.Enqueued;
import dev.windrow.JobRef;
import dev.windrow.JobTransaction;
import dev.windrow.Json;
import dev.windrow.NewJob;
import dev.windrow.Schedule;
import dev.windrow.ScheduleSnapshot;
import dev.windrow.Signalled;
import dev.windrow.StepWork;
import dev.windrow.SubmittedWorkflow;
import dev.windrow.Workflow;
import java.sql.Connection;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The verbs of a handler inside a transaction of its own, among them the end of its job. */
final class EndInTransaction implements JobTransaction {
    private final Verbs verbs;
    private final Attempt attempt;
    private final Payloads payloads;
    private final Blobs.Target blobs;
    private final Connection connection;
    private final Consumer<Ending> end;

    EndInTransaction(
            Verbs verbs, Attempt attempt, Payloads payloads, CallersTransaction transaction, Consumer<Ending> end) {
        this.verbs = verbs;
        this.attempt = attempt;
        this.payloads = payloads;
        this.blobs = transaction.blobs();
        this.connection = transaction.connection();
        this.end = end;
    }

    @Override
    public void complete(@Nullable Object result) {
        Encoded encoded = payloads.encode(result, attempt.registration().type().output(), "result");
        Attempt.Next next = attempt.next();
        end.accept(new Ending.Returned(
                payloads.place(encoded, blobs, "result"), next == null ? null : verbs.row(next.job(), next.payload())));
    }

    @Override
    public void fail(Exception failure) {
        end.accept(new Ending.Threw(failure));
    }

    @Override
    public <T extends @Nullable Object, E extends Exception> T step(
            String name, Class<T> type, StepWork<? extends T, E> work) throws E {
        return attempt.steps().step(connection, name, type, Objects.requireNonNull(work, "work"));
    }

    @Override
    public <I, O> Enqueued<O> enqueue(NewJob<I, O> job) {
        return verbs.enqueue(job);
    }

    @Override
    public List<Enqueued<?>> enqueueAll(Collection<? extends NewJob<?, ?>> jobs) {
        return verbs.enqueueAll(jobs);
    }

    @Override
    public SubmittedWorkflow submit(Workflow workflow) {
        return verbs.submit(workflow);
    }

    @Override
    public void cancel(Collection<? extends JobRef<?>> jobs) {
        verbs.cancel(jobs);
    }

    @Override
    public void retry(Collection<? extends JobRef<?>> jobs, @Nullable Integer maxAttempts) {
        verbs.retry(jobs, maxAttempts);
    }

    @Override
    public Changed retryWithDependents(
            Collection<? extends JobRef<?>> jobs, @Nullable Integer maxAttempts, boolean dryRun) {
        return verbs.retryWithDependents(jobs, maxAttempts, dryRun);
    }

    @Override
    public void retryFromStart(Collection<? extends JobRef<?>> jobs, @Nullable Integer maxAttempts) {
        verbs.retryFromStart(jobs, maxAttempts);
    }

    @Override
    public Signalled signal(JobRef<?> job, String name, @Nullable Object payload) {
        return verbs.signal(job, name, payload);
    }

    @Override
    public void trigger(Collection<? extends JobRef<?>> jobs) {
        verbs.trigger(jobs);
    }

    @Override
    public <O> void complete(JobRef<O> job, @Nullable O result) {
        verbs.complete(job, result);
    }

    @Override
    public <O, N> JobRef<N> complete(JobRef<O> job, @Nullable O result, NewJob<?, N> next) {
        return verbs.complete(job, result, next);
    }

    @Override
    public void fail(JobRef<?> job, String errorCode, @Nullable String detail) {
        verbs.fail(job, errorCode, detail);
    }

    @Override
    public void discard(Collection<? extends JobRef<?>> jobs) {
        verbs.discard(jobs);
    }

    @Override
    public ScheduleSnapshot schedule(Schedule schedule) {
        return verbs.schedule(schedule);
    }

    @Override
    public ScheduleSnapshot pauseSchedule(String name, @Nullable String reason) {
        return verbs.pauseSchedule(name, reason);
    }

    @Override
    public ScheduleSnapshot resumeSchedule(String name) {
        return verbs.resumeSchedule(name);
    }

    @Override
    public void removeSchedule(String name) {
        verbs.removeSchedule(name);
    }

    @Override
    public JobRef<Json> runSchedule(String name) {
        return verbs.runSchedule(name);
    }
}
