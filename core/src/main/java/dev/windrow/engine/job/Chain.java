package dev.windrow.engine.job;

import dev.windrow.BulkResult;
import dev.windrow.ChainHandle;
import dev.windrow.ChainRef;
import dev.windrow.JobInfo;
import dev.windrow.Retry;
import dev.windrow.TransitionRefusedException;
import dev.windrow.store.job.Change;
import dev.windrow.workflow.ChainInfo;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The handle of one chain. */
record Chain<O extends @Nullable Object>(Verbs verbs, Reads reads, ChainRef<O> ref) implements ChainHandle<O> {
    @Override
    public ChainInfo info() {
        return reads.chainInfo(ref.id());
    }

    @Override
    public List<JobInfo> jobs() {
        return reads.chain(ref.id());
    }

    @Override
    public BulkResult cancel() {
        return changeLast(Change.Verb.CANCEL, UnaryOperator.identity());
    }

    @Override
    public BulkResult retry(Retry how) {
        return changeLast(Change.Verb.RETRY, Verbs.retrying(how));
    }

    @Override
    public BulkResult delete() {
        return verbs.change(Change.Verb.DELETE, jobs().stream().map(JobInfo::id).toList(), UnaryOperator.identity());
    }

    private BulkResult changeLast(Change.Verb verb, UnaryOperator<Change.Builder> options) {
        while (true) {
            long last = info().lastJob();
            try {
                return verbs.change(verb, List.of(last), options);
            } catch (TransitionRefusedException e) {
                // The job may have continued after it was read.
                if (info().lastJob() == last) {
                    throw e;
                }
            }
        }
    }
}
