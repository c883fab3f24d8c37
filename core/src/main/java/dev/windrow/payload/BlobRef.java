package dev.windrow.payload;

import dev.windrow.InvalidRequestException;
import dev.windrow.validation.Bounds;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Names a payload or result that is kept apart because of its length, and stands in the place of its text. As JSON, so that
 * plain SQL reads it like any other: {@code {"windrow:blob":17,"form":"JSON","bytes":5242880,"sha256":"9f86..."}}.
 *
 * @param id the number of the blob in its store
 * @param form what its bytes are
 * @param bytes its length
 * @param sha256 the SHA-256 of its bytes, 64 small hexadecimal digits
 * @param file the name of the file that it is in; null: it is in the database
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

    /** What the bytes of a blob are. */
    public enum Form {
        /** JSON text in UTF-8. */
        JSON,
        /** Whatever a {@link Content} was made of. */
        BYTES
    }

    /** Refuses null. */
    public BlobRef {
        Objects.requireNonNull(form, "form");
        Objects.requireNonNull(sha256, "sha256");
    }

    /**
     * The reference that stored text is; null when the text is the content itself.
     *
     * @throws InvalidRequestException if it begins like a reference and is none
     */
    public static @Nullable BlobRef of(@Nullable String text) {
        if (text == null || !isReserved(text)) {
            return null;
        }
        Matcher matcher = TEXT.matcher(text);
        if (!matcher.matches()) {
            throw new InvalidRequestException(
                    "'%s' begins like the reference to a blob and is none".formatted(Bounds.shortened(text)));
        }
        return new BlobRef(
                Long.parseLong(matcher.group(1)),
                Form.valueOf(matcher.group(2)),
                Long.parseLong(matcher.group(3)),
                matcher.group(4),
                matcher.group(5));
    }

    /** Whether text begins as references do. JSON that does is refused as a payload and as a result. */
    public static boolean isReserved(String text) {
        return text.startsWith(PREFIX);
    }

    /** What is stored in the place of the content. */
    public String text() {
        return "%s%d,\"form\":\"%s\",\"bytes\":%d,\"sha256\":\"%s\"%s}"
                .formatted(PREFIX, id, form, bytes, sha256, file == null ? "" : ",\"file\":\"" + file + "\"");
    }
}
