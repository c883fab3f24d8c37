package dev.windrow.cli.query;

import dev.windrow.JobHistory;
import dev.windrow.JobInfo;
import dev.windrow.JobNotFoundException;
import dev.windrow.JobSelection;
import dev.windrow.Windrow;
import dev.windrow.cli.AgeOption;
import dev.windrow.cli.CliCommand;
import dev.windrow.cli.FailedException;
import dev.windrow.cli.Main;
import dev.windrow.cli.Reasons;
import dev.windrow.cli.RedactOption;
import dev.windrow.cli.Signals;
import dev.windrow.cli.UsageException;
import dev.windrow.cli.terminal.StatusLine;
import dev.windrow.cli.terminal.TerminalText;
import dev.windrow.cli.terminal.Values;
import dev.windrow.query.JobFilter;
import dev.windrow.query.JobPage;
import dev.windrow.query.JobQuery;
import dev.windrow.wire.JobJson;
import dev.windrow.wire.JsonObject;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code export}: writes the whole histories of many jobs, a line of JSON each. */
@Command(
        name = "export",
        description = "Writes the whole history of each job as a line of JSON.",
        footer = {
            "",
            "Examples:",
            "  windrow export --state FAILED --output failed.jsonl",
            "  windrow export --type mail.send --older-than 30d"
        })
public final class ExportCommand extends CliCommand {
    private static final int PAGE = 200;

    @Mixin
    private FilterOptions filters = new FilterOptions();

    @Mixin
    private AgeOption age = new AgeOption();

    @Option(
            names = "--output",
            paramLabel = "FILE",
            description = "A new file, default stdout. It gets its name when it is complete.")
    private @Nullable String output;

    @Mixin
    private RedactOption redact = new RedactOption();

    @Option(names = "--oldest-first", description = "Write the oldest job first.")
    private boolean oldestFirst;

    public ExportCommand(Main main) {
        super(main);
    }

    @Override
    public void run() throws IOException {
        JobFilter filter = age.narrow(filters.filter());
        if (output == null && json()) {
            throw new UsageException(
                    "--json needs --output: without it stdout has a line for each job; give --output FILE, or leave out --json");
        }
        Path file = output == null ? null : file(Values.path("--output", output, "the path of a new file"));
        try (Windrow windrow = target().openToRead();
                Progress progress = new Progress()) {
            JobSelection jobs = windrow.jobs(filter);
            JobQuery query = (oldestFirst ? jobs.oldestFirst() : jobs.newestFirst()).limit(PAGE);
            if (file == null) {
                write(windrow, query, out(), progress, () -> false);
                if (out().checkError()) {
                    return; // the stream has reported why, and the exit status is that of a failure
                }
            } else {
                writeFile(windrow, query, file, progress);
            }
            if (!json()) {
                progress.end();
            } else if (file != null) {
                out().println(new JsonObject()
                        .put("exported", progress.jobs)
                        .put("file", file.toAbsolutePath().toString()));
            }
        }
    }

    private Path file(String text) {
        try {
            return console().path(text);
        } catch (InvalidPathException e) {
            throw new FailedException(
                    "'%s' (--output) is not a valid path: %s".formatted(TerminalText.oneLine(text), e.getReason()));
        }
    }

    /** Writes to a temporary file first, so that a file under the final name is always complete. */
    private void writeFile(Windrow windrow, JobQuery query, Path file, Progress progress) throws IOException {
        if (Files.exists(file)) {
            throw exists();
        }
        Path folder = file.toAbsolutePath().getParent();
        if (folder != null && !Files.isDirectory(folder)) {
            throw new FailedException("cannot write '%s' (--output): folder '%s' does not exist; create it first"
                    .formatted(name(), TerminalText.oneLine(folder.toString())));
        }
        // Not by the process id, which may be the same in each container.
        Path part = file.resolveSibling(
                file.getFileName() + "." + UUID.randomUUID().toString().substring(0, 8) + ".part");
        // A signal leaves no incomplete file.
        Signals signals = Signals.listen(console(), () -> {}, () -> {});
        try {
            try (FileChannel channel = FileChannel.open(part, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
                    OutputStream out = new BufferedOutputStream(Channels.newOutputStream(channel), 1 << 16)) {
                write(windrow, query, out, progress, signals::heard);
                if (signals.heard()) {
                    throw new FailedException("interrupted; '%s' was not written".formatted(name()));
                }
                out.flush();
                channel.force(true);
            }
            Files.move(part, file);
        } catch (FileAlreadyExistsException e) {
            throw exists();
        } catch (IOException e) {
            throw new FailedException(
                    "cannot write '%s' (--output): %s; no part of it was kept".formatted(name(), Reasons.of(e)), e);
        } finally {
            Files.deleteIfExists(part);
            signals.ended();
        }
    }

    private FailedException exists() {
        return new FailedException("'%s' (--output) exists; name another file or delete it".formatted(name()));
    }

    private String name() {
        return TerminalText.oneLine(String.valueOf(output));
    }

    /**
     * Writes the jobs. One page and one history are in memory at a time. Each history is of one moment, but not of
     * the same moment for all jobs.
     */
    private void write(Windrow windrow, JobQuery query, OutputStream out, Progress progress, BooleanSupplier stopped)
            throws IOException {
        JobQuery next = query;
        Long cursor;
        do {
            JobPage page = next.page();
            for (JobInfo job : page.jobs()) {
                if (stopped.getAsBoolean()) {
                    return;
                }
                try {
                    JobHistory history = windrow.job(job.id()).history();
                    out.write((JobJson.line(history, redact.redactor()) + "\n").getBytes(StandardCharsets.UTF_8));
                    progress.more();
                } catch (JobNotFoundException e) {
                    // Deleted after the page was read: not exported.
                }
            }
            cursor = page.next();
            next = cursor == null ? next : next.after(cursor);
            // The reader may have ended.
            if (out instanceof PrintStream stream && stream.checkError()) {
                return;
            }
        } while (cursor != null && !stopped.getAsBoolean());
    }

    /** The number of exported jobs so far: on a terminal a line that changes. */
    private final class Progress implements AutoCloseable {
        private static final int STEP = 100;

        private final boolean line = console().errIsTerminal() && !console().outIsTerminal();
        private long jobs;

        void more() {
            jobs++;
            if (line && jobs % STEP == 0) {
                new StatusLine(err()).show("%,d jobs exported".formatted(jobs));
            }
        }

        void end() {
            close();
            err().println("windrow: exported %s%s"
                    .formatted(TerminalText.count(jobs, "job"), output == null ? "" : " to " + name()));
        }

        @Override
        public void close() {
            if (line) {
                new StatusLine(err()).clear();
            }
        }
    }
}
