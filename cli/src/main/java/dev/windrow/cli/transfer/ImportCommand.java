package dev.windrow.cli.transfer;

import dev.windrow.InvalidRequestException;
import dev.windrow.Windrow;
import dev.windrow.cli.Candidates;
import dev.windrow.cli.CliCommand;
import dev.windrow.cli.FailedException;
import dev.windrow.cli.Main;
import dev.windrow.cli.UsageException;
import dev.windrow.cli.database.Target;
import dev.windrow.cli.terminal.Progress;
import dev.windrow.cli.terminal.TerminalText;
import dev.windrow.cli.terminal.Values;
import dev.windrow.cli.transfer.JobsTable.Value;
import dev.windrow.wire.JsonObject;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code import}: enqueues the jobs of another system's SQLite file. */
@Command(
        name = "import",
        description = "Imports the jobs of another system's SQLite file, which is only read.",
        footer = {
            "",
            "KIND: gigq (Python), plainjob (Node.js), or jobs-table, a table 'jobs' with one",
            "row for each job. Jobs that have ended become ended jobs here. The report",
            "counts all jobs that were skipped, and all values without a counterpart.",
            "Each 1000 jobs or 16 MiB are one transaction. A second import skips the jobs of",
            "the first one.",
            "",
            "Examples:",
            "  windrow import gigq jobs.db --db windrow.db --dry-run",
            "  windrow import plainjob queue.db --type 'send mail=mail.send'",
            "  windrow import jobs-table app.db --columns type=class --states 0=waiting"
        })
public final class ImportCommand extends CliCommand {
    /** The systems. */
    enum Kind {
        GIGQ,
        PLAINJOB,
        JOBS_TABLE
    }

    /** The treatment of jobs that run there. */
    public enum Running {
        REQUEUE,
        SKIP
    }

    @Parameters(index = "0", paramLabel = "KIND", description = "gigq, plainjob or jobs-table.")
    private String kind = "";

    @Parameters(index = "1", paramLabel = "FILE", description = "The SQLite file of the other system.")
    private String file = "";

    @Option(names = "--dry-run", description = "Count only; change nothing.")
    private boolean dryRun;

    @Option(
            names = "--running",
            completionCandidates = Candidates.RunningJobs.class,
            paramLabel = "requeue|skip",
            description = "Jobs that run there: enqueue them, or skip them; default refuse the import.")
    private @Nullable String running;

    @Option(names = "--type", paramLabel = "THERE=HERE", description = "The name here of a type there. Repeatable.")
    private List<String> types = new ArrayList<>();

    @Option(
            names = "--columns",
            split = ",",
            paramLabel = "VALUE=COLUMN",
            description = "jobs-table: the column of a value, such as type=class. Repeatable, or with commas.")
    private List<String> columns = new ArrayList<>();

    @Option(
            names = "--states",
            split = ",",
            paramLabel = "STATE=MEANING",
            description =
                    "jobs-table: the meaning of a state: waiting, running, completed, failed or cancelled. Repeatable, or with commas.")
    private List<String> states = new ArrayList<>();

    public ImportCommand(Main main) {
        super(main);
    }

    @Override
    public void run() {
        ForeignQueue source = source();
        Running treatment = running == null ? null : Values.choice("--running", running, Running.class);
        try (ForeignFile other = ForeignFile.open(path(), file)) {
            source.check(other);
            refuseRunning(treatment, source, other);
        }
        tell(read(source, treatment == Running.REQUEUE));
    }

    /** Imports after all readers are closed: the queue may be in the same file, and its first opening changes the mode of that file. */
    private Importer read(ForeignQueue source, boolean requeueRunning) {
        try (Windrow windrow = open();
                ForeignFile other = ForeignFile.open(path(), file);
                Progress progress = new Progress(console(), verbose())) {
            Importer importer = new Importer(source, !requeueRunning, windrow, dryRun, progress);
            importer.run(other);
            return importer;
        }
    }

    private Path path() {
        try {
            return console().path(Values.path("FILE", file, "the path of a file"));
        } catch (InvalidPathException e) {
            throw new FailedException(
                    "'%s' is not a valid path: %s".formatted(TerminalText.oneLine(file), e.getReason()));
        }
    }

    private @Nullable Windrow open() {
        if (!dryRun) {
            return openOrMake(Target::openOrCreate);
        }
        return target().missing() == null ? target().openToRead() : null;
    }

    private ForeignQueue source() {
        Kind of = Values.choice("KIND", kind, Kind.class);
        if (of != Kind.JOBS_TABLE && !(columns.isEmpty() && states.isEmpty())) {
            throw new UsageException(
                    "--columns and --states are for jobs-table: the columns of %s are known".formatted(kind));
        }
        Map<String, String> names = pairs("--type", types);
        names.values().forEach(name -> Values.type("--type", name));
        return switch (of) {
            case GIGQ -> new GigqQueue(ZoneId.systemDefault(), names);
            case PLAINJOB -> new PlainjobQueue(ZoneId.systemDefault(), names);
            case JOBS_TABLE -> {
                Map<Value, String> named = new HashMap<>();
                pairs("--columns", columns)
                        .forEach((value, column) -> named.put(Values.choice("--columns", value, Value.class), column));
                Map<String, ForeignState> meanings = new HashMap<>();
                pairs("--states", states)
                        .forEach((state, meaning) ->
                                meanings.put(state, Values.choice("--states", meaning, ForeignState.class)));
                yield new JobsTable(named, meanings, names);
            }
        };
    }

    private static Map<String, String> pairs(String option, List<String> given) {
        Map<String, String> pairs = new HashMap<>();
        for (String pair : given) {
            int at = pair.lastIndexOf('=');
            if (at < 1 || at == pair.length() - 1 || pairs.put(pair.substring(0, at), pair.substring(at + 1)) != null) {
                throw Values.notAllowed(option, pair, "a pair with =, whose left side appears once");
            }
        }
        return pairs;
    }

    /** Refuses a file with running jobs: their workers may continue, and the jobs would run twice. */
    private static void refuseRunning(@Nullable Running treatment, ForeignQueue source, ForeignFile other) {
        if (treatment != null) {
            return;
        }
        long[] count = {0};
        other.each(source.jobs(), row -> {
            try {
                count[0] += source.state(row) == ForeignState.RUNNING ? 1 : 0;
            } catch (InvalidRequestException e) {
                // The import reports it.
            }
        });
        if (count[0] > 0) {
            throw new FailedException(
                    "%s running in %s: nothing was imported. Stop the workers there until no job runs. For jobs of a dead worker add --running requeue, or --running skip"
                            .formatted(count[0] == 1 ? "1 job is" : "%,d jobs are".formatted(count[0]), other.name()));
        }
    }

    private void tell(Importer importer) {
        if (json()) {
            JsonObject states = new JsonObject();
            for (ForeignState state : ForeignState.values()) {
                states.put(state.key(), importer.imported().getOrDefault(state, 0L));
            }
            out().println(new JsonObject()
                    .put("imported", importer.jobs())
                    .put("states", states)
                    .put("schedules", importer.schedules())
                    .put("skipped", list("reason", importer.skipped()))
                    .put("leftOut", list("what", importer.leftOut()))
                    .put("dryRun", dryRun));
            return;
        }
        List<String> states = new ArrayList<>();
        importer.imported().forEach((state, count) -> states.add("%,d %s".formatted(count, state.key())));
        out().println("%s %s%s from %s%s"
                .formatted(
                        dryRun ? "would import" : "imported",
                        TerminalText.count(importer.jobs(), "job"),
                        states.isEmpty() ? "" : " (%s)".formatted(String.join(", ", states)),
                        TerminalText.oneLine(file),
                        importer.schedules() == 0
                                ? ""
                                : " and " + TerminalText.count(importer.schedules(), "schedule")));
        importer.skipped().forEach((reason, count) -> out().println("skipped %,d: %s".formatted(count, reason)));
        importer.leftOut()
                .forEach((what, count) ->
                        out().println("left out of %s: %s".formatted(TerminalText.count(count, "job"), what)));
    }

    private static List<JsonObject> list(String key, Map<String, Long> counts) {
        return counts.entrySet().stream()
                .map(each -> new JsonObject().put(key, each.getKey()).put("count", each.getValue()))
                .toList();
    }
}
