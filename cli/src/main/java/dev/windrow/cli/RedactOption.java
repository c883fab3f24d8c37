package dev.windrow.cli;

import dev.windrow.wire.Redactor;
import picocli.CommandLine.Option;

/** The option {@code --redact}: confidential values are not printed. */
public final class RedactOption {
    @Option(
            names = "--redact",
            description =
                    "Print [redacted] in place of passwords, tokens and the like in payload, result, metadata and steps.")
    private boolean redact;

    public boolean isGiven() {
        return redact;
    }

    public Redactor redactor() {
        return redact ? Redactor.standard() : Redactor.none();
    }
}
