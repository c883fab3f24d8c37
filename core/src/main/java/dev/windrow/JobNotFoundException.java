package dev.windrow;

import dev.windrow.validation.Bounds;
import java.util.OptionalLong;

/** Thrown if a job with this id or dedupe key does not exist in this store, or was deleted. Nothing was written. */
public final class JobNotFoundException extends WindrowException {
    private static final long serialVersionUID = 1L;

    /** 0 if the job was not looked up by id. */
    private final long id;

    /** Creates the exception for the missing job. The {@code role} is a word for the message, such as "job" or "parent". */
    public JobNotFoundException(String role, long id) {
        super("%s %d does not exist in this store".formatted(role, id));
        this.id = id;
    }

    /** Creates the exception for a dedupe key with which no job of a type was enqueued. */
    public JobNotFoundException(JobType<?, ?> type, String dedupeKey) {
        super("a job of type '%s' with dedupe key '%s' does not exist in this store"
                .formatted(type.name(), Bounds.shortened(dedupeKey)));
        this.id = 0;
    }

    /** Returns the id of the missing job. Empty if the job was looked up by its dedupe key. */
    public OptionalLong id() {
        return id == 0 ? OptionalLong.empty() : OptionalLong.of(id);
    }
}
