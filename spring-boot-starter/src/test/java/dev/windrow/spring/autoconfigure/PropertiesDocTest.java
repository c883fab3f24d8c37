package dev.windrow.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.json.JsonParserFactory;

/** Compares the table of docs/spring.md with the metadata that editors show. */
@Tag("once")
class PropertiesDocTest {
    @Test
    @SuppressWarnings("unchecked")
    void theTableHasEachPropertyWithItsDefaultAndMeaning() throws IOException {
        byte[] metadata = getClass()
                .getResourceAsStream("/META-INF/spring-configuration-metadata.json")
                .readAllBytes();
        List<Map<String, Object>> properties =
                (List<Map<String, Object>>) (List<?>) (List<Object>) JsonParserFactory.getJsonParser()
                        .parseMap(new String(metadata, StandardCharsets.UTF_8))
                        .get("properties");
        List<String> rows =
                properties.stream().map(PropertiesDocTest::row).sorted().toList();
        String page = Files.readString(Path.of(System.getProperty("windrow.root"), "docs", "spring.md"));
        assertThat(page.lines().filter(line -> line.startsWith("| `management.") || line.startsWith("| `windrow.")))
                .containsExactlyInAnyOrderElementsOf(rows)
                .hasSizeGreaterThan(30);
        assertThat(properties)
                .allSatisfy(property -> assertThat((String) property.get("description"))
                        .as("%s", property.get("name"))
                        .isNotBlank());
    }

    private static String row(Map<String, Object> property) {
        Object value = property.get("defaultValue");
        String text = value instanceof List<?> list
                ? String.join(", ", list.stream().map(String::valueOf).toList())
                : value == null ? "" : value.toString();
        return "| `%s` | %s | %s |"
                .formatted(property.get("name"), text.isEmpty() ? "" : "`" + text + "`", property.get("description"));
    }
}
