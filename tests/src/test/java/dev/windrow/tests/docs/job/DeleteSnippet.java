package dev.windrow.tests.docs.job;

import dev.windrow.BulkResult;
import dev.windrow.JobRef;
import dev.windrow.JobSelection;
import dev.windrow.Windrow;
import dev.windrow.query.JobFilter;

/** The code of docs/how-to/delete.md. */
final class DeleteSnippet {
    private DeleteSnippet() {}

    static long delete(Windrow windrow, JobRef<?> order, long first, long workflow) {
        // region delete
        windrow.job(order).delete();
        BulkResult deleted = windrow.jobs(JobFilter.ALL.withTags("customer-17")).delete();
        windrow.chain(first).delete(); // all jobs of the chain
        windrow.jobs(JobFilter.workflow(workflow)).delete();
        // endregion
        return deleted.count();
    }

    // region forget
    static long forget(Windrow windrow, String tag, String request) {
        JobSelection jobs = windrow.because(request).jobs(JobFilter.ALL.withTags(tag));
        jobs.cancel(); // waiting jobs end at once, running ones when their handlers stop
        jobs.delete();
        return jobs.count(); // repeat until it is 0
    }
    // endregion
}
