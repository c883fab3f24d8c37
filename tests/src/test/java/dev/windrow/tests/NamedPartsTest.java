package dev.windrow.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.tests.docs.Docs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Tests that values with many parts are built by the names of their parts. Error Prone compares a name at an argument with the name of the parameter.
 */
@Once
class NamedPartsTest {
    private static final int MOST = 5;

    /** Texts, characters and comments, except the names of parts. Their content is not code. */
    private static final Pattern NO_CODE = Pattern.compile(
            "\"\"\"[\\s\\S]*?\"\"\"|\"(?:[^\"\\\\]|\\\\.)*+\"|'(?:[^'\\\\]|\\\\.)++'|//[^\n]*|/\\*(?! \\w+= \\*/)[\\s\\S]*?\\*/");

    private static final Pattern TYPE_ARGUMENTS = Pattern.compile("<[\\w\\s,.?&@\\[\\]]*>");

    private static final Pattern RECORD = Pattern.compile("\\brecord (\\w+)\\(");

    private static final Pattern CALL = Pattern.compile("\\bnew (?:\\w+\\.)*(\\w+)\\(");

    private static final Pattern NAMED = Pattern.compile("\\s*/\\* \\w+= \\*/[\\s\\S]*");

    @Test
    void recordsWithMoreThanFivePartsAreBuiltByPartNames() throws IOException {
        List<String> sources = sources();
        Set<String> large = new TreeSet<>();
        for (String source : sources) {
            if (source.contains("@ConfigurationProperties")) {
                // Spring makes these records.
                continue;
            }
            RECORD.matcher(source)
                    .results()
                    .filter(each -> parts(source, each.end()).size() > MOST)
                    .forEach(each -> large.add(each.group(1)));
        }
        assertThat(large).contains("ClaimedJob", "LimitChange", "JobInfoRow", "History", "TopView");
        Set<String> made = new TreeSet<>();
        List<String> nameless = new ArrayList<>();
        for (String source : sources) {
            for (MatchResult call : CALL.matcher(source).results().toList()) {
                List<String> parts = parts(source, call.end());
                // Another record with the same name may be small.
                if (large.contains(call.group(1)) && parts.size() > MOST) {
                    made.add(call.group(1));
                    if (!parts.stream().allMatch(part -> NAMED.matcher(part).matches())) {
                        nameless.add(call.group() + String.join(",", parts) + ")");
                    }
                }
            }
        }
        assertThat(made).isEqualTo(large);
        assertThat(nameless)
                .as("records that are made without the names of their parts")
                .isEmpty();
    }

    /** Returns the sources of all modules, without non-code and without type arguments. */
    private static List<String> sources() throws IOException {
        List<String> sources = new ArrayList<>();
        try (Stream<Path> modules = Files.list(Docs.root())) {
            for (Path module : modules.map(each -> each.resolve("src/main/java"))
                    .filter(Files::isDirectory)
                    .toList()) {
                try (Stream<Path> files = Files.walk(module)) {
                    for (Path file : files.filter(each -> each.toString().endsWith(".java"))
                            .toList()) {
                        sources.add(code(Files.readString(file)));
                    }
                }
            }
        }
        return sources;
    }

    private static String code(String source) {
        String code = NO_CODE.matcher(source).replaceAll(each -> each.group().startsWith("/") ? "" : "0");
        String before = "";
        while (!before.equals(code)) {
            before = code;
            code = TYPE_ARGUMENTS.matcher(code).replaceAll("");
        }
        return code;
    }

    /** Returns the texts between the commas, from after an opening parenthesis to its closing one. */
    private static List<String> parts(String source, int begin) {
        List<String> parts = new ArrayList<>();
        int depth = 0;
        int from = begin;
        for (int i = begin; depth >= 0; i++) {
            char c = source.charAt(i);
            if ("([{".indexOf(c) >= 0) {
                depth++;
            } else if (")]}".indexOf(c) >= 0) {
                depth--;
            }
            if (depth < 0 || (depth == 0 && c == ',')) {
                parts.add(source.substring(from, i));
                from = i + 1;
            }
        }
        return parts.size() == 1 && parts.get(0).isBlank() ? List.of() : parts;
    }
}
