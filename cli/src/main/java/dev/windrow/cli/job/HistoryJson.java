package dev.windrow.cli.job;

import dev.windrow.JobHistory;

/** The whole history of a job as one line of JSON, for files that hold a job in each line. */
public final class HistoryJson {
    private HistoryJson() {}

    /**
     * Returns the object of {@code show --json} as one line, without a line end. Stored JSON may have line ends of
     * its own, as white space between tokens; inside of strings JSON escapes them.
     */
    public static String line(JobHistory history) {
        return JobFields.history(history).toString().replace('\r', ' ').replace('\n', ' ');
    }
}
