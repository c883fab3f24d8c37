package dev.windrow.telemetry;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A trace context as it is stored with a job: the {@code traceparent} of the W3C. Its {@code tracestate} and baggage are not kept. */
final class TraceparentText {
    /** Of version 00, or of a later one, which may have more behind it: version 00 has 55 characters. */
    private static final Pattern FORM = Pattern.compile(
            "(?!ff|00.{54})[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?");

    private TraceparentText() {}

    /** Null if the span has no context, as where no SDK is installed. */
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

    /** What the text names; an invalid context if it names nothing. */
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
