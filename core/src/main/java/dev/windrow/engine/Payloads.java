package dev.windrow.engine;

import dev.windrow.InvalidRequestException;
import dev.windrow.Json;
import dev.windrow.PayloadCodec;
import java.lang.reflect.Type;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/** Turns inputs and results into stored text and back: by the codec, except for {@link Json}, which passes unread. */
final class Payloads {
    /** The longest payload or result, in bytes of UTF-8: 1 MiB. */
    static final int MAX_BYTES = 1 << 20;

    private final @Nullable PayloadCodec codec;

    Payloads(@Nullable PayloadCodec codec) {
        this.codec = codec;
    }

    /** The codec that the class path or module path brings, or null. */
    static @Nullable PayloadCodec discover() {
        return ServiceLoader.load(PayloadCodec.class)
                .findFirst()
                // The thread may have a class loader that does not see our own neighbours.
                .or(() -> ServiceLoader.load(PayloadCodec.class, Payloads.class.getClassLoader())
                        .findFirst())
                .orElse(null);
    }

    /** Whether values of this type can be stored at all. */
    boolean canHandle(Type type) {
        return codec != null || type == Json.class || type == Void.class;
    }

    /** The codec, for a type that needs one. */
    PayloadCodec codecFor(Type type) {
        if (codec == null) {
            throw new InvalidRequestException(
                    ("%s needs a codec and none was found: add windrow-json to the class path, or give a codec to"
                                    + " Windrow.configure(store)")
                            .formatted(type.getTypeName()));
        }
        return codec;
    }

    /**
     * The stored form of a value; null stays null, and {@link Void} has none.
     *
     * @param what "payload" or "result", for messages
     * @throws InvalidRequestException if it cannot be encoded or is too long
     */
    @Nullable String encode(@Nullable Object value, Type type, String what) {
        if (value == null || type == Void.class) {
            return null;
        }
        String text;
        if (value instanceof Json json) {
            text = json.text();
        } else {
            PayloadCodec encoder = codecFor(type);
            try {
                text = encoder.encode(value, type);
            } catch (RuntimeException | StackOverflowError e) {
                throw new InvalidRequestException(
                        "%s of type %s cannot be encoded: %s".formatted(what, type.getTypeName(), e), e);
            }
        }
        return check(text, what);
    }

    private static String check(String text, String what) {
        if (text.indexOf('\0') >= 0) {
            throw new InvalidRequestException(what + " holds a NUL character, which cannot be stored");
        }
        // A character takes at most three bytes: most texts are short enough without counting.
        if (text.length() > MAX_BYTES / 3 && bytes(text) > MAX_BYTES) {
            throw new InvalidRequestException(
                    "%s of %d bytes is not allowed: at most %d; store it elsewhere and pass a reference"
                            .formatted(what, bytes(text), MAX_BYTES));
        }
        return text;
    }

    /** The length of the text in UTF-8. */
    private static long bytes(String text) {
        long bytes = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            // Each half of a surrogate pair counts two of the pair's four bytes.
            bytes += c < 0x80 ? 1 : c < 0x800 || Character.isSurrogate(c) ? 2 : 3;
        }
        return bytes;
    }

    /**
     * The value of stored text; null stays null.
     *
     * @throws RuntimeException whatever the codec throws for text that does not fit
     */
    @Nullable Object decode(@Nullable String text, Type type) {
        if (text == null || type == Void.class) {
            return null;
        }
        if (type == Json.class) {
            return new Json(text);
        }
        return codecFor(type).decode(text, type);
    }
}
