package dev.windrow.tests.docs.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.tests.Once;
import dev.windrow.tests.docs.Docs;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What the guides of backups and moves show is compiled. */
@Once
class MovingDocTest {
    private static final String CODE = "tests/src/test/java/dev/windrow/tests/docs/transfer/MovingSnippet.java";

    @Test
    void theirJavaIsTheTextThatIsCompiled() {
        List<String> shown = new ArrayList<>(all("```java\n(.*?)```", "docs/guides/backup.md"));
        shown.addAll(all("```java\n(.*?)```", "docs/guides/moving-to-postgresql.md"));
        assertThat(shown)
                .containsExactlyInAnyOrderElementsOf(all("// region \\w+\n(.*?)\n *// endregion", CODE))
                .hasSize(3);
    }

    private static List<String> all(String pattern, String path) {
        return Pattern.compile(pattern, Pattern.DOTALL)
                .matcher(Docs.read(path))
                .results()
                .map(found -> found.group(1).stripIndent().strip())
                .toList();
    }
}
