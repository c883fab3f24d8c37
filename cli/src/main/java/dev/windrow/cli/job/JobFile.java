package dev.windrow.cli.job;

import dev.windrow.InvalidRequestException;
import dev.windrow.JobNotFoundException;
import dev.windrow.JobRequest;
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
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A file of jobs, one a line. It is enqueued in batches of 1000 lines or 16 MiB, each in one transaction. */
final class JobFile implements AutoCloseable {
    private static final int BATCH = 1000;
    /** The number of characters after which a batch is written, with any number of lines. */
    private static final int BATCH_LENGTH = 16 << 20;

    private final String name;
    private final Target target;
    private final Supplier<Windrow> opening;
    private final BufferedReader reader;
    private final List<JobRequest<Json, Json>> batch = new ArrayList<>();
    private final List<Long> lineNumbers = new ArrayList<>();
    private @Nullable Windrow windrow;
    private long lineNumber;
    private long length;
    private long enqueued;
    private long committedTo;

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
                batch.add(JobLines.parse(line));
            } catch (UsageException | InvalidRequestException e) {
                throw stopped(lineNumber, e);
            }
            lineNumbers.add(lineNumber);
            length += line.length();
            if (batch.size() == BATCH || length >= BATCH_LENGTH) {
                commit();
            }
        }
        commit();
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
        for (int i = 0; i < batch.size(); i++) {
            if (!batch.get(i).parents().isEmpty()) {
                FailedException problem = target.missingParent(batch.get(i));
                if (problem != null) {
                    throw stopped(lineNumbers.get(i), problem);
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
            windrow.enqueueAll(batch);
        } catch (JobNotFoundException e) {
            throw stopped(lineOfParent(e.id()), e);
        } catch (WindrowException e) {
            throw stopped(lineNumbers.get(0), e);
        }
        enqueued += batch.size();
        committedTo = lineNumbers.get(lineNumbers.size() - 1);
        batch.clear();
        lineNumbers.clear();
        length = 0;
    }

    private long lineOfParent(long id) {
        for (int i = 0; i < batch.size(); i++) {
            if (batch.get(i).parents().stream().anyMatch(parent -> parent.id() == id)) {
                return lineNumbers.get(i);
            }
        }
        return lineNumbers.get(0);
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
