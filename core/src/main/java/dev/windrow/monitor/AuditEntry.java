package dev.windrow.monitor;

import dev.windrow.JobState;
import dev.windrow.payload.Json;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An entry of the audit: a change of jobs from outside, not by their worker, or a change of something other than jobs. It is written in the
 * transaction of the change, and kept for a year. A change of named jobs has one entry. A change by a filter has one entry for each of its
 * transactions. A pass of retention has one entry, whose count grows. Besides changes there are reveals: an actor was shown confidential values
 * ({@link Monitor#recordReveal(java.util.Collection, java.util.Map)}).
 */
public interface AuditEntry {
    /** The id of the entry. Ids grow with time. */
    long id();

    /** The time of the change, by the store's clock. */
    Instant at();

    /**
     * The verb: {@code CANCEL}, {@code RETRY}, {@code TRIGGER}, {@code DELETE}, {@code COMPLETE}, {@code FAIL}, {@code SIGNAL},
     * {@code MERGE_METADATA}, {@code EXPIRE} (retention), {@code REVEAL}, {@code PAUSE}, {@code SCHEDULE} and others.
     */
    String action();

    /** The actor; {@code system} for the store itself. */
    String actor();

    /** The reason; null if none was given. See {@link dev.windrow.Windrow#because}. */
    @Nullable String reason();

    /** The number of changed jobs; of a reveal, the number of shown jobs, 0 if it is not known. */
    long changed();

    /** The first 100 of these jobs, by id. Empty for retention and for changes of other things than jobs. */
    List<Job> jobs();

    /**
     * The filter, or the subject of the change, as short JSON; null if there is nothing to add to the verb. A deletion names the types of its jobs, and
     * {@code "(removed)"} in place of the tags, names and keys of its filter, because these may identify a person.
     */
    @Nullable Json detail();

    /**
     * A job of an entry.
     *
     * @param id its id
     * @param from its state before
     * @param to its state after the change; null if the job was deleted. It is {@code RUNNING} for a running job that was asked to stop.
     *     A reveal has the same state twice
     */
    record Job(long id, JobState from, @Nullable JobState to) {}
}
