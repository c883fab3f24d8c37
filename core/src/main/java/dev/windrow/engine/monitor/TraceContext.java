package dev.windrow.engine.monitor;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a traceparent of the W3C names.
 *
 * @param trace the trace, 32 hexadecimal digits
 * @param span the span, 16 of them
 */
public record TraceContext(String trace, String span) {
    /** Of version 00, or of a later one, which may have more behind it: version 00 has 55 characters. */
    private static final Pattern FORM = Pattern.compile(
            "(?!ff|00.{54})[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}(-.*)?");

    /** Null if the text is none. */
    public static @Nullable TraceContext of(@Nullable String traceparent) {
        if (traceparent == null) {
            return null;
        }
        Matcher matcher = FORM.matcher(traceparent);
        return matcher.matches() ? new TraceContext(matcher.group(1), matcher.group(2)) : null;
    }
}
