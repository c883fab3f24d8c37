package dev.windrow.monitor;

import dev.windrow.payload.Json;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An entry of the audit: a change of many jobs at once, a deletion of jobs, or a change of something other than jobs. It is written in the
 * transaction of the change, and kept for a year. A change by a filter has one entry for each of its transactions. A pass of retention has one entry,
 * whose count grows.
 */
public interface AuditEntry {
    /** The id of the entry. Ids grow with time. */
    long id();

    /** The time of the change, by the store's clock. */
    Instant at();

    /**
     * The verb: {@code CANCEL}, {@code RETRY}, {@code TRIGGER}, {@code DISCARD}, {@code EXPIRE} (retention), {@code PAUSE}, {@code SCHEDULE} and
     * others.
     */
    String action();

    /** The actor; {@code system} for the store itself. */
    String actor();

    /** The number of changed jobs. */
    long jobs();

    /** The filter, or the first 100 ids, as short JSON; null if there is nothing to add to the verb. */
    @Nullable Json detail();
}
