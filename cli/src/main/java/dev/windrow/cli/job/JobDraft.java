package dev.windrow.cli.job;

import dev.windrow.Dedupe;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobRequest;
import dev.windrow.Windrow;
import dev.windrow.cli.UsageException;
import dev.windrow.cli.terminal.TerminalText;
import dev.windrow.cli.terminal.Values;
import dev.windrow.cli.worker.ExecRequest;
import dev.windrow.payload.Json;
import dev.windrow.wire.JobFields;
import dev.windrow.wire.JsonScan;
import dev.windrow.workflow.ParentPolicy;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * A job under construction, from the options of {@code enqueue} or from the keys of a line of its file. Both have the
 * same names and limits, and errors use the names that the user wrote.
 */
public final class JobDraft {
    /** The library's own limit, checked here so that an error comes before a store is opened. */
    private static final long MAX_PAYLOAD = Windrow.DEFAULT_MAX_CONTENT_BYTES;

    private final UnaryOperator<String> names;
    private final Map<String, Object> values = new HashMap<>();
    private final Set<String> tags = new LinkedHashSet<>();
    private final Set<Long> parents = new LinkedHashSet<>();

    /** Creates an empty draft. The names map a key (maxAttempts) to the word of the user (--max-attempts). */
    public JobDraft(UnaryOperator<String> names) {
        this.names = names;
        values.put("tags", tags);
        values.put("dependsOn", parents);
    }

    /** Sets one value. Each call adds one tag or one parent. */
    public void set(String key, String text) {
        String name = names.apply(key);
        switch (key) {
            case "tags" -> tags.add(Values.whole(name, text));
            case "dependsOn" -> {
                if (!parents.add(Values.id(name, text))) {
                    throw new UsageException("%s: job %s is named twice".formatted(name, text));
                }
            }
            default -> values.put(key, value(key, name, text));
        }
    }

    private static Object value(String key, String name, String text) {
        return switch (key) {
            case "type", "queue", "retryPolicy" -> text;
            case "name", "dedupeKey", "concurrencyKey", "sequenceKey" -> Values.whole(name, text);
            case "priority" -> Values.integer(name, text, Short.MIN_VALUE, Short.MAX_VALUE);
            case "maxAttempts" -> Values.integer(name, text, 1, 1000);
            case "concurrencyLimit" -> Values.integer(name, text, 1, 1_000_000);
            case "delay" -> Values.duration(name, text, "0s", "3650d");
            case "timeout", "external", "dedupeWindow" -> Values.duration(name, text, "1ms", "3650d");
            case "at" -> Values.instant(name, text);
            case "metadata" -> new Json(text);
            case "dedupeScope" -> Values.choice(name, text, Dedupe.Scope.class);
            case "dedupeStrategy" -> Values.choice(name, text, Dedupe.Strategy.class);
            case "onParentFailure" -> Values.choice(name, text, ParentPolicy.class);
            default -> throw new IllegalArgumentException(key);
        };
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
        values.put("payload", new Json(json));
    }

    /** Returns the policy of its dependencies. */
    ParentPolicy onParentFailure() {
        return JobFields.policy(values::get);
    }

    public JobRequest<Json, Json> build() {
        JobRequest<Json, Json> job;
        try {
            job = JobFields.request(values::get, names);
        } catch (InvalidRequestException e) {
            throw new UsageException(TerminalText.oneLine(String.valueOf(e.getMessage())));
        }
        if (job.type().name().equals(ExecRequest.TYPE)) {
            Json payload = job.input();
            ExecRequest.check(payload == null ? null : payload.text());
        }
        return job;
    }
}
