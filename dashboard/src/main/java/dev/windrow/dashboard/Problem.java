package dev.windrow.dashboard;

import dev.windrow.wire.JsonObject;
import java.util.LinkedHashMap;
import java.util.Map;

/** A problem of a request, as an exception: it ends the request with an answer of RFC 9457. */
final class Problem extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final ProblemKind kind;
    private final transient Map<String, Object> members = new LinkedHashMap<>();
    private final transient Map<String, String> headers = new LinkedHashMap<>();

    Problem(ProblemKind kind, String detail) {
        super(detail, null, false, false);
        this.kind = kind;
    }

    static Problem invalid(String detail) {
        return new Problem(ProblemKind.INVALID_REQUEST, detail);
    }

    /** Returns the problem of a value of a parameter or a field. */
    static Problem notAllowed(String name, String value, String allowed) {
        return invalid("%s: '%s' is not allowed; allowed: %s".formatted(name, shortened(value), allowed));
    }

    static Problem notFound(String what) {
        return new Problem(ProblemKind.NOT_FOUND, what);
    }

    static Problem forbidden(Permission needed, String detail) {
        return new Problem(ProblemKind.FORBIDDEN, detail).with("needs", needed.word());
    }

    Problem with(String member, Object value) {
        members.put(member, value);
        return this;
    }

    Problem header(String name, String value) {
        headers.put(name, value);
        return this;
    }

    ProblemKind kind() {
        return kind;
    }

    Map<String, String> headers() {
        return headers;
    }

    JsonObject json() {
        JsonObject json = new JsonObject()
                .put("type", "urn:windrow:problem:" + kind.word())
                .put("title", kind.title())
                .put("status", kind.status())
                .put("kind", kind.word())
                .put("detail", getMessage());
        members.forEach(json::put);
        return json;
    }

    /** Returns a text of the request for a message. */
    static String shortened(String text) {
        return text.length() <= 100 ? text : text.substring(0, 100) + "...";
    }
}
