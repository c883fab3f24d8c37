package dev.windrow.store;

import dev.windrow.JobHistory;
import dev.windrow.JobInfo;
import dev.windrow.payload.Json;
import dev.windrow.store.job.JobRow;
import dev.windrow.store.job.Report;
import dev.windrow.store.job.Settle;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * The measure of the queue of a store and of its transactions, in rows. A long text counts as the number of rows that take as long to write. So a
 * limit in rows also limits memory.
 */
public final class Weight {
    /** The weight at which a page of a listing ends early. It is some megabytes, of jobs that depend on very many others. */
    public static final int OF_A_PAGE = 4096;

    private static final int CHARACTERS_OF_A_ROW = 1024;
    private static final int BYTES_OF_A_ROW = 1024;
    private static final int DEPENDENCIES_OF_A_ROW = 16;

    private Weight() {}

    /** Returns the weight of a text that belongs to a row. */
    public static int of(@Nullable String text) {
        return text == null ? 0 : text.length() / CHARACTERS_OF_A_ROW;
    }

    /** Returns the weight of bytes. */
    public static int ofBytes(long bytes) {
        return (int) Math.min(Integer.MAX_VALUE / 2, bytes / BYTES_OF_A_ROW);
    }

    /** Returns the weight of new jobs. */
    public static int of(Collection<JobRow> jobs) {
        int weight = jobs.size();
        for (JobRow job : jobs) {
            weight += of(job.payload()) + of(job.metadata());
        }
        return Math.max(1, weight);
    }

    /** Returns the weight of the end of an attempt. */
    public static int of(Settle end) {
        JobRow next = end.next();
        return 1
                + of(end.result())
                + of(end.output())
                + of(end.stackTrace())
                + (next == null ? 0 : 1 + of(next.payload()) + of(next.metadata()));
    }

    /** Returns the weight of a job in a listing. */
    public static int of(JobInfo job) {
        return 1
                + (job.dependsOn().size() + job.dependents().size()) / DEPENDENCIES_OF_A_ROW
                + of(job.errorDetail())
                + of(job.metadata().json());
    }

    /** Returns the weight of a job with its history. */
    public static int of(JobHistory history) {
        int weight = of(history.job())
                + of(history.payload())
                + of(history.result())
                + history.events().size()
                + history.log().size();
        for (JobHistory.Attempt attempt : history.attempts()) {
            weight += 1 + of(attempt.stackTrace()) + of(attempt.output());
        }
        for (JobHistory.Step step : history.steps()) {
            weight += 1 + of(step.result());
        }
        return weight;
    }

    private static int of(@Nullable Json json) {
        return json == null ? 0 : of(json.text());
    }

    /** Returns the weight of a report of an attempt. */
    public static int of(Report report) {
        int weight = 1 + report.lines().size();
        for (Report.Line line : report.lines()) {
            weight += of(line.message());
        }
        return weight;
    }
}
