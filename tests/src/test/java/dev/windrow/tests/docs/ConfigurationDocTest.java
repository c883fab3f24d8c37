package dev.windrow.tests.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobRequest;
import dev.windrow.JobType;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.postgres.PostgresStore;
import dev.windrow.sqlite.SqliteStore;
import dev.windrow.tests.Once;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Compares docs/configuration.md with the settings of the API. */
@Once
class ConfigurationDocTest {
    private static final Set<String> NO_SETTINGS = Set.of("open", "start", "build", "handle", "handleVoid");

    @Test
    void eachSettingOfABuilderIsDocumented() {
        assertDocumented(Windrow.Builder.class, "## Windrow", name -> true);
        assertDocumented(Worker.Builder.class, "## Worker", name -> true);
        assertDocumented(SqliteStore.Builder.class, "## SQLite", name -> true);
        assertDocumented(PostgresStore.Builder.class, "## PostgreSQL", name -> true);
    }

    @Test
    void eachSettingOfTypesAndJobsIsDocumented() {
        assertDocumented(JobType.class, "## Job types and jobs", name -> name.startsWith("with"));
        assertDocumented(JobRequest.class, "## Job types and jobs", name -> name.startsWith("with"));
    }

    private static void assertDocumented(Class<?> type, String heading, Predicate<String> isSetting) {
        String page = Docs.read("docs/configuration.md");
        String section = page.substring(page.indexOf(heading + "\n"));
        int end = section.indexOf("\n## ", 1);
        String text = end < 0 ? section : section.substring(0, end);
        Set<String> settings = Arrays.stream(type.getDeclaredMethods())
                .filter(method -> Modifier.isPublic(method.getModifiers()) && !method.isSynthetic())
                .map(Method::getName)
                .filter(isSetting.and(name -> !NO_SETTINGS.contains(name)))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(settings)
                .as("settings of %s", type.getName())
                .isNotEmpty()
                .allSatisfy(name -> assertThat(text).as("%s: %s", heading, name).containsPattern("`" + name + "[`(]"));
    }
}
