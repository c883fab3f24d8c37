package dev.windrow.dashboard;

import dev.windrow.wire.JsonObject;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An answer: a status, a content type, and a body that is complete or written as a stream. */
final class Answer {
    static final String JSON = "application/json";
    static final String NDJSON = "application/x-ndjson";

    /** Writes a body. */
    interface Body {
        void write(OutputStream out) throws IOException;
    }

    private final int status;
    private final String type;
    private final byte[] bytes;
    private final @Nullable Body stream;
    private final Map<String, String> headers = new LinkedHashMap<>();
    private String tagPrefix = "";

    private Answer(int status, String type, byte[] bytes, @Nullable Body stream) {
        this.status = status;
        this.type = type;
        this.bytes = bytes;
        this.stream = stream;
    }

    static Answer of(JsonObject json) {
        return json(200, json);
    }

    static Answer json(String json) {
        return text(200, JSON, json + "\n");
    }

    static Answer json(int status, JsonObject json) {
        return text(status, JSON, json + "\n");
    }

    static Answer text(int status, String type, String text) {
        return new Answer(status, type, text.getBytes(StandardCharsets.UTF_8), null);
    }

    static Answer bytes(String type, byte[] bytes) {
        return new Answer(200, type, bytes, null);
    }

    static Answer stream(String type, Body body) {
        return new Answer(200, type, new byte[0], body);
    }

    static Answer problem(Problem problem) {
        Answer answer = text(problem.kind().status(), "application/problem+json", problem.json() + "\n");
        answer.headers.putAll(problem.headers());
        return answer;
    }

    Answer header(String name, String value) {
        headers.put(name, value);
        return this;
    }

    /** Begins the tag with the version of the job, so that a change may name it in {@code If-Match}. */
    Answer version(long version) {
        tagPrefix = version + "-";
        return this;
    }

    String tagPrefix() {
        return tagPrefix;
    }

    int status() {
        return status;
    }

    String type() {
        return type;
    }

    byte[] bytes() {
        return bytes;
    }

    @Nullable Body stream() {
        return stream;
    }

    Map<String, String> headers() {
        return headers;
    }
}
