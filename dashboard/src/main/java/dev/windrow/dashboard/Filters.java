package dev.windrow.dashboard;

import dev.windrow.JobState;
import dev.windrow.query.JobFilter;
import java.util.List;

/** The filter of jobs: the same parts in the query of a list and in the body of a change, under the names of the command line. */
final class Filters {
    static final List<Field> FIELDS = List.of(
            Field.choice("state", JobState.class, "Jobs in one of these states; in a query repeated, or with commas.")
                    .upTo(7),
            Field.text("type", 100, "Jobs of this type."),
            Field.text("queue", 100, "Jobs in this queue."),
            Field.text(
                    "errorCode",
                    200,
                    "Jobs whose last failure has this error code, or any code of a category: PROCESS:*."),
            Field.text("tag", 100, "Jobs with all of these tags; in a query repeated.")
                    .upTo(20),
            Field.text("name", 200, "Jobs with exactly this name."),
            Field.text("worker", 200, "Jobs that this worker runs now."),
            Field.text("dedupeKey", 200, "Jobs that were enqueued with this dedupe key."),
            Field.text("concurrencyKey", 200, "Jobs with this concurrency key."),
            Field.id("workflow", "Jobs of this workflow."),
            Field.id("chain", "Jobs of the chain that begins with this job."),
            Field.id("parent", "Jobs that depend on this job."),
            Field.integer("priority", Short.MIN_VALUE, Short.MAX_VALUE, "Jobs with this priority."),
            Field.instant("createdAfter", "Jobs enqueued at this time or later."),
            Field.instant("createdBefore", "Jobs enqueued before this time."),
            Field.instant("finishedAfter", "Jobs that ended at this time or later."),
            Field.instant("finishedBefore", "Jobs that ended before this time."),
            Field.instant("scheduledAfter", "Jobs that are due at this time or later."),
            Field.instant("scheduledBefore", "Jobs that are due before this time."));

    private Filters() {}

    static JobFilter of(Values values) {
        List<JobState> states = values.list("state");
        List<String> tags = values.list("tag");
        JobFilter filter = JobFilter.ALL.withStates(states).withTags(tags);
        filter = values.<JobFilter, String>given(filter, "type", JobFilter::withType);
        filter = values.<JobFilter, String>given(filter, "queue", JobFilter::withQueue);
        filter = values.<JobFilter, String>given(filter, "errorCode", JobFilter::withErrorCode);
        filter = values.<JobFilter, String>given(filter, "name", JobFilter::withName);
        filter = values.<JobFilter, String>given(filter, "worker", JobFilter::withWorker);
        filter = values.<JobFilter, String>given(filter, "dedupeKey", JobFilter::withDedupeKey);
        filter = values.<JobFilter, String>given(filter, "concurrencyKey", JobFilter::withConcurrencyKey);
        filter = values.<JobFilter, Long>given(filter, "workflow", JobFilter::withWorkflow);
        filter = values.<JobFilter, Long>given(filter, "chain", JobFilter::withChain);
        filter = values.<JobFilter, Long>given(filter, "parent", JobFilter::withParent);
        filter = values.<JobFilter, Long>given(
                filter, "priority", (some, priority) -> some.withPriority(priority.intValue()));
        filter = values.given(filter, "createdAfter", JobFilter::withCreatedFrom);
        filter = values.given(filter, "createdBefore", JobFilter::withCreatedBefore);
        filter = values.given(filter, "finishedAfter", JobFilter::withFinishedFrom);
        filter = values.given(filter, "finishedBefore", JobFilter::withFinishedBefore);
        filter = values.given(filter, "scheduledAfter", JobFilter::withScheduledAfter);
        return values.given(filter, "scheduledBefore", JobFilter::withScheduledBefore);
    }
}
