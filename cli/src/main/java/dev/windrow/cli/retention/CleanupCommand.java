package dev.windrow.cli.retention;

import dev.windrow.JobState;
import dev.windrow.Windrow;
import dev.windrow.cli.CliCommand;
import dev.windrow.cli.FailedException;
import dev.windrow.cli.Main;
import dev.windrow.cli.Problems;
import dev.windrow.cli.Signals;
import dev.windrow.cli.UsageException;
import dev.windrow.cli.database.Target;
import dev.windrow.cli.terminal.Console;
import dev.windrow.cli.terminal.Fields;
import dev.windrow.cli.terminal.StatusLine;
import dev.windrow.cli.terminal.TerminalText;
import dev.windrow.cli.terminal.Values;
import dev.windrow.retention.Cleanup;
import dev.windrow.retention.CleanupFailedException;
import dev.windrow.retention.RetentionResult;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code cleanup}: one pass of retention, now. */
@Command(
        name = "cleanup",
        description = "Delete the jobs that have ended long ago: one pass of retention, by its rules or by other ages.",
        footer = {
            "",
            "Workers do this once an hour by themselves; see 'retention' for the rules. A",
            "job on which another one depends that is not COMPLETED stays, and a chain goes",
            "as a whole. After Ctrl-C the same command goes on with what is left.",
            "",
            "Examples:",
            "  windrow cleanup --dry-run",
            "  windrow cleanup --completed 7d --failed forever --archive old-jobs.jsonl"
        })
public final class CleanupCommand extends CliCommand {
    @Option(
            names = "--completed",
            paramLabel = "DURATION",
            description = "COMPLETED jobs that ended longer ago, whatever the rules say; 0s to 36500d, or forever.")
    private @Nullable String completed;

    @Option(names = "--failed", paramLabel = "DURATION", description = "The same of FAILED jobs.")
    private @Nullable String failed;

    @Option(names = "--cancelled", paramLabel = "DURATION", description = "The same of CANCELLED jobs.")
    private @Nullable String cancelled;

    @Option(names = "--type", paramLabel = "TYPE", description = "Jobs of this type only.")
    private @Nullable String type;

    @Option(
            names = "--max-jobs",
            paramLabel = "N",
            description = "End after so many jobs, roughly: 1 to 2147483647, default when nothing is left.")
    private @Nullable String maxJobs;

    @Option(
            names = "--archive",
            paramLabel = "FILE",
            description = "First append the jobs to this file, a line of JSON each, as 'show --json' prints them.")
    private @Nullable String archive;

    @Option(names = "--dry-run", description = "Delete nothing; say what would be deleted.")
    private boolean dryRun;

    public CleanupCommand(Main main) {
        super(main);
    }

    @Override
    public void run() throws Exception {
        Cleanup cleanup = ages(Cleanup.BY_THE_RULES);
        if (type != null) {
            cleanup = cleanup.withType(Values.type("--type", type));
        }
        if (maxJobs != null) {
            cleanup = cleanup.withMaxJobs(Values.integer("--max-jobs", maxJobs, 1, Integer.MAX_VALUE));
        }
        if (archive != null && dryRun) {
            throw new UsageException("--archive and --dry-run do not go together: a dry run deletes nothing");
        }
        Target target = target();
        // Made only when there is a queue; opened before anything is deleted.
        try (Windrow windrow = target.openExisting()) {
            if (archive == null) {
                clean(windrow, cleanup, null);
            } else {
                try (ArchiveFile file = ArchiveFile.open(console().folder(), archive, target.ownFiles())) {
                    clean(windrow, cleanup.withArchive(file), file);
                }
            }
        }
    }

    private Cleanup ages(Cleanup cleanup) {
        Cleanup aged = age(cleanup, "--completed", completed, JobState.COMPLETED);
        aged = age(aged, "--failed", failed, JobState.FAILED);
        return age(aged, "--cancelled", cancelled, JobState.CANCELLED);
    }

    private static Cleanup age(Cleanup cleanup, String option, @Nullable String text, JobState state) {
        if (text == null) {
            return cleanup;
        }
        Duration keep = RetentionCommand.keep(option, text);
        return keep == null ? cleanup.withoutState(state) : cleanup.withAge(state, keep);
    }

    private void clean(Windrow windrow, Cleanup cleanup, @Nullable ArchiveFile file) {
        Signals signals = Signals.listen(
                console(),
                () -> err().println("windrow: ending after this batch; a second signal ends at once"),
                () -> Runtime.getRuntime().halt(Problems.FAILED));
        RetentionResult done;
        try (CleanupProgress progress = new CleanupProgress(console())) {
            Cleanup told = cleanup.withProgress(sofar -> {
                progress.show(sofar);
                return !signals.heard();
            });
            done = dryRun
                    ? windrow.retention().preview(told)
                    : windrow.retention().cleanup(told);
        } catch (CleanupFailedException e) {
            // A script wants to know what was done all the same.
            print(e.done(), file);
            throw e;
        } finally {
            signals.ended();
        }
        print(done, file);
        if (!done.complete()) {
            throw new FailedException(
                    "interrupted; %,d jobs %s before: the same command again goes on with what is left"
                            .formatted(done.total(), dryRun ? "were counted" : "were deleted"));
        }
    }

    private void print(RetentionResult done, @Nullable ArchiveFile file) {
        Fields deleted = new Fields();
        StringBuilder line = new StringBuilder();
        for (JobState state : JobState.values()) {
            if (state.isFinished()) {
                long count = done.deleted().getOrDefault(state, 0L);
                deleted.put(state.name(), count);
                if (count > 0) {
                    line.append(line.length() == 0 ? " (" : ", ").append("%,d %s".formatted(count, state));
                }
            }
        }
        if (json()) {
            out().println(new Fields()
                    .put("deleted", deleted)
                    .put("kept", done.kept())
                    .put("complete", done.complete())
                    .put("dryRun", dryRun)
                    .put("archived", file == null ? null : file.jobs()));
        } else {
            String verb = dryRun ? "would be deleted" : "deleted";
            out().println("%s: %,d%s".formatted(verb, done.total(), line.length() == 0 ? "" : line + ")"));
            if (done.kept() > 0) {
                out().println("kept, because others need them or they have changed: %,d".formatted(done.kept()));
            }
            if (file != null) {
                out().println("archived in %s: %,d"
                        .formatted(TerminalText.oneLine(String.valueOf(archive)), file.jobs()));
            }
        }
        out().flush();
    }

    /** How far a pass is: on a terminal a line that changes, else nothing. */
    private static final class CleanupProgress implements AutoCloseable {
        private static final long EVERY = Duration.ofMillis(200).toNanos();

        private final Console console;
        private final boolean shown;
        private long last = System.nanoTime();

        CleanupProgress(Console console) {
            this.console = console;
            this.shown = console.errIsTerminal();
        }

        void show(RetentionResult sofar) {
            if (shown && System.nanoTime() - last >= EVERY) {
                last = System.nanoTime();
                new StatusLine(console.err())
                        .show(String.format(Locale.ROOT, "deleting old jobs: %,d ...", sofar.total()));
            }
        }

        @Override
        public void close() {
            if (shown) {
                new StatusLine(console.err()).clear();
            }
        }
    }
}
