package dev.windrow.cli.job;

import dev.windrow.Enqueued;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobNotFoundException;
import dev.windrow.JobRef;
import dev.windrow.JobRequest;
import dev.windrow.Jobs;
import dev.windrow.Windrow;
import dev.windrow.WindrowException;
import dev.windrow.cli.FailedException;
import dev.windrow.cli.Reasons;
import dev.windrow.cli.UsageException;
import dev.windrow.cli.database.Target;
import dev.windrow.cli.terminal.Console;
import dev.windrow.cli.terminal.TerminalText;
import dev.windrow.payload.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A file of jobs, one a line. It is enqueued in batches of 1000 lines or 16 MiB, each in one transaction. A file whose lines refer to each other is
 * one transaction.
 */
final class JobFile implements AutoCloseable {
    private static final int BATCH = 1000;
    /**
     * The most lines of a file that is one transaction. On SQLite all other writers wait for it, 10 s by their operation timeout: a chain of 100,000
     * lines held the lock for 12 s.
     */
    private static final int MAX_LINKED = 20_000;
    /** The most characters of such a file. */
    private static final int MAX_LINKED_LENGTH = 64 << 20;
    /** The number of characters after which a batch is written, with any number of lines. */
    private static final int BATCH_LENGTH = 16 << 20;

    private final String name;
    private final Target target;
    private final Supplier<Windrow> opening;
    private final BufferedReader reader;
    private final List<JobLine> batch = new ArrayList<>();
    private final Set<String> refs = new HashSet<>();
    private @Nullable Windrow windrow;
    private long lineNumber;
    private long length;
    private long enqueued;
    private long committedTo;
    /** True if a line refers to others, or may be referred to. */
    private boolean linked;

    private JobFile(String name, InputStream in, Target target, Supplier<Windrow> opening) {
        this.name = name;
        this.target = target;
        this.opening = opening;
        // A new decoder reports malformed input. A reader with a charset would replace it silently.
        this.reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8.newDecoder()), 1 << 16);
    }

    /**
     * Opens a file, or stdin for {@code -}.
     *
     * @param opening opens the queue in the target, and creates a missing one
     */
    static JobFile open(Console console, String name, Target target, Supplier<Windrow> opening) {
        return new JobFile(name.equals("-") ? "stdin" : name, stream(console, name), target, opening);
    }

    /** Reads a whole file, or stdin for {@code -}, as text. */
    static String read(Console console, String name) {
        try (InputStream in = stream(console, name)) {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(in.readAllBytes()))
                    .toString();
            return text.startsWith("\ufeff") ? text.substring(1) : text;
        } catch (CharacterCodingException e) {
            throw unreadable(name, "it is not UTF-8", e);
        } catch (IOException e) {
            throw unreadable(name, Reasons.of(e), e);
        }
    }

    private static InputStream stream(Console console, String name) {
        if (name.equals("-")) {
            InputStream stdin = console.stdin();
            if (stdin == null) {
                throw unreadable(name, "stdin is closed", null);
            }
            return stdin;
        }
        try {
            Path path = console.path(name);
            if (Files.isDirectory(path)) { // it opens like a file, but cannot be read
                throw unreadable(name, "it is a folder", null);
            }
            return Files.newInputStream(path);
        } catch (IOException e) {
            throw unreadable(name, Reasons.of(e), e);
        } catch (InvalidPathException e) {
            throw unreadable(name, Reasons.of(e), e);
        }
    }

    private static FailedException unreadable(String name, String why, @Nullable Exception cause) {
        return new FailedException(
                "cannot read '%s': %s; nothing was enqueued".formatted(TerminalText.oneLine(name), why), cause);
    }

    /** The number of jobs that are committed so far. */
    long enqueued() {
        return enqueued;
    }

    void enqueueAll() {
        String line;
        while ((line = next()) != null) {
            if (line.isBlank()) {
                continue;
            }
            try {
                add(JobLines.parse(line, lineNumber));
            } catch (UsageException | InvalidRequestException e) {
                throw stopped(lineNumber, e);
            }
            length += line.length();
            if (!linked && (batch.size() == BATCH || length >= BATCH_LENGTH)) {
                commit();
            }
        }
        commit();
    }

    private void add(JobLine line) {
        for (String ref : line.after()) {
            if (!refs.contains(ref)) {
                throw new UsageException(
                        "after: no earlier line has the ref '%s'".formatted(TerminalText.oneLine(ref)));
            }
        }
        if (line.ref() != null && !refs.add(line.ref())) {
            throw new UsageException(
                    "ref: an earlier line has the ref '%s'".formatted(TerminalText.oneLine(line.ref())));
        }
        linked |= line.ref() != null;
        if (linked && enqueued > 0) {
            throw new UsageException(
                    "ref: a file with refs is one transaction, so its first %d lines or 16 MiB need one"
                            .formatted(BATCH));
        }
        if (linked && (batch.size() == MAX_LINKED || length > MAX_LINKED_LENGTH)) {
            throw new UsageException("a file with refs has at most %,d lines and 64 MiB".formatted(MAX_LINKED));
        }
        batch.add(line);
    }

    private @Nullable String next() {
        try {
            String line = reader.readLine();
            lineNumber++;
            // Some editors write a byte order mark at the beginning of a file.
            return line != null && lineNumber == 1 && line.startsWith("\ufeff") ? line.substring(1) : line;
        } catch (CharacterCodingException e) {
            // The reader decodes beyond the returned line, so the exact place is not known.
            throw stopped(lineNumber + 1, new FailedException("from here on the file is not UTF-8", e));
        } catch (IOException e) {
            throw stopped(lineNumber + 1, new FailedException(Reasons.of(e), e));
        }
    }

    /** Opens the store for the first whole batch, because refused lines must not leave an empty store. */
    private Windrow open() {
        for (JobLine line : batch) {
            if (!line.job().parents().isEmpty()) {
                FailedException problem = target.missingParent(line.job());
                if (problem != null) {
                    throw stopped(line.number(), problem);
                }
                break; // the queue exists, for all of them
            }
        }
        return opening.get();
    }

    private void commit() {
        if (windrow == null) {
            windrow = open();
        }
        if (batch.isEmpty()) {
            return;
        }
        try {
            if (linked) {
                enqueueLinked(windrow);
            } else {
                windrow.enqueueAll(batch.stream().map(JobLine::job).toList());
            }
        } catch (JobNotFoundException e) {
            throw stopped(lineOfParent(e.id().orElseThrow()), e);
        } catch (WindrowException e) {
            throw stopped(batch.get(0).number(), e);
        }
        enqueued += batch.size();
        committedTo = batch.get(batch.size() - 1).number();
        batch.clear();
        length = 0;
    }

    /** Enqueues all lines in one transaction, together as many as refer to enqueued lines only. */
    private void enqueueLinked(Windrow windrow) {
        windrow.inTransaction(connection -> {
            Jobs jobs = windrow.on(connection);
            Map<String, JobRef<Json>> made = new HashMap<>();
            int from = 0;
            while (from < batch.size()) {
                int to = from;
                List<JobRequest<Json, Json>> ready = new ArrayList<>();
                while (to < batch.size()
                        && made.keySet().containsAll(batch.get(to).after())) {
                    JobLine line = batch.get(to++);
                    ready.add(line.job(line.after().stream().map(made::get).toList()));
                }
                List<Enqueued<?>> done = jobs.enqueueAll(ready);
                for (int i = from; i < to; i++) {
                    String ref = batch.get(i).ref();
                    if (ref != null) {
                        made.put(ref, JobRef.raw(done.get(i - from).id()));
                    }
                }
                from = to;
            }
            return made;
        });
    }

    private long lineOfParent(long id) {
        return batch.stream()
                .filter(line -> line.job().parents().stream().anyMatch(parent -> parent.id() == id))
                .findFirst()
                .orElse(batch.get(0))
                .number();
    }

    private FailedException stopped(long line, RuntimeException why) {
        return new FailedException(
                "%s, line %d: %s. %s"
                        .formatted(
                                name,
                                line,
                                why.getMessage(),
                                enqueued == 0
                                        ? "Nothing was enqueued: fix the line and run the command again"
                                        : "%d jobs were committed, up to line %d: fix the line and enqueue the lines after that one"
                                                .formatted(enqueued, committedTo)),
                why);
    }

    @Override
    public void close() throws IOException {
        try {
            reader.close();
        } finally {
            if (windrow != null) {
                windrow.close();
            }
        }
    }
}
