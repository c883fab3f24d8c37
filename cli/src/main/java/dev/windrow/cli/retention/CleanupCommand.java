package dev.windrow.cli.retention;

import dev.windrow.JobState;
import dev.windrow.Windrow;
import dev.windrow.cli.CliCommand;
import dev.windrow.cli.FailedException;
import dev.windrow.cli.Main;
import dev.windrow.cli.Problems;
import dev.windrow.cli.ReasonOption;
import dev.windrow.cli.Signals;
import dev.windrow.cli.UsageException;
import dev.windrow.cli.database.Target;
import dev.windrow.cli.terminal.Console;
import dev.windrow.cli.terminal.StatusLine;
import dev.windrow.cli.terminal.TerminalText;
import dev.windrow.cli.terminal.Values;
import dev.windrow.retention.Cleanup;
import dev.windrow.retention.CleanupFailedException;
import dev.windrow.retention.RetentionResult;
import dev.windrow.wire.JsonObject;
import dev.windrow.wire.RetentionJson;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code cleanup}: runs one pass of retention now. */
@Command(
        name = "cleanup",
        description = "Deletes old ended jobs: one pass of retention.",
        footer = {
            "",
            "Workers run such a pass once an hour; see 'retention' for the rules. A job stays",
            "while a job depends on it that is not COMPLETED. A chain is deleted as a whole.",
            "After Ctrl-C the same command continues with the rest.",
            "",
            "Examples:",
            "  windrow cleanup --dry-run",
            "  windrow cleanup --completed 7d --failed forever --archive old-jobs.jsonl"
        })
public final class CleanupCommand extends CliCommand {
    @Option(
            names = "--completed",
            paramLabel = "DURATION",
            description = "Delete COMPLETED jobs that ended longer ago. 0s to 36500d or forever, default by the rules.")
    private @Nullable String completed;

    @Option(names = "--failed", paramLabel = "DURATION", description = "The same for FAILED jobs.")
    private @Nullable String failed;

    @Option(names = "--cancelled", paramLabel = "DURATION", description = "The same for CANCELLED jobs.")
    private @Nullable String cancelled;

    @Option(names = "--type", paramLabel = "TYPE", description = "Jobs of this type only.")
    private @Nullable String type;

    @Option(
            names = "--max-jobs",
            paramLabel = "N",
            description = "Stop after about this many jobs. 1 to 2147483647, default unlimited.")
    private @Nullable String maxJobs;

    @Option(
            names = "--archive",
            paramLabel = "FILE",
            description = "First append the jobs to this file, each as a line with the JSON of 'show --json'.")
    private @Nullable String archive;

    @Option(names = "--dry-run", description = "Delete nothing; print what would be deleted.")
    private boolean dryRun;

    @Mixin
    private ReasonOption reason = new ReasonOption();

    public CleanupCommand(Main main) {
        super(main);
    }

    @Override
    public void run() throws Exception {
        reason.check();
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
        // The archive is created only if there is a queue, and opened before any deletion.
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
                () -> err().println("windrow: stopping after this batch; a second signal stops at once"),
                () -> Runtime.getRuntime().halt(Problems.FAILED));
        RetentionResult done;
        try (CleanupProgress progress = new CleanupProgress(console())) {
            Cleanup told = cleanup.withProgress(sofar -> {
                progress.show(sofar);
                return !signals.heard();
            });
            done = dryRun
                    ? windrow.retention().preview(told)
                    : reason.of(windrow).retention().cleanup(told);
        } catch (CleanupFailedException e) {
            // A script needs the result of a failed pass too.
            print(e.done(), file);
            throw e;
        } finally {
            signals.ended();
        }
        print(done, file);
        if (!done.complete()) {
            throw new FailedException("interrupted after %,d jobs %s; run the same command again to continue"
                    .formatted(done.total(), dryRun ? "were counted" : "were deleted"));
        }
    }

    private void print(RetentionResult done, @Nullable ArchiveFile file) {
        if (json()) {
            JsonObject fields = dryRun ? RetentionJson.preview(done) : RetentionJson.cleanup(done);
            out().println(fields.put("archived", file == null ? null : file.jobs()));
        } else {
            StringBuilder line = new StringBuilder();
            for (JobState state : JobState.values()) {
                long count = done.deleted().getOrDefault(state, 0L);
                if (count > 0) {
                    line.append(line.length() == 0 ? " (" : ", ").append("%,d %s".formatted(count, state));
                }
            }
            String verb = dryRun ? "would be deleted" : "deleted";
            out().println("%s: %,d%s".formatted(verb, done.total(), line.length() == 0 ? "" : line + ")"));
            if (done.kept() > 0) {
                out().println("kept, because other jobs need them or they were changed: %,d".formatted(done.kept()));
            }
            if (file != null) {
                out().println("archived in %s: %,d"
                        .formatted(TerminalText.oneLine(String.valueOf(archive)), file.jobs()));
            }
        }
        out().flush();
    }

    /** The progress of a pass: on a terminal a line that changes, else nothing. */
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
