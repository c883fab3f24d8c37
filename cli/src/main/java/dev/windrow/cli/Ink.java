package dev.windrow.cli;

import dev.windrow.JobState;

/** Colour, where a person looks: on a terminal, unless NO_COLOR says otherwise. */
record Ink(boolean on) {
    static Ink of(Console console) {
        return new Ink(isWanted() && console.outIsTerminal());
    }

    /** Whether the user's terminal takes colour and the user wants it. */
    static boolean isWanted() {
        String term = System.getenv("TERM");
        return System.getenv("NO_COLOR") == null && term != null && !term.equals("dumb");
    }

    String bold(String text) {
        return wrap("1", text);
    }

    String dim(String text) {
        return wrap("2", text);
    }

    String good(String text) {
        return wrap("32", text);
    }

    String bad(String text) {
        return wrap("31", text);
    }

    String notable(String text) {
        return wrap("33", text);
    }

    String accent(String text) {
        return wrap("36", text);
    }

    /** The text in the colour of a state. */
    String state(JobState state, String text) {
        return switch (state) {
            case COMPLETED -> good(text);
            case FAILED -> bad(text);
            case RUNNING -> accent(text);
            case BLOCKED, SCHEDULED -> notable(text);
            case CANCELLED -> dim(text);
            case PENDING -> text;
        };
    }

    private String wrap(String code, String text) {
        return on && !text.isEmpty() ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
    }
}
