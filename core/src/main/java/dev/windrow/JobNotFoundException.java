package dev.windrow;

/** A job id that does not exist in this store (any more). Nothing was written. */
public final class JobNotFoundException extends WindrowException {
    private static final long serialVersionUID = 1L;

    private final long id;

    /** Names the missing job; {@code role} says what it was needed for, such as "job" or "parent". */
    public JobNotFoundException(String role, long id) {
        super("%s %d does not exist in this store".formatted(role, id));
        this.id = id;
    }

    /** The id that was asked for. */
    public long id() {
        return id;
    }
}
