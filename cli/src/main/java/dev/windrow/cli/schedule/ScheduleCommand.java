package dev.windrow.cli.schedule;

import dev.windrow.JobRef;
import dev.windrow.JobRequest;
import dev.windrow.Windrow;
import dev.windrow.cli.Candidates;
import dev.windrow.cli.CliCommand;
import dev.windrow.cli.KeyOptions;
import dev.windrow.cli.Main;
import dev.windrow.cli.ReasonOption;
import dev.windrow.cli.RedactOption;
import dev.windrow.cli.UsageException;
import dev.windrow.cli.database.Target;
import dev.windrow.cli.job.EnqueueCommand;
import dev.windrow.cli.job.JobDraft;
import dev.windrow.cli.terminal.TerminalText;
import dev.windrow.cli.terminal.Values;
import dev.windrow.payload.Json;
import dev.windrow.schedule.Misfire;
import dev.windrow.schedule.Overlap;
import dev.windrow.schedule.Schedule;
import dev.windrow.schedule.ScheduleInfo;
import dev.windrow.schedule.ScheduleNotFoundException;
import dev.windrow.schedule.Schedules;
import dev.windrow.wire.ScheduleJson;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code schedule}: manages schedules, which enqueue jobs repeatedly. */
@Command(
        name = "schedule",
        description = "Manages schedules, which enqueue jobs by cron or interval.",
        customSynopsis = {
            "windrow schedule add NAME TYPE [JSON] --cron EXPRESSION [OPTIONS]",
            "       windrow schedule add NAME TYPE [JSON] --every DURATION [OPTIONS]",
            "       windrow schedule add NAME exec --cron EXPRESSION -- PROGRAM [ARGUMENT...]",
            "       windrow schedule list",
            "       windrow schedule show|pause|resume|run|remove NAME"
        },
        footer = {
            "",
            "Any process with a worker enqueues the jobs that are due. 'add' creates a",
            "schedule, or changes the one with this name.",
            "",
            "Examples:",
            "  windrow schedule add nightly report --cron '0 3 * * *' --zone Europe/Rome",
            "  windrow schedule add tidy exec --every 6h -- find /tmp -mtime +7",
            "  windrow schedule pause nightly --reason 'the numbers are late'"
        })
public final class ScheduleCommand extends CliCommand {
    private static final String UTC = "UTC";
    private static final int RUNS = 10;

    /** The verbs of the command. */
    public enum Verb {
        ADD,
        LIST,
        SHOW,
        PAUSE,
        RESUME,
        RUN,
        REMOVE
    }

    @Parameters(
            arity = "0..*",
            paramLabel = "VERB [NAME [TYPE [JSON]]]",
            completionCandidates = Candidates.ScheduleVerbs.class,
            hideParamSyntax = true,
            description = "The verb and the name of the schedule. For 'add' also the type and the payload of its jobs.")
    private List<String> words = new ArrayList<>();

    @Option(
            names = "--cron",
            paramLabel = "EXPRESSION",
            description = "Five fields, minute to day of week, or six with seconds first; or a word such as @daily.")
    private @Nullable String cron;

    @Option(
            names = "--zone",
            paramLabel = "ZONE",
            description = "With --cron: the time zone of the expression, such as Europe/Berlin, default UTC.")
    private @Nullable String zone;

    @Option(
            names = "--every",
            paramLabel = "DURATION",
            description = "Interval between runs. 1s to 3650d, default none.")
    private @Nullable String every;

    @Option(
            names = "--starting-at",
            paramLabel = "TIME",
            description = "With --every: the first run, ISO-8601 with an offset, default one interval from now.")
    private @Nullable String startingAt;

    @Option(
            names = "--misfire",
            completionCandidates = Candidates.Misfires.class,
            paramLabel = "skip|once|all",
            description = "Missed runs: skip, run once (default), or run each.")
    private @Nullable String misfire;

    @Option(
            names = "--overlap",
            completionCandidates = Candidates.Overlaps.class,
            paramLabel = "allow|skip",
            description = "If the last job has not ended: enqueue another one (allow, default), or skip the run.")
    private @Nullable String overlap;

    @Option(names = "--queue", paramLabel = "NAME", description = "The queue of its jobs, default 'default'.")
    private @Nullable String queue;

    @Option(names = "--priority", paramLabel = "N", description = "Higher runs first. -32768 to 32767, default 0.")
    private @Nullable String priority;

    @Option(names = "--max-attempts", paramLabel = "N", description = "Attempts of each job. 1 to 1000, default 3.")
    private @Nullable String maxAttempts;

    @Option(
            names = "--timeout",
            paramLabel = "DURATION",
            description = "Time limit of each attempt. 1ms to 3650d, default that of the worker (1h).")
    private @Nullable String timeout;

    @Option(
            names = "--retry-policy",
            paramLabel = "POLICY",
            description =
                    "Delays before further attempts, in ms: exponential(1000,4.0,3600000,0.2), fixed(1000) or delays(1000,5000); default that of the type.")
    private @Nullable String retryPolicy;

    @Mixin
    private KeyOptions keys = new KeyOptions();

    @Option(
            names = "--name",
            paramLabel = "TEXT",
            description = "A name of its jobs for readers, 1 to 200 characters, default none.")
    private @Nullable String jobName;

    @Option(
            names = "--tag",
            paramLabel = "TEXT",
            description = "A tag of its jobs, 1 to 100 characters. Repeatable, up to 20.")
    private List<String> tags = new ArrayList<>();

    @Option(
            names = "--metadata",
            paramLabel = "JSON",
            description = "Metadata of its jobs: a JSON object of up to 8 KiB and 64 names, default none.")
    private @Nullable String metadata;

    @Mixin
    private ReasonOption reason = new ReasonOption();

    @Mixin
    private RedactOption redact = new RedactOption();

    ScheduleCommand(Main main) {
        super(main);
    }

    public static CommandLine commandLine(Main main) {
        // A payload may be a negative number, which looks like an option; see UnknownOptions.
        return new CommandLine(new ScheduleCommand(main)).setUnmatchedOptionsArePositionalParams(true);
    }

    @Override
    public boolean takesCommand() {
        return !words.isEmpty() && words.get(0).equalsIgnoreCase("add");
    }

    @Override
    public void run() {
        if (words.isEmpty()) {
            throw new UsageException("the verb is missing: add, list, show, pause, resume, run or remove");
        }
        Verb verb = Values.choice("schedule", words.get(0), Verb.class);
        checkOptions(verb);
        int max = verb == Verb.LIST ? 1 : verb == Verb.ADD ? 4 : 2;
        if (words.size() > max) {
            if (verb == Verb.ADD) {
                EnqueueCommand.requireNoCommand(words.get(2), words.get(3));
            }
            throw new UsageException("unexpected argument '%s'%s"
                    .formatted(
                            TerminalText.oneLine(words.get(max)),
                            verb == Verb.ADD ? ": the payload is one argument, so quote it" : ""));
        }
        if (verb == Verb.LIST) {
            list();
        } else if (words.size() < 2) {
            throw new UsageException("NAME is missing");
        } else {
            one(verb, words.get(1));
        }
    }

    private void checkOptions(Verb verb) {
        boolean added = cron != null
                || zone != null
                || every != null
                || startingAt != null
                || misfire != null
                || overlap != null
                || queue != null
                || priority != null
                || maxAttempts != null
                || timeout != null
                || retryPolicy != null
                || keys.isGiven()
                || jobName != null
                || metadata != null
                || !tags.isEmpty();
        String word = verb.name().toLowerCase(Locale.ROOT);
        if (added && verb != Verb.ADD) {
            throw new UsageException(
                    "'schedule %s' does not take options that define a schedule: they are for 'schedule add'"
                            .formatted(word));
        }
        if (reason.isGiven() && (verb == Verb.LIST || verb == Verb.SHOW)) {
            throw new UsageException("--reason is for changes, not for 'schedule %s'".formatted(word));
        }
        if (redact.isGiven() && (verb == Verb.RUN || verb == Verb.REMOVE)) {
            throw new UsageException(
                    "--redact is for verbs that print a schedule, not for 'schedule %s'".formatted(word));
        }
        reason.check();
    }

    private void list() {
        List<ScheduleInfo> schedules;
        try (Windrow windrow = target().openToRead()) {
            schedules = windrow.schedules().list();
        }
        if (json()) {
            out().println(ScheduleJson.list(schedules, redact.redactor()));
        } else {
            new ScheduleView(console()).list(schedules);
        }
    }

    private void one(Verb verb, String name) {
        switch (verb) {
            case ADD -> {
                Schedule schedule = schedule(name);
                try (Windrow windrow = openOrMake(Target::openOrCreate)) {
                    print(schedules(windrow).save(schedule));
                }
            }
            case SHOW -> show(name);
            case PAUSE -> {
                try (Windrow windrow = target().openExisting()) {
                    print(schedules(windrow).pause(name));
                }
            }
            case RESUME -> {
                try (Windrow windrow = target().openExisting()) {
                    print(schedules(windrow).resume(name));
                }
            }
            case RUN -> runNow(name);
            case REMOVE -> {
                try (Windrow windrow = target().openExisting()) {
                    schedules(windrow).remove(name);
                }
                if (json()) {
                    out().println(ScheduleJson.removed(name));
                } else {
                    out().println("schedule %s is removed; its jobs stay".formatted(name));
                }
            }
            case LIST -> throw new IllegalStateException("has no name");
        }
    }

    private Schedules schedules(Windrow windrow) {
        return reason.of(windrow).schedules();
    }

    private void runNow(String name) {
        JobRef<@Nullable Json> job;
        try (Windrow windrow = target().openExisting()) {
            job = schedules(windrow).run(name);
        }
        if (json()) {
            out().println(ScheduleJson.started(name, job));
        } else {
            out().println("schedule %s has enqueued job %s".formatted(name, job));
        }
    }

    private void show(String name) {
        try (Windrow windrow = target().openToRead()) {
            ScheduleInfo schedule =
                    windrow.schedules().find(name).orElseThrow(() -> new ScheduleNotFoundException(name));
            var runs = windrow.schedules().runs(name, RUNS);
            if (json()) {
                out().println(ScheduleJson.schedule(schedule, redact.redactor()).putAll(ScheduleJson.runs(runs)));
            } else {
                new ScheduleView(console()).show(schedule, runs, redact.redactor());
            }
        }
    }

    private void print(ScheduleInfo schedule) {
        if (json()) {
            out().println(ScheduleJson.schedule(schedule, redact.redactor()));
        } else {
            out().println(ScheduleView.line(schedule));
        }
    }

    private Schedule schedule(String name) {
        if (words.size() < 3) {
            throw new UsageException("TYPE is missing");
        }
        if (cron != null && every != null) {
            throw new UsageException("--cron and --every do not go together: each defines the runs");
        }
        if (cron == null && every == null) {
            throw new UsageException("the time is missing: give --cron EXPRESSION or --every DURATION");
        }
        if (cron == null && zone != null) {
            throw new UsageException("--zone needs --cron");
        }
        if (every == null && startingAt != null) {
            throw new UsageException("--starting-at needs --every");
        }
        JobRequest<Json, Json> job = job();
        String expression = cron;
        Schedule schedule = Values.named(
                expression == null ? "NAME" : "--cron",
                () -> expression == null
                        ? Schedule.every(name, Values.duration("--every", String.valueOf(every), "1s", "3650d"), job)
                        : Schedule.cron(name, expression, zone(), job));
        if (startingAt != null) {
            var start = Values.instant("--starting-at", startingAt);
            Schedule unstarted = schedule;
            schedule = Values.named("--starting-at", () -> unstarted.withStartsAt(start));
        }
        return schedule.withMisfire(misfire == null ? Misfire.ONCE : Values.choice("--misfire", misfire, Misfire.class))
                .withOverlap(overlap == null ? Overlap.ALLOW : Values.choice("--overlap", overlap, Overlap.class));
    }

    private ZoneId zone() {
        String text = zone == null ? UTC : zone;
        try {
            return ZoneId.of(text);
        } catch (DateTimeException e) {
            throw Values.notAllowed("--zone", text, "a time zone, such as Europe/Berlin, UTC or +02:00");
        }
    }

    private JobRequest<Json, Json> job() {
        JobDraft draft = new JobDraft(EnqueueCommand::optionName);
        draft.set("type", words.get(2));
        List<String> command = arguments().command();
        if (command != null) {
            EnqueueCommand.setCommand(draft, words.get(2), words.size() > 3, command);
        } else if (words.size() > 3) {
            EnqueueCommand.requireNoCommand(words.get(2), words.get(3));
            draft.payload("the payload", words.get(3));
        }
        EnqueueCommand.set(draft, "queue", queue);
        EnqueueCommand.set(draft, "priority", priority);
        EnqueueCommand.set(draft, "maxAttempts", maxAttempts);
        EnqueueCommand.set(draft, "timeout", timeout);
        EnqueueCommand.set(draft, "retryPolicy", retryPolicy);
        keys.set((key, value) -> EnqueueCommand.set(draft, key, value));
        EnqueueCommand.set(draft, "name", jobName);
        EnqueueCommand.set(draft, "metadata", metadata);
        tags.forEach(tag -> draft.set("tags", tag));
        return draft.build();
    }
}
