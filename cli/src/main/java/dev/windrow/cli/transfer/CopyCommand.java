package dev.windrow.cli.transfer;

import dev.windrow.cli.CliCommand;
import dev.windrow.cli.Main;
import dev.windrow.cli.Signals;
import dev.windrow.cli.UsageException;
import dev.windrow.cli.database.Target;
import dev.windrow.cli.terminal.Fields;
import dev.windrow.cli.terminal.Progress;
import dev.windrow.cli.terminal.TerminalText;
import dev.windrow.transfer.QueueCopy;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code copy}: the whole queue to another store. */
@Command(
        name = "copy",
        description = "Copy the whole queue, its history included, to another store, in either direction.",
        footer = {
            "",
            "The target has to be empty, and is refused to everybody until all of it is",
            "there and was compared. Beside a large queue: first 'copy --finished' while all",
            "goes on, then stop workers and those who enqueue, then 'copy --resume",
            "--close-source', and start with the other --db.",
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
            description = "Where to: a SQLite file, or jdbc:postgresql://host/database.")
    private String to = "";

    @Option(
            names = "--finished",
            description =
                    "Completed jobs only, which do not change any more, while workers go on; --resume copies the rest.")
    private boolean finished;

    @Option(
            names = "--resume",
            description = "Go on with a copy that was interrupted, or that was one of finished jobs.")
    private boolean resume;

    @Option(
            names = "--close-source",
            description = "Nobody can use the source from now on, in any process; 'reopen' takes that back.")
    private boolean closeSource;

    @Option(
            names = "--force",
            description = "Although workers are at work on the source: what they do meanwhile is not copied.")
    private boolean force;

    public CopyCommand(Main main) {
        super(main);
    }

    @Override
    public void run() {
        if (finished && closeSource) {
            throw new UsageException("--finished and --close-source exclude each other: close it with the rest");
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
            out().println(new Fields()
                    .put("jobs", report.jobs())
                    .put("events", report.events())
                    .put(
                            "tables",
                            report.tables().stream()
                                    .map(table -> new Fields()
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
                    "%s and %s are in %s, compared row by row, after %.1f s",
                    TerminalText.count(report.jobs(), "job"),
                    TerminalText.count(report.events(), "event"),
                    target.name(),
                    seconds));
            if (finished) {
                out().println("The rest is copied by 'windrow copy --resume'; until then nobody can use the target.");
            }
            if (closeSource) {
                out().println("%s is closed; 'windrow reopen' takes that back.".formatted(target().name()));
            }
        }
        if (report.sourceChanged() && !finished) {
            err().println(
                            "windrow: somebody has written to %s meanwhile, and what that was is not in the copy: stop all who do, and copy to an empty target again"
                                    .formatted(target().name()));
        }
    }
}
