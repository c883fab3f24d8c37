package dev.windrow.testkit;

import dev.windrow.engine.worker.ManualWorker;
import dev.windrow.payload.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Type;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** A folder with stored payloads of former releases, in a folder for each type. */
final class OldPayloads {
    private final Path folder;
    private final ManualWorker worker;
    private final List<String> problems = new ArrayList<>();
    private int files;

    private OldPayloads(Path folder, ManualWorker worker) {
        this.folder = folder;
        this.worker = worker;
    }

    /** Throws an error that names each payload that cannot be read. */
    static void requireDecoding(Path folder, ManualWorker worker) {
        OldPayloads payloads = new OldPayloads(folder, worker);
        payloads.read();
        if (payloads.files == 0) {
            throw new AssertionError("\nexpected: payloads of former releases in %s, such as %s\n but was: no file"
                    .formatted(folder, folder.resolve("TYPE").resolve("2026-01.json")));
        }
        if (!payloads.problems.isEmpty()) {
            throw new AssertionError(
                    "\nexpected: each payload in %s decodes to the input of its type\n but was: %d of %d do not\n\n%s"
                            .formatted(
                                    folder,
                                    payloads.problems.size(),
                                    payloads.files,
                                    String.join("\n", payloads.problems)));
        }
    }

    private void read() {
        for (Path type : list(folder, Files::isDirectory)) {
            for (Path file : list(type, Files::isRegularFile)) {
                files++;
                read(type.getFileName().toString(), file);
            }
        }
    }

    private static List<Path> list(Path folder, Predicate<Path> kind) {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> paths = Files.list(folder)) {
            return paths.filter(kind).sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void read(String type, Path file) {
        String name = folder.relativize(file).toString();
        Type input = worker.input(type);
        if (input == null) {
            problems.add("%s: no handler takes type '%s'. If the type was renamed, its old name must be an alias"
                    .formatted(name, type));
            return;
        }
        String text;
        try {
            text = Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        try {
            Object unused = worker.decode(new Json(text.strip()), input);
        } catch (RuntimeException e) {
            problems.add(
                    "%s does not fit %s: %s\n    %s".formatted(name, input.getTypeName(), message(e), text.strip()));
        }
    }

    /** Returns the first line of the first cause's message. */
    private static String message(Throwable failure) {
        Throwable first = failure;
        while (first.getCause() != null) {
            first = first.getCause();
        }
        return String.valueOf(first.getMessage()).lines().findFirst().orElse("");
    }
}
