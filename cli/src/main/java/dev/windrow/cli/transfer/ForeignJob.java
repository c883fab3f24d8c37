package dev.windrow.cli.transfer;

import dev.windrow.Dedupe;
import dev.windrow.ErrorCodes;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobHandle;
import dev.windrow.JobRef;
import dev.windrow.JobRequest;
import dev.windrow.JobType;
import dev.windrow.Jobs;
import dev.windrow.Windrow;
import dev.windrow.cli.terminal.TerminalText;
import dev.windrow.payload.BlobRef;
import dev.windrow.payload.Json;
import dev.windrow.wire.JsonScan;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;

/** A job of another system, as a request and, if it has ended there, its end. A value that is not imported is in {@link #leftOut}. */
final class ForeignJob {
    private static final int MAX_NAME = 200;

    private final ForeignState state;
    private final List<String> parents = new ArrayList<>();
    private final Set<String> leftOut = new LinkedHashSet<>();
    private JobRequest<Json, Json> request;
    private String key = "";
    private int length;
    private @Nullable Json result;
    private String errorCode = ErrorCodes.INTERNAL_EXCEPTION;
    private @Nullable String error;

    /**
     * Begins a job.
     *
     * @param types the new names of types, by the names there
     */
    ForeignJob(ForeignState state, String type, @Nullable String payload, Map<String, String> types) {
        this.state = state;
        leftOut.add("times of creation, start and end");
        this.request = type(type, types).job(payload == null ? null : json(payload));
    }

    /** Returns the type here of a type there. */
    static JobType<Json, Json> type(String name, Map<String, String> types) {
        try {
            return JobType.raw(types.getOrDefault(name, name));
        } catch (InvalidRequestException e) {
            throw new InvalidRequestException(
                    "%s; name another one with --type '%s=NAME'".formatted(e.getMessage(), name), e);
        }
    }

    /**
     * Sets the key and the tag by which a later import finds the job.
     *
     * @param mark distinguishes jobs of other files that have the same id; null if ids are unique
     */
    ForeignJob identity(ForeignQueue source, String id, @Nullable String mark) {
        key = "%s:%s%s".formatted(source.system(), id, mark == null ? "" : "@" + mark);
        return with(job -> job.withDedupe(Dedupe.key(key).forEver()).withTags(source.tag()));
    }

    ForeignJob priority(long priority) {
        long nearest = Math.max(Short.MIN_VALUE, Math.min(Short.MAX_VALUE, priority));
        if (nearest != priority) {
            leave("priorities beyond -32768 to 32767: the nearest one is used");
        }
        return with(job -> job.withPriority((int) nearest));
    }

    /** Sets the attempts that remain, at least one. A job that has ended gets all of them, for a retry. */
    ForeignJob attempts(long max, long used) {
        long left = isUnfinished() ? max - used : max;
        return with(job -> job.withMaxAttempts((int) Math.max(1, Math.min(1000, left))));
    }

    /** Notes attempts made there, of which only the number counts. */
    ForeignJob tried(long attempts) {
        if (attempts > 0) {
            leave("attempts made there");
        }
        return this;
    }

    ForeignJob runAt(@Nullable Instant at) {
        return at == null || !isUnfinished() ? this : with(job -> job.withRunAt(at));
    }

    ForeignJob name(@Nullable String name) {
        if (name == null || name.isBlank()) {
            return this;
        }
        if (name.length() > MAX_NAME) {
            leave("ends of names over %d characters".formatted(MAX_NAME));
        }
        return with(job -> job.withName(TerminalText.clip(name, MAX_NAME)));
    }

    ForeignJob parents(List<String> ids) {
        parents.addAll(new LinkedHashSet<>(ids));
        return this;
    }

    ForeignJob result(@Nullable String text) {
        if (state == ForeignState.COMPLETED && text != null) {
            result = json(text);
        } else if (text != null) {
            leave("results of jobs that are not completed");
        }
        return this;
    }

    ForeignJob error(String code, @Nullable String text) {
        errorCode = code;
        if (text == null || text.isEmpty()) {
            return this;
        }
        if (state != ForeignState.FAILED) {
            leave("errors of jobs that are not failed");
        } else if (text.length() > ErrorCodes.MAX_DETAIL) {
            leave("ends of errors over %d characters".formatted(ErrorCodes.MAX_DETAIL));
        }
        error = text;
        return this;
    }

    ForeignJob with(UnaryOperator<JobRequest<Json, Json>> option) {
        request = option.apply(request);
        return this;
    }

    /** Notes values that have no counterpart. */
    ForeignJob leave(String what) {
        leftOut.add(what);
        return this;
    }

    /** Returns JSON unchanged, and other text as a JSON string. */
    private Json json(String text) {
        String value = text;
        if (JsonScan.problem(text) != null) {
            leave("payloads and results that are not JSON: imported as JSON strings");
            StringWriter quoted = new StringWriter();
            try (JsonGenerator generator = JsonScan.STRICT.createGenerator(ObjectWriteContext.empty(), quoted)) {
                generator.writeString(text);
            }
            value = quoted.toString();
        }
        length += value.length();
        if (value.getBytes(StandardCharsets.UTF_8).length > Windrow.DEFAULT_MAX_CONTENT_BYTES) {
            throw new InvalidRequestException("the payload or the result is longer than 64 MiB");
        }
        if (BlobRef.isReserved(value)) {
            throw new InvalidRequestException("the payload or the result begins like a reference to a blob");
        }
        return new Json(value);
    }

    private boolean isUnfinished() {
        return state == ForeignState.WAITING || state == ForeignState.RUNNING;
    }

    ForeignState state() {
        return state;
    }

    /** Returns the ids there of the jobs on which this one depends. */
    List<String> parents() {
        return parents;
    }

    Set<String> leftOut() {
        return leftOut;
    }

    /** Returns the dedupe key, which has the id there. */
    String key() {
        return key;
    }

    JobRequest<Json, Json> request() {
        return request;
    }

    /** Returns the number of characters of the payload and the result. */
    int length() {
        return length;
    }

    /** Ends the enqueued job as it ended there. */
    void end(Jobs jobs, long id) {
        JobHandle<@Nullable Json> job = jobs.job(JobRef.raw(id));
        switch (state) {
            case COMPLETED -> {
                if (result == null) {
                    job.complete();
                } else {
                    job.complete(result);
                }
            }
            case FAILED -> {
                if (error == null) {
                    job.fail(errorCode);
                } else {
                    job.fail(errorCode, error);
                }
            }
            case CANCELLED -> job.cancel();
            case WAITING, RUNNING -> {}
        }
    }
}
