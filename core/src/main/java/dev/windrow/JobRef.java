package dev.windrow;

import java.lang.reflect.Type;

/**
 * Points to one stored job and knows the type of its result.
 *
 * @param id the job's id: positive, unique in its store, never reused
 * @param output what its result is decoded into
 * @param <O> the type of its result
 */
@SuppressWarnings("UnusedTypeParameter") // Carries the result's type to await() and to children.
public record JobRef<O>(long id, Type output) {
    /** A reference to a job of any type, whose result stays JSON text. */
    public static JobRef<Json> raw(long id) {
        return new JobRef<>(id, Json.class);
    }

    /** The id as decimal text, the form used by command line, logs and JSON. */
    @Override
    public String toString() {
        return Long.toString(id);
    }
}
