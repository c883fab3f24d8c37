package dev.windrow.cli.job;

import dev.windrow.JobHistory;

/** The whole history of a job as one line of JSON, for files that hold a job in each line. */
public final class HistoryJson {
    private HistoryJson() {}

    /**
     * The object of {@code show --json} on one line, without its end. Stored JSON may have lines of its own; there a line
     * end is white space between tokens, for inside of text JSON has it escaped.
     */
    public static String line(JobHistory history) {
        return JobFields.history(history).toString().replace('\r', ' ').replace('\n', ' ');
    }
}
