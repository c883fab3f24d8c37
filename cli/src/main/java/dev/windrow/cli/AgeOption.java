package dev.windrow.cli;

import dev.windrow.cli.terminal.Values;
import dev.windrow.query.JobFilter;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option that means jobs which ended a while ago. */
public final class AgeOption {
    @Option(names = "--older-than", paramLabel = "DURATION", description = "Jobs that ended longer ago, such as 7d.")
    private @Nullable String olderThan;

    /** The filter for those jobs only. */
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
