package dev.windrow.tests.docs.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.tests.Once;
import dev.windrow.tests.docs.Docs;
import java.time.LocalDate;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Compares the lines of docs/benchmarks/history.jsonl with the keys that the page beside it names. */
@Once
class BenchmarkHistoryTest {
    @Test
    void eachLineHasTheKeysOfThePageAndLinesAreInOrderOfTime() {
        List<String> keys = Pattern.compile("(?m)^\\| (`\\w+`(?:, `\\w+`)*) \\|")
                .matcher(Docs.read("docs/benchmarks/README.md"))
                .results()
                .flatMap(row -> Pattern.compile("\\w+").matcher(row.group(1)).results())
                .map(key -> key.group())
                .toList();
        assertThat(keys).contains("date", "endToEnd", "minToMaxShare");
        List<JsonNode> lines = Docs.read("docs/benchmarks/history.jsonl")
                .lines()
                .map(new JsonMapper()::readTree)
                .toList();
        assertThat(lines)
                .isNotEmpty()
                .allSatisfy(line -> assertThat(line.propertyNames()).containsExactlyElementsOf(keys));
        assertThat(lines)
                .extracting(line -> LocalDate.parse(line.get("date").asString()))
                .isSorted();
    }
}
