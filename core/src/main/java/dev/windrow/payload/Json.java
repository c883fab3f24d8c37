package dev.windrow.payload;

import dev.windrow.JobType;
import java.util.Objects;

/**
 * JSON text that is not parsed: the input and output of {@linkplain JobType#raw raw job types}, and stored results before they are decoded.
 *
 * @param text one JSON value
 */
public record Json(String text) {
    /**
     * Keeps the text unchanged. The reader of the text checks if it is well formed. The text is stored unchanged, except for an unpaired surrogate.
     * In a string its escape is stored, which means the same. Outside of strings, and in names of properties, it is refused.
     */
    public Json {
        Objects.requireNonNull(text, "text");
    }

    @Override
    public String toString() {
        return text;
    }
}
