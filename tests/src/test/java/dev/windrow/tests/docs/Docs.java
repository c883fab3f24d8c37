package dev.windrow.tests.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The documents of the repository, found from every working folder of the tests. */
public final class Docs {
    private Docs() {}

    /** Returns the root of the checkout. */
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

    /** Reads a file, named relative to the root. */
    public static String read(String path) {
        try {
            return Files.readString(root().resolve(path));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the code blocks of a language in a document, named from the root. */
    public static List<String> blocks(String language, String document) {
        return all("```" + language + "\n(.*?)```", document);
    }

    /** Returns the regions of a source file, named from the root. */
    public static List<String> regions(String source) {
        return all("// region \\w+\n(.*?)\n *// endregion", source);
    }

    private static List<String> all(String pattern, String path) {
        return Pattern.compile(pattern, Pattern.DOTALL)
                .matcher(read(path))
                .results()
                .map(match -> match.group(1).stripIndent().strip())
                .toList();
    }

    /** The texts of the files of a folder whose names end so, one after the other; the folder is named from the root. */
    static String readAll(String folder, String ending) {
        try (Stream<Path> files = Files.list(root().resolve(folder))) {
            return files.filter(file -> file.toString().endsWith(ending))
                    .sorted()
                    .map(file -> read(file.toString()))
                    .collect(Collectors.joining());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
