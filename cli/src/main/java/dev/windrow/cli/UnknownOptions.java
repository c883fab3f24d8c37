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
 * Finds words that look like options and are none. Their error comes before any other, because a missing or
 * superfluous argument may be their consequence. The parser itself checks them last. Where an argument may be a
 * negative number, which looks like an option, it does not check them at all.
 */
final class UnknownOptions {
    private static final Pattern NUMBER = Pattern.compile("-[0-9].*");

    private UnknownOptions() {}

    /**
     * Returns the parser's error for the first unknown option among the arguments of these commands; null if there is
     * none.
     */
    static @Nullable ParameterException among(ParseResult parsed) {
        for (CommandLine command : parsed.asCommandLineList()) {
            ParameterException problem = of(command);
            if (problem != null) {
                return problem;
            }
        }
        return null;
    }

    /**
     * Returns the error to report for refused words: that of an unknown option if there is one, else the given error.
     */
    static ParameterException before(ParameterException refused) {
        if (refused instanceof UnmatchedArgumentException unmatched
                && !unmatched.isUnknownOption()
                && refused.getCommandLine().getParent() == null) {
            return refused; // the command does not exist, so its options are not known
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

    /** True if a word looks like an option and not like a negative number. */
    private static boolean isOption(String word) {
        return word.startsWith("-")
                && word.length() > 1
                && !NUMBER.matcher(word).matches();
    }
}
