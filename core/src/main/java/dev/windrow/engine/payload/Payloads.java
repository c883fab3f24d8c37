package dev.windrow.engine.payload;

import dev.windrow.InvalidRequestException;
import dev.windrow.JobType;
import dev.windrow.payload.BlobRef;
import dev.windrow.payload.Content;
import dev.windrow.payload.ContentLostException;
import dev.windrow.payload.Json;
import dev.windrow.payload.PayloadCodec;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/**
 * Turns inputs and results into stored text and back: by the codec, except for {@link Json} and {@link Content}, which pass
 * unread. What is too long for a row is kept in {@link BlobStreams}.
 */
public final class Payloads {
    /** The deepest nesting of arrays and objects. */
    static final int MAX_NESTING = 500;

    private final @Nullable PayloadCodec codec;
    private final BlobStreams blobs;

    public Payloads(@Nullable PayloadCodec codec, BlobStreams blobs) {
        this.codec = codec;
        this.blobs = blobs;
    }

    /** The codec that the class path or module path brings, or null. */
    public static @Nullable PayloadCodec discover() {
        return ServiceLoader.load(PayloadCodec.class)
                .findFirst()
                // The thread may have a class loader that does not see our own neighbours.
                .or(() -> ServiceLoader.load(PayloadCodec.class, Payloads.class.getClassLoader())
                        .findFirst())
                .orElse(null);
    }

    /** See {@link BlobStreams#sweepFiles}. */
    public int sweepFiles(Instant before) {
        return blobs.sweepFiles(before);
    }

    /** Where results go that are too long for a row. */
    public BlobStreams.Target ownTransactions() {
        return blobs.ownTransactions();
    }

    /** Whether values of this type can be stored at all. */
    public boolean canHandle(Type type) {
        return codec != null || type == Json.class || type == Void.class || type == Content.class;
    }

    /**
     * Refuses a job type whose inputs or results would lose what they hold. Both at once, wherever the type is met first: when a result fails,
     * its work is done.
     *
     * @throws InvalidRequestException if the codec refuses a class
     */
    public void check(JobType<?, ?> type) {
        check(type.input(), "input of job type '%s'", type.name());
        check(type.output(), "result of job type '%s'", type.name());
    }

    /** Refuses a type of values; without a codec that is done when one is encoded. */
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

    /** The codec, for a type that needs one. */
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
     * The stored form of a value; null stays null, and {@link Void} has none. A string of JSON may hold an unpaired surrogate: it is stored as its escape,
     * which means the same.
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
                    "%s that begins like the reference to a blob is not allowed: '%.40s'".formatted(what, text));
        }
        long max = blobs.maxBytes();
        // A character takes at most three bytes: most texts are short enough without counting.
        if (text.length() > max / 3 && bytes(text) > max) {
            throw blobs.tooLong(what, Long.toString(bytes(text)));
        }
        // As many brackets need as many characters.
        int nesting = text.length() <= MAX_NESTING ? 0 : nesting(text);
        if (nesting > MAX_NESTING) {
            throw new InvalidRequestException(
                    "%s nested %d levels deep is not allowed: at most %d".formatted(what, nesting, MAX_NESTING));
        }
    }

    /** How deep arrays and objects are nested in JSON text, well formed or not. */
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
     * Writes what is too long for a row; answers what stands in the row, or null.
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
     * What stands in a row, of the input of a schedule's jobs, which is copied to each of them; null if there is none.
     *
     * @throws InvalidRequestException if it would be kept apart
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

    /** JSON that is kept apart, loaded; what is longer than that, or no JSON, stays the {@link BlobRef} that it is. */
    @Nullable public Json loaded(@Nullable Json stored, long maxBytes) {
        BlobRef ref = stored == null ? null : BlobRef.of(stored.text());
        return ref == null || ref.form() != BlobRef.Form.JSON || ref.bytes() > maxBytes
                ? stored
                : new Json(blobs.text(ref));
    }

    /** Stored text as a stream, wherever it is kept. */
    public Content content(String text) {
        BlobRef ref = BlobRef.of(text);
        return ref == null ? Content.of(text.getBytes(StandardCharsets.UTF_8)) : blobs.content(ref);
    }

    /** The length of the text in UTF-8. */
    public static long bytes(String text) {
        long bytes = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            // Each half of a surrogate pair counts two of the pair's four bytes.
            bytes += c < 0x80 ? 1 : c < 0x800 || Character.isSurrogate(c) ? 2 : 3;
        }
        return bytes;
    }

    /** The longest payload or result that is kept with its job, in bytes. */
    public int inlineBytes() {
        return blobs.inlineBytes();
    }

    /**
     * The value of stored text, loaded if it is kept apart; null stays null.
     *
     * @throws ContentLostException if it is kept apart, and not there or damaged
     * @throws RuntimeException whatever the codec throws for text that does not fit
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
                    "%d bytes of no JSON do not fit %s".formatted(ref.bytes(), type.getTypeName()));
        }
        String text = ref == null ? stored : blobs.text(ref);
        return type == Json.class ? new Json(text) : codecFor(type).decode(text, type);
    }
}
