package dev.windrow.cli;

import java.io.PrintStream;

/**
 * A line on stderr that changes in place: what is under way.
 *
 * @param err a terminal
 */
record StatusLine(PrintStream err) {
    /** To the first column, and nothing right of it. */
    private static final String CLEAR = SafeStream.ESCAPE + "[G" + SafeStream.ESCAPE + "[K";

    void show(String text) {
        err.print(CLEAR + Texts.oneLine(text));
        err.flush();
    }

    void clear() {
        show("");
    }
}
