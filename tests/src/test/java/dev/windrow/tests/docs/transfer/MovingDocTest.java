package dev.windrow.tests.docs.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.tests.Once;
import dev.windrow.tests.docs.Docs;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The code in the guides of backups and moves compiles. */
@Once
class MovingDocTest {
    private static final String CODE = "tests/src/test/java/dev/windrow/tests/docs/transfer/MovingSnippet.java";

    @Test
    void guideSnippetsAreCompiledCode() {
        List<String> shown = new ArrayList<>(Docs.blocks("java", "docs/how-to/backup.md"));
        shown.addAll(Docs.blocks("java", "docs/how-to/moving-to-postgresql.md"));
        assertThat(shown)
                .containsExactlyInAnyOrderElementsOf(Docs.regions(CODE))
                .hasSize(3);
    }
}
