package dev.windrow.engine.payload;

import dev.windrow.payload.Content;
import org.jspecify.annotations.Nullable;

/**
 * A payload or result in its stored form, checked and not yet written; at most one of the two is set.
 *
 * @param text JSON text, or null
 * @param content bytes that are read when they are written, or null
 */
public record Encoded(@Nullable String text, @Nullable Content content) {
    static final Encoded NONE = new Encoded(null, null);
}
