package dev.windrow.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.wire.JobFields;
import dev.windrow.wire.JsonObject;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The table of routes is consistent. */
class RoutesTest {
    @Test
    void eachParameterInAPathIsDeclaredOnceAndInOrder() {
        for (Route route : Routes.ALL) {
            List<String> named = Pattern.compile("\\{([a-z]+)\\}")
                    .matcher(route.path())
                    .results()
                    .map(match -> match.group(1))
                    .toList();
            assertThat(route.at().stream().map(Field::name)).as(route.path()).containsExactlyElementsOf(named);
        }
    }

    @Test
    void aNewJobHasTheFieldsOfTheCommandLine() {
        assertThat(JobBody.FIELDS.stream().map(Field::name)).containsExactlyInAnyOrderElementsOf(JobFields.NAMES);
    }

    @Test
    void noTwoRoutesHaveOneMethodAndPath() {
        assertThat(Routes.ALL.stream().map(route -> route.method() + " " + route.path()))
                .doesNotHaveDuplicates();
    }

    @Test
    void aFixedWordStandsBeforeAParameter() {
        for (int i = 0; i < Routes.ALL.size(); i++) {
            List<String> path = Query.segments(Routes.ALL.get(i).path());
            if (path.stream().noneMatch(segment -> segment.startsWith("{"))) {
                for (Route before : Routes.ALL.subList(0, i)) {
                    boolean hides = before.method().equals(Routes.ALL.get(i).method()) && before.match(path) != null;
                    assertThat(hides).as("%s hides %s", before.path(), path).isFalse();
                }
            }
        }
    }

    @Test
    void eachChangeNeedsAPermissionThatChangesAndEachReadOneThatReads() {
        for (Route route : Routes.ALL) {
            Permission permission = route.permission();
            assertThat(permission == null || permission.isReading())
                    .as(route.path())
                    .isEqualTo(route.reads());
        }
    }

    @Test
    void namesAreUniqueAndDefaultsAreAllowed() {
        for (Route route : Routes.ALL) {
            assertThat(Stream.concat(route.at().stream(), route.query().stream())
                            .map(Field::name))
                    .doesNotHaveDuplicates();
            assertThat(route.body().stream().map(Field::name)).doesNotHaveDuplicates();
            Set<String> names = new HashSet<>();
            Stream.of(route.at(), route.query(), route.body())
                    .flatMap(List::stream)
                    .forEach(field -> {
                        names.add(field.name());
                        assertThat(field.byDefault() == null).isEqualTo(field.defaultValue() == null);
                    });
            route.conditions().forEach(condition -> assertThat(names).contains(condition.name()));
            if (route.reads()) {
                assertThat(route.body()).isEmpty();
            } else {
                assertThat(names).as("%s %s", route.method(), route.path()).contains("reason");
            }
        }
    }

    @Test
    void eachAnswerHasASchema() {
        JsonObject schemas = Schemas.all();
        for (Route route : Routes.ALL) {
            assertThat(schemas.toString()).contains("\"" + route.answer() + "\":{");
        }
    }
}
