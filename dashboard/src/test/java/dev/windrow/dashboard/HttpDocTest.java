package dev.windrow.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Compares docs/http.md with the table of routes. The part below the marker is made from the table: after a change, run this test with
 * {@code -Dwindrow.write=true} once, and read what it has written.
 */
class HttpDocTest {
    private static final String MARKER = "<!-- from here on made from the table of routes -->\n";

    private static final Path DOCUMENT = Path.of(System.getProperty("windrow.root"), "docs", "http.md");

    @Test
    void theDocumentHasEachRouteParameterFieldAndProblem() throws IOException {
        String document = Files.readString(DOCUMENT);
        int marker = document.indexOf(MARKER);
        assertThat(marker).as("the marker").isPositive();
        String made = reference();
        if (Boolean.getBoolean("windrow.write")) {
            document = document.substring(0, marker) + MARKER + made;
            Files.writeString(DOCUMENT, document);
        }
        assertThat(document.substring(marker + MARKER.length())).isEqualTo(made);
    }

    private static String reference() {
        StringBuilder text = new StringBuilder("\n## Problems\n\n| kind | status | meaning |\n|---|---|---|\n");
        for (ProblemKind kind : ProblemKind.values()) {
            text.append("| `%s` | %d | %s |\n".formatted(kind.word(), kind.status(), kind.meaning()));
        }
        text.append("\n## Routes\n\nAll below `/api/v1`.\n");
        for (Route route : Routes.ALL) {
            Permission permission = route.permission();
            text.append("\n### %s %s\n\n%s ".formatted(route.method(), route.path(), route.summary()))
                    .append(
                            permission == null
                                    ? "For all known senders."
                                    : "Permission: `%s`.".formatted(permission.word()))
                    .append(route.isWholeStore() ? " Not for a sender that sees some queues only." : "")
                    .append(route.media().equals(Answer.JSON) ? "" : " Answer: `%s`.".formatted(route.media()))
                    .append('\n');
            if (route.at().size() + route.query().size() + route.body().size() > 0) {
                text.append("\n| name | in | value | meaning |\n|---|---|---|---|\n");
                rows(text, route.at(), "path");
                rows(text, route.query(), "query");
                rows(text, route.headers(), "header");
                rows(text, route.body(), "body");
            }
        }
        return text.toString();
    }

    private static void rows(StringBuilder text, List<Field> fields, String in) {
        for (Field field : fields) {
            String members = field.members().isEmpty()
                    ? ""
                    : " Members: %s."
                            .formatted(field.members().stream()
                                    .map(member -> "`" + member.name() + "`")
                                    .collect(Collectors.joining(", ")));
            text.append("| `%s`%s | %s | %s%s%s | %s%s |\n"
                    .formatted(
                            field.name(),
                            field.isRequired() ? " (required)" : "",
                            in,
                            field.isList() ? "list: " : "",
                            escaped(field.allowed()),
                            field.byDefault() == null ? "" : ", default `" + field.byDefault() + "`",
                            escaped(field.description()),
                            members));
        }
    }

    private static String escaped(String text) {
        return Arrays.stream(text.split("\n")).collect(Collectors.joining(" ")).replace("|", "\\|");
    }
}
