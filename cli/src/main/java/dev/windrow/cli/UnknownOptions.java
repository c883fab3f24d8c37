package dev.windrow.cli;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * Words that look like options and are none. They are named before whatever else is wrong: an argument that seems to be missing, or one too many, may be
 * so because of them. The parser itself looks for them last, and not at all where an argument may be a negative number, which looks like an option.
 */
final class UnknownOptions {
    private static final Pattern NUMBER = Pattern.compile("-[0-9].*");

    private UnknownOptions() {}

    /** What the parser would say of the first one among the arguments of these commands; null: there is none. */
    static @Nullable ParameterException among(ParseResult parsed) {
        for (CommandLine command : parsed.asCommandLineList()) {
            ParameterException problem = of(command);
            if (problem != null) {
                return problem;
            }
        }
        return null;
    }

    /** What is to be said of words that the parser has refused: of an unknown option, if there is one. */
    static ParameterException before(ParameterException refused) {
        if (refused instanceof UnmatchedArgumentException unmatched
                && !unmatched.isUnknownOption()
                && refused.getCommandLine().getParent() == null) {
            return refused; // the command is none, and nobody knows its options
        }
        for (CommandLine command = refused.getCommandLine(); command != null; command = command.getParent()) {
            ParameterException problem = of(command);
            if (problem != null) {
                return problem;
            }
        }
        return refused;
    }

    private static @Nullable ParameterException of(CommandLine command) {
        ParseResult parsed = command.getParseResult();
        if (parsed == null || command.isUnmatchedArgumentsAllowed()) {
            return null;
        }
        Stream<String> arguments = command.isUnmatchedOptionsArePositionalParams()
                ? parsed.matchedPositionals().stream().flatMap(each -> each.originalStringValues().stream())
                : Stream.of();
        return Stream.concat(arguments, parsed.unmatched().stream())
                .filter(UnknownOptions::isOption)
                .findFirst()
                .map(word -> new UnmatchedArgumentException(command, List.of(word)))
                .orElse(null);
    }

    /** Whether a word looks like an option, and not like a negative number. */
    private static boolean isOption(String word) {
        return word.startsWith("-")
                && word.length() > 1
                && !NUMBER.matcher(word).matches();
    }
}
