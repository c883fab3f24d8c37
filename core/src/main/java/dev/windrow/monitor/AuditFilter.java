package dev.windrow.monitor;

import com.google.errorprone.annotations.CheckReturnValue;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobRef;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Selects entries of the audit; all conditions together. Immutable: begin with {@link #ALL}; each {@code with} method returns a copy.
 *
 * @param action the verb; null for all
 * @param actor the actor; null for all
 * @param job the id of a job among the first 100 of an entry; null for all
 * @param from the first time; null for no beginning
 * @param before the first time after the selected ones; null for no end
 */
@CheckReturnValue
public record AuditFilter(
        @Nullable String action,
        @Nullable String actor,
        @Nullable Long job,
        @Nullable Instant from,
        @Nullable Instant before) {
    /** All entries. */
    public static final AuditFilter ALL = new AuditFilter(null, null, null, null, null);

    /**
     * Refuses an empty range of time.
     *
     * @throws InvalidRequestException if the range does not end after its beginning
     */
    public AuditFilter {
        if (from != null && before != null && !from.isBefore(before)) {
            throw new InvalidRequestException(
                    "a time from %s and before %s is not allowed: the end must be later than the beginning"
                            .formatted(from, before));
        }
    }

    /** Returns this filter for one verb, such as {@code CANCEL}; see {@link AuditEntry#action}. */
    public AuditFilter withAction(String action) {
        return new AuditFilter(Objects.requireNonNull(action, "action"), actor, job, from, before);
    }

    /** Returns this filter for one actor. */
    public AuditFilter withActor(String actor) {
        return new AuditFilter(action, Objects.requireNonNull(actor, "actor"), job, from, before);
    }

    /** Returns this filter for entries that {@linkplain AuditEntry#jobs name} this job. The job need not exist any more. */
    public AuditFilter withJob(JobRef<?> job) {
        return new AuditFilter(action, actor, job.id(), from, before);
    }

    /**
     * Returns this filter for changes at this time and later.
     *
     * @throws InvalidRequestException if this is not before the end
     */
    public AuditFilter withFrom(Instant from) {
        return new AuditFilter(action, actor, job, Objects.requireNonNull(from, "from"), before);
    }

    /**
     * Returns this filter for changes before this time.
     *
     * @throws InvalidRequestException if this is not after the beginning
     */
    public AuditFilter withBefore(Instant before) {
        return new AuditFilter(action, actor, job, from, Objects.requireNonNull(before, "before"));
    }
}
