package dev.windrow.cli.terminal;

import java.io.PrintStream;

/**
 * A line on stderr that changes in place: what is under way.
 *
 * @param err a terminal
 */
public record StatusLine(PrintStream err) {
    /** To the first column, and nothing right of it. */
    private static final String CLEAR = SafeStream.ESCAPE + "[G" + SafeStream.ESCAPE + "[K";

    public void show(String text) {
        err.print(CLEAR + TerminalText.oneLine(text));
        err.flush();
    }

    public void clear() {
        show("");
    }
}
