package dev.windrow.tests.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.tests.Once;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Compares docs/spring.md with the example, whose tests run with all others. The page closes the class of the test, and leaves out its settings. */
@Once
class SpringDocTest {
    private static final String SHOP = "examples/spring-boot/src/%s/java/dev/windrow/examples/shop/%s.java";

    @Test
    void javaIsTheCodeOfTheExample() {
        assertThat(Docs.blocks("java", "docs/spring.md"))
                .containsExactlyElementsOf(Stream.of("main/Checkout", "main/Invoices", "test/CheckoutTest")
                        .flatMap(name -> Docs.regions(SHOP.formatted((Object[]) name.split("/"))).stream()
                                .map(code -> name.startsWith("test/") ? code + "\n}" : code))
                        .toList());
    }
}
