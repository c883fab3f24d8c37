package dev.windrow.telemetry;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The stored form of a trace context: the {@code traceparent} of the W3C. Its {@code tracestate} and baggage are not
 * stored.
 */
final class TraceparentText {
    /**
     * The form of version 00, which has exactly 55 characters, or of a later version, which may have more fields at its
     * end.
     */
    private static final Pattern FORM = Pattern.compile(
            "(?!ff|00.{54})[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?");

    private TraceparentText() {}

    /** Returns the text of a span's context; null if the span has no context, for example without an SDK. */
    static @Nullable String of(Span span) {
        SpanContext context = span.getSpanContext();
        return context.isValid()
                ? "00-%s-%s-%s"
                        .formatted(
                                context.getTraceId(),
                                context.getSpanId(),
                                context.getTraceFlags().asHex())
                : null;
    }

    /** Reads the context from the text; returns an invalid context if the text has none. */
    static SpanContext read(@Nullable String text) {
        Matcher matcher = FORM.matcher(text == null ? "" : text);
        return matcher.matches()
                ? SpanContext.createFromRemoteParent(
                        matcher.group(1),
                        matcher.group(2),
                        TraceFlags.fromHex(matcher.group(3), 0),
                        TraceState.getDefault())
                : SpanContext.getInvalid();
    }
}
