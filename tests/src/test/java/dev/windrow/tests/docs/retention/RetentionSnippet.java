package dev.windrow.tests.docs.retention;

import dev.windrow.JobHistory;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.Windrow;
import dev.windrow.payload.Json;
import dev.windrow.retention.Cleanup;
import dev.windrow.retention.CleanupFailedException;
import dev.windrow.retention.RetentionResult;
import dev.windrow.retention.RetentionRules;
import dev.windrow.retention.RetentionRun;
import dev.windrow.retention.SizeChange;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The code of docs/how-to/retention.md. */
final class RetentionSnippet {
    private static final JobType<Json, Json> SEND_INVOICE = JobType.raw("invoice.send");

    private RetentionSnippet() {}

    static RetentionRules rules(Windrow windrow) {
        // region rules
        windrow.retention().keep(JobState.COMPLETED, Duration.ofDays(7));
        windrow.retention().keepForever(JobState.FAILED, SEND_INVOICE);
        windrow.retention().reset(JobState.COMPLETED);
        RetentionRules rules = windrow.retention().rules();
        // endregion
        return rules;
    }

    static void failure(Windrow windrow, List<String> report) {
        // region failure
        try {
            windrow.retention().cleanup();
        } catch (CleanupFailedException e) {
            report.add(e.done().total() + " jobs were deleted, and then: " + e.getMessage());
        }
        // endregion
    }

    static RetentionResult archive(Windrow windrow, List<String> archive) {
        // region archive
        RetentionResult done = windrow.retention()
                .cleanup(Cleanup.BY_THE_RULES
                        .withAge(JobState.CANCELLED, Duration.ZERO)
                        .withArchive(jobs -> {
                            for (JobHistory job : jobs) {
                                archive.add(job.job().id() + " " + job.job().state());
                            }
                        }));
        // endregion
        return done;
    }

    static String state(Windrow windrow) {
        Optional<RetentionRun> last = windrow.retention().lastRun();
        SizeChange vacuumed = windrow.retention().vacuum();
        return last + " " + vacuumed;
    }
}
