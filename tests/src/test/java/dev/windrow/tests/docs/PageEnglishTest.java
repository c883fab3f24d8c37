package dev.windrow.tests.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.tests.Once;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Holds the texts of the dashboard's page to the rules of plain English. */
@Once
class PageEnglishTest {
    private static final Path PAGE = Docs.root().resolve("dashboard/src/main/resources/dev/windrow/dashboard/page");

    /** The most words of a sentence: fewer than in a document, because it is read beside numbers and buttons. */
    private static final int LONGEST = 25;

    private record Text(String file, String text) {}

    private static List<Text> texts() throws IOException {
        List<Text> texts = new ArrayList<>();
        try (Stream<Path> files = Files.walk(PAGE)) {
            for (Path file : files.filter(each -> each.toString().endsWith(".js"))
                    .filter(each -> !each.startsWith(PAGE.resolve("vendor")))
                    .toList()) {
                PageTexts.of(Files.readString(file))
                        .forEach(
                                text -> texts.add(new Text(PAGE.relativize(file).toString(), text)));
            }
        }
        PageTexts.ofMarkup(Files.readString(PAGE.resolve("index.html")))
                .forEach(text -> texts.add(new Text("index.html", text)));
        assertThat(texts).hasSizeGreaterThan(2000);
        return texts;
    }

    @Test
    void thePageHasNoBannedWords() throws IOException {
        List<String> found = new ArrayList<>();
        for (Text text : texts()) {
            English.banned(text.text).forEach(each -> found.add(text.file + ": " + each));
        }
        assertThat(found).isEmpty();
    }

    @Test
    void sentencesOfThePageAreShort() throws IOException {
        List<String> found = new ArrayList<>();
        for (Text text : texts()) {
            English.sentences(text.text).stream()
                    .filter(sentence -> English.words(sentence) > LONGEST)
                    .forEach(sentence -> found.add(text.file + ": " + sentence));
        }
        assertThat(found).as("sentences of more than %d words", LONGEST).isEmpty();
    }

    @Test
    void theTextsOfAScriptAreFound() {
        String script = """
                /** A comment with "no text". */
                import { a } from "./a.js"; // nor `here`
                const pattern = /["`/]+/.test(a) / 2;
                export const view = (one) => html`<p class="x" title="The tooltip">
                    The ${one ? "first" : `second of ${count(2, 'two')}`} job
                    <b>is here</b>
                </p>`;
                """;
        assertThat(PageTexts.of(script))
                .containsExactly("./a.js", "first", "two", "second of X", "The tooltip", "The X job", "is here");
    }
}
