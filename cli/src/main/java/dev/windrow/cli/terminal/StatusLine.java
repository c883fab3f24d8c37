package dev.windrow.cli.terminal;

import java.io.PrintStream;

/**
 * A line on stderr that changes in place and shows the current step.
 *
 * @param err a terminal
 */
public record StatusLine(PrintStream err) {
    /** The sequence that moves to the first column and clears the line. */
    private static final String CLEAR = SafeStream.ESCAPE + "[G" + SafeStream.ESCAPE + "[K";

    public void show(String text) {
        err.print(CLEAR + TerminalText.oneLine(text));
        err.flush();
    }

    public void clear() {
        show("");
    }
}
