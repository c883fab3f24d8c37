package dev.windrow.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.tests.docs.Docs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Holds that values with many parts are made by the names of their parts. Error Prone compares a name at an argument with that of the parameter. */
@Once
class NamedPartsTest {
    private static final int MOST = 8;

    private static final Pattern RECORD =
            Pattern.compile("\\brecord (\\w+)\\(((?:[^()]|\\([^()]*\\))*)\\)\\s+(?:implements|\\{)");

    private static final Pattern NAMELESS_CALL = Pattern.compile("new (?:\\w+\\.)?(\\w+)\\(\\s*+(?!/\\* \\w+= \\*/)");

    @Test
    void aRecordWithMoreThanEightPartsIsMadeByTheirNames() throws IOException {
        List<String> ofCore = large(sources("core"));
        assertThat(ofCore).contains("ClaimedJob", "SnapshotRow", "Story");
        for (String module : List.of("core", "sqlite", "postgres")) {
            List<String> sources = sources(module);
            // A store makes records of its own and of the core.
            List<String> large =
                    Stream.concat(ofCore.stream(), large(sources).stream()).toList();
            assertThat(sources.stream()
                            .flatMap(source -> NAMELESS_CALL.matcher(source).results())
                            .map(call -> call.group(1)))
                    .as("records of %s that are made without the names of their parts", module)
                    .doesNotContainAnyElementsOf(large);
        }
    }

    private static List<String> sources(String module) throws IOException {
        List<String> sources = new ArrayList<>();
        try (Stream<Path> files = Files.walk(Docs.root().resolve(module + "/src/main/java"))) {
            for (Path file :
                    files.filter(each -> each.toString().endsWith(".java")).toList()) {
                sources.add(Files.readString(file));
            }
        }
        return sources;
    }

    private static List<String> large(List<String> sources) {
        return sources.stream()
                .flatMap(source -> RECORD.matcher(source).results())
                .filter(each -> each.group(2).replaceAll("<[^>]*>", "").split(",").length > MOST)
                .map(each -> each.group(1))
                .toList();
    }
}
