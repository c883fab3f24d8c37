package dev.windrow.tests.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.tests.Once;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Compares the tests that docs/comparisons/capabilities.md names with the sources. */
@Once
class CapabilitiesDocTest {
    private static final String HEADER =
            "| capability | Windrow's test | GigQ | queuert | River | Oban | JobRunr | db-scheduler | plain table |";
    private static final Pattern NAME = Pattern.compile("`(\\w+)\\.(\\w+)`");
    private static final Pattern RUN = Pattern.compile("@(Test|ParameterizedTest|RepeatedTest)\\b");
    private static final Pattern SKIPPED = Pattern.compile("@(Disabled|Enabled)|@Tag\\(\"soak\"\\)|\\bassume\\w*\\(");

    @Test
    void eachRowNamesATestThatRuns() throws IOException {
        Map<String, List<String>> sources = sources();
        List<String> named = rows().stream()
                .map(row -> row.get(1))
                .filter(cell -> !cell.equals("**not yet**"))
                .toList();
        assertThat(named).hasSizeGreaterThan(60);
        assertThat(named.stream().filter(cell -> !namesATest(cell, sources))).isEmpty();
    }

    @Test
    void eachCellOfAnotherSystemIsAWordOfTheLegend() {
        Set<String> words = Set.of("yes", "paid", "part", "no", "?");
        assertThat(rows().stream().filter(row -> row.size() != 9 || !words.containsAll(row.subList(2, 9))))
                .isEmpty();
        assertThat(rows().stream().map(row -> row.get(0))).doesNotHaveDuplicates();
    }

    @Test
    void skippedAndMissingTestsAreFound() {
        String test = "package a;\n\n@Once\nclass A {\n\n    @Test\n    void b() {\n        c();\n    }\n}\n";
        assertThat(runs(test, "A", "b")).isTrue();
        assertThat(runs(test, "A", "c")).isFalse();
        assertThat(runs(test.replace("    @Test", "    @Disabled\n    @Test"), "A", "b"))
                .isFalse();
        assertThat(runs(test.replace("@Once", "@Tag(\"soak\")"), "A", "b")).isFalse();
        assertThat(runs(test.replace("c()", "assumeTrue(c())"), "A", "b")).isFalse();
        assertThat(runs(test.replace("    @Test\n", ""), "A", "b")).isFalse();
    }

    private static boolean namesATest(String cell, Map<String, List<String>> sources) {
        Matcher name = NAME.matcher(cell);
        return name.matches()
                && sources.getOrDefault(name.group(1), List.of()).stream()
                        .anyMatch(source -> runs(source, name.group(1), name.group(2)));
    }

    /** True if the source has the test, and neither it nor its class may be skipped. */
    private static boolean runs(String source, String type, String test) {
        int name = source.indexOf("void " + test + "(");
        Matcher declaration =
                Pattern.compile("(class|interface) " + type + "\\b").matcher(source);
        if (name < 0 || !declaration.find()) {
            return false;
        }
        String method = source.substring(source.lastIndexOf("\n\n", name), source.indexOf("\n    }", name));
        String head = source.substring(source.lastIndexOf("\n\n", declaration.start()), declaration.start());
        return RUN.matcher(method).find() && !SKIPPED.matcher(head + method).find();
    }

    /** Returns the cells of each row of the tables of capabilities. */
    private static List<List<String>> rows() {
        return Arrays.stream(Docs.read("docs/comparisons/capabilities.md").split("\n\n"))
                .filter(block -> block.startsWith(HEADER))
                .flatMap(block -> block.lines().skip(2))
                .map(row -> List.of(row.strip().replaceAll("^\\| | \\|$", "").split(" \\| ")))
                .toList();
    }

    /** Returns the texts of all source files of the modules, by the names of their classes. */
    private static Map<String, List<String>> sources() throws IOException {
        Map<String, List<String>> sources = new HashMap<>();
        try (DirectoryStream<Path> modules = Files.newDirectoryStream(Docs.root(), "[a-z]*")) {
            for (Path module : modules) {
                if (Files.isDirectory(module.resolve("src"))) {
                    try (Stream<Path> files = Files.walk(module.resolve("src"))) {
                        for (Path file : (Iterable<Path>) files::iterator) {
                            String name = file.getFileName().toString();
                            if (name.endsWith("Test.java") || name.endsWith("Contract.java")) {
                                sources.computeIfAbsent(name.replace(".java", ""), each -> new ArrayList<>())
                                        .add(Files.readString(file));
                            }
                        }
                    }
                }
            }
        }
        return sources;
    }
}
