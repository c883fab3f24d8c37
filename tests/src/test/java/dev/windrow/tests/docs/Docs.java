package dev.windrow.tests.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The documents of the repository, found from whatever folder the tests run in. */
public final class Docs {
    private Docs() {}

    /** The root of the checkout. */
    public static Path root() {
        Path folder = Path.of("").toAbsolutePath();
        while (folder != null && !Files.exists(folder.resolve("CONTRIBUTING.md"))) {
            folder = folder.getParent();
        }
        if (folder == null) {
            throw new IllegalStateException("no checkout around " + Path.of("").toAbsolutePath());
        }
        return folder;
    }

    /** The text of a file, named from the root. */
    public static String read(String path) {
        try {
            return Files.readString(root().resolve(path));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
