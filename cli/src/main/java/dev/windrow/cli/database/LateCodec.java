package dev.windrow.cli.database;

import dev.windrow.json.JacksonCodec;
import dev.windrow.payload.PayloadCodec;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/** The JSON codec, made at its first use: most commands pass payloads on unread, and start 30 ms sooner without it. */
public final class LateCodec implements PayloadCodec {
    /** The JVM makes it once, whatever number of threads ask. */
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
