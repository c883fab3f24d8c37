package dev.windrow.engine.monitor;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The ids of a W3C traceparent.
 *
 * @param trace the trace, 32 hexadecimal digits
 * @param span the span, 16 hexadecimal digits
 */
public record TraceContext(String trace, String span) {
    /**
     * The form of version 00, which has exactly 55 characters, or of a later version, which may have more fields at its
     * end.
     */
    private static final Pattern FORM = Pattern.compile(
            "(?!ff|00.{54})[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}(-.*)?");

    /** Reads a traceparent; null if the text is not one. */
    public static @Nullable TraceContext of(@Nullable String traceparent) {
        if (traceparent == null) {
            return null;
        }
        Matcher matcher = FORM.matcher(traceparent);
        return matcher.matches() ? new TraceContext(matcher.group(1), matcher.group(2)) : null;
    }
}
