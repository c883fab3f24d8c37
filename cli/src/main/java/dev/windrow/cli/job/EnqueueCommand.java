package dev.windrow.cli.job;

import dev.windrow.Enqueued;
import dev.windrow.JobRequest;
import dev.windrow.Windrow;
import dev.windrow.cli.Candidates;
import dev.windrow.cli.CliCommand;
import dev.windrow.cli.FailedException;
import dev.windrow.cli.KeyOptions;
import dev.windrow.cli.Main;
import dev.windrow.cli.UsageException;
import dev.windrow.cli.database.Target;
import dev.windrow.cli.terminal.TerminalText;
import dev.windrow.cli.terminal.Values;
import dev.windrow.cli.worker.ExecRequest;
import dev.windrow.payload.Json;
import dev.windrow.wire.JobJson;
import dev.windrow.wire.JsonObject;
import dev.windrow.wire.JsonScan;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code enqueue}: one job by its type and payload, a program to run, or a file of jobs. */
@Command(
        name = "enqueue",
        description = "Enqueues one job, or the jobs of a file.",
        customSynopsis = {
            "windrow enqueue [OPTIONS] TYPE [JSON]",
            "       windrow enqueue [OPTIONS] TYPE --payload-file FILE",
            "       windrow enqueue [OPTIONS] exec -- PROGRAM [ARGUMENT...]",
            "       windrow enqueue --file FILE"
        },
        footer = {
            "",
            "The jobs are durable when the command ends. Durations: 500ms, 30s, 5m, 2h, 7d.",
            "",
            "Each line of FILE is a JSON object with these keys: type, payload, queue,",
            "priority, delay, at, maxAttempts, timeout, retryPolicy, name, tags, metadata,",
            "dedupeKey, dedupeScope, dedupeStrategy, dedupeWindow, concurrencyKey,",
            "concurrencyLimit, sequenceKey, external, dependsOn, onParentFailure, ref, after.",
            "Each 1000 lines or 16 MiB are one transaction. A bad line stops the command, and",
            "the error says how many jobs were committed.",
            "",
            "A line with \"ref\": \"a\" names its job; a later line with \"after\": [\"a\"] depends",
            "on it. A file with refs is one transaction of at most 20000 lines and 64 MiB;",
            "a bad line leaves nothing enqueued.",
            "",
            "Examples:",
            "  windrow enqueue mail.send '{\"to\":\"a@example.org\"}' --delay 5m",
            "  windrow enqueue exec --timeout 10m -- tar -czf /backup/home.tgz /home"
        })
public final class EnqueueCommand extends CliCommand {

    @Parameters(
            arity = "0..*",
            paramLabel = "TYPE [JSON]",
            hideParamSyntax = true,
            description = "The job's type, and its payload as one argument.")
    private List<String> words = new ArrayList<>();

    @Option(names = "--queue", paramLabel = "NAME", description = "Name of the queue, default 'default'.")
    private @Nullable String queue;

    @Option(names = "--priority", paramLabel = "N", description = "Higher runs first. -32768 to 32767, default 0.")
    private @Nullable String priority;

    @Option(
            names = "--delay",
            paramLabel = "DURATION",
            description = "Start after this delay at the earliest. 0s to 3650d, default 0s.")
    private @Nullable String delay;

    @Option(
            names = "--at",
            paramLabel = "TIME",
            description = "Start at this time at the earliest, ISO-8601 with an offset.")
    private @Nullable String at;

    @Option(
            names = "--max-attempts",
            paramLabel = "N",
            description = "Number of attempts before the job is FAILED. 1 to 1000, default 3.")
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

    @Option(names = "--name", paramLabel = "TEXT", description = "A name, 1 to 200 characters, default none.")
    private @Nullable String name;

    @Option(names = "--tag", paramLabel = "TEXT", description = "A tag, 1 to 100 characters. Repeatable, up to 20.")
    private List<String> tags = new ArrayList<>();

    @Option(
            names = "--metadata",
            paramLabel = "JSON",
            description = "Metadata: a JSON object of up to 8 KiB and 64 names, default none.")
    private @Nullable String metadata;

    @Option(
            names = "--dedupe-key",
            paramLabel = "TEXT",
            description = "A key that one job of the type can hold. If one holds it, its id is printed.")
    private @Nullable String dedupeKey;

    @Option(
            names = "--dedupe-scope",
            completionCandidates = Candidates.Scopes.class,
            paramLabel = "SCOPE",
            description = "How long a job holds its key: until-started, unfinished, window or any, default unfinished.")
    private @Nullable String dedupeScope;

    @Option(
            names = "--dedupe-strategy",
            completionCandidates = Candidates.Strategies.class,
            paramLabel = "STRATEGY",
            description = "How to treat another job with the key: keep, replace, debounce or throttle, default keep.")
    private @Nullable String dedupeStrategy;

    @Option(
            names = "--dedupe-window",
            paramLabel = "DURATION",
            description = "Time of scope window, debounce and throttle. 1ms to 3650d, default none.")
    private @Nullable String dedupeWindow;

    @Mixin
    private KeyOptions keys = new KeyOptions();

    @Option(
            names = "--external",
            paramLabel = "DURATION",
            description =
                    "No worker runs the job: it waits for 'complete' or 'fail', and fails after this time. 1ms to 3650d, default none.")
    private @Nullable String external;

    @Option(names = "--depends-on", paramLabel = "ID", description = "Wait for this job. Repeatable.")
    private List<String> dependsOn = new ArrayList<>();

    @Option(
            names = "--on-parent-failure",
            completionCandidates = Candidates.Policies.class,
            paramLabel = "wait|cancel|run",
            description =
                    "If a job of --depends-on fails or is cancelled: wait, cancel this job, or run it; default wait.")
    private @Nullable String onParentFailure;

    @Option(
            names = "--payload-file",
            paramLabel = "FILE",
            description = "A file with the payload as JSON, up to 64 MiB; - is stdin.")
    private @Nullable String payloadFile;

    @Option(names = "--file", paramLabel = "FILE", description = "A file of jobs, one a line; - is stdin.")
    private @Nullable String file;

    EnqueueCommand(Main main) {
        super(main);
    }

    public static CommandLine commandLine(Main main) {
        // A payload may be a negative number, which looks like an option; see UnknownOptions.
        return new CommandLine(new EnqueueCommand(main)).setUnmatchedOptionsArePositionalParams(true);
    }

    @Override
    public boolean takesCommand() {
        return true;
    }

    @Override
    public void run() throws Exception {
        JobDraft draft = new JobDraft(EnqueueCommand::optionName);
        boolean options = setOptions(draft);
        if (file == null) {
            enqueueOne(draft);
        } else if (options
                || payloadFile != null
                || !words.isEmpty()
                || arguments().command() != null) {
            throw new UsageException(
                    "--file does not go with TYPE, JSON or options of a job: the lines of the file define the jobs");
        } else {
            enqueueFile(Values.path("--file", file, "the path of a file, or - for stdin"));
        }
    }

    private boolean setOptions(JobDraft draft) {
        int before = countSet();
        set(draft, "queue", queue);
        set(draft, "priority", priority);
        set(draft, "delay", delay);
        set(draft, "at", at);
        set(draft, "maxAttempts", maxAttempts);
        set(draft, "timeout", timeout);
        set(draft, "retryPolicy", retryPolicy);
        set(draft, "name", name);
        set(draft, "metadata", metadata);
        set(draft, "dedupeKey", dedupeKey);
        set(draft, "dedupeScope", dedupeScope);
        set(draft, "dedupeStrategy", dedupeStrategy);
        set(draft, "dedupeWindow", dedupeWindow);
        keys.set((key, value) -> set(draft, key, value));
        set(draft, "external", external);
        tags.forEach(tag -> draft.set("tags", tag));
        dependsOn.forEach(id -> draft.set("dependsOn", id));
        set(draft, "onParentFailure", onParentFailure);
        return before > 0;
    }

    private int countSet() {
        int count = tags.size() + dependsOn.size() + (keys.isGiven() ? 1 : 0);
        for (String each : new @Nullable String[] {
            queue,
            priority,
            delay,
            at,
            maxAttempts,
            timeout,
            retryPolicy,
            name,
            metadata,
            dedupeKey,
            dedupeScope,
            dedupeStrategy,
            dedupeWindow,
            external,
            onParentFailure
        }) {
            count += each == null ? 0 : 1;
        }
        return count;
    }

    public static void set(JobDraft draft, String key, @Nullable String value) {
        if (value != null) {
            draft.set(key, value);
        }
    }

    public static String optionName(String key) {
        return switch (key) {
            case "type" -> "TYPE";
            case "tags" -> "--tag";
            default -> "--" + key.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
        };
    }

    private void enqueueOne(JobDraft draft) {
        if (words.isEmpty()) {
            throw new UsageException("TYPE is missing");
        }
        if (words.size() > 1 && payloadFile == null && arguments().command() == null) {
            requireNoCommand(words.get(0), words.get(1));
        }
        if (words.size() > 2) {
            throw new UsageException("unexpected argument '%s': the payload is one argument, so quote it"
                    .formatted(TerminalText.oneLine(words.get(2))));
        }
        draft.set("type", words.get(0));
        List<String> command = arguments().command();
        if (payloadFile != null) {
            if (command != null || words.size() == 2) {
                throw new UsageException("--payload-file gives the payload: leave out JSON and the command after --");
            }
            String from = Values.path("--payload-file", payloadFile, "the path of a file, or - for stdin");
            draft.payload("the payload", JobFile.read(console(), from));
        } else if (command != null) {
            setCommand(draft, words.get(0), words.size() == 2, command);
        } else if (words.size() == 2) {
            draft.payload("the payload", words.get(1));
        }
        JobRequest<Json, Json> job = draft.build();
        FailedException problem = target().missingParent(job);
        if (problem != null) {
            throw problem;
        }
        try (Windrow windrow = openOrMake(Target::openOrCreate)) {
            print(windrow.enqueue(job));
        }
    }

    /** Refuses the first word of a command in place of the payload of an {@code exec} job. */
    public static void requireNoCommand(String type, String payload) {
        if (type.equals(ExecRequest.TYPE) && JsonScan.problem(payload) != null && !payload.contains("{")) {
            throw new UsageException("write the command of an 'exec' job after --, such as: exec -- %s"
                    .formatted(TerminalText.oneLine(payload)));
        }
    }

    /** Sets the words after {@code --} as the payload of an {@code exec} job. */
    public static void setCommand(JobDraft draft, String type, boolean hasPayload, List<String> command) {
        if (!type.equals(ExecRequest.TYPE)) {
            throw new UsageException("only type 'exec' takes a command after --");
        }
        if (hasPayload) {
            throw new UsageException("'exec' takes a payload or a command after --, not both");
        }
        if (command.isEmpty()) {
            throw new UsageException("the command after -- is missing");
        }
        draft.payload("the command", ExecRequest.payload(command));
    }

    private void print(Enqueued<?> job) {
        if (json()) {
            out().println(JobJson.enqueued(job));
        } else {
            out().println("job %s is %s%s"
                    .formatted(job, job.state(), job.deduplicated() ? " (it already existed)" : ""));
        }
    }

    private void enqueueFile(String name) throws Exception {
        try (JobFile lines = JobFile.open(console(), name, target(), () -> openOrMake(Target::openOrCreate))) {
            try {
                lines.enqueueAll();
            } finally {
                // Also after a bad line: a script needs the number of committed jobs.
                if (json()) {
                    out().println(new JsonObject().put("enqueued", lines.enqueued()));
                }
            }
            if (!json()) {
                out().println("enqueued " + TerminalText.count(lines.enqueued(), "job"));
            }
        }
    }
}
