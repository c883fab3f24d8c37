package dev.windrow.dashboard;

import java.util.Locale;

/** A permission to use a part of the HTTP API. */
public enum Permission {
    /** Reads jobs, lists, statistics, schedules and limits. Payloads and results are redacted. */
    VIEW,
    /** Reads payloads and results in full, and exports jobs. The audit names the reader. */
    REVEAL,
    /** Enqueues jobs and submits workflows. */
    ENQUEUE,
    /** Retries, triggers, cancels, completes, fails and signals jobs. */
    OPERATE,
    /** Changes pauses, limits and schedules. */
    CONTROL,
    /** Deletes jobs, and changes the rules of retention. */
    DESTROY,
    /** Examines the store. */
    DIAGNOSE;

    /** Returns the word in answers: {@code view}. */
    String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** True if the permission allows no change. */
    boolean isReading() {
        return this == VIEW || this == REVEAL || this == DIAGNOSE;
    }

    /** True if its use writes nothing to the store. A reveal writes to the audit. */
    boolean writesNothing() {
        return isReading() && this != REVEAL;
    }
}
