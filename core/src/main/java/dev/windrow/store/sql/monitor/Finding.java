package dev.windrow.store.sql.monitor;

import dev.windrow.monitor.Diagnosis;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of a check, before it has its name.
 *
 * @param result the result
 * @param detail the details
 * @param finished true if the check has read everything
 * @param remedy the action to take in place of the check's remedy, or null
 */
public record Finding(
        Diagnosis.Result result,
        String detail,
        boolean finished,
        @Nullable String remedy) {
    private static final long MIB = 1 << 20;

    private Finding(Diagnosis.Result result, String detail, boolean finished) {
        this(result, detail, finished, null);
    }

    /**
     * Returns the finding of a check that was stopped, or not begun. It is a note, unless the check has found something.
     *
     * @param explanation why it is incomplete
     */
    public static Finding unfinished(Findings findings, String explanation) {
        return findings.isEmpty()
                ? new Finding(Diagnosis.Result.NOTE, explanation, false)
                : new Finding(Diagnosis.Result.FAILED, findings + "; " + explanation, false);
    }

    /** Returns the finding of a successful check. */
    public static Finding ok(String detail) {
        return new Finding(Diagnosis.Result.OK, detail, true);
    }

    /** Returns a note, which is no failure. */
    public static Finding note(String detail) {
        return new Finding(Diagnosis.Result.NOTE, detail, true);
    }

    /** Returns a failure. */
    public static Finding failed(String detail) {
        return new Finding(Diagnosis.Result.FAILED, detail, true);
    }

    /** Returns a failure if there are findings, else success. */
    public static Finding failedIfAny(Findings findings, String defaultPolicy) {
        return findings.isEmpty() ? ok(defaultPolicy) : failed(findings.toString());
    }

    /** Returns a note if there are findings, else success. */
    public static Finding noteIfAny(Findings findings, String defaultPolicy) {
        return findings.isEmpty() ? ok(defaultPolicy) : note(findings.toString());
    }

    /** Returns the same finding with a remedy of its own. */
    public Finding remedy(String text) {
        return new Finding(result, detail, finished, text);
    }

    /** Returns the text of a size. */
    public static String bytes(long bytes) {
        if (bytes < 10 * MIB) {
            return "%d KiB".formatted(bytes / 1024);
        }
        return bytes < 10 * 1024 * MIB
                ? "%d MiB".formatted(bytes / MIB)
                : String.format(Locale.ROOT, "%.1f GiB", (double) bytes / (1024 * MIB));
    }
}
