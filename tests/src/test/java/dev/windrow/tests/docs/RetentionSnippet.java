package dev.windrow.tests.docs;

import dev.windrow.Cleanup;
import dev.windrow.CleanupFailedException;
import dev.windrow.JobHistory;
import dev.windrow.JobState;
import dev.windrow.RetentionResult;
import dev.windrow.RetentionRules;
import dev.windrow.RetentionRun;
import dev.windrow.SizeChange;
import dev.windrow.Windrow;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The code of docs/guides/retention.md. */
final class RetentionSnippet {
    private RetentionSnippet() {}

    static RetentionRules rules(Windrow windrow) {
        // region rules
        windrow.retention().keep(JobState.COMPLETED, Duration.ofDays(7));
        windrow.retention().keepForever(JobState.FAILED, "invoice.send");
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
