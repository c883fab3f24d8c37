package dev.windrow.dashboard;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A row of the table of routes: a method, a path, the permission, the parameters and the fields of the body, the answer, and the handler. Routing, checks,
 * OpenAPI and the documentation come from it.
 */
final class Route {
    /** Answers a request whose parameters were checked and whose sender has the permission. */
    interface Handler {
        Answer answer(Call call) throws IOException;
    }

    /** The limits of requests at once. A request beyond a limit is refused. */
    enum Pool {
        READS(32),
        WAITS(32),
        STREAMS(4),
        DIAGNOSES(1),
        CHANGES(64);

        private final int size;

        Pool(int size) {
            this.size = size;
        }

        int size() {
            return size;
        }
    }

    /**
     * A permission that a request needs also, if a parameter or a field has a certain value.
     *
     * @param value the value; null for any
     */
    record Condition(String name, @Nullable String value, Permission needed) {
        boolean holds(Values values) {
            Object given = values.any(name);
            return given != null && (value == null || given.toString().equals(value));
        }
    }

    private static final Field IF_MATCH = Field.version(
                    "If-Match", "Make the change only if the job is at this version, else status 412.")
            .or("*");

    private final String method;
    private final String path;
    private final @Nullable Permission permission;
    private final String summary;
    private final Handler handler;
    private final List<Condition> conditions = new ArrayList<>();
    private List<Field> at = List.of();
    private List<Field> query = List.of();
    private List<Field> body = List.of();
    private String answer = "AnyValue";
    private String media = Answer.JSON;
    private List<Field> headers = List.of();
    private boolean wholeStore;
    private Pool pool;

    private Route(String method, String path, @Nullable Permission permission, String summary, Handler handler) {
        this.method = method;
        this.path = path;
        this.permission = permission;
        this.summary = summary;
        this.handler = handler;
        this.pool = method.equals("GET") ? Pool.READS : Pool.CHANGES;
    }

    /** Returns a route that reads. Without a permission it is for all senders that are known. */
    static Route get(String path, @Nullable Permission permission, String summary, Handler handler) {
        return new Route("GET", path, permission, summary, handler);
    }

    static Route post(String path, Permission permission, String summary, Handler handler) {
        return new Route("POST", path, permission, summary, handler);
    }

    static Route put(String path, Permission permission, String summary, Handler handler) {
        return new Route("PUT", path, permission, summary, handler);
    }

    static Route delete(String path, Permission permission, String summary, Handler handler) {
        return new Route("DELETE", path, permission, summary, handler);
    }

    /** Declares the parameters of the path. */
    Route at(Field... fields) {
        at = List.of(fields);
        return this;
    }

    /** Declares the parameters of the query. */
    Route query(List<Field> fields) {
        query = fields;
        return this;
    }

    Route query(Field... fields) {
        return query(List.of(fields));
    }

    /** Declares the fields of the body. */
    Route body(List<Field> fields) {
        body = fields;
        return this;
    }

    Route body(Field... fields) {
        return body(List.of(fields));
    }

    /** Declares that the change of one job takes a version. */
    Route ifMatch() {
        headers = List.of(IF_MATCH);
        return this;
    }

    /** Declares a permission that is needed also, if a parameter or a field has this value. */
    Route needing(String name, String value, Permission needed) {
        conditions.add(new Condition(name, value, needed));
        return this;
    }

    /** Declares a permission that is needed also, if a parameter is given. */
    Route needing(String name, Permission needed) {
        conditions.add(new Condition(name, null, needed));
        return this;
    }

    /** Declares the name of the schema of the answer. */
    Route answers(String schema) {
        answer = schema;
        return this;
    }

    /** Declares an answer of another media type than JSON that is written as a stream. */
    Route streams(String type) {
        return media(type).in(Pool.STREAMS);
    }

    /** Declares an answer of another media type than JSON. */
    Route media(String type) {
        media = type;
        return this;
    }

    Route in(Pool other) {
        pool = other;
        return this;
    }

    /** Declares that the route concerns jobs of all queues. A sender that sees some queues only is refused. */
    Route wholeStore() {
        wholeStore = true;
        return this;
    }

    String method() {
        return method;
    }

    String path() {
        return path;
    }

    @Nullable Permission permission() {
        return permission;
    }

    String summary() {
        return summary;
    }

    Handler handler() {
        return handler;
    }

    List<Field> at() {
        return at;
    }

    List<Field> query() {
        return query;
    }

    List<Field> body() {
        return body;
    }

    List<Field> headers() {
        return headers;
    }

    List<Condition> conditions() {
        return conditions;
    }

    String answer() {
        return answer;
    }

    String media() {
        return media;
    }

    boolean isWholeStore() {
        return wholeStore;
    }

    Pool pool() {
        return pool;
    }

    boolean reads() {
        return method.equals("GET");
    }

    /** Returns the values of the path; null if the path is another one. */
    @Nullable List<String> match(List<String> segments) {
        List<String> template = Query.segments(path);
        if (template.size() != segments.size()) {
            return null;
        }
        List<String> values = new ArrayList<>();
        for (int i = 0; i < template.size(); i++) {
            if (template.get(i).startsWith("{")) {
                values.add(segments.get(i));
            } else if (!template.get(i).equals(segments.get(i))) {
                return null;
            }
        }
        return values;
    }
}
