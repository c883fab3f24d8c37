package dev.windrow.engine.job;

import dev.windrow.BulkResult;
import dev.windrow.JobHandles;
import dev.windrow.Retry;
import dev.windrow.store.job.Change;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * The handle of several jobs that are changed together.
 *
 * @param versions the versions that these jobs must have; empty for any
 */
record Handles(Verbs verbs, List<Long> ids, Map<Long, Long> versions, boolean dryRun) implements JobHandles {
    @Override
    public JobHandles preview() {
        return new Handles(verbs, ids, versions, true);
    }

    @Override
    public BulkResult cancel() {
        return change(Change.Verb.CANCEL, UnaryOperator.identity());
    }

    @Override
    public BulkResult retry(Retry how) {
        return change(Change.Verb.RETRY, Verbs.retrying(how));
    }

    @Override
    public BulkResult trigger() {
        return change(Change.Verb.TRIGGER, UnaryOperator.identity());
    }

    @Override
    public BulkResult delete() {
        return change(Change.Verb.DELETE, UnaryOperator.identity());
    }

    private BulkResult change(Change.Verb verb, UnaryOperator<Change.Builder> options) {
        return verbs.change(
                verb, ids, change -> options.apply(change).expected(versions).dryRun(dryRun));
    }
}
