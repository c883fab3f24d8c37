package dev.windrow.cli;

/** The configuration of logging: to stderr, with warnings and errors only, and with more by {@code --verbose}. */
final class Logging {
    private static final String PREFIX = "org.slf4j.simpleLogger.";

    private Logging() {}

    /** Configures logging. Must run before the first logger is created. Settings by {@code -D} take precedence. */
    static void configure(boolean verbose) {
        set("defaultLogLevel", verbose ? "info" : "warn");
        // The store logs one line where a connection pool logs a stack trace for each connection.
        set("log.com.zaxxer.hikari", verbose ? "warn" : "error");
        set("logFile", "System.err");
        if (verbose) {
            // The first use of a date format loads the locale data, which is too slow for a rare warning.
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
