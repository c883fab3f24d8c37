package dev.windrow.cli.query;

import dev.windrow.Dedupe;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.cli.Candidates;
import dev.windrow.cli.terminal.Values;
import dev.windrow.limit.ConcurrencyKey;
import dev.windrow.query.JobFilter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that select the jobs of a listing, an export or a bulk change. */
public final class FilterOptions {
    /** The options that an error suggests for a missing filter. */
    public static final String SOME = "--state, --type, --queue, --error-code, --tag, --workflow";

    @Option(
            names = "--state",
            paramLabel = "STATE",
            completionCandidates = Candidates.States.class,
            description = "Jobs in this state, such as FAILED. Repeatable, or several states with commas.")
    private List<String> states = new ArrayList<>();

    @Option(names = "--type", paramLabel = "TYPE", description = "Jobs of this type.")
    private @Nullable String type;

    @Option(names = "--queue", paramLabel = "NAME", description = "Jobs in this queue.")
    private @Nullable String queue;

    @Option(
            names = "--error-code",
            paramLabel = "CODE",
            description = "Jobs whose last failure has this error code, or any code of a category: 'PROCESS:*'.")
    private @Nullable String errorCode;

    @Option(
            names = "--tag",
            paramLabel = "TEXT",
            description = "Jobs with this tag. Repeatable: jobs with all of the tags.")
    private List<String> tags = new ArrayList<>();

    @Option(names = "--name", paramLabel = "TEXT", description = "Jobs with exactly this name.")
    private @Nullable String name;

    @Option(names = "--worker", paramLabel = "NAME", description = "Jobs that this worker runs now.")
    private @Nullable String worker;

    @Option(names = "--dedupe-key", paramLabel = "TEXT", description = "Jobs that were enqueued with this dedupe key.")
    private @Nullable String dedupeKey;

    @Option(names = "--concurrency-key", paramLabel = "TEXT", description = "Jobs with this concurrency key.")
    private @Nullable String concurrencyKey;

    @Option(names = "--workflow", paramLabel = "ID", description = "Jobs of this workflow.")
    private @Nullable String workflow;

    @Option(names = "--chain", paramLabel = "ID", description = "Jobs of the chain that begins with this job.")
    private @Nullable String chain;

    @Option(names = "--parent", paramLabel = "ID", description = "Jobs that depend on this job.")
    private @Nullable String parent;

    @Option(names = "--priority", paramLabel = "N", description = "Jobs with this priority, -32768 to 32767.")
    private @Nullable String priority;

    @Option(
            names = "--created-after",
            paramLabel = "TIME",
            description = "Jobs enqueued at this time or later, ISO-8601 with an offset.")
    private @Nullable String createdAfter;

    @Option(names = "--created-before", paramLabel = "TIME", description = "Jobs enqueued before this time.")
    private @Nullable String createdBefore;

    @Option(names = "--finished-after", paramLabel = "TIME", description = "Jobs that ended at this time or later.")
    private @Nullable String finishedAfter;

    @Option(names = "--finished-before", paramLabel = "TIME", description = "Jobs that ended before this time.")
    private @Nullable String finishedBefore;

    @Option(names = "--scheduled-after", paramLabel = "TIME", description = "Jobs that are due at this time or later.")
    private @Nullable String scheduledAfter;

    @Option(names = "--scheduled-before", paramLabel = "TIME", description = "Jobs that are due before this time.")
    private @Nullable String scheduledBefore;

    /** True if no option was given: then the filter would match every job. */
    public boolean isEmpty() {
        return filter().equals(JobFilter.ALL);
    }

    /** Returns the filter. A value that no job can have is refused as a typing error, instead of an empty result. */
    public JobFilter filter() {
        JobFilter filter = JobFilter.ALL
                .withStates(states(states))
                .withTags(tags.stream().map(tag -> Values.tag("--tag", tag)).toList());
        filter = given(filter, type, (some, text) -> some.withType(Values.type("--type", text)));
        filter = given(filter, queue, (some, text) -> some.withQueue(Values.queue("--queue", text)));
        filter = given(filter, errorCode, (some, text) -> some.withErrorCode(Values.errorCodes("--error-code", text)));
        filter = given(filter, name, (some, text) -> some.withName(name(text)));
        filter = given(
                filter, worker, (some, text) -> some.withWorker(Values.path("--worker", text, "the name of a worker")));
        filter = given(filter, dedupeKey, (some, text) -> some.withDedupeKey(dedupeKey(text)));
        filter = given(filter, concurrencyKey, (some, text) -> some.withConcurrencyKey(concurrencyKey(text)));
        filter = given(filter, workflow, (some, text) -> some.withWorkflow(Values.workflow("--workflow", text)));
        filter = given(filter, chain, (some, text) -> some.withChain(Values.id("--chain", text)));
        filter = given(filter, parent, (some, text) -> some.withParent(Values.id("--parent", text)));
        filter = given(
                filter,
                priority,
                (some, text) ->
                        some.withPriority(Values.integer("--priority", text, Short.MIN_VALUE, Short.MAX_VALUE)));
        return times(filter);
    }

    private static JobFilter given(
            JobFilter filter, @Nullable String text, BiFunction<JobFilter, String, JobFilter> narrow) {
        return text == null ? filter : narrow.apply(filter, text);
    }

    private static JobFilter time(
            JobFilter filter, String option, @Nullable String text, BiFunction<JobFilter, Instant, JobFilter> narrow) {
        return given(filter, text, (some, time) -> {
            Instant instant = Values.instant(option, time);
            return Values.named(option, () -> narrow.apply(some, instant));
        });
    }

    private JobFilter times(JobFilter some) {
        JobFilter filter = some;
        filter = time(filter, "--created-after", createdAfter, JobFilter::withCreatedFrom);
        filter = time(filter, "--created-before", createdBefore, JobFilter::withCreatedBefore);
        filter = time(filter, "--finished-after", finishedAfter, JobFilter::withFinishedFrom);
        filter = time(filter, "--finished-before", finishedBefore, JobFilter::withFinishedBefore);
        filter = time(filter, "--scheduled-after", scheduledAfter, JobFilter::withScheduledAfter);
        filter = time(filter, "--scheduled-before", scheduledBefore, JobFilter::withScheduledBefore);
        return filter;
    }

    /** Reads lists of states, each separated by commas. */
    public static Set<JobState> states(List<String> lists) {
        Set<JobState> named = EnumSet.noneOf(JobState.class);
        for (String list : lists) {
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
