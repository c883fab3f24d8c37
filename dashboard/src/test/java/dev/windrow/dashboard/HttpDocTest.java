package dev.windrow.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Compares docs/http.md with the table of routes. The part below the marker is made from the table: after a change, run this test with
 * {@code -Dwindrow.write=true} once, and read what it has written.
 */
class HttpDocTest {
    private static final String MARKER = "<!-- from here on made from the table of routes -->\n";

    private static final String HEAD = "| name | in | value | meaning |\n|---|---|---|---|\n";

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

    /** The words that stand for values in the tables, with the texts that they replace. */
    private static final Map<String, String> VALUES = Map.of(
            "time", "ISO-8601 with an offset, such as 2026-11-21T18:00:00+01:00 or ...Z",
            "id", "an id, 1 to 9223372036854775807",
            "duration", "a number with ms, s, m, h or d");

    /** In how many routes a row stands before it is printed once for all. */
    private static final int COMMON = 3;

    private static String reference() {
        StringBuilder text = new StringBuilder("\n## Problems\n\n| kind | status | meaning |\n|---|---|---|\n");
        for (ProblemKind kind : ProblemKind.values()) {
            text.append("| `%s` | %d | %s |\n".formatted(kind.word(), kind.status(), kind.meaning()));
        }
        text.append("\n## Values\n\n");
        new TreeMap<>(VALUES)
                .forEach((word, value) -> text.append("- *%s*: %s\n".formatted(word, value.replace("an id, ", ""))));
        Map<String, Long> uses = Routes.ALL.stream()
                .flatMap(route -> rows(route).stream())
                .collect(Collectors.groupingBy(row -> row, LinkedHashMap::new, Collectors.counting()));
        uses.entrySet().removeIf(use -> use.getValue() < COMMON);
        Set<String> common = uses.keySet();
        text.append("\n## Common parameters\n\n").append(HEAD);
        common.forEach(text::append);
        text.append(
                "\n## Routes\n\nAll below `/api/v1`. Answers are JSON if the route names no other form. [`openapi.json`](#get-openapijson) describes the answer of each. *Needs all queues*: not for a sender that sees some queues only.\n");
        boolean filters = false;
        for (Route route : Routes.ALL) {
            Permission permission = route.permission();
            text.append("\n### %s %s\n\n%s ".formatted(route.method(), route.path(), route.summary()))
                    .append(
                            permission == null
                                    ? "For all known senders."
                                    : "Permission: `%s`.".formatted(permission.word()))
                    .append(route.isWholeStore() ? " Needs all queues." : "")
                    .append(route.media().equals(Answer.JSON) ? "" : " Answer: `%s`.".formatted(route.media()));
            List<String> rows = new ArrayList<>(rows(route));
            List<String> shared = new ArrayList<>();
            if (route.query().containsAll(Filters.FIELDS)) {
                if (filters) {
                    rows.removeAll(rows(Filters.FIELDS, "query"));
                    shared.add("`state` to `scheduledBefore` of `GET /jobs`");
                }
                filters = true;
            }
            if (route.body().equals(ScheduleRoutes.FIELDS)) {
                rows.removeAll(rows(JobBody.PLAIN.subList(1, JobBody.PLAIN.size()), "body"));
                shared.add("`payload` to `metadata` of `POST /jobs`");
            }
            for (String row : List.copyOf(rows)) {
                if (common.contains(row)) {
                    rows.remove(row);
                    shared.add(row.substring(2, row.indexOf(" | ")));
                }
            }
            if (!shared.isEmpty()) {
                text.append(" %s: %s.".formatted(rows.isEmpty() ? "Takes" : "Also takes", String.join(", ", shared)));
            }
            text.append('\n');
            if (!rows.isEmpty()) {
                text.append('\n').append(HEAD).append(String.join("", rows));
            }
        }
        return text.toString();
    }

    /** Returns a row of the table for each parameter of a route. */
    private static List<String> rows(Route route) {
        return Stream.of(
                        rows(route.at(), "path"),
                        rows(route.query(), "query"),
                        rows(route.headers(), "header"),
                        rows(route.body(), "body"))
                .flatMap(List::stream)
                .toList();
    }

    private static List<String> rows(List<Field> fields, String in) {
        return fields.stream().map(field -> row(field, in)).toList();
    }

    private static String row(Field field, String in) {
        String members = field.members().isEmpty()
                ? ""
                : field.members().equals(JobBody.FIELDS)
                        ? " Members: the body of `POST /jobs`, but `jobs` and `reason`."
                        : field.members().equals(WorkflowRoutes.NODE)
                                ? " Members: `ref`, `after`, and the body of `POST /jobs`, but `jobs` and `reason`."
                                : " Members: %s."
                                        .formatted(field.members().stream()
                                                .map(member -> "`" + member.name() + "`")
                                                .collect(Collectors.joining(", ")));
        String allowed = field.allowed();
        for (Map.Entry<String, String> value : VALUES.entrySet()) {
            allowed = allowed.replace(value.getValue(), "*" + value.getKey() + "*");
        }
        return "| `%s`%s | %s | %s%s%s | %s%s |\n"
                .formatted(
                        field.name(),
                        field.isRequired() ? " (required)" : "",
                        in,
                        field.isList() ? "list: " : "",
                        escaped(allowed),
                        field.byDefault() == null ? "" : ", default `" + field.byDefault() + "`",
                        escaped(field.description()),
                        members);
    }

    private static String escaped(String text) {
        return Arrays.stream(text.split("\n")).collect(Collectors.joining(" ")).replace("|", "\\|");
    }
}
