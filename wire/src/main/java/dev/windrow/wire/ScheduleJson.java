package dev.windrow.wire;

import dev.windrow.Durations;
import dev.windrow.JobRef;
import dev.windrow.RetryPolicy;
import dev.windrow.limit.ConcurrencyKey;
import dev.windrow.limit.Limits;
import dev.windrow.payload.Json;
import dev.windrow.payload.Metadata;
import dev.windrow.schedule.ScheduleInfo;
import dev.windrow.schedule.ScheduleRun;
import java.time.Duration;
import java.util.List;

/** The JSON forms of schedules. */
public final class ScheduleJson {
    private ScheduleJson() {}

    /** Returns a list of schedules. */
    public static JsonObject list(List<ScheduleInfo> schedules) {
        return list(schedules, Redactor.none());
    }

    /** Returns a list of schedules, with redacted payloads. */
    public static JsonObject list(List<ScheduleInfo> schedules, Redactor redactor) {
        return new JsonObject().list("schedules", schedules, schedule -> schedule(schedule, redactor));
    }

    /** Returns a schedule. */
    public static JsonObject schedule(ScheduleInfo schedule) {
        return schedule(schedule, Redactor.none());
    }

    /** Returns a schedule, with a redacted payload. */
    public static JsonObject schedule(ScheduleInfo schedule, Redactor redactor) {
        Limits.Pause pause = schedule.pause();
        Duration every = schedule.every();
        Json payload = schedule.payload();
        Duration timeout = schedule.timeout();
        Metadata metadata = schedule.metadata();
        RetryPolicy retry = schedule.retryPolicy();
        ConcurrencyKey key = schedule.concurrencyKey();
        boolean sequence = key != null && key.inSequence();
        return new JsonObject()
                .put("name", schedule.name())
                .put("type", schedule.type())
                .put("queue", schedule.queue())
                .put("payload", payload == null ? null : redactor.redact(schedule.type(), payload))
                .put("jobName", schedule.jobName())
                .put("priority", schedule.priority())
                .put("maxAttempts", schedule.maxAttempts())
                .put("timeout", timeout == null ? null : Durations.text(timeout))
                .put("retryPolicy", retry == null ? null : retry.text())
                .put("concurrencyKey", key == null || sequence ? null : key.key())
                .put("concurrencyLimit", key == null ? null : key.maxRunning())
                .put("sequenceKey", key == null || !sequence ? null : key.key())
                .put("tags", schedule.tags())
                .put(
                        "metadata",
                        metadata.equals(Metadata.none())
                                ? null
                                : redactor.redact(schedule.type(), new Json(metadata.json())))
                .put("cron", schedule.cron())
                .put("zone", schedule.zone())
                .put("every", every == null ? null : Durations.text(every))
                .put("startsAt", schedule.startsAt())
                .put("misfire", JobJson.lower(schedule.misfire()))
                .put("overlap", JobJson.lower(schedule.overlap()))
                .put("paused", schedule.isPaused())
                .put("pausedAt", pause == null ? null : pause.at())
                .put("pausedBy", pause == null ? null : pause.by())
                .put("reason", pause == null ? null : pause.reason())
                .put("nextAt", schedule.nextRuns())
                .put("lastAt", schedule.lastRun())
                .id("lastJob", schedule.lastJob())
                .put("createdAt", schedule.createdAt())
                .put("problem", schedule.problem());
    }

    /** Returns the runs of a schedule, as the array {@code runs}. */
    public static JsonObject runs(List<ScheduleRun> runs) {
        return new JsonObject().list("runs", runs, ScheduleJson::run);
    }

    /** Returns a run of a schedule. */
    public static JsonObject run(ScheduleRun run) {
        return new JsonObject()
                .put("due", run.due())
                .put("until", run.until())
                .put("runs", run.runs())
                .put("at", run.at())
                .put("outcome", run.outcome())
                .id("job", run.job());
    }

    /** Returns the job of a run that was started by hand. */
    public static JsonObject started(String name, JobRef<?> job) {
        return new JsonObject().id("id", job.id()).put("schedule", name);
    }

    /** Returns the removal of a schedule. */
    public static JsonObject removed(String name) {
        return new JsonObject().put("name", name).put("removed", true);
    }
}
