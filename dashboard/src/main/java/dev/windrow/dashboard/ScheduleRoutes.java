package dev.windrow.dashboard;

import dev.windrow.JobNotFoundException;
import dev.windrow.JobRef;
import dev.windrow.JobRequest;
import dev.windrow.JobState;
import dev.windrow.TimeSource;
import dev.windrow.payload.Json;
import dev.windrow.schedule.Cron;
import dev.windrow.schedule.Misfire;
import dev.windrow.schedule.Overlap;
import dev.windrow.schedule.Schedule;
import dev.windrow.schedule.ScheduleInfo;
import dev.windrow.schedule.ScheduleRun;
import dev.windrow.schedule.Schedules;
import dev.windrow.wire.JsonObject;
import dev.windrow.wire.ScheduleJson;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The handlers of the routes of schedules. */
final class ScheduleRoutes {
    static final List<Field> TIMES = List.of(
            Field.text(
                    "cron",
                    200,
                    "The times as a cron expression of five or six fields, or a word such as `@daily`. Either `cron` or `every` is required."),
            Field.text(
                    "zone", 100, "With cron: the time zone of the expression, such as `Europe/Berlin`, default UTC."),
            Field.duration("every", "1s", "3650d", "A fixed interval, in place of cron."),
            Field.instant("startsAt", "With every: the first run, default one interval from now."));

    static final List<Field> FIELDS = Stream.concat(
                    JobBody.PLAIN.stream(),
                    Stream.concat(
                            TIMES.stream(),
                            Stream.of(
                                    Field.choice(
                                            "misfire",
                                            Misfire.class,
                                            "Missed runs: skip, run once, or run each, default once."),
                                    Field.choice(
                                            "overlap",
                                            Overlap.class,
                                            "If the last job has not ended: enqueue another one or skip the run, default allow."),
                                    JobBody.REASON)))
            .toList();

    private ScheduleRoutes() {}

    static Answer list(Call call) {
        List<ScheduleInfo> visible = call.windrow().schedules().list().stream()
                .filter(schedule -> call.access().sees(schedule.queue()))
                .toList();
        int runs = call.query().integer("runs");
        return Answer.of(new JsonObject().list("schedules", visible, schedule -> {
            JsonObject shown = ScheduleJson.schedule(schedule, call.redactor());
            return runs == 0 ? shown : shown.put("runs", runs(call, schedule, runs));
        }));
    }

    static Answer show(Call call) {
        ScheduleInfo schedule = call.schedule();
        call.reveals("schedule", schedule.name());
        return answer(call, schedule);
    }

    private static Answer answer(Call call, ScheduleInfo schedule) {
        return Answer.of(ScheduleJson.schedule(schedule, call.redactor()));
    }

    static Answer runs(Call call) {
        return Answer.of(new JsonObject()
                .put("runs", runs(call, call.schedule(), call.query().integer("limit"))));
    }

    /** Returns the newest outcomes of a schedule, each with the state of its job. A read that is late returns fewer of them. */
    private static List<JsonObject> runs(Call call, ScheduleInfo schedule, int limit) {
        List<JsonObject> shown = new ArrayList<>();
        if (!call.isLate()) {
            for (ScheduleRun run : call.windrow().schedules().runs(schedule.name(), limit)) {
                shown.add(ScheduleJson.run(run).put("state", state(call, run.job())));
            }
        }
        return shown;
    }

    /** Returns the state of a job of a schedule; null if there is none, or it was deleted since, or the sender does not see it. */
    private static @Nullable JobState state(Call call, @Nullable Long job) {
        try {
            return job == null ? null : call.job("job", job).state();
        } catch (JobNotFoundException e) {
            return null;
        }
    }

    static Answer save(Call call) {
        String name = call.path().some("name");
        JobRequest<Json, Json> job = JobBody.request(call, "", call.body());
        Schedule schedule = schedule(name, call.body(), job);
        // A schedule of the same name in a queue that the sender does not see would be replaced.
        boolean hidden = call.windrow()
                .schedules()
                .find(name)
                .filter(stored -> !call.access().sees(stored.queue()))
                .isPresent();
        if (hidden) {
            throw Problem.notFound("schedule '%s' is not yours: choose another name".formatted(name));
        }
        return answer(call, call.changing().schedules().save(schedule));
    }

    private static Schedule schedule(String name, Values body, JobRequest<Json, Json> job) {
        Schedule schedule = timed(body, (cron, zone) -> Schedule.cron(name, cron, zone, job), (every, start) -> {
            Schedule plain = Schedule.every(name, every, job);
            return start == null ? plain : plain.withStartsAt(start);
        });
        schedule = body.given(schedule, "misfire", Schedule::withMisfire);
        return body.given(schedule, "overlap", Schedule::withOverlap);
    }

    private interface ByCron<T> {
        T of(String cron, ZoneId zone);
    }

    private interface ByInterval<T> {
        T of(Duration every, @Nullable Instant start);
    }

    private static <T> T timed(Values values, ByCron<T> byCron, ByInterval<T> byInterval) {
        String cron = values.text("cron");
        Duration every = values.duration("every");
        if ((cron == null) == (every == null)) {
            throw Problem.invalid(
                    cron == null
                            ? "cron or every is missing: one of them defines the runs"
                            : "cron and every do not go together: each defines the runs");
        }
        if (cron == null && values.has("zone")) {
            throw Problem.invalid("zone needs cron");
        }
        if (every == null && values.has("startsAt")) {
            throw Problem.invalid("startsAt needs every");
        }
        return cron != null ? byCron.of(cron, zone(values)) : byInterval.of(every, values.instant("startsAt"));
    }

    private static ZoneId zone(Values values) {
        String zone = values.text("zone");
        try {
            return zone == null ? ZoneId.of("UTC") : ZoneId.of(zone);
        } catch (DateTimeException e) {
            throw Problem.notAllowed("zone", String.valueOf(zone), "a time zone, such as Europe/Berlin, UTC or +02:00");
        }
    }

    static Answer preview(Call call) {
        Instant from = call.query().instant("from");
        Instant after = from == null ? TimeSource.system().now() : from;
        int count = call.query().integer("count");
        List<Instant> runs = timed(
                call.query(),
                (cron, zone) -> Cron.parse(cron).next(after, zone, count),
                (every, start) -> intervals(every, start == null ? after.plus(every) : start, after, count));
        return Answer.of(new JsonObject().put("nextAt", runs));
    }

    private static List<Instant> intervals(Duration every, Instant start, Instant after, int count) {
        long passed = start.isAfter(after) ? 0 : Duration.between(start, after).dividedBy(every) + 1;
        Instant run = start.plus(every.multipliedBy(passed));
        List<Instant> runs = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            runs.add(run);
            run = run.plus(every);
        }
        return runs;
    }

    static Answer pause(Call call) {
        Schedules schedules = call.changing().schedules();
        String name = call.schedule().name();
        String reason = call.body().text("reason");
        return answer(call, reason == null ? schedules.pause(name) : schedules.pause(name, reason));
    }

    static Answer resume(Call call) {
        return answer(call, call.changing().schedules().resume(call.schedule().name()));
    }

    static Answer run(Call call) {
        ScheduleInfo schedule = call.schedule();
        JobBody.checkExec(call, schedule.type());
        JobRef<?> job = call.changing().schedules().run(schedule.name());
        return Answer.of(ScheduleJson.started(schedule.name(), job));
    }

    static Answer remove(Call call) {
        String name = call.schedule().name();
        call.changing().schedules().remove(name);
        return Answer.of(ScheduleJson.removed(name));
    }
}
