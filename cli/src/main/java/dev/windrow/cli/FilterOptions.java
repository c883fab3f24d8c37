package dev.windrow.cli;

import dev.windrow.ConcurrencyKey;
import dev.windrow.Dedupe;
import dev.windrow.JobFilter;
import dev.windrow.JobState;
import dev.windrow.JobType;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that say which jobs a listing, an export or a bulk change means. */
final class FilterOptions {
    /** What to give where a filter is wanted, for errors. */
    static final String SOME = "--state, --type, --queue, --error-code, --tag, --workflow";

    @Option(
            names = "--state",
            paramLabel = "STATE",
            completionCandidates = Candidates.States.class,
            description = "Jobs in this state, such as FAILED; several by commas or repeated.")
    private List<String> states = new ArrayList<>();

    @Option(names = "--type", paramLabel = "TYPE", description = "Jobs of this type.")
    private @Nullable String type;

    @Option(names = "--queue", paramLabel = "NAME", description = "Jobs of this queue.")
    private @Nullable String queue;

    @Option(names = "--error-code", paramLabel = "CODE", description = "Jobs whose last failure has this code.")
    private @Nullable String errorCode;

    @Option(names = "--tag", paramLabel = "TEXT", description = "Jobs with this tag; repeated: with all of them.")
    private List<String> tags = new ArrayList<>();

    @Option(names = "--name", paramLabel = "TEXT", description = "Jobs with this name for people.")
    private @Nullable String name;

    @Option(names = "--worker", paramLabel = "NAME", description = "Jobs that this worker runs now.")
    private @Nullable String worker;

    @Option(names = "--dedupe-key", paramLabel = "TEXT", description = "Jobs that were given this dedupe key.")
    private @Nullable String dedupeKey;

    @Option(names = "--concurrency-key", paramLabel = "TEXT", description = "Jobs that share this key.")
    private @Nullable String concurrencyKey;

    @Option(names = "--workflow", paramLabel = "ID", description = "Jobs of this workflow.")
    private @Nullable String workflow;

    @Option(names = "--chain", paramLabel = "ID", description = "Jobs of the chain that begins with this job.")
    private @Nullable String chain;

    @Option(names = "--parent", paramLabel = "ID", description = "Jobs that depend on this job.")
    private @Nullable String parent;

    @Option(names = "--priority", paramLabel = "N", description = "Jobs of this priority.")
    private @Nullable String priority;

    @Option(
            names = "--created-after",
            paramLabel = "TIME",
            description = "Enqueued then or later, ISO-8601 with an offset.")
    private @Nullable String createdAfter;

    @Option(names = "--created-before", paramLabel = "TIME", description = "Enqueued before then.")
    private @Nullable String createdBefore;

    @Option(names = "--finished-after", paramLabel = "TIME", description = "Ended then or later.")
    private @Nullable String finishedAfter;

    @Option(names = "--finished-before", paramLabel = "TIME", description = "Ended before then.")
    private @Nullable String finishedBefore;

    @Option(names = "--scheduled-after", paramLabel = "TIME", description = "Due then or later.")
    private @Nullable String scheduledAfter;

    @Option(names = "--scheduled-before", paramLabel = "TIME", description = "Due before then.")
    private @Nullable String scheduledBefore;

    /** Whether none was given: then every job would be meant. */
    boolean isEmpty() {
        return filter().equals(JobFilter.ALL);
    }

    /** What could match no job that was ever enqueued is a slip of the keyboard, and not an empty answer. */
    JobFilter filter() {
        JobFilter filter = JobFilter.ALL
                .withStates(states())
                .withType(type == null ? null : Values.type("--type", type))
                .withQueue(queue == null ? null : Values.queue("--queue", queue))
                .withTags(tags.stream().map(tag -> Values.tag("--tag", tag)).toList())
                .withErrorCode(errorCode == null ? null : Values.errorCode("--error-code", errorCode))
                .withName(name == null ? null : name(name))
                .withWorker(worker == null ? null : Values.path("--worker", worker, "the name of a worker"))
                .withDedupeKey(dedupeKey == null ? null : dedupeKey(dedupeKey))
                .withConcurrencyKey(concurrencyKey == null ? null : concurrencyKey(concurrencyKey))
                .withWorkflow(workflow == null ? null : (Long) Values.workflow("--workflow", workflow))
                .withChain(chain == null ? null : (Long) Values.id("--chain", chain))
                .withParent(parent == null ? null : (Long) Values.id("--parent", parent))
                .withPriority(
                        priority == null
                                ? null
                                : (Integer) Values.integer("--priority", priority, Short.MIN_VALUE, Short.MAX_VALUE));
        return times(filter);
    }

    private JobFilter times(JobFilter some) {
        JobFilter filter = some;
        if (createdAfter != null) {
            filter = filter.withCreatedAfter(Values.instant("--created-after", createdAfter));
        }
        if (createdBefore != null) {
            JobFilter narrowed = filter;
            Instant before = Values.instant("--created-before", createdBefore);
            filter = Values.named("--created-before", () -> narrowed.withCreatedBefore(before));
        }
        if (finishedAfter != null) {
            filter = filter.withFinishedAfter(Values.instant("--finished-after", finishedAfter));
        }
        if (finishedBefore != null) {
            JobFilter narrowed = filter;
            Instant before = Values.instant("--finished-before", finishedBefore);
            filter = Values.named("--finished-before", () -> narrowed.withFinishedBefore(before));
        }
        if (scheduledAfter != null) {
            filter = filter.withScheduledAfter(Values.instant("--scheduled-after", scheduledAfter));
        }
        if (scheduledBefore != null) {
            JobFilter narrowed = filter;
            Instant before = Values.instant("--scheduled-before", scheduledBefore);
            filter = Values.named("--scheduled-before", () -> narrowed.withScheduledBefore(before));
        }
        return filter;
    }

    private Set<JobState> states() {
        Set<JobState> named = EnumSet.noneOf(JobState.class);
        for (String list : states) {
            for (String state : list.split(",", -1)) {
                named.add(Values.choice("--state", state, JobState.class));
            }
        }
        return named;
    }

    private static String name(String text) {
        Values.named("--name", () -> JobType.raw("any").job(null).withName(Values.whole("--name", text)));
        return text;
    }

    private static String dedupeKey(String text) {
        Values.named("--dedupe-key", () -> Dedupe.key(Values.whole("--dedupe-key", text)));
        return text;
    }

    private static String concurrencyKey(String text) {
        Values.named("--concurrency-key", () -> ConcurrencyKey.of(Values.whole("--concurrency-key", text)));
        return text;
    }
}
