package dev.windrow.payload;

import dev.windrow.JobType;
import java.util.Objects;

/**
 * JSON text that passes through unread: the input and output of {@linkplain JobType#raw raw job types}, and stored
 * results before they are decoded.
 *
 * @param text one JSON value
 */
public record Json(String text) {
    /**
     * Keeps the text as it is; whether it is well formed is checked by whoever reads it. It is stored as it is, but for an unpaired surrogate (a surrogate
     * without the other): within a string its escape is stored, which means the same; elsewhere, and in names of properties, it is refused.
     */
    public Json {
        Objects.requireNonNull(text, "text");
    }

    @Override
    public String toString() {
        return text;
    }
}
