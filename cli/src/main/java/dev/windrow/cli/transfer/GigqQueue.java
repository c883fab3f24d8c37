package dev.windrow.cli.transfer;

import dev.windrow.ErrorCodes;
import dev.windrow.InvalidRequestException;
import dev.windrow.RetryPolicy;
import dev.windrow.wire.JsonScan;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;

/** The file of GigQ, a Python package, from version 0.1 on. Its times are local times without a zone. */
final class GigqQueue implements ForeignQueue {
    /** All jobs, in the order of their creation. Priorities are applied when they run. */
    private static final String JOBS = "SELECT * FROM jobs ORDER BY created_at, rowid";

    private static final List<String> COLUMNS = List.of(
            "id",
            "name",
            "function_name",
            "function_module",
            "params",
            "priority",
            "dependencies",
            "max_attempts",
            "timeout",
            "description",
            "status",
            "created_at",
            "attempts",
            "result",
            "error");

    private final ZoneId zone;
    private final Map<String, String> types;

    GigqQueue(ZoneId zone, Map<String, String> types) {
        this.zone = zone;
        this.types = types;
    }

    @Override
    public String system() {
        return "gigq";
    }

    @Override
    public void check(ForeignFile file) {
        file.require(system(), "jobs", COLUMNS);
    }

    @Override
    public String jobs() {
        return JOBS;
    }

    @Override
    public boolean hasParents() {
        return true;
    }

    @Override
    public String id(Row row) {
        return row.id("id");
    }

    @Override
    public ForeignState state(Row row) {
        String status = String.valueOf(row.text("status"));
        return switch (status) {
            case "pending" -> ForeignState.WAITING;
            case "running" -> ForeignState.RUNNING;
            case "completed" -> ForeignState.COMPLETED;
            case "failed", "timeout" -> ForeignState.FAILED;
            case "cancelled" -> ForeignState.CANCELLED;
            default -> throw new InvalidRequestException("status '%s' is unknown".formatted(status));
        };
    }

    @Override
    public ForeignJob job(Row row) {
        String type = "%s.%s".formatted(row.text("function_module"), row.text("function_name"));
        long used = row.number("attempts", 0);
        long seconds = row.number("timeout", 0);
        long retryDelay = row.number("retry_delay", 0);
        ForeignJob job = new ForeignJob(state(row), type, row.text("params"), types)
                .identity(this, id(row), null)
                .priority(row.number("priority", 0))
                .attempts(row.number("max_attempts", 3), used)
                .tried(used)
                .runAt(row.time("retry_after", zone))
                .name(row.text("name"))
                .parents(strings(row.text("dependencies")))
                .result(row.text("result"))
                .error(
                        "timeout".equals(row.text("status"))
                                ? ErrorCodes.TIMEOUT_EXECUTION
                                : ErrorCodes.INTERNAL_EXCEPTION,
                        row.text("error"))
                .with(request -> request.withTimeout(Duration.ofSeconds(seconds == 0 ? 300 : seconds))
                        .withRetry(RetryPolicy.fixed(Duration.ofSeconds(retryDelay))));
        String description = row.text("description");
        if (description != null && !description.isEmpty()) {
            job.leave("descriptions");
        }
        if (row.number("pass_parent_results", 0) == 1) {
            job.leave("pass_parent_results: a handler reads the results of its parents itself");
        }
        return job;
    }

    /** Returns the strings of a JSON array. */
    private static List<String> strings(@Nullable String json) {
        List<String> strings = new ArrayList<>();
        if (json == null) {
            return strings;
        }
        try (JsonParser parser = JsonScan.STRICT.createParser(ObjectReadContext.empty(), json)) {
            boolean isArray = parser.nextToken() == JsonToken.START_ARRAY;
            while (parser.nextToken() == JsonToken.VALUE_STRING) {
                strings.add(parser.getString());
            }
            if (isArray && parser.currentToken() == JsonToken.END_ARRAY) {
                return strings;
            }
        } catch (JacksonException e) {
            throw new InvalidRequestException("dependencies is not JSON", e);
        }
        throw new InvalidRequestException("dependencies is not an array of ids");
    }
}
