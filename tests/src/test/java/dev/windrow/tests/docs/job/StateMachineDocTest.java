package dev.windrow.tests.docs.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobState;
import dev.windrow.store.Transition;
import dev.windrow.tests.Once;
import dev.windrow.tests.docs.Docs;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Compares docs/state-machine.md with {@link Transition}. */
@Once
class StateMachineDocTest {
    private static final String START_OR_END = "[*]";

    /** A row of the table: transition, guard, from, to, event. The rest of the row is prose. */
    private static final Pattern ROW =
            Pattern.compile("\\| `([A-Z_]+)` \\| `(NONE|STATE|HOLDER)` \\|([^|]+)\\|([^|]+)" + "\\|([^|]+)\\|[^|]+\\|");

    private static final Pattern EDGE = Pattern.compile("  (\\S+) --> (\\S+): (.+)");

    private record Row(String name, String guard, Set<String> from, String to, String event) {}

    private final String text = Docs.read("docs/state-machine.md");

    @Test
    void theTableListsExactlyTheTransitionsOfTheCodeInOrder() {
        List<Row> documented = matches(ROW)
                .map(row -> new Row(
                        row.group(1), row.group(2), names(row.group(3)), cell(row.group(4)), cell(row.group(5))))
                .toList();
        assertThat(documented)
                .containsExactlyElementsOf(Arrays.stream(Transition.values())
                        .map(StateMachineDocTest::row)
                        .toList());
    }

    @Test
    void theDiagramHasExactlyTheEdgesOfTheCode() {
        List<String> documented = new ArrayList<>();
        matches(EDGE).forEach(edge -> {
            for (String name : edge.group(3).split(", ", -1)) {
                documented.add(edge.group(1) + " " + name + " " + edge.group(2));
            }
        });
        List<String> coded = new ArrayList<>();
        for (Transition transition : Transition.values()) {
            String to = transition.to() == null ? START_OR_END : transition.to().name();
            if (transition.from().isEmpty()) {
                coded.add(START_OR_END + " " + transition + " " + to);
            }
            transition.from().forEach(from -> coded.add(from + " " + transition + " " + to));
        }
        assertThat(documented).containsExactlyInAnyOrderElementsOf(coded);
    }

    @Test
    void theListOfStatesEqualsThatOfTheCode() {
        String states = text.substring(text.indexOf("## States"), text.indexOf("## Transitions"));
        assertThat(Pattern.compile("(?m)^\\| `([A-Z]+)` ").matcher(states).results())
                .extracting(match -> match.group(1))
                .containsExactlyElementsOf(
                        Arrays.stream(JobState.values()).map(Enum::name).toList());
    }

    private static Row row(Transition transition) {
        Set<String> from = transition.from().stream().map(Enum::name).collect(Collectors.toCollection(TreeSet::new));
        return new Row(
                transition.name(),
                transition.guard().name(),
                from.isEmpty() ? Set.of("new") : from,
                transition.to() == null ? "gone" : transition.to().name(),
                transition.event() == null ? "none" : transition.event().name());
    }

    private Stream<Matcher> matches(Pattern line) {
        return text.lines().map(line::matcher).filter(Matcher::matches);
    }

    private static String cell(String cell) {
        return cell.replace("`", "").strip();
    }

    private static Set<String> names(String cell) {
        return new TreeSet<>(List.of(cell(cell).split(", ", -1)));
    }
}
