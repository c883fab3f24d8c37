package dev.windrow;

/** The severity of a line that a handler logs with {@link JobContext#log}. */
public enum LogLevel {
    /** Details for the search of a fault. */
    DEBUG,
    /** Normal progress of the work. */
    INFO,
    /** An unexpected condition. The work continues. */
    WARN,
    /** A failure. */
    ERROR
}
