package dev.windrow;

import dev.windrow.payload.Json;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/**
 * A reference to one stored chain, with the type of its result. Immutable. References with the same id are equal.
 *
 * @param <O> the type of the result of the chain's last job
 */
@SuppressWarnings("UnusedTypeParameter") // Carries the result's type to awaitChain().
public final class ChainRef<O extends @Nullable Object> {
    private final long id;
    private final Type output;
    private final @Nullable JobType<?, ?> last;

    ChainRef(long id, Type output, @Nullable JobType<?, ?> last) {
        this.id = id;
        this.output = output;
        this.last = last;
    }

    /**
     * Returns a reference to a chain that ends with a job of any type. Its result is read as JSON.
     *
     * @param id the id of its first job, or of any other job of it
     */
    public static ChainRef<@Nullable Json> raw(long id) {
        return new ChainRef<>(id, Json.class, null);
    }

    /** Returns the id of a job of the chain. It is the first job, unless the reference was made with the id of another one. */
    public long id() {
        return id;
    }

    /** Returns the type into which the chain's result is decoded. */
    public Type output() {
        return output;
    }

    /** Returns the type of the job that ends the chain, or null for a {@linkplain #raw raw} reference. */
    public @Nullable JobType<?, ?> last() {
        return last;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ChainRef<?> ref && ref.id == id;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(id);
    }

    /** Returns the id as decimal text, the form in the command line, logs and JSON. */
    @Override
    public String toString() {
        return Long.toString(id);
    }
}
