package dev.windrow;

import dev.windrow.payload.Json;
import java.lang.reflect.Type;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A reference to one stored job, with the type of its result. Immutable. References to the same id are equal.
 *
 * @param <O> the type of the job's result
 */
@SuppressWarnings("UnusedTypeParameter") // Carries the result's type to await() and to children.
public sealed class JobRef<O extends @Nullable Object> permits Enqueued {
    /** The id of a job that is enqueued after a commit. */
    static final long NO_ID = Long.MIN_VALUE;

    private final long id;
    private final Type output;
    private final @Nullable JobType<?, ?> type;

    JobRef(long id, Type output, @Nullable JobType<?, ?> type) {
        this.id = id;
        this.output = Objects.requireNonNull(output, "output");
        this.type = type;
    }

    /** Returns a reference to a job of any type. Its result is read as JSON. */
    public static JobRef<@Nullable Json> raw(long id) {
        return new JobRef<>(id, Json.class, null);
    }

    /**
     * Returns the job's id: positive, unique in its store, never reused.
     *
     * @throws InvalidRequestException if the job is {@linkplain Enqueued#afterCommit enqueued after a commit}, so that it has no id
     */
    public final long id() {
        if (id == NO_ID) {
            throw new InvalidRequestException(
                    "the job of type '%s' has no id: it is enqueued after the commit of the transaction"
                            .formatted(type));
        }
        return id;
    }

    /** Returns the type into which the job's result is decoded. */
    public final Type output() {
        return output;
    }

    /** Returns the job type with which the reference was made, or null for a {@linkplain #raw raw} one. */
    public final @Nullable JobType<?, ?> type() {
        return type;
    }

    @Override
    public final boolean equals(@Nullable Object other) {
        return other instanceof JobRef<?> ref && ref.id == id && (id != NO_ID || this == other);
    }

    @Override
    public final int hashCode() {
        return Long.hashCode(id);
    }

    /** Returns the id as decimal text, the form in the command line, logs and JSON; {@code none} for a job without an id. */
    @Override
    public final String toString() {
        return id == NO_ID ? "none" : Long.toString(id);
    }
}
