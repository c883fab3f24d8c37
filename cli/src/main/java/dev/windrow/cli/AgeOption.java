package dev.windrow.cli;

import dev.windrow.cli.terminal.Values;
import dev.windrow.query.JobFilter;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option {@code --older-than}, which selects jobs by the time since their end. */
public final class AgeOption {
    @Option(
            names = "--older-than",
            paramLabel = "DURATION",
            description = "Jobs that ended longer ago than this, such as 7d. 0s to 36500d, default none.")
    private @Nullable String olderThan;

    /** Returns the filter, restricted to jobs that ended before the given age. */
    public JobFilter narrow(JobFilter filter) {
        if (olderThan == null) {
            return filter;
        }
        Instant before = Instant.now()
                .truncatedTo(ChronoUnit.MILLIS)
                .minus(Values.duration("--older-than", olderThan, "0s", "36500d"));
        Instant given = filter.finished().before();
        return given != null && given.isBefore(before)
                ? filter
                : Values.named("--older-than", () -> filter.withFinishedBefore(before));
    }
}
