package dev.windrow.tests.docs.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.tests.Once;
import dev.windrow.tests.docs.Docs;
import org.junit.jupiter.api.Test;

/** Compares docs/how-to/test-handlers.md with {@link InvoiceTest}, whose tests run with all others. */
@Once
class HandlerTestDocTest {
    @Test
    void snippetsAreCompiledCode() {
        assertThat(Docs.blocks("java", "docs/how-to/test-handlers.md"))
                .isEqualTo(Docs.regions("tests/src/test/java/dev/windrow/tests/docs/job/InvoiceTest.java"))
                .hasSize(8);
    }
}
