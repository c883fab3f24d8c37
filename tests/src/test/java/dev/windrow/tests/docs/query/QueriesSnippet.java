package dev.windrow.tests.docs.query;

import dev.windrow.JobInfo;
import dev.windrow.JobSelection;
import dev.windrow.JobState;
import dev.windrow.Windrow;
import dev.windrow.query.JobFilter;
import dev.windrow.query.JobMatches;
import dev.windrow.query.JobPage;
import dev.windrow.query.PayloadMatch;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The Java of docs/how-to/queries.md. */
final class QueriesSnippet {
    private QueriesSnippet() {}

    // region filter
    static JobPage failedMails(Windrow windrow) {
        JobFilter filter = JobFilter.ALL
                .withStates(Set.of(JobState.FAILED, JobState.CANCELLED))
                .withQueue("mail")
                .withTags(List.of("vip", "europe"));
        return windrow.jobs(filter).oldestFirst().page(20);
    }
    // endregion

    // region pages
    static List<JobInfo> all(Windrow windrow, JobFilter filter) {
        List<JobInfo> jobs = new ArrayList<>();
        windrow.jobs(filter).newestFirst().forEach(jobs::add);
        return jobs;
    }
    // endregion

    // region search
    static JobMatches ofCustomer(Windrow windrow, long customer) {
        JobSelection mails = windrow.jobs(JobFilter.ALL.withType("mail.send"));
        return mails.newestFirst().search(PayloadMatch.equalTo("$.customer.id", customer));
    }
    // endregion
}
