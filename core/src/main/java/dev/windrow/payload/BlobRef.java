package dev.windrow.payload;

import dev.windrow.InvalidRequestException;
import dev.windrow.validation.Bounds;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The reference to a payload or a result that is stored separately because of its length. It is stored in place of the text. It is JSON, so that
 * plain SQL reads it like any other value: {@code {"windrow:blob":17,"form":"JSON","bytes":5242880,"sha256":"9f86..."}}.
 *
 * @param id the number of the blob in its store
 * @param form the form of its bytes
 * @param bytes its length in bytes
 * @param sha256 the SHA-256 of its bytes, 64 small hexadecimal digits
 * @param file the name of its file; null if it is in the database
 */
public record BlobRef(
        long id,
        Form form,
        long bytes,
        String sha256,
        @Nullable String file) {
    private static final String PREFIX = "{\"windrow:blob\":";
    private static final Pattern TEXT = Pattern.compile(
            "\\{\"windrow:blob\":([0-9]{1,18}),\"form\":\"(JSON|BYTES)\",\"bytes\":([0-9]{1,18}),\"sha256\":\"([0-9a-f]{64})\"(?:,\"file\":\"([a-z0-9-]{1,60})\")?}");

    /** The form of the bytes of a blob. */
    public enum Form {
        /** JSON text in UTF-8. */
        JSON,
        /** The bytes of a {@link Content}. */
        BYTES
    }

    /** Refuses null. */
    public BlobRef {
        Objects.requireNonNull(form, "form");
        Objects.requireNonNull(sha256, "sha256");
    }

    /**
     * Returns the reference that a stored text contains; null if the text is the content itself.
     *
     * @throws InvalidRequestException if the text begins like a reference and is none
     */
    public static @Nullable BlobRef of(@Nullable String text) {
        if (text == null || !isReserved(text)) {
            return null;
        }
        Matcher matcher = TEXT.matcher(text);
        if (!matcher.matches()) {
            throw new InvalidRequestException("'%s' is not allowed: it begins like a reference to a blob, but is none"
                    .formatted(Bounds.shortened(text)));
        }
        return new BlobRef(
                Long.parseLong(matcher.group(1)),
                Form.valueOf(matcher.group(2)),
                Long.parseLong(matcher.group(3)),
                matcher.group(4),
                matcher.group(5));
    }

    /** True if the text begins like a reference. Such JSON is refused as a payload and as a result. */
    public static boolean isReserved(String text) {
        return text.startsWith(PREFIX);
    }

    /** Returns the text that is stored in place of the content. */
    public String text() {
        return "%s%d,\"form\":\"%s\",\"bytes\":%d,\"sha256\":\"%s\"%s}"
                .formatted(PREFIX, id, form, bytes, sha256, file == null ? "" : ",\"file\":\"" + file + "\"");
    }
}
