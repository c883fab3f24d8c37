package dev.windrow.cli.transfer;

import dev.windrow.ErrorCodes;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobType;
import dev.windrow.payload.Json;
import dev.windrow.schedule.Schedule;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** The file of plainjob, an npm package. Its times are milliseconds. */
final class PlainjobQueue implements ForeignQueue {
    /** All jobs, in the order in which its workers take them. */
    private static final String JOBS = "SELECT * FROM plainjob_jobs ORDER BY next_run_at, id";

    /** All schedules, in the order of their creation. */
    private static final String SCHEDULES = "SELECT * FROM plainjob_scheduled_jobs ORDER BY id";

    private static final List<String> COLUMNS =
            List.of("id", "type", "data", "status", "failed_at", "error", "next_run_at", "created_at");
    private static final List<String> SCHEDULE_COLUMNS = List.of("id", "type", "cron_expression");

    private final ZoneId zone;
    private final Map<String, String> types;

    /**
     * Reads rows.
     *
     * @param zone the zone of its cron expressions: that of the machine
     */
    PlainjobQueue(ZoneId zone, Map<String, String> types) {
        this.zone = zone;
        this.types = types;
    }

    @Override
    public String system() {
        return "plainjob";
    }

    @Override
    public void check(ForeignFile file) {
        file.require(system(), "plainjob_jobs", COLUMNS);
        file.require(system(), "plainjob_scheduled_jobs", SCHEDULE_COLUMNS);
    }

    @Override
    public String jobs() {
        return JOBS;
    }

    @Override
    public String id(Row row) {
        return row.id("id");
    }

    @Override
    public ForeignState state(Row row) {
        String status = String.valueOf(row.text("status"));
        return switch (status) {
            case "0" -> ForeignState.WAITING;
            case "1" -> ForeignState.RUNNING;
            case "2" -> ForeignState.COMPLETED;
            case "3" -> ForeignState.FAILED;
            default -> throw new InvalidRequestException("status %s is unknown".formatted(status));
        };
    }

    /** Returns a job with one attempt, because plainjob does not retry. */
    @Override
    public ForeignJob job(Row row) {
        return new ForeignJob(state(row), String.valueOf(row.text("type")), row.text("data"), types)
                .identity(this, id(row), row.text("created_at"))
                .attempts(1, 0)
                .runAt(row.time("next_run_at", ZoneOffset.UTC))
                .error(ErrorCodes.INTERNAL_EXCEPTION, row.text("error"));
    }

    @Override
    public void schedules(ForeignFile file, Consumer<Schedule> found, Consumer<String> skipped) {
        file.each(SCHEDULES, row -> {
            String there = String.valueOf(row.text("type"));
            try {
                JobType<Json, Json> type = ForeignJob.type(there, types);
                found.accept(Schedule.cron(
                        type.name(),
                        String.valueOf(row.text("cron_expression")),
                        zone,
                        type.job(new Json("{}")).withMaxAttempts(1)));
            } catch (InvalidRequestException e) {
                skipped.accept("schedule '%s': %s".formatted(there, e.getMessage()));
            }
        });
    }
}
