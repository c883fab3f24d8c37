package dev.windrow.store;

import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * The measure of the queue of a store and of its transactions: rows. A text counts as many rows as take as long to write, so that a
 * bound in rows bounds memory too.
 */
public final class Weight {
    private static final int CHARACTERS_OF_A_ROW = 1024;

    private Weight() {}

    /** Of a text that belongs to a row. */
    public static int of(@Nullable String text) {
        return text == null ? 0 : text.length() / CHARACTERS_OF_A_ROW;
    }

    /** Of new jobs. */
    public static int of(Collection<JobRow> jobs) {
        int weight = jobs.size();
        for (JobRow job : jobs) {
            weight += of(job.payload());
        }
        return Math.max(1, weight);
    }

    /** Of the end of an attempt. */
    public static int of(Settlement end) {
        JobRow next = end.next();
        return 1
                + of(end.result())
                + of(end.output())
                + of(end.stackTrace())
                + (next == null ? 0 : 1 + of(next.payload()));
    }

    /** Of what an attempt reports. */
    public static int of(Report report) {
        int weight = 1 + report.lines().size();
        for (Report.Line line : report.lines()) {
            weight += of(line.message());
        }
        return weight;
    }
}
