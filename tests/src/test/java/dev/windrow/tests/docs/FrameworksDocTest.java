package dev.windrow.tests.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.tests.Once;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compares the guides of frameworks with the examples, whose tests run with the profile "frameworks"; the one of plain Java with all others. */
@Once
class FrameworksDocTest {
    @ParameterizedTest
    @CsvSource({
        "plain-java, plain, Shop Orders",
        "quarkus, quarkus, JobQueue Orders Invoices Dashboard",
        "micronaut, micronaut, JobQueue Orders Invoices",
        "jakarta-ee, jakarta, JobQueue JobWorker Orders"
    })
    void javaIsTheCodeOfTheExample(String guide, String example, String classes) {
        List<String> regions = Arrays.stream(classes.split(" "))
                .flatMap(name -> Docs.regions(
                        "examples/%s/src/main/java/dev/windrow/examples/%s/%s.java".formatted(example, example, name))
                        .stream())
                .toList();
        assertThat(Docs.blocks("java", "docs/how-to/%s.md".formatted(guide)))
                .containsExactlyInAnyOrderElementsOf(regions);
    }

    @Test
    void settingsAreThoseOfTheExamples() {
        for (String example : List.of("quarkus", "micronaut")) {
            String settings = Docs.read("examples/%s/src/main/resources/application.properties".formatted(example));
            assertThat(Docs.read("docs/how-to/%s.md".formatted(example)))
                    .contains(settings.strip().indent(4));
        }
    }
}
