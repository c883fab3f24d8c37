package dev.windrow.cli.worker;

import dev.windrow.cli.UsageException;
import dev.windrow.cli.terminal.TerminalText;
import dev.windrow.wire.JsonObject;
import dev.windrow.wire.JsonScan;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;

/**
 * The payload of an {@code exec} job.
 *
 * @param command the program and its arguments
 */
public record ExecRequest(List<String> command) {
    public static final String TYPE = "exec";

    private static final String SHAPE = "{\"command\":[\"PROGRAM\",\"ARGUMENT\",...]}";

    /** Returns the payload for the words of a command line. */
    public static String payload(List<String> words) {
        return new JsonObject().put("command", words).toString();
    }

    /** Refuses a payload that no worker could run, at enqueue, where the user can fix it. */
    public static void check(@Nullable String payload) {
        String problem = payload == null ? "it is missing" : problem(payload);
        if (problem != null) {
            throw new UsageException("the payload of an exec job must be %s: %s".formatted(SHAPE, problem));
        }
    }

    private static @Nullable String problem(String payload) {
        try (JsonParser parser = JsonScan.STRICT.createParser(ObjectReadContext.empty(), payload)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                return "it is not an object";
            }
            if (parser.nextToken() != JsonToken.PROPERTY_NAME) {
                return "'command' is missing";
            }
            if (!parser.currentName().equals("command")) {
                return "key '" + TerminalText.oneLine(parser.currentName()) + "' is unknown";
            }
            if (parser.nextToken() != JsonToken.START_ARRAY) {
                return "'command' is not an array";
            }
            List<String> words = new ArrayList<>();
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                if (parser.currentToken() != JsonToken.VALUE_STRING) {
                    return "'command' contains a value that is not a string";
                }
                words.add(parser.getString());
            }
            if (parser.nextToken() != JsonToken.END_OBJECT) {
                return "key '" + TerminalText.oneLine(parser.currentName()) + "' is unknown";
            }
            return problem(words);
        } catch (JacksonException e) {
            return "it is not JSON: " + JsonScan.problem(e);
        }
    }

    /** Returns why the words are not a command; null if they are one. */
    static @Nullable String problem(@Nullable List<@Nullable String> words) {
        if (words == null || words.isEmpty()) {
            return "the command is empty";
        }
        for (String word : words) {
            if (word == null || word.indexOf('\0') >= 0) {
                return "a word of the command contains a NUL character";
            }
            if (word.codePoints().anyMatch(c -> Character.getType(c) == Character.SURROGATE)) {
                return "a word of the command contains an unpaired surrogate, which has no bytes";
            }
        }
        String program = words.get(0);
        return program == null || program.isEmpty() ? "the program's name is empty" : null;
    }
}
