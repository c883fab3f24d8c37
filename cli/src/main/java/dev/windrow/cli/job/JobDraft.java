package dev.windrow.cli.job;

import dev.windrow.Dedupe;
import dev.windrow.JobRef;
import dev.windrow.JobRequest;
import dev.windrow.JobType;
import dev.windrow.Windrow;
import dev.windrow.cli.UsageException;
import dev.windrow.cli.terminal.Values;
import dev.windrow.cli.worker.ExecRequest;
import dev.windrow.limit.ConcurrencyKey;
import dev.windrow.payload.Json;
import dev.windrow.payload.Metadata;
import dev.windrow.wire.JsonScan;
import dev.windrow.workflow.ParentPolicy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A job under construction, from the options of {@code enqueue} or from the keys of a line of its file. Both have the
 * same names and limits, and errors use the names that the user wrote.
 */
public final class JobDraft {
    /** The library's own limit, checked here so that an error comes before a store is opened. */
    private static final long MAX_PAYLOAD = Windrow.DEFAULT_MAX_CONTENT_BYTES;

    private final UnaryOperator<String> names;
    private final List<UnaryOperator<JobRequest<Json, Json>>> options = new ArrayList<>();
    private final Set<Long> parents = new LinkedHashSet<>();
    private @Nullable String type;
    private @Nullable String payload;
    private @Nullable String due;
    private @Nullable String dedupeKey;
    private Dedupe.@Nullable Scope dedupeScope;
    private Dedupe.@Nullable Strategy dedupeStrategy;
    private @Nullable Duration dedupeWindow;
    private @Nullable String concurrencyKey;
    private @Nullable Integer concurrencyLimit;
    private @Nullable String sequenceKey;
    private UnaryOperator<JobRequest<Json, Json>> waits = UnaryOperator.identity();
    private ParentPolicy onParentFailure = ParentPolicy.WAIT;

    /** Creates an empty draft. The names map a key (maxAttempts) to the word of the user (--max-attempts). */
    public JobDraft(UnaryOperator<String> names) {
        this.names = names;
    }

    /** True if the key exists, except {@code payload}. */
    static boolean knows(String key) {
        return switch (key) {
            case "type",
                    "queue",
                    "priority",
                    "delay",
                    "at",
                    "maxAttempts",
                    "timeout",
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
                    "onParentFailure" -> true;
            default -> false;
        };
    }

    /** Sets one value. Each call adds one tag or one parent. */
    public void set(String key, String text) {
        String name = names.apply(key);
        switch (key) {
            case "type" -> type = text;
            case "queue" -> option(name, job -> job.withQueue(text));
            case "priority" -> {
                int priority = Values.integer(name, text, Short.MIN_VALUE, Short.MAX_VALUE);
                option(name, job -> job.withPriority(priority));
            }
            case "delay" -> {
                due(name);
                var delay = Values.duration(name, text, "0s", "3650d");
                option(name, job -> job.withDelay(delay));
            }
            case "at" -> {
                due(name);
                var at = Values.instant(name, text);
                option(name, job -> job.withRunAt(at));
            }
            case "maxAttempts" -> {
                int attempts = Values.integer(name, text, 1, 1000);
                option(name, job -> job.withMaxAttempts(attempts));
            }
            case "timeout" -> {
                var timeout = Values.duration(name, text, "1ms", "3650d");
                option(name, job -> job.withTimeout(timeout));
            }
            case "external" -> {
                var wait = Values.duration(name, text, "1ms", "3650d");
                // Applied last, so that an error about a conflicting option names this one.
                waits = job -> Values.named(name, () -> job.withExternalCompletion(wait));
            }
            case "name" -> {
                Values.whole(name, text);
                option(name, job -> job.withName(text));
            }
            case "tags" -> {
                Values.whole(name, text);
                option(name, job -> job.withTags(text));
            }
            case "metadata" -> {
                Metadata metadata = Values.named(name, () -> Metadata.parse(text));
                option(name, job -> job.withMetadata(metadata));
            }
            case "dedupeKey" -> dedupeKey = Values.whole(name, text);
            case "dedupeScope" -> dedupeScope = Values.choice(name, text, Dedupe.Scope.class);
            case "dedupeStrategy" -> dedupeStrategy = Values.choice(name, text, Dedupe.Strategy.class);
            case "dedupeWindow" -> dedupeWindow = Values.duration(name, text, "1ms", "3650d");
            case "concurrencyKey" -> concurrencyKey = Values.whole(name, text);
            case "concurrencyLimit" -> concurrencyLimit = Values.integer(name, text, 1, 1_000_000);
            case "sequenceKey" -> sequenceKey = Values.whole(name, text);
            case "dependsOn" -> {
                if (!parents.add(Values.id(name, text))) {
                    throw new UsageException("%s: job %s is named twice".formatted(name, text));
                }
            }
            case "onParentFailure" -> onParentFailure = Values.choice(name, text, ParentPolicy.class);
            default -> throw new IllegalArgumentException(key);
        }
    }

    /** Sets the payload, as JSON text, which is checked here and stored unchanged. */
    public void payload(String what, String json) {
        String problem = JsonScan.problem(json);
        if (problem != null) {
            throw new UsageException("%s is not one JSON value: %s".formatted(what, problem));
        }
        int bytes = json.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > MAX_PAYLOAD) {
            throw new UsageException(
                    "%s of %d bytes is not allowed: at most %d bytes; store the data elsewhere and pass its location"
                            .formatted(what, bytes, MAX_PAYLOAD));
        }
        payload = json;
    }

    /** The jobs that this one waits for. */
    ParentPolicy onParentFailure() {
        return onParentFailure;
    }

    Set<Long> parents() {
        return parents;
    }

    public JobRequest<Json, Json> build() {
        if (type == null) {
            throw new UsageException("%s is missing".formatted(names.apply("type")));
        }
        String name = type;
        JobType<Json, Json> raw = Values.named(names.apply("type"), () -> JobType.raw(name));
        if (raw.name().equals(ExecRequest.TYPE)) {
            ExecRequest.check(payload);
        }
        JobRequest<Json, Json> job = raw.job(payload == null ? null : new Json(payload));
        for (var option : options) {
            job = option.apply(job);
        }
        Dedupe dedupe = dedupe();
        if (dedupe != null) {
            JobRequest<Json, Json> keyed = job;
            job = Values.named(names.apply("dedupeStrategy"), () -> keyed.withDedupe(dedupe));
        }
        ConcurrencyKey shared = concurrencyKey();
        if (shared != null) {
            job = job.withConcurrencyKey(shared);
        }
        List<JobRef<Json>> refs = parents.stream().map(JobRef::raw).toList();
        JobRequest<Json, Json> described = waits.apply(job);
        return Values.named(names.apply("dependsOn"), () -> described.withParents(onParentFailure, refs));
    }

    private @Nullable ConcurrencyKey concurrencyKey() {
        String key = concurrencyKey;
        Integer limit = concurrencyLimit;
        String sequence = sequenceKey;
        if (limit != null && key == null) {
            throw new UsageException(
                    "%s needs %s".formatted(names.apply("concurrencyLimit"), names.apply("concurrencyKey")));
        }
        if (sequence != null) {
            if (key != null) {
                throw new UsageException("%s and %s do not go together: a job has only one of them"
                        .formatted(names.apply("concurrencyKey"), names.apply("sequenceKey")));
            }
            return Values.named(names.apply("sequenceKey"), () -> ConcurrencyKey.inSequence(sequence));
        }
        return key == null
                ? null
                : Values.named(
                        names.apply("concurrencyKey"),
                        () -> limit == null ? ConcurrencyKey.of(key) : ConcurrencyKey.atMost(key, limit));
    }

    private @Nullable Dedupe dedupe() {
        if (dedupeKey == null) {
            if (dedupeScope != null || dedupeStrategy != null || dedupeWindow != null) {
                String given = dedupeScope != null
                        ? "dedupeScope"
                        : dedupeStrategy != null ? "dedupeStrategy" : "dedupeWindow";
                throw new UsageException("%s needs %s".formatted(names.apply(given), names.apply("dedupeKey")));
            }
            return null;
        }
        String key = dedupeKey;
        Dedupe plain = Values.named(names.apply("dedupeKey"), () -> Dedupe.key(key));
        Dedupe scoped = dedupeScope == null
                ? plain
                : switch (dedupeScope) {
                    case UNTIL_STARTED -> plain.untilStarted();
                    case UNFINISHED -> plain.unfinished();
                    case WINDOW -> plain.within(window("dedupeScope", "window"));
                    case ANY -> plain.forEver();
                };
        Dedupe.Strategy strategy = dedupeStrategy == null ? Dedupe.Strategy.KEEP : dedupeStrategy;
        boolean timed = strategy == Dedupe.Strategy.DEBOUNCE || strategy == Dedupe.Strategy.THROTTLE;
        if (dedupeWindow != null && !timed && dedupeScope != Dedupe.Scope.WINDOW) {
            throw new UsageException("%s is for scope window and the strategies debounce and throttle"
                    .formatted(names.apply("dedupeWindow")));
        }
        return Values.named(names.apply("dedupeStrategy"), () -> switch (strategy) {
            case KEEP -> scoped;
            case REPLACE -> scoped.replace();
            case DEBOUNCE -> scoped.debounce(window("dedupeStrategy", "debounce"));
            case THROTTLE -> scoped.throttle(window("dedupeStrategy", "throttle"));
        });
    }

    private Duration window(String key, String value) {
        if (dedupeWindow == null) {
            throw new UsageException("%s %s needs %s".formatted(names.apply(key), value, names.apply("dedupeWindow")));
        }
        return dedupeWindow;
    }

    private void option(String name, UnaryOperator<JobRequest<Json, Json>> change) {
        options.add(job -> Values.named(name, () -> change.apply(job)));
    }

    private void due(String name) {
        if (due != null) {
            throw new UsageException(
                    "%s and %s do not go together: each sets the time of the job".formatted(due, name));
        }
        due = name;
    }
}
