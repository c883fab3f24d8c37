package dev.windrow.engine.payload;

import dev.windrow.InvalidRequestException;
import dev.windrow.JobType;
import dev.windrow.payload.BlobRef;
import dev.windrow.payload.Content;
import dev.windrow.payload.ContentLostException;
import dev.windrow.payload.Json;
import dev.windrow.payload.PayloadCodec;
import dev.windrow.validation.Bounds;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/**
 * Converts inputs and results to stored text and back. The codec does that, except for {@link Json} and
 * {@link Content}, which pass unread. A text that is too long for a row is stored in {@link BlobStreams}.
 */
public final class Payloads {
    private final @Nullable PayloadCodec codec;
    private final BlobStreams blobs;

    public Payloads(@Nullable PayloadCodec codec, BlobStreams blobs) {
        this.codec = codec;
        this.blobs = blobs;
    }

    /** Returns the codec on the class path or module path, or null. */
    public static @Nullable PayloadCodec discover() {
        return ServiceLoader.load(PayloadCodec.class)
                .findFirst()
                // The thread may have a class loader that does not see the other modules of Windrow.
                .or(() -> ServiceLoader.load(PayloadCodec.class, Payloads.class.getClassLoader())
                        .findFirst())
                .orElse(null);
    }

    /** See {@link BlobStreams#sweepFiles}. */
    public int sweepFiles(Instant before) {
        return blobs.sweepFiles(before);
    }

    /** Returns the target of results that are too long for a row. */
    public BlobStreams.Target ownTransactions() {
        return blobs.ownTransactions();
    }

    /** True if values of this type can be stored. */
    public boolean canHandle(Type type) {
        return codec != null || type == Json.class || type == Void.class || type == Content.class;
    }

    /**
     * Throws for a job type whose inputs or results would lose content. It checks both when the type is first used: a
     * result would fail only after its work is done.
     *
     * @throws InvalidRequestException if the codec refuses a class
     */
    public void check(JobType<?, ?> type) {
        check(type.input(), "input of job type '%s'", type.name());
        check(type.output(), "result of job type '%s'", type.name());
    }

    /** Throws for a type of values that the codec refuses. Without a codec, {@link #encode} throws. */
    public void check(Type type, String what, String name) {
        if (codec == null || type == Json.class || type == Void.class || type == Content.class) {
            return;
        }
        try {
            codec.check(type);
        } catch (InvalidRequestException e) {
            throw new InvalidRequestException(what.formatted(name) + ": " + e.getMessage(), e);
        }
    }

    /** Returns the codec, for a type that needs one; throws if none was found. */
    public PayloadCodec codecFor(Type type) {
        if (codec == null) {
            throw new InvalidRequestException(
                    ("%s needs a codec and none was found: add windrow-json to the class path, or give a codec to"
                                    + " Windrow.configure(store)")
                            .formatted(type.getTypeName()));
        }
        return codec;
    }

    /**
     * Returns the stored form of a value; null stays null, and {@link Void} has none. A JSON string may contain an
     * unpaired surrogate. It is stored as its escape, which has the same meaning.
     *
     * @param what "payload" or "result", for messages
     * @throws InvalidRequestException if it cannot be encoded, is too long or nested too deeply
     */
    public Encoded encode(@Nullable Object value, Type type, String what) {
        if (value == null || type == Void.class) {
            return Encoded.NONE;
        }
        if (value instanceof Content content) {
            return new Encoded(null, content);
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
        String storable = UnpairedSurrogates.escaped(text, what);
        check(storable, what);
        return new Encoded(storable, null);
    }

    private void check(String text, String what) {
        if (text.indexOf('\0') >= 0) {
            throw new InvalidRequestException(what + " holds a NUL character, which cannot be stored");
        }
        if (BlobRef.isReserved(text)) {
            throw new InvalidRequestException(
                    "%s '%.40s' is not allowed: it begins like a reference to a blob".formatted(what, text));
        }
        long max = blobs.maxBytes();
        // A character takes at most three bytes, so most texts are short enough without counting.
        if (text.length() > max / 3 && bytes(text) > max) {
            throw blobs.tooLong(what, Long.toString(bytes(text)));
        }
        // Each level of nesting needs at least one character.
        int nesting = text.length() <= Bounds.MAX_NESTING ? 0 : nesting(text);
        if (nesting > Bounds.MAX_NESTING) {
            throw new InvalidRequestException(
                    "%s nested %d levels deep is not allowed: at most %d".formatted(what, nesting, Bounds.MAX_NESTING));
        }
    }

    /** Returns how deep arrays and objects are nested in JSON text, well formed or not. */
    private static int nesting(String text) {
        int deepest = 0;
        int depth = 0;
        boolean quoted = false;
        for (int i = 0; i < text.length(); i++) {
            switch (text.charAt(i)) {
                case '"' -> quoted = !quoted;
                case '\\' -> i += quoted ? 1 : 0;
                case '[', '{' -> {
                    if (!quoted) {
                        deepest = Math.max(deepest, ++depth);
                    }
                }
                case ']', '}' -> depth -= quoted ? 0 : 1;
                default -> {}
            }
        }
        return deepest;
    }

    /**
     * Writes a value that is too long for a row. Returns the text for the row: the value itself, a reference, or null.
     *
     * @param what "payload" or "result", for messages
     * @throws InvalidRequestException if it is too long or cannot be read
     * @throws dev.windrow.StoreUnavailableException if it cannot be written now
     */
    @Nullable public String place(Encoded encoded, BlobStreams.Target target, String what) {
        String text = encoded.text();
        Content content = encoded.content();
        if (content != null) {
            return blobs.stage(target, content, what);
        }
        return text == null || blobs.isInline(text) ? text : blobs.stage(target, text, what);
    }

    /**
     * Returns the text that a row stores for the input of a schedule's jobs; null if it has none. Each job has a copy
     * of it.
     *
     * @throws InvalidRequestException if it would be stored separately
     */
    @Nullable public String inline(Encoded encoded, String schedule) {
        String text = encoded.text();
        if (encoded.content() != null || (text != null && !blobs.isInline(text))) {
            throw new InvalidRequestException(
                    "the payload of schedule '%s' is too long or no JSON: each of its jobs has a copy in its row, at most %d bytes of JSON"
                            .formatted(schedule, blobs.inlineBytes()));
        }
        return text;
    }

    /** Loads JSON that is stored separately. A longer value, or one that is not JSON, stays a {@link BlobRef}. */
    @Nullable public Json loaded(@Nullable Json stored, long maxBytes) {
        BlobRef ref = stored == null ? null : BlobRef.of(stored.text());
        return ref == null || ref.form() != BlobRef.Form.JSON || ref.bytes() > maxBytes
                ? stored
                : new Json(blobs.text(ref));
    }

    /** Returns stored text as a stream, from its row or from its separate place. */
    public Content content(String text) {
        BlobRef ref = BlobRef.of(text);
        return ref == null ? Content.of(text.getBytes(StandardCharsets.UTF_8)) : blobs.content(ref);
    }

    /** Returns the length of the text in UTF-8. */
    public static long bytes(String text) {
        long bytes = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            // Each part of a surrogate pair counts two of the pair's four bytes.
            bytes += c < 0x80 ? 1 : c < 0x800 || Character.isSurrogate(c) ? 2 : 3;
        }
        return bytes;
    }

    /** Returns the longest payload or result that is stored in its job's row, in bytes. */
    public int inlineBytes() {
        return blobs.inlineBytes();
    }

    /**
     * Returns the value of stored text, loaded if it is stored separately; null stays null.
     *
     * @throws ContentLostException if it is stored separately, and missing or damaged
     * @throws RuntimeException from the codec, for text that does not fit
     */
    @Nullable public Object decode(@Nullable String stored, Type type) {
        if (stored == null || type == Void.class) {
            return null;
        }
        if (type == Content.class) {
            return content(stored);
        }
        BlobRef ref = BlobRef.of(stored);
        if (ref != null && ref.form() != BlobRef.Form.JSON) {
            throw new InvalidRequestException(
                    "%d bytes that are not JSON do not fit %s".formatted(ref.bytes(), type.getTypeName()));
        }
        String text = ref == null ? stored : blobs.text(ref);
        return type == Json.class ? new Json(text) : codecFor(type).decode(text, type);
    }
}
