package dev.windrow.cli;

/** Logs go to stderr, warnings and errors only unless more is asked for. */
final class Logging {
    private static final String PREFIX = "org.slf4j.simpleLogger.";

    private Logging() {}

    /** Must run before the first logger is made; settings given by -D win. */
    static void configure(boolean verbose) {
        set("defaultLogLevel", verbose ? "info" : "warn");
        // The store says in a line what a pool of connections says in a stack trace for each of them.
        set("log.com.zaxxer.hikari", verbose ? "warn" : "error");
        set("logFile", "System.err");
        if (verbose) {
            // The first use of a date format loads the locales' data: not for a warning that seldom comes.
            set("showDateTime", "true");
            set("dateTimeFormat", "HH:mm:ss.SSS");
        }
        set("showThreadName", "false");
        set("showShortLogName", "true");
        set("levelInBrackets", "false");
    }

    private static void set(String name, String value) {
        if (System.getProperty(PREFIX + name) == null) {
            System.setProperty(PREFIX + name, value);
        }
    }
}
