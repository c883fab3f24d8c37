package dev.windrow.payload;

import dev.windrow.InvalidRequestException;
import dev.windrow.JobType;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/**
 * Turns job inputs and results into JSON text and back. Found by {@link java.util.ServiceLoader}, or given to {@code
 * Windrow} by hand. Implementations are safe for use by many threads.
 *
 * <p>The target type always comes from the program (a {@link JobType}), never from the stored text: an implementation
 * must not create classes that the text names. Unknown JSON fields are ignored; a missing primitive is an error.
 */
public interface PayloadCodec {
    /**
     * Refuses a type whose values would lose what they hold, before a job is written or a handler is registered. Called often: keep what was
     * found out. By default every type is allowed.
     *
     * @throws InvalidRequestException if the type cannot be stored, with the class and the remedy
     */
    default void check(Type type) {}

    /**
     * Writes a value as one JSON value. Where one of its strings holds an unpaired surrogate (a surrogate without the other), its escape is stored, such as
     * {@code \ud83d}, which {@link #decode} is given then; in the name of a property it is refused.
     *
     * @throws RuntimeException if the value cannot be written; nothing is enqueued or settled with it then
     */
    String encode(@Nullable Object value, Type type);

    /**
     * Reads a value.
     *
     * @throws RuntimeException if the text is not JSON or does not fit the type; an attempt fails with {@code
     *     INVALID_INPUT:PAYLOAD} then, without retries
     */
    @Nullable Object decode(String json, Type type);
}
