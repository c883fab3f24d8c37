package dev.windrow;

/** How much a line matters that a handler logs with {@link JobContext#log}. */
public enum LogLevel {
    /** For whoever looks for a fault. */
    DEBUG,
    /** What was done. */
    INFO,
    /** Something is odd, and the work goes on. */
    WARN,
    /** Something has failed. */
    ERROR
}
