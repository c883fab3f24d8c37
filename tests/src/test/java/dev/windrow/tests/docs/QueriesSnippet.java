package dev.windrow.tests.docs;

import dev.windrow.JobFilter;
import dev.windrow.JobMatches;
import dev.windrow.JobPage;
import dev.windrow.JobQuery;
import dev.windrow.JobSnapshot;
import dev.windrow.JobState;
import dev.windrow.PayloadMatch;
import dev.windrow.Windrow;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The Java of docs/guides/queries.md. */
final class QueriesSnippet {
    private QueriesSnippet() {}

    // region filter
    static JobPage failedMails(Windrow windrow) {
        JobFilter filter = JobFilter.ALL
                .withStates(Set.of(JobState.FAILED, JobState.CANCELLED))
                .withQueue("mail")
                .withTags(List.of("vip", "europe"));
        return windrow.list(JobQuery.of(filter).oldestFirst().limit(20));
    }
    // endregion

    // region pages
    static List<JobSnapshot> all(Windrow windrow, JobFilter filter) {
        List<JobSnapshot> jobs = new ArrayList<>();
        JobQuery query = JobQuery.of(filter).limit(1000);
        Long next = null;
        do {
            JobPage page = windrow.list(query.after(next));
            jobs.addAll(page.jobs());
            next = page.next();
        } while (next != null);
        return jobs;
    }
    // endregion

    // region search
    static JobMatches ofCustomer(Windrow windrow, long customer) {
        JobQuery query = JobQuery.of(JobFilter.ALL.withType("mail.send"));
        return windrow.search(query, PayloadMatch.equalTo("$.customer.id", customer));
    }
    // endregion
}
