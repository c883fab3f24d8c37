package dev.windrow.tests.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.tests.Once;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The targets of links in the documents exist. */
@Once
class LinksTest {
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
    /** A test class, perhaps with the name of a test. */
    private static final Pattern TEST = Pattern.compile("`([A-Z]\\w+(?:Test|Contract))(?:[.](\\w+))?`");

    private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.+)$");

    @Test
    void everyRelativeLinkLeadsToAFileAndItsHeading() throws IOException {
        List<String> broken = new ArrayList<>();
        for (Path document : documents()) {
            LINK.matcher(withoutCode(Files.readString(document))).results().forEach(link -> {
                if (!leadsSomewhere(document, link.group(1))) {
                    broken.add(Docs.root().relativize(document) + ": " + link.group(1));
                }
            });
        }
        assertThat(broken).isEmpty();
    }

    @Test
    void everyTestThatADocumentNamesExists() throws IOException {
        Map<String, String> sources = sources();
        Set<String> named = new TreeSet<>();
        Set<String> missing = new TreeSet<>();
        for (Path document : documents()) {
            TEST.matcher(Files.readString(document)).results().forEach(name -> {
                named.add(name.group(1));
                String source = sources.getOrDefault(name.group(1), "");
                if (name.group(2) == null ? source.isEmpty() : !source.contains(" " + name.group(2) + "(")) {
                    missing.add(name.group());
                }
            });
        }
        assertThat(named).isNotEmpty();
        assertThat(missing).isEmpty();
    }

    /** Returns the text of each test class by its name, without copies that a build has made. Classes of one name have one text. */
    private static Map<String, String> sources() throws IOException {
        Map<String, String> sources = new HashMap<>();
        for (Path folder : List.of(Docs.root(), Docs.root().resolve("examples"))) {
            try (DirectoryStream<Path> modules = Files.newDirectoryStream(folder, "[a-z]*")) {
                for (Path module : modules) {
                    if (Files.isDirectory(module.resolve("src"))) {
                        try (Stream<Path> files = Files.walk(module.resolve("src"))) {
                            for (Path file : files.toList()) {
                                String name = file.getFileName().toString();
                                if (name.matches(".*(Test|Contract)[.]java")) {
                                    sources.merge(
                                            name.substring(0, name.length() - ".java".length()),
                                            Files.readString(file),
                                            String::concat);
                                }
                            }
                        }
                    }
                }
            }
        }
        return sources;
    }

    private static boolean leadsSomewhere(Path document, String link) {
        if (link.startsWith("https://")) {
            return true;
        }
        String[] parts = link.split("#", 2);
        Path target = parts[0].isEmpty()
                ? document
                : document.resolveSibling(parts[0]).normalize();
        return Files.exists(target) && (parts.length == 1 || anchors(target).contains(parts[1]));
    }

    private static Set<String> anchors(Path document) {
        return HEADING.matcher(Docs.read(Docs.root().relativize(document).toString()))
                .results()
                .map(heading -> heading.group(1)
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\w -]", "")
                        .replace(' ', '-'))
                .collect(Collectors.toSet());
    }

    /** Returns the text without code blocks and backquoted text, which contain no links. */
    private static String withoutCode(String text) {
        return text.replaceAll("(?s)```.*?```", "").replaceAll("`[^`\n]*`", "");
    }

    private static List<Path> documents() throws IOException {
        List<Path> documents = new ArrayList<>();
        for (Path folder :
                List.of(Docs.root(), Docs.root().resolve("docs"), Docs.root().resolve("examples"))) {
            int depth = folder.equals(Docs.root()) ? 1 : Integer.MAX_VALUE;
            try (Stream<Path> files = Files.walk(folder, depth)) {
                files.filter(file -> file.toString().endsWith(".md")).forEach(documents::add);
            }
        }
        assertThat(documents).hasSizeGreaterThan(20);
        return documents;
    }
}
