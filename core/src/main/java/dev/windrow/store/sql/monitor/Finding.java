package dev.windrow.store.sql.monitor;

import dev.windrow.monitor.Diagnosis;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of a check, before it has its name.
 *
 * @param result how it came out
 * @param detail what was seen
 * @param finished whether that is all that there was to be seen
 * @param remedy what to do in place of the check's remedy, or null
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
     * Of a check that was stopped, or not begun: a note, unless it has found something.
     *
     * @param explanation why it says no more
     */
    public static Finding unfinished(Findings findings, String explanation) {
        return findings.isEmpty()
                ? new Finding(Diagnosis.Result.NOTE, explanation, false)
                : new Finding(Diagnosis.Result.FAILED, findings + "; " + explanation, false);
    }

    /** Returns the finding that all is well. */
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

    /** Failed if there is something, else well. */
    public static Finding failedIfAny(Findings findings, String defaultPolicy) {
        return findings.isEmpty() ? ok(defaultPolicy) : failed(findings.toString());
    }

    /** A note if there is something, else well. */
    public static Finding noteIfAny(Findings findings, String defaultPolicy) {
        return findings.isEmpty() ? ok(defaultPolicy) : note(findings.toString());
    }

    /** The same with a remedy of its own. */
    public Finding remedy(String text) {
        return new Finding(result, detail, finished, text);
    }

    /** Returns a size, for people. */
    public static String bytes(long bytes) {
        if (bytes < 10 * MIB) {
            return "%d KiB".formatted(bytes / 1024);
        }
        return bytes < 10 * 1024 * MIB
                ? "%d MiB".formatted(bytes / MIB)
                : String.format(Locale.ROOT, "%.1f GiB", (double) bytes / (1024 * MIB));
    }
}
