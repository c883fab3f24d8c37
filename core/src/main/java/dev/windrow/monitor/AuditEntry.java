package dev.windrow.monitor;

import dev.windrow.payload.Json;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An entry of the audit: what was done to many jobs at once, or to jobs that are gone. Written in the transaction that did it,
 * and never changed. A change by filter that takes several transactions has one entry for each; a pass of retention has one that grows. Kept
 * for a year.
 *
 * @param id grows with time
 * @param at when
 * @param action what: {@code CANCEL}, {@code RETRY}, {@code TRIGGER}, {@code DISCARD}, {@code EXPIRE} (retention); of what is no job, such as {@code PAUSE}, {@code SCHEDULE}
 * @param actor who
 * @param jobs how many jobs were changed
 * @param detail which, as short JSON: the filter, or the first 100 ids; null when it says nothing more
 */
public record AuditEntry(
        long id,
        Instant at,
        String action,
        String actor,
        long jobs,
        @Nullable Json detail) {}
