package dev.windrow.cli.transfer;

import dev.windrow.ErrorCodes;
import dev.windrow.InvalidRequestException;
import dev.windrow.cli.FailedException;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A table {@code jobs} that an application made itself. Its columns are found by their names. */
final class JobsTable implements ForeignQueue {
    /** All jobs, in the order of the table. */
    private static final String JOBS = "SELECT * FROM jobs";

    /** The values of a job, each with the names of columns that may contain it. The first existing column that no earlier value has counts. */
    @SuppressWarnings("ImmutableEnumChecker") // List.of is immutable; its type does not say so.
    enum Value {
        ID("id", "job_id", "uuid"),
        TYPE("type", "kind", "job_type", "task", "name"),
        PAYLOAD("payload", "data", "args", "arguments", "params"),
        STATE("state", "status"),
        QUEUE("queue", "queue_name"),
        PRIORITY("priority"),
        RUN_AT("run_at", "scheduled_at", "scheduled_for", "next_run_at", "available_at", "run_after"),
        ATTEMPTS("attempts", "attempt", "tries"),
        MAX_ATTEMPTS("max_attempts", "max_tries"),
        CREATED_AT("created_at", "enqueued_at", "inserted_at"),
        ERROR("last_error", "error", "error_message"),
        RESULT("result", "output"),
        NAME("name", "title");

        private final List<String> columns;

        Value(String... columns) {
            this.columns = List.of(columns);
        }
    }

    private final Map<Value, String> columns;
    private final Map<String, ForeignState> states;
    private final Map<String, String> types;
    private final Set<String> unknown = new LinkedHashSet<>();

    /**
     * Reads rows.
     *
     * @param columns the columns that the user named
     * @param states the meanings of states that the user named
     */
    JobsTable(Map<Value, String> columns, Map<String, ForeignState> states, Map<String, String> types) {
        this.columns = new EnumMap<>(Value.class);
        this.columns.putAll(columns);
        this.states = states;
        this.types = types;
    }

    @Override
    public String system() {
        return "jobs-table";
    }

    @Override
    public void check(ForeignFile file) {
        List<String> named = new ArrayList<>(columns.values());
        file.require(system(), "jobs", named);
        unknown.addAll(file.columns("jobs"));
        unknown.removeAll(named);
        for (Value value : Value.values()) {
            if (!columns.containsKey(value)) {
                value.columns.stream().filter(unknown::contains).findFirst().ifPresent(column -> {
                    columns.put(value, column);
                    unknown.remove(column);
                });
            }
        }
        for (Value needed : List.of(Value.ID, Value.TYPE)) {
            if (!columns.containsKey(needed)) {
                String key = needed.name().toLowerCase(Locale.ROOT);
                throw new FailedException(
                        "%s has no column for the %s of its jobs: expected table jobs with one of %s; found %s; name a column with --columns %s=COLUMN"
                                .formatted(
                                        file.name(),
                                        key,
                                        String.join(", ", needed.columns),
                                        unknown.isEmpty() && columns.isEmpty()
                                                ? "no such table"
                                                : String.join(", ", file.columns("jobs")),
                                        key));
            }
        }
    }

    @Override
    public String jobs() {
        return JOBS;
    }

    @Override
    public String id(Row row) {
        return row.id(columns.getOrDefault(Value.ID, ""));
    }

    @Override
    public ForeignState state(Row row) {
        String word = text(row, Value.STATE);
        if (word == null) {
            return ForeignState.WAITING;
        }
        ForeignState named = states.get(word);
        return named != null
                ? named
                : ForeignState.of(word)
                        .orElseThrow(() -> new InvalidRequestException(
                                "state '%s' is unknown; name it with --states '%s=waiting'".formatted(word, word)));
    }

    @Override
    public ForeignJob job(Row row) {
        String payload = text(row, Value.PAYLOAD);
        String created = text(row, Value.CREATED_AT);
        String mark =
                created == null ? Integer.toHexString(String.valueOf(payload).hashCode()) : created;
        long used = number(row, Value.ATTEMPTS, 0);
        ForeignJob job = new ForeignJob(state(row), String.valueOf(text(row, Value.TYPE)), payload, types)
                .identity(this, id(row), mark)
                .priority(number(row, Value.PRIORITY, 0))
                .tried(used)
                .runAt(row.time(columns.getOrDefault(Value.RUN_AT, ""), ZoneOffset.UTC))
                .name(text(row, Value.NAME))
                .result(text(row, Value.RESULT))
                .error(ErrorCodes.INTERNAL_EXCEPTION, text(row, Value.ERROR));
        long max = number(row, Value.MAX_ATTEMPTS, 0);
        if (max > 0) {
            job.attempts(max, used);
        }
        String queue = text(row, Value.QUEUE);
        if (queue != null) {
            job.with(request -> request.withQueue(queue));
        }
        unknown.stream()
                .filter(column -> row.values().get(column) != null)
                .forEach(column -> job.leave("column '%s'".formatted(column)));
        return job;
    }

    private @Nullable String text(Row row, Value value) {
        return row.text(columns.getOrDefault(value, ""));
    }

    private long number(Row row, Value value, long otherwise) {
        return row.number(columns.getOrDefault(value, ""), otherwise);
    }
}
