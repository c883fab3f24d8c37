package dev.windrow.engine.worker;

import dev.windrow.ChainHandle;
import dev.windrow.ChainRef;
import dev.windrow.Enqueued;
import dev.windrow.JobHandle;
import dev.windrow.JobHandles;
import dev.windrow.JobRef;
import dev.windrow.JobRequest;
import dev.windrow.JobTransaction;
import dev.windrow.JobType;
import dev.windrow.engine.job.CallersTransaction;
import dev.windrow.engine.job.Verbs;
import dev.windrow.engine.payload.BlobStreams;
import dev.windrow.engine.payload.Encoded;
import dev.windrow.engine.payload.Payloads;
import dev.windrow.schedule.Schedules;
import dev.windrow.step.StepWork;
import dev.windrow.workflow.SubmittedWorkflow;
import dev.windrow.workflow.Workflow;
import java.sql.Connection;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The verbs of a handler inside a transaction of its own, including the end of its job. */
final class EndInTransaction implements JobTransaction {
    private final Verbs verbs;
    private final Attempt attempt;
    private final Payloads payloads;
    private final BlobStreams.Target blobs;
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
    public <I extends @Nullable Object, O extends @Nullable Object> Enqueued<O> enqueue(JobRequest<I, O> request) {
        return verbs.enqueue(request);
    }

    @Override
    public List<Enqueued<?>> enqueueAll(Collection<? extends JobRequest<?, ?>> requests) {
        return verbs.enqueueAll(requests);
    }

    @Override
    public SubmittedWorkflow submit(Workflow workflow) {
        return verbs.submit(workflow);
    }

    @Override
    public <O extends @Nullable Object> JobHandle<O> job(JobRef<O> job) {
        return verbs.job(job);
    }

    @Override
    public <O extends @Nullable Object> JobHandle<O> job(JobType<?, O> type, String dedupeKey) {
        return verbs.job(type, dedupeKey);
    }

    @Override
    public <O extends @Nullable Object> ChainHandle<O> chain(ChainRef<O> chain) {
        return verbs.chain(chain);
    }

    @Override
    public JobHandles jobs(Collection<? extends JobRef<?>> jobs) {
        return verbs.jobs(jobs);
    }

    @Override
    public JobHandles jobsIfVersion(Map<? extends JobRef<?>, Long> versions) {
        return verbs.jobsIfVersion(versions);
    }

    @Override
    public Schedules schedules() {
        return verbs.schedules();
    }
}
