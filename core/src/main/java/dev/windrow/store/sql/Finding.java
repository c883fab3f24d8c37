package dev.windrow.store.sql;

import dev.windrow.Diagnosis;

/**
 * The outcome of a check, before it has its name.
 *
 * @param result how it came out
 * @param detail what was seen
 * @param finished whether that is all that there was to be seen
 */
public record Finding(Diagnosis.Result result, String detail, boolean finished) {
    private Finding(Diagnosis.Result result, String detail) {
        this(result, detail, true);
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
        return new Finding(Diagnosis.Result.OK, detail);
    }

    /** Returns a note, which is no failure. */
    public static Finding note(String detail) {
        return new Finding(Diagnosis.Result.NOTE, detail);
    }

    /** Returns a failure. */
    public static Finding failed(String detail) {
        return new Finding(Diagnosis.Result.FAILED, detail);
    }

    /** Failed if there is something, else well. */
    public static Finding failedIfAny(Findings findings, String otherwise) {
        return findings.isEmpty() ? ok(otherwise) : failed(findings.toString());
    }

    /** Failed if there is something, else this. */
    public Finding unlessAny(Findings findings) {
        return findings.isEmpty() ? this : failed(findings.toString());
    }

    /** A note if there is something, else well. */
    public static Finding noteIfAny(Findings findings, String otherwise) {
        return findings.isEmpty() ? ok(otherwise) : note(findings.toString());
    }
}
