package dev.windrow.cli.database;

import dev.windrow.json.JacksonCodec;
import dev.windrow.payload.PayloadCodec;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/**
 * The JSON codec, created at its first use. Most commands pass payloads on unread, and start 30 ms sooner without it.
 */
public final class LateCodec implements PayloadCodec {
    /** The holder of the codec. The JVM creates it once, for any number of threads. */
    private static final class Made {
        private static final PayloadCodec CODEC = new JacksonCodec();
    }

    @Override
    public void check(Type type) {
        Made.CODEC.check(type);
    }

    @Override
    public String encode(@Nullable Object value, Type type) {
        return Made.CODEC.encode(value, type);
    }

    @Override
    public @Nullable Object decode(String json, Type type) {
        return Made.CODEC.decode(json, type);
    }
}
