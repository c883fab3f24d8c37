package dev.windrow.wire;

import dev.windrow.Dedupe;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobRef;
import dev.windrow.JobRequest;
import dev.windrow.JobType;
import dev.windrow.RetryPolicy;
import dev.windrow.limit.ConcurrencyKey;
import dev.windrow.payload.Json;
import dev.windrow.payload.Metadata;
import dev.windrow.workflow.ParentPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The fields of a new job, and the rules by which a job is made from them. The command line and the HTTP API read their values. */
public final class JobFields {
    /** The names of the fields. */
    public static final Set<String> NAMES = Set.of(
            "type",
            "payload",
            "queue",
            "priority",
            "delay",
            "at",
            "maxAttempts",
            "timeout",
            "retryPolicy",
            "name",
            "tags",
            "metadata",
            "dedupeKey",
            "dedupeScope",
            "dedupeStrategy",
            "dedupeWindow",
            "concurrencyKey",
            "concurrencyLimit",
            "sequenceKey",
            "external",
            "dependsOn",
            "onParentFailure");

    private final Function<String, @Nullable Object> values;
    private final UnaryOperator<String> names;

    private JobFields(Function<String, @Nullable Object> values, UnaryOperator<String> names) {
        this.values = values;
        this.names = names;
    }

    /**
     * Returns the job of these values.
     *
     * @param values the value of each field by its name; null without a value. Payload and metadata are {@link Json}, tags and parents collections of texts
     *     and ids, numbers are {@link Number}s.
     * @param names the word of the user for each field, such as {@code --max-attempts} for {@code maxAttempts}
     * @throws InvalidRequestException if a value is not allowed, or does not go with another one. The message begins with the word of the user.
     */
    public static JobRequest<Json, Json> request(
            Function<String, @Nullable Object> values, UnaryOperator<String> names) {
        return new JobFields(values, names).request();
    }

    private JobRequest<Json, Json> request() {
        if (has("delay") && has("at")) {
            throw apart("delay", "at", "each sets the time of the job");
        }
        String type = text("type");
        if (type == null) {
            throw invalid("%s is missing".formatted(names.apply("type")));
        }
        JobRequest<Json, Json> job = named("type", () -> JobType.raw(type)).job(json("payload"));
        job = with(job, "queue", text("queue"), JobRequest::withQueue);
        job = with(job, "priority", number("priority"), JobRequest::withPriority);
        job = with(job, "delay", duration("delay"), JobRequest::withDelay);
        job = with(job, "at", (Instant) values.apply("at"), JobRequest::withRunAt);
        job = with(job, "maxAttempts", number("maxAttempts"), JobRequest::withMaxAttempts);
        job = with(job, "timeout", duration("timeout"), JobRequest::withTimeout);
        job = with(
                job, "retryPolicy", text("retryPolicy"), (some, policy) -> some.withRetry(RetryPolicy.parse(policy)));
        job = with(job, "name", text("name"), JobRequest::withName);
        job = with(job, "tags", list("tags").toArray(String[]::new), JobRequest::withTags);
        job = with(job, "metadata", json("metadata"), (some, json) -> some.withMetadata(Metadata.parse(json.text())));
        job = with(job, "dedupeStrategy", dedupe(), JobRequest::withDedupe);
        job = with(job, "concurrencyKey", concurrencyKey(), JobRequest::withConcurrencyKey);
        // After the others, so that an error about a field that does not go with it names this one.
        job = with(job, "external", duration("external"), JobRequest::withExternalCompletion);
        List<JobRef<Json>> parents =
                list("dependsOn").stream().map(id -> JobRef.raw((Long) id)).toList();
        return with(job, "dependsOn", parents, (some, refs) -> some.withParents(policy(values), refs));
    }

    /** Returns the policy of the dependencies among these values. */
    public static ParentPolicy policy(Function<String, @Nullable Object> values) {
        ParentPolicy policy = (ParentPolicy) values.apply("onParentFailure");
        return policy == null ? ParentPolicy.WAIT : policy;
    }

    private @Nullable ConcurrencyKey concurrencyKey() {
        String key = text("concurrencyKey");
        String sequence = text("sequenceKey");
        Integer limit = number("concurrencyLimit");
        if (limit != null && key == null) {
            throw needs(names.apply("concurrencyLimit"), "concurrencyKey");
        }
        if (sequence != null) {
            if (key != null) {
                throw apart("concurrencyKey", "sequenceKey", "a job has only one of them");
            }
            return named("sequenceKey", () -> ConcurrencyKey.inSequence(sequence));
        }
        return key == null
                ? null
                : named(
                        "concurrencyKey",
                        () -> limit == null ? ConcurrencyKey.of(key) : ConcurrencyKey.atMost(key, limit));
    }

    private @Nullable Dedupe dedupe() {
        String key = text("dedupeKey");
        if (key == null) {
            for (String other : List.of("dedupeScope", "dedupeStrategy", "dedupeWindow")) {
                if (has(other)) {
                    throw needs(names.apply(other), "dedupeKey");
                }
            }
            return null;
        }
        Dedupe plain = named("dedupeKey", () -> Dedupe.key(key));
        Dedupe.Scope scope = (Dedupe.Scope) values.apply("dedupeScope");
        Dedupe scoped = scope == null
                ? plain
                : switch (scope) {
                    case UNTIL_STARTED -> plain.untilStarted();
                    case UNFINISHED -> plain.unfinished();
                    case WINDOW -> plain.within(window("dedupeScope", "window"));
                    case ANY -> plain.forEver();
                };
        Dedupe.Strategy given = (Dedupe.Strategy) values.apply("dedupeStrategy");
        Dedupe.Strategy strategy = given == null ? Dedupe.Strategy.KEEP : given;
        boolean timed = strategy == Dedupe.Strategy.DEBOUNCE || strategy == Dedupe.Strategy.THROTTLE;
        if (has("dedupeWindow") && !timed && scope != Dedupe.Scope.WINDOW) {
            throw invalid("%s is for scope window and the strategies debounce and throttle"
                    .formatted(names.apply("dedupeWindow")));
        }
        Duration window = timed ? window("dedupeStrategy", JobJson.lower(strategy)) : Duration.ZERO;
        return named("dedupeStrategy", () -> switch (strategy) {
            case KEEP -> scoped;
            case REPLACE -> scoped.replace();
            case DEBOUNCE -> scoped.debounce(window);
            case THROTTLE -> scoped.throttle(window);
        });
    }

    private Duration window(String field, String value) {
        Duration window = duration("dedupeWindow");
        if (window == null) {
            throw needs(names.apply(field) + " " + value, "dedupeWindow");
        }
        return window;
    }

    private boolean has(String field) {
        return values.apply(field) != null;
    }

    private @Nullable String text(String field) {
        return (String) values.apply(field);
    }

    private @Nullable Json json(String field) {
        return (Json) values.apply(field);
    }

    private @Nullable Duration duration(String field) {
        return (Duration) values.apply(field);
    }

    private @Nullable Integer number(String field) {
        Number number = (Number) values.apply(field);
        return number == null ? null : Math.toIntExact(number.longValue());
    }

    private Collection<?> list(String field) {
        Collection<?> list = (Collection<?>) values.apply(field);
        return list == null ? List.of() : list;
    }

    private <T> JobRequest<Json, Json> with(
            JobRequest<Json, Json> job,
            String field,
            @Nullable T value,
            BiFunction<JobRequest<Json, Json>, T, JobRequest<Json, Json>> change) {
        return value == null ? job : named(field, () -> change.apply(job, value));
    }

    /** Adds the field to the library's error about its value. */
    private <T> T named(String field, Supplier<T> use) {
        try {
            return use.get();
        } catch (InvalidRequestException e) {
            throw new InvalidRequestException(names.apply(field) + ": " + e.getMessage(), e);
        }
    }

    private InvalidRequestException needs(String given, String missing) {
        return invalid("%s needs %s".formatted(given, names.apply(missing)));
    }

    private InvalidRequestException apart(String one, String other, String why) {
        return invalid("%s and %s do not go together: %s".formatted(names.apply(one), names.apply(other), why));
    }

    private static InvalidRequestException invalid(String problem) {
        return new InvalidRequestException(problem);
    }
}
