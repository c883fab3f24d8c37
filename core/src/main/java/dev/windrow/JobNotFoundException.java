package dev.windrow;

/** Thrown if a job with this id does not exist in this store, or was deleted. Nothing was written. */
public final class JobNotFoundException extends WindrowException {
    private static final long serialVersionUID = 1L;

    private final long id;

    /** Creates the exception for the missing job. The {@code role} is a word for the message, such as "job" or "parent". */
    public JobNotFoundException(String role, long id) {
        super("%s %d does not exist in this store".formatted(role, id));
        this.id = id;
    }

    /** Returns the id of the missing job. */
    public long id() {
        return id;
    }
}
