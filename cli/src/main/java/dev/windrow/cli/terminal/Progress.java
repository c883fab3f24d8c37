package dev.windrow.cli.terminal;

import org.jspecify.annotations.Nullable;

/**
 * The current step, on stderr: on a terminal one line that changes, with {@code --verbose} a line for each step, else
 * nothing.
 */
public final class Progress implements AutoCloseable {
    private final Console console;
    private final boolean verbose;
    private @Nullable String last;

    public Progress(Console console, boolean verbose) {
        this.console = console;
        this.verbose = verbose;
    }

    private boolean isOneLine() {
        return console.errIsTerminal() && !verbose;
    }

    /**
     * Shows a step.
     *
     * @param rest the text after the step, on the line that changes
     */
    public void step(String step, String rest) {
        if (isOneLine()) {
            new StatusLine(console.err()).show(step + rest);
        } else if (verbose && !step.equals(last)) {
            console.err().println("windrow: " + step);
        }
        last = step;
    }

    @Override
    public void close() {
        if (isOneLine()) {
            new StatusLine(console.err()).clear();
        }
    }
}
