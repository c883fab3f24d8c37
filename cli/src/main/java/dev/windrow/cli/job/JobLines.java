package dev.windrow.cli.job;

import dev.windrow.cli.UsageException;
import dev.windrow.cli.terminal.TerminalText;
import dev.windrow.cli.terminal.Values;
import dev.windrow.wire.JobFields;
import dev.windrow.wire.JsonScan;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;

/** Reads one line of a file of jobs: a JSON object with the keys of {@link JobFields}, and {@code ref} and {@code after}. */
final class JobLines {
    private static final Set<String> OWN_KEYS = Set.of("ref", "after");

    private final String line;
    private final long number;
    private final List<String> after = new ArrayList<>();
    private @Nullable String ref;
    private final JobDraft draft = new JobDraft(UnaryOperator.identity());

    private JobLines(String line, long number) {
        this.line = line;
        this.number = number;
    }

    /**
     * Reads a line.
     *
     * @throws UsageException if it is not such an object; the message names the problem
     */
    static JobLine parse(String line, long number) {
        try (JsonParser parser = JsonScan.STRICT.createParser(ObjectReadContext.empty(), line)) {
            return new JobLines(line, number).read(parser);
        } catch (JacksonException e) {
            throw new UsageException("this is not JSON: " + JsonScan.problem(e));
        }
    }

    private JobLine read(JsonParser parser) {
        if (parser.nextToken() != JsonToken.START_OBJECT) {
            throw new UsageException("this is not a JSON object");
        }
        Set<String> seen = new HashSet<>();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String key = parser.currentName();
            if (!seen.add(key)) {
                throw new UsageException("key '%s' appears twice".formatted(TerminalText.oneLine(key)));
            }
            JsonToken value = parser.nextToken();
            if (value == JsonToken.VALUE_NULL && (OWN_KEYS.contains(key) || JobFields.NAMES.contains(key))) {
                continue; // null means the same as a missing key
            }
            take(parser, key, value);
        }
        if (parser.nextToken() != null) {
            throw new UsageException("more text follows the object");
        }
        return new JobLine(number, draft.build(), ref, List.copyOf(after), draft.onParentFailure());
    }

    private void take(JsonParser parser, String key, JsonToken value) {
        switch (key) {
            case "payload" -> draft.payload(key, JsonScan.value(parser, line));
            case "priority", "maxAttempts", "concurrencyLimit" -> {
                require(key, value == JsonToken.VALUE_NUMBER_INT, "an integer");
                draft.set(key, parser.getString());
            }
            case "metadata" -> {
                require(key, value == JsonToken.START_OBJECT, "an object");
                draft.set(key, JsonScan.value(parser, line));
            }
            case "ref" -> {
                require(key, value == JsonToken.VALUE_STRING, "a string");
                ref = Values.whole(key, parser.getString());
            }
            case "tags" -> strings(parser, key, value, text -> draft.set(key, text));
            case "after" ->
                strings(parser, key, value, text -> {
                    if (after.contains(text)) {
                        throw new UsageException("after: '%s' appears twice".formatted(TerminalText.oneLine(text)));
                    }
                    after.add(text);
                });
            case "dependsOn" -> {
                require(key, value == JsonToken.START_ARRAY, "an array of ids");
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    JsonToken id = parser.currentToken();
                    boolean fits = id == JsonToken.VALUE_STRING || id == JsonToken.VALUE_NUMBER_INT;
                    require(key, fits, "an array of ids");
                    draft.set(key, parser.getString());
                }
            }
            default -> {
                if (!JobFields.NAMES.contains(key)) {
                    throw new UsageException("key '%s' is unknown".formatted(TerminalText.oneLine(key)));
                }
                require(key, value == JsonToken.VALUE_STRING, "a string");
                draft.set(key, parser.getString());
            }
        }
    }

    private static void strings(JsonParser parser, String key, JsonToken value, Consumer<String> each) {
        require(key, value == JsonToken.START_ARRAY, "an array of strings");
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            require(key, parser.currentToken() == JsonToken.VALUE_STRING, "an array of strings");
            each.accept(parser.getString());
        }
    }

    private static void require(String key, boolean fits, String what) {
        if (!fits) {
            throw new UsageException("%s must be %s".formatted(key, what));
        }
    }
}
