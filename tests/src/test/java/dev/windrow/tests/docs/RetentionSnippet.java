package dev.windrow.tests.docs;

import dev.windrow.CleanedUp;
import dev.windrow.Cleanup;
import dev.windrow.CleanupFailedException;
import dev.windrow.JobState;
import dev.windrow.JobStory;
import dev.windrow.LastRetention;
import dev.windrow.Retention;
import dev.windrow.Vacuumed;
import dev.windrow.Windrow;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The code of docs/guides/retention.md. */
final class RetentionSnippet {
    private RetentionSnippet() {}

    static Retention rules(Windrow windrow) {
        // region rules
        windrow.retain(JobState.COMPLETED, Duration.ofDays(7));
        windrow.retain(JobState.FAILED, "invoice.send", null); // for ever
        windrow.retainByDefault(JobState.COMPLETED, null);
        Retention rules = windrow.retention();
        // endregion
        return rules;
    }

    static void failure(Windrow windrow, List<String> report) {
        // region failure
        try {
            windrow.cleanup(Cleanup.BY_THE_RULES);
        } catch (CleanupFailedException e) {
            report.add(e.done().total() + " jobs were deleted, and then: " + e.getMessage());
        }
        // endregion
    }

    static CleanedUp archive(Windrow windrow, List<String> archive) {
        // region archive
        CleanedUp done = windrow.cleanup(Cleanup.BY_THE_RULES
                .withAge(JobState.CANCELLED, Duration.ZERO)
                .withArchive(jobs -> {
                    for (JobStory job : jobs) {
                        archive.add(job.job().id() + " " + job.job().state());
                    }
                }));
        // endregion
        return done;
    }

    static String state(Windrow windrow) {
        Optional<LastRetention> last = windrow.lastRetention();
        Vacuumed vacuumed = windrow.vacuum();
        return last + " " + vacuumed;
    }
}
