package dev.windrow.cli;

import dev.windrow.JobFilter;
import dev.windrow.JobState;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that say which jobs a listing or a bulk change means. */
final class FilterOptions {
    @Option(names = "--state", paramLabel = "STATE", description = "Jobs in this state, such as FAILED.")
    private @Nullable String state;

    @Option(names = "--type", paramLabel = "TYPE", description = "Jobs of this type.")
    private @Nullable String type;

    @Option(names = "--queue", paramLabel = "NAME", description = "Jobs of this queue.")
    private @Nullable String queue;

    @Option(names = "--error-code", paramLabel = "CODE", description = "Jobs whose last failure has this code.")
    private @Nullable String errorCode;

    @Option(names = "--tag", paramLabel = "TEXT", description = "Jobs with this tag.")
    private @Nullable String tag;

    @Option(
            names = "--created-after",
            paramLabel = "TIME",
            description = "Enqueued then or later, ISO-8601 with an offset.")
    private @Nullable String createdAfter;

    @Option(names = "--workflow", paramLabel = "ID", description = "Jobs of this workflow.")
    private @Nullable String workflow;

    /** Whether none was given: then every job would be meant. */
    boolean isEmpty() {
        return state == null
                && type == null
                && queue == null
                && errorCode == null
                && tag == null
                && createdAfter == null
                && workflow == null;
    }

    /** What could match no job that was ever enqueued is a slip of the keyboard, and not an empty answer. */
    JobFilter filter() {
        return new JobFilter(
                state == null ? null : Values.choice("--state", state, JobState.class),
                type == null ? null : Values.type("--type", type),
                queue == null ? null : Values.queue("--queue", queue),
                tag == null ? null : Values.tag("--tag", tag),
                errorCode == null ? null : Values.errorCode("--error-code", errorCode),
                createdAfter == null ? null : Values.instant("--created-after", createdAfter),
                null,
                workflow == null ? null : Values.workflow("--workflow", workflow));
    }
}
