package dev.windrow.engine.job;

import dev.windrow.BulkResult;
import dev.windrow.ChainHandle;
import dev.windrow.ChainRef;
import dev.windrow.Explanation;
import dev.windrow.JobHandle;
import dev.windrow.JobHistory;
import dev.windrow.JobInfo;
import dev.windrow.JobNotFoundException;
import dev.windrow.JobRef;
import dev.windrow.JobRequest;
import dev.windrow.Retry;
import dev.windrow.payload.Content;
import dev.windrow.payload.Json;
import dev.windrow.payload.Metadata;
import dev.windrow.step.Signalled;
import dev.windrow.store.job.Change;
import dev.windrow.workflow.BatchProgress;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The handle of one job.
 *
 * @param verbs the verbs of its chain
 * @param changing the verbs that change it, with the expected version
 * @param committed returns the job that a read shows
 * @param writable returns the job that a change concerns: in a caller's transaction it may be one of that transaction
 */
record Handle<O extends @Nullable Object>(
        Verbs verbs, Verbs changing, Reads reads, Supplier<JobRef<O>> committed, Supplier<JobRef<O>> writable)
        implements JobHandle<O> {
    @Override
    public JobRef<O> ref() {
        return committed.get();
    }

    @Override
    public JobHandle<O> ifVersion(long version) {
        return new Handle<>(verbs, verbs.expecting(version), reads, committed, writable);
    }

    @Override
    public boolean exists() {
        try {
            return reads.store().outcome(ref().id()).isPresent();
        } catch (JobNotFoundException e) {
            return false;
        }
    }

    @Override
    public JobInfo info() {
        return reads.info(ref().id());
    }

    @Override
    public JobHistory history() {
        return reads.history(ref().id());
    }

    @Override
    public Explanation explain() {
        return reads.explain(ref().id());
    }

    @Override
    public ChainHandle<@Nullable Json> chain() {
        return new Chain<>(verbs, reads, ChainRef.raw(ref().id()));
    }

    @Override
    public BatchProgress batch() {
        return reads.batch(ref().id());
    }

    @Override
    public Optional<Content> payload() {
        return reads.payload(ref().id());
    }

    @Override
    public Optional<Content> result() {
        return reads.result(ref().id());
    }

    @Override
    public void cancel() {
        change(Change.Verb.CANCEL);
    }

    @Override
    public BulkResult retry(Retry how) {
        return changing.change(Change.Verb.RETRY, List.of(writable.get().id()), Verbs.retrying(how));
    }

    @Override
    public void trigger() {
        change(Change.Verb.TRIGGER);
    }

    @Override
    public void delete() {
        change(Change.Verb.DELETE);
    }

    @Override
    public void mergeMetadata(Metadata patch) {
        changing.mergeMetadata(writable.get(), Objects.requireNonNull(patch, "patch"));
    }

    private void change(Change.Verb verb) {
        BulkResult unused = changing.change(verb, List.of(writable.get().id()), UnaryOperator.identity());
    }

    @Override
    public void complete() {
        changing.complete(writable.get(), null);
    }

    @Override
    public void complete(O result) {
        changing.complete(writable.get(), result);
    }

    @Override
    public <N extends @Nullable Object> JobRef<N> completeWith(JobRequest<?, N> next) {
        return changing.complete(writable.get(), null, next);
    }

    @Override
    public <N extends @Nullable Object> JobRef<N> completeWith(O result, JobRequest<?, N> next) {
        return changing.complete(writable.get(), result, next);
    }

    @Override
    public void fail(String errorCode) {
        changing.fail(writable.get(), errorCode, null);
    }

    @Override
    public void fail(String errorCode, String detail) {
        changing.fail(writable.get(), errorCode, Objects.requireNonNull(detail, "detail"));
    }

    @Override
    public Signalled signal(String event) {
        return changing.signal(writable.get(), event, null);
    }

    @Override
    public Signalled signal(String event, Object payload) {
        return changing.signal(writable.get(), event, Objects.requireNonNull(payload, "payload"));
    }
}
