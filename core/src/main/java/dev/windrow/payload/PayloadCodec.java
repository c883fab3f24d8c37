package dev.windrow.payload;

import dev.windrow.InvalidRequestException;
import dev.windrow.JobType;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/**
 * Converts job inputs and results to JSON text and back. Found by {@link java.util.ServiceLoader}, or set by
 * {@link dev.windrow.Windrow.Builder#codec}. Implementations are safe for use by many threads.
 *
 * <p>The target type always comes from the program (a {@link JobType}), never from the stored text. An implementation must not create classes that
 * the text names. Unknown JSON fields are ignored. A missing primitive is an error.
 */
public interface PayloadCodec {
    /**
     * Refuses a type whose values would lose data, before a job is written or a handler is registered. Called often: cache the findings. By default
     * every type is allowed.
     *
     * @throws InvalidRequestException if the type cannot be stored. The message has the class and the remedy
     */
    default void check(Type type) {}

    /**
     * Writes a value as one JSON value. If one of its strings holds an unpaired surrogate, its escape is stored, such as {@code \ud83d}, and passed
     * to {@link #decode}. In the name of a property it is refused.
     *
     * @throws RuntimeException if the value cannot be written. Then nothing is enqueued or settled with it
     */
    String encode(@Nullable Object value, Type type);

    /**
     * Reads a value.
     *
     * @throws RuntimeException if the text is not JSON or does not fit the type. Then an attempt fails with {@code INVALID_INPUT:PAYLOAD}, without
     *     retries
     */
    @Nullable Object decode(String json, Type type);
}
