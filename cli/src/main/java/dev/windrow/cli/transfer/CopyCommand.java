package dev.windrow.cli.transfer;

import dev.windrow.cli.CliCommand;
import dev.windrow.cli.Main;
import dev.windrow.cli.Signals;
import dev.windrow.cli.UsageException;
import dev.windrow.cli.database.Target;
import dev.windrow.cli.terminal.Progress;
import dev.windrow.cli.terminal.TerminalText;
import dev.windrow.transfer.QueueCopy;
import dev.windrow.wire.JsonObject;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code copy}: copies the whole queue to another store. */
@Command(
        name = "copy",
        description = "Copies the whole store, with its history, to another one.",
        footer = {
            "",
            "The target must be empty. No command can use it until the copy is complete and",
            "compared. For a large store: run 'copy --finished' while workers continue. Then",
            "stop the workers and all programs that enqueue, run 'copy --resume",
            "--close-source', and start them with the new --db.",
            "",
            "Examples:",
            "  windrow copy --to jdbc:postgresql://db.internal/shop --finished",
            "  windrow copy --to new.db --close-source"
        })
public final class CopyCommand extends CliCommand {
    @Option(
            names = "--to",
            required = true,
            paramLabel = "TARGET",
            description = "A SQLite file, or jdbc:postgresql://host/database.")
    private String to = "";

    @Option(
            names = "--finished",
            description =
                    "Copy only COMPLETED jobs, which do not change any more, while workers continue; --resume copies the rest.")
    private boolean finished;

    @Option(names = "--resume", description = "Continue an interrupted copy, or one with --finished.")
    private boolean resume;

    @Option(
            names = "--close-source",
            description = "Close the source: no process can use it from now on, until 'reopen'.")
    private boolean closeSource;

    @Option(
            names = "--force",
            description = "Copy although workers run on the source; their changes during the copy are not copied.")
    private boolean force;

    public CopyCommand(Main main) {
        super(main);
    }

    @Override
    public void run() {
        if (finished && closeSource) {
            throw new UsageException(
                    "--finished and --close-source do not go together: close the source with --resume, which copies the rest");
        }
        Target target = Target.to(to, config(), warning -> err().println("windrow: " + warning));
        Target.refuse(target().missing());
        Thread caller = Thread.currentThread();
        Signals signals = Signals.listen(console(), caller::interrupt, caller::interrupt);
        QueueCopy.Report report;
        try (Progress progress = new Progress(console(), verbose())) {
            report = settings(QueueCopy.from(target().store()).to(target.store()))
                    .progress(step -> progress.step(
                            (step.checking() ? "comparing " : "copying ") + step.table(),
                            ": %,d rows".formatted(step.rows())))
                    .run();
        } finally {
            signals.ended();
        }
        tell(report, target);
    }

    private QueueCopy settings(QueueCopy copy) {
        QueueCopy set = finished ? copy.finishedOnly() : copy;
        set = resume ? set.resume() : set;
        set = closeSource ? set.closeSource() : set;
        return force ? set.force() : set;
    }

    private void tell(QueueCopy.Report report, Target target) {
        double seconds = report.took().toMillis() / 1000.0;
        if (json()) {
            out().println(new JsonObject()
                    .put("jobs", report.jobs())
                    .put("events", report.events())
                    .put(
                            "tables",
                            report.tables().stream()
                                    .map(table -> new JsonObject()
                                            .put("name", table.name())
                                            .put("rows", table.rows())
                                            .put("checksum", table.checksum())
                                            .put("comparedBefore", table.comparedBefore()))
                                    .toList())
                    .put("finishedOnly", finished)
                    .put("sourceChanged", report.sourceChanged())
                    .put("sourceClosed", closeSource)
                    .put("seconds", seconds));
        } else {
            out().println(String.format(
                    Locale.ROOT,
                    "copied %s and %s to %s and compared them row by row, in %.1f s",
                    TerminalText.count(report.jobs(), "job"),
                    TerminalText.count(report.events(), "event"),
                    target.name(),
                    seconds));
            if (finished) {
                out().println("Copy the rest with 'windrow copy --resume'; until then the target cannot be used.");
            }
            if (closeSource) {
                out().println("%s is closed; 'windrow reopen' opens it again.".formatted(target().name()));
            }
        }
        if (report.sourceChanged() && !finished) {
            err().println(
                            ("windrow: another process wrote to %s during the copy, and its changes may be missing in the copy:"
                                            + " stop all workers and programs that enqueue, and copy to an empty target again")
                                    .formatted(target().name()));
        }
    }
}
