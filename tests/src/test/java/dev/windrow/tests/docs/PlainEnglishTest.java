package dev.windrow.tests.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobState;
import dev.windrow.tests.Once;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Holds documents and Javadoc to the rules of plain English; {@code HelpTest} does so for the command line. */
@Once
class PlainEnglishTest {
    private static final int LONGEST_AVERAGE = 18;

    /** Phrases that are right where they are, by file. */
    private static final Map<String, Set<String>> EXCEPTIONS = Map.of();

    private static final Pattern TOKEN = Pattern.compile(
            "\"\"\"[\\s\\S]*?\"\"\"|\"(?:[^\"\\\\\n]|\\\\.)*+\"|'(?:[^'\\\\\n]|\\\\.)++'|//[^\n]*|/\\*\\*[\\s\\S]*?\\*/|/\\*[\\s\\S]*?\\*/");

    @Test
    void documentsHaveNoBannedWords() throws IOException {
        List<String> found = new ArrayList<>();
        for (Path document : documents()) {
            String name = name(document);
            String prose = String.join("\n", English.sentences(Files.readString(document)));
            English.banned(prose).stream()
                    .filter(each ->
                            EXCEPTIONS.getOrDefault(name, Set.of()).stream().noneMatch(each::contains))
                    .forEach(each -> found.add(name + ": " + each));
        }
        assertThat(found).isEmpty();
    }

    @Test
    void sentencesOfDocumentsAreShort() throws IOException {
        List<String> tooLong = new ArrayList<>();
        Map<String, Double> averages = new TreeMap<>();
        for (Path document : documents()) {
            List<String> sentences = English.sentences(Files.readString(document));
            sentences.stream()
                    .filter(sentence -> English.words(sentence) > English.LONGEST)
                    .forEach(sentence -> tooLong.add(name(document) + ": " + sentence));
            averages.put(
                    name(document),
                    sentences.stream().mapToInt(English::words).average().orElse(0));
        }
        assertThat(tooLong)
                .as("sentences of more than %d words", English.LONGEST)
                .isEmpty();
        assertThat(averages)
                .allSatisfy((name, average) -> assertThat(average)
                        .as("average length of the sentences of %s", name)
                        .isLessThanOrEqualTo(LONGEST_AVERAGE));
    }

    @Test
    void firstSentencesOfJavadocNameTheThing() throws IOException {
        List<String> found = new ArrayList<>();
        for (Path source : sources()) {
            for (String javadoc : javadocs(Files.readString(source))) {
                String first = firstSentence(javadoc);
                if (English.isClause(first)) {
                    found.add(name(source) + ": begins with a clause: " + first);
                }
                English.banned(first).forEach(each -> found.add(name(source) + ": " + each));
            }
        }
        assertThat(found).isEmpty();
    }

    @Test
    void countedClaimsAreTrue() {
        assertThat(JobState.values()).hasSize(7);
        assertThat(Docs.read("docs/concepts.md")).contains("Seven states");
        assertThat(headings("docs/how-to/observe.md").filter(heading -> heading.endsWith("?")))
                .hasSize(6);
        assertThat(Docs.read("docs/how-to/observe.md"))
                .contains("five questions of operators", "What do the queries cost?");
        assertThat(Docs.blocks("java", "docs/comparisons/api.md")).hasSize(20);
        assertThat(Docs.read("docs/README.md")).contains("The same twenty things");
        assertThat(Docs.read("README.md").lines().count()).isLessThanOrEqualTo(150);
        assertThat(Docs.blocks("java", "README.md")
                        .get(0)
                        .lines()
                        .filter(line -> !line.isBlank() && !line.startsWith("import ")))
                .as("twenty lines of Java")
                .hasSizeLessThanOrEqualTo(20);
    }

    @Test
    void howTosBeginWithTheirResult() throws IOException {
        try (Stream<Path> pages = Files.list(Docs.root().resolve("docs/how-to"))) {
            assertThat(pages)
                    .allSatisfy(page -> assertThat(Files.readString(page)
                                    .lines()
                                    .skip(2)
                                    .findFirst()
                                    .orElse(""))
                            .as("third line of %s", name(page))
                            .startsWith("After this page "));
        }
    }

    /** Ten sentences that the sources had, in help, Javadoc and documents. */
    @Test
    void plantedSentencesAreFound() {
        assertThat(English.banned(
                        "Answer a probe: is the store there, does its schema fit, is somebody at work, is it in time?"))
                .hasSize(1);
        assertThat(English.banned(
                        "What becomes of another job with the key: keep (default), replace, debounce, throttle."))
                .hasSize(1);
        assertThat(English.banned(
                        "Its chain goes on with a job of this type, which is enqueued in the same transaction."))
                .hasSize(1);
        assertThat(English.banned("Ends one job from outside, whatever it waits for and whoever runs it."))
                .hasSize(2);
        assertThat(English.banned("Run jobs: commands, the demo's, and those that the given jars handle."))
                .hasSize(1);
        assertThat(English.banned("How far an attempt says it is, for people, or null."))
                .hasSize(1);
        assertThat(English.banned("Payloads and results are at most 64 MiB unless configured otherwise."))
                .hasSize(1);
        assertThat(English.isClause("Whether somebody wants the job cancelled; shouldStop is true as well."))
                .isTrue();
        assertThat(
                        English.isClause(
                                "What became of a due time of a schedule; or of many due times in a row of which nothing came."))
                .isTrue();
        assertThat(English.sentences(
                        "So the handler goes on where it stopped, as far as it asks for the same steps by the same"
                                + " names, what is between them runs each time, and of what it writes into the database of the jobs"
                                + " all comes exactly once with a step in a transaction."))
                .singleElement()
                .satisfies(sentence -> assertThat(English.words(sentence)).isGreaterThan(English.LONGEST));
    }

    private static Stream<String> headings(String document) {
        return Docs.read(document).lines().filter(line -> line.startsWith("## "));
    }

    /** Returns the first sentence of a Javadoc, without tags and stars. */
    private static String firstSentence(String javadoc) {
        String text = javadoc.replaceAll("(?m)^\\s*/?\\*+/?", " ")
                .replace("*/", " ")
                .replaceAll("\\{@\\w+ ([^}]*)\\}", "$1")
                .replaceAll("\\s+", " ")
                .strip();
        return text.split("(?<=[.;])\\s|\\s@|<p>", 2)[0];
    }

    private static List<String> javadocs(String source) {
        return TOKEN.matcher(source)
                .results()
                .map(token -> token.group())
                .filter(token -> token.startsWith("/**"))
                .toList();
    }

    private static String name(Path file) {
        return Docs.root().relativize(file).toString();
    }

    /** The main sources of all modules. */
    private static List<Path> sources() throws IOException {
        List<Path> sources = new ArrayList<>();
        try (Stream<Path> modules = Files.list(Docs.root())) {
            for (Path module : modules.map(each -> each.resolve("src/main/java"))
                    .filter(Files::isDirectory)
                    .toList()) {
                try (Stream<Path> files = Files.walk(module)) {
                    files.filter(file -> file.toString().endsWith(".java")).forEach(sources::add);
                }
            }
        }
        assertThat(sources).hasSizeGreaterThan(500);
        return sources;
    }

    /** All documents but the list of what is under way. */
    private static List<Path> documents() throws IOException {
        List<Path> documents = new ArrayList<>();
        for (String name : List.of(
                "README.md",
                "ARCHITECTURE.md",
                "CONTRIBUTING.md",
                "SECURITY.md",
                "CHANGELOG.md",
                "examples/README.md")) {
            documents.add(Docs.root().resolve(name));
        }
        try (Stream<Path> files = Files.walk(Docs.root().resolve("docs"))) {
            files.filter(file -> file.toString().endsWith(".md"))
                    .filter(file -> !file.toString().contains("/progress/"))
                    .forEach(documents::add);
        }
        assertThat(documents).hasSizeGreaterThan(80);
        return documents;
    }
}
