package dev.windrow;

import java.util.Objects;

/**
 * JSON text that passes through unread: the input and output of {@linkplain JobType#raw raw job types}, and stored
 * results before they are decoded.
 *
 * @param text one JSON value
 */
public record Json(String text) {
    /** Keeps the text as it is; whether it is well formed is checked by whoever reads it. */
    public Json {
        Objects.requireNonNull(text, "text");
    }

    @Override
    public String toString() {
        return text;
    }
}
