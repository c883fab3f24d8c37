package dev.windrow.cli.demo;

import dev.windrow.JobRef;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.cli.CliCommand;
import dev.windrow.cli.FailedException;
import dev.windrow.cli.Main;
import dev.windrow.cli.Problems;
import dev.windrow.cli.Program;
import dev.windrow.cli.Signals;
import dev.windrow.cli.database.Target;
import dev.windrow.cli.terminal.Ink;
import dev.windrow.cli.terminal.TerminalText;
import dev.windrow.cli.terminal.Values;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code demo}: counts the words of the files below a folder, with a job for each, between a scan and a report. */
@Command(
        name = "demo",
        description = {
            "Counts the words of all files in a folder, with a job for each file.",
            "A first job scans the folder and enqueues these jobs (digest, lines, words),",
            "and a report that depends on all of them. Files with a NUL byte and files that",
            "cannot be read fail; the report runs anyway."
        },
        footer = {
            "",
            "Lines are newline characters. Words are runs of non-whitespace (UTF-8, malformed",
            "bytes replaced). The list of frequent words has them in lower case, with at",
            "least one letter, and without other characters than letters and digits at their",
            "ends. A file's job keeps its 1000 most frequent words. If a file has more, the",
            "list says how much too low a count may be.",
            "Symbolic links are not followed, and the database itself is left out. Without",
            "--db the database is a new file in the temp directory, which stays. 'work'",
            "continues an interrupted demo.",
            "",
            "Examples:",
            "  windrow demo",
            "  windrow demo /usr/share/doc --concurrency 4 --db demo.db"
        })
public final class DemoCommand extends CliCommand {
    private static final Duration FOR_EVER = Duration.ofDays(365);

    @Parameters(
            arity = "0..1",
            paramLabel = "DIR",
            description =
                    "The folder, with all its files. Default: Windrow's own checkout, or this folder, without hidden"
                            + " folders and build output.")
    private @Nullable String dir;

    @Option(
            names = "--concurrency",
            paramLabel = "N",
            description = "Jobs at a time. 1 to 1000, default twice the processors.")
    private @Nullable String concurrency;

    private final CompletableFuture<DemoOutcome> outcome = new CompletableFuture<>();

    public DemoCommand(Main main) {
        super(main);
    }

    @Override
    public void run() throws Exception {
        int slots = concurrency == null
                ? Math.min(1000, 2 * Runtime.getRuntime().availableProcessors())
                : Values.integer("--concurrency", concurrency, 1, 1000);
        Path folder = folder();
        Target target = targetIsNamed() ? target() : Target.temporary(config());
        Signals signals = Signals.listen(
                console(), this::interrupted, () -> Runtime.getRuntime().halt(Problems.FAILED));
        DemoProgress progress = new DemoProgress(console());
        try (Windrow windrow = target.openOrCreate(progress, eventLevel(null), null)) {
            DemoOutcome done;
            try (progress) {
                done = work(windrow, target, progress, folder, slots);
            }
            print(windrow, target, folder, done);
            tellUnreadable(target, done);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Interrupted ? stopped(target) : failure(e);
        } finally {
            signals.ended();
        }
    }

    private Path folder() throws IOException {
        Path home = Program.home();
        Path path;
        try {
            path = dir != null
                    ? console().path(Values.path("DIR", dir, "the path of a folder"))
                    : home != null ? home : console().folder();
        } catch (InvalidPathException e) {
            throw new FailedException("%s is not a valid path: %s".formatted(dir, e.getReason()), e);
        }
        Object name = dir == null ? path : dir;
        if (!Files.isDirectory(path)) {
            throw new FailedException("%s %s; name a folder to count"
                    .formatted(name, Files.exists(path) ? "is not a folder" : "does not exist"));
        }
        if (!Files.isReadable(path) || !Files.isExecutable(path)) {
            throw new FailedException("cannot read %s: permission denied".formatted(name));
        }
        return path.toRealPath();
    }

    private DemoOutcome work(Windrow windrow, Target target, DemoProgress progress, Path folder, int slots)
            throws InterruptedException, ExecutionException {
        long start = System.nanoTime();
        var scan = windrow.enqueue(DemoTypes.SCAN
                .job(new DemoTypes.Scan(folder.toUri().toString(), dir == null))
                .withName(TerminalText.clipStart(TerminalText.oneLine(folder.toString()), 200)));
        var builder = windrow.worker().concurrency(slots);
        DemoHandlers.register(builder, windrow, target);
        Worker worker = builder.start();
        try {
            Thread waiter = new Thread(() -> await(windrow, scan, progress, start), "windrow-demo");
            waiter.setDaemon(true);
            waiter.start();
            return outcome.get();
        } finally {
            worker.close();
        }
    }

    private void await(Windrow windrow, JobRef<DemoTypes.Scanned> scan, DemoProgress progress, long start) {
        try {
            DemoTypes.Scanned scanned = windrow.await(scan, FOR_EVER);
            if (scanned == null) {
                throw new FailedException("the scan, job %s, has no result".formatted(scan));
            }
            progress.total(scanned.files());
            Tally tally = windrow.await(scanned.report(), FOR_EVER);
            if (tally == null) {
                throw new FailedException("the report, job %s, has no result".formatted(scanned.reportJob()));
            }
            outcome.complete(new DemoOutcome(scan.id(), scanned, tally, Duration.ofNanos(System.nanoTime() - start)));
        } catch (RuntimeException e) {
            outcome.completeExceptionally(e);
        }
    }

    /** Reports folders that could not be read, because all numbers lack their files. */
    private void tellUnreadable(Target target, DemoOutcome done) {
        long unreadable = done.scanned().unreadableFolders();
        if (unreadable > 0) {
            err().println(
                            "windrow: %,d folder%s could not be read, and the files in them are not counted; %s show %d --db %s lists them"
                                    .formatted(
                                            unreadable,
                                            unreadable == 1 ? "" : "s",
                                            Program.name(),
                                            done.scanJob(),
                                            Program.quoted(target.option())));
        }
    }

    private void interrupted() {
        err().println("windrow: stopping; a second signal stops at once");
        outcome.completeExceptionally(new Interrupted());
    }

    private static FailedException stopped(Target target) {
        return new FailedException("interrupted; nothing is lost: %s work --until-idle --db %s continues it"
                .formatted(Program.name(), Program.quoted(target.option())));
    }

    private static RuntimeException failure(ExecutionException e) {
        return e.getCause() instanceof RuntimeException cause
                ? cause
                : new FailedException(String.valueOf(e.getCause()), e);
    }

    private void print(Windrow windrow, Target target, Path folder, DemoOutcome done) {
        if (json()) {
            out().println(done.fields().put("db", target.absolute()));
        } else {
            new DemoView(out(), Ink.of(console()), windrow, target).print(folder, done);
        }
    }

    /** Thrown when a signal came before the end. */
    private static final class Interrupted extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }
}
