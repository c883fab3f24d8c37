package dev.windrow.cli;

import dev.windrow.Windrow;
import dev.windrow.cli.terminal.Values;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option {@code --reason}, for the audit and the events of the changed jobs. */
public final class ReasonOption {
    @Option(
            names = "--reason",
            paramLabel = "TEXT",
            description = "The reason, for the audit and the events. 1 to 500 characters, default none.")
    private @Nullable String reason;

    public boolean isGiven() {
        return reason != null;
    }

    /** Checks the text, so that a wrong one is found before a store is opened. */
    public void check() {
        if (reason != null
                && (reason.isBlank()
                        || Values.whole("--reason", reason).length() > 500
                        || reason.chars().anyMatch(Character::isISOControl))) {
            throw Values.notAllowed("--reason", reason, "1 to 500 characters, no control characters");
        }
    }

    /** Returns the instance with the reason, if one was given. */
    public Windrow of(Windrow windrow) {
        String why = reason;
        return why == null ? windrow : Values.named("--reason", () -> windrow.because(why));
    }
}
