package dev.windrow.engine.job;

import dev.windrow.BulkResult;
import dev.windrow.JobHandle;
import dev.windrow.JobHistory;
import dev.windrow.JobInfo;
import dev.windrow.JobRef;
import dev.windrow.JobRequest;
import dev.windrow.Retry;
import dev.windrow.payload.Content;
import dev.windrow.payload.Metadata;
import dev.windrow.step.Signalled;
import dev.windrow.store.job.Change;
import dev.windrow.workflow.BatchProgress;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The handle of one job. */
record Handle<O extends @Nullable Object>(Verbs verbs, Reads reads, JobRef<O> ref) implements JobHandle<O> {
    @Override
    public boolean exists() {
        return reads.store().outcome(ref.id()).isPresent();
    }

    @Override
    public JobInfo info() {
        return reads.info(ref.id());
    }

    @Override
    public JobHistory history() {
        return reads.history(ref.id());
    }

    @Override
    public List<JobInfo> chain() {
        return reads.chain(ref.id());
    }

    @Override
    public BatchProgress batch() {
        return reads.batch(ref.id());
    }

    @Override
    public Optional<Content> payload() {
        return reads.payload(ref.id());
    }

    @Override
    public Optional<Content> result() {
        return reads.result(ref.id());
    }

    @Override
    public void cancel() {
        change(Change.Verb.CANCEL);
    }

    @Override
    public BulkResult retry(Retry how) {
        return verbs.change(Change.Verb.RETRY, List.of(ref.id()), Verbs.retrying(how));
    }

    @Override
    public void trigger() {
        change(Change.Verb.TRIGGER);
    }

    @Override
    public void discard() {
        change(Change.Verb.DISCARD);
    }

    @Override
    public void mergeMetadata(Metadata patch) {
        verbs.mergeMetadata(ref, Objects.requireNonNull(patch, "patch"));
    }

    private void change(Change.Verb verb) {
        BulkResult unused = verbs.change(verb, List.of(ref.id()), UnaryOperator.identity());
    }

    @Override
    public void complete() {
        verbs.complete(ref, null);
    }

    @Override
    public void complete(O result) {
        verbs.complete(ref, result);
    }

    @Override
    public <N extends @Nullable Object> JobRef<N> completeWith(JobRequest<?, N> next) {
        return verbs.complete(ref, null, next);
    }

    @Override
    public <N extends @Nullable Object> JobRef<N> completeWith(O result, JobRequest<?, N> next) {
        return verbs.complete(ref, result, next);
    }

    @Override
    public void fail(String errorCode) {
        verbs.fail(ref, errorCode, null);
    }

    @Override
    public void fail(String errorCode, String detail) {
        verbs.fail(ref, errorCode, Objects.requireNonNull(detail, "detail"));
    }

    @Override
    public Signalled signal(String event) {
        return verbs.signal(ref, event, null);
    }

    @Override
    public Signalled signal(String event, Object payload) {
        return verbs.signal(ref, event, Objects.requireNonNull(payload, "payload"));
    }
}
