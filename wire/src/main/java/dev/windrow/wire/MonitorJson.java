package dev.windrow.wire;

import dev.windrow.Durations;
import dev.windrow.limit.Limits;
import dev.windrow.monitor.AuditPage;
import dev.windrow.monitor.Diagnosis;
import dev.windrow.monitor.Health;
import dev.windrow.monitor.Statistics;
import dev.windrow.monitor.Throughput;
import dev.windrow.monitor.WorkerInfo;
import dev.windrow.retention.RetentionRules;
import dev.windrow.retention.RetentionRun;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The JSON forms of statistics, workers, the audit and checks. */
public final class MonitorJson {
    private MonitorJson() {}

    /** Returns the statistics with throughput, limits and retention. */
    public static JsonObject statistics(
            Statistics statistics,
            Throughput throughput,
            List<Limits> limits,
            RetentionRules rules,
            Optional<RetentionRun> lastRun) {
        return statistics(statistics)
                .putAll(throughput(throughput))
                .list("limits", limits, LimitJson::limits)
                .put("retention", RetentionJson.summary(rules, lastRun));
    }

    /** Returns the counts, the longest runs and the failures. */
    public static JsonObject statistics(Statistics s) {
        return new JsonObject()
                .put("states", WorkflowJson.states(s.states()))
                .list("types", s.types(), MonitorJson::type)
                .list("queues", s.queues(), MonitorJson::queue)
                .list(
                        "oldestRunning",
                        s.oldestRunning(),
                        running -> new JsonObject()
                                .id("id", running.id())
                                .put("type", running.type())
                                .put("worker", running.worker())
                                .put("startedAt", running.startedAt())
                                .put("heartbeatAt", running.heartbeatAt()))
                .put("runningSince", s.runningSince())
                .list("retries", s.retries(), MonitorJson::retries)
                .list("liveRetries", s.liveRetries(), MonitorJson::retries)
                .putAll(failures(s))
                .list("unserved", s.unserved(), MonitorJson::unserved)
                .list("unhandled", s.unhandled(), MonitorJson::unhandled)
                .put(
                        "waiting",
                        new JsonObject()
                                .put("count", s.waits().count())
                                .put("nextAt", s.waits().nextAt()))
                .put(
                        "schedules",
                        new JsonObject()
                                .put("count", s.schedules().count())
                                .put("paused", s.schedules().paused())
                                .put("overdueMillis", s.schedules().overdueMillis()))
                .list(
                        "stuck",
                        s.stuck(),
                        stuck -> new JsonObject().put("worker", stuck.worker()).put("slots", stuck.slots()));
    }

    /** Returns the queues, and those of them that no live worker serves. */
    public static JsonObject queues(Statistics s) {
        return new JsonObject()
                .list("queues", s.queues(), MonitorJson::queue)
                .list("unserved", s.unserved(), MonitorJson::unserved);
    }

    /** Returns the types, and those of them that no live worker handles. */
    public static JsonObject types(Statistics s) {
        return new JsonObject()
                .list("types", s.types(), MonitorJson::type)
                .list("unhandled", s.unhandled(), MonitorJson::unhandled);
    }

    private static JsonObject type(Statistics.OfType type) {
        return new JsonObject().put("type", type.type()).put("states", WorkflowJson.states(type.states()));
    }

    private static JsonObject queue(Statistics.OfQueue queue) {
        return new JsonObject()
                .put("queue", queue.queue())
                .put("paused", queue.paused())
                .put("states", WorkflowJson.states(queue.states()))
                .put("lagMillis", queue.lagMillis());
    }

    private static JsonObject unhandled(Statistics.Unhandled unhandled) {
        return new JsonObject()
                .put("type", unhandled.type())
                .put("count", unhandled.count())
                .put("similar", unhandled.similar());
    }

    private static JsonObject retries(Statistics.Retries retries) {
        return new JsonObject()
                .put("type", retries.type())
                .put("attempt", retries.attempt())
                .put("count", retries.count());
    }

    private static JsonObject unserved(Statistics.Unserved unserved) {
        return new JsonObject().put("queue", unserved.queue()).put("count", unserved.count());
    }

    /** Returns the error codes of failed jobs, as the array {@code failures}, with the times of their trends. */
    public static JsonObject failures(Statistics s) {
        return new JsonObject()
                .list(
                        "failures",
                        s.failures(),
                        failure -> new JsonObject()
                                .put("errorCode", failure.errorCode())
                                .put("count", failure.count())
                                .put("firstAt", failure.firstAt())
                                .put("lastAt", failure.lastAt())
                                .id("sampleJob", failure.sampleJob())
                                .put(
                                        "trend",
                                        failure.trend().stream()
                                                .map(Statistics.Hour::count)
                                                .toList()))
                .put(
                        "trendFrom",
                        s.failures().isEmpty()
                                ? null
                                : s.failures().get(0).trend().get(0).from())
                .put("trendSince", s.trendSince());
    }

    /** Returns the throughput of all types together, without that of each. */
    public static JsonObject throughputInAll(Throughput throughput) {
        return new JsonObject()
                .put("window", Durations.text(throughput.window()))
                .put("timesInAll", times(new JsonObject(), throughput.all()))
                .put("throughput", points(throughput.all()));
    }

    /** Returns the wait and run times of all types together and of each. */
    public static JsonObject times(Throughput throughput) {
        return new JsonObject()
                .put("window", Durations.text(throughput.window()))
                .put("timesInAll", times(new JsonObject(), throughput.all()))
                .putAll(timesOfTypes(throughput));
    }

    private static JsonObject timesOfTypes(Throughput throughput) {
        return new JsonObject()
                .list(
                        "times",
                        throughput.types().stream()
                                .filter(type -> type.ends().ran().count() > 0)
                                .toList(),
                        type -> times(new JsonObject().put("type", type.type()), type.ends()));
    }

    /** Returns the ends of attempts in a window and by minute and hour, with wait and run times. */
    public static JsonObject throughput(Throughput throughput) {
        return throughputInAll(throughput)
                .putAll(timesOfTypes(throughput))
                .put(
                        "throughput",
                        points(throughput.all())
                                .list(
                                        "types",
                                        throughput.types(),
                                        type -> points(type.ends()).put("type", type.type())));
    }

    private static JsonObject times(JsonObject fields, Throughput.Ends ends) {
        fields.put("count", ends.ran().count())
                .put("succeeded", ends.succeeded())
                .put("failed", ends.failed());
        percentiles(fields, "wait", ends.waited());
        percentiles(fields, "run", ends.ran());
        return fields;
    }

    private static void percentiles(JsonObject fields, String what, Throughput.Times times) {
        fields.put(what + "MeanMillis", times.meanMillis())
                .put(what + "P50Millis", times.p50Millis())
                .put(what + "P90Millis", times.p90Millis())
                .put(what + "P95Millis", times.p95Millis())
                .put(what + "P99Millis", times.p99Millis());
    }

    private static JsonObject points(Throughput.Ends ends) {
        return new JsonObject()
                .list("minutes", ends.minutes(), MonitorJson::point)
                .list("hours", ends.hours(), MonitorJson::point);
    }

    private static JsonObject point(Throughput.Point point) {
        return new JsonObject()
                .put("at", point.from())
                .put("succeeded", point.succeeded())
                .put("failed", point.failed())
                .put("waitP50Millis", point.waited().p50Millis())
                .put("waitP95Millis", point.waited().p95Millis())
                .put("waitP99Millis", point.waited().p99Millis())
                .put("runP50Millis", point.ran().p50Millis())
                .put("runP95Millis", point.ran().p95Millis())
                .put("runP99Millis", point.ran().p99Millis());
    }

    /** Returns workers. */
    public static JsonObject workers(List<WorkerInfo> workers) {
        return new JsonObject()
                .list(
                        "workers",
                        workers,
                        worker -> new JsonObject()
                                .put("id", worker.name())
                                .put("host", worker.host())
                                .put("pid", worker.pid())
                                .put("version", worker.version())
                                .put("queues", worker.queues())
                                .put("types", worker.types())
                                .put(
                                        "minPriority",
                                        worker.minPriority() > Short.MIN_VALUE ? worker.minPriority() : null)
                                .put("slots", worker.slots())
                                .put("busy", worker.busy())
                                .put("claimedAhead", worker.claimedAhead())
                                .ids("running", worker.running())
                                .put("startedAt", worker.startedAt())
                                .put("heartbeatAt", worker.heartbeatAt()));
    }

    /** Returns a page of the audit. */
    public static JsonObject audit(AuditPage page) {
        return new JsonObject()
                .list(
                        "audit",
                        page.entries(),
                        entry -> new JsonObject()
                                .put("at", entry.at())
                                .put("action", entry.action())
                                .put("actor", entry.actor())
                                .put("reason", entry.reason())
                                .put("changed", entry.changed())
                                .list(
                                        "jobs",
                                        entry.jobs(),
                                        job -> new JsonObject()
                                                .id("id", job.id())
                                                .put("from", job.from())
                                                .put("to", job.to()))
                                .put("detail", entry.detail()))
                .id("next", page.next());
    }

    /** Returns the result of checks for probes, and the queues with ready jobs that no live worker serves. */
    public static JsonObject health(List<Diagnosis.Check> checks, List<Statistics.Unserved> unserved) {
        return new JsonObject()
                .put("ok", checks.stream().allMatch(Diagnosis.Check::isOk))
                .list(
                        "checks",
                        checks,
                        check -> new JsonObject()
                                .put("name", check.name())
                                .put("ok", check.isOk())
                                .put("detail", check.detail()))
                .list("unserved", unserved, MonitorJson::unserved);
    }

    /** Returns the background tasks of a process. */
    public static JsonObject health(Health health) {
        return new JsonObject()
                .put("ok", health.isOk())
                .list(
                        "tasks",
                        health.tasks(),
                        task -> new JsonObject()
                                .put("name", task.name())
                                .put("ok", task.isOk())
                                .put("problem", task.problem())
                                .put("sinceProgressMillis", task.sinceProgress().toMillis()));
    }

    /** Returns the result of a diagnosis. */
    public static JsonObject diagnosis(Diagnosis diagnosis) {
        return new JsonObject()
                .put("ok", diagnosis.isOk())
                .list(
                        "checks",
                        diagnosis.checks(),
                        check -> new JsonObject()
                                .put("name", check.name())
                                .put("ok", check.isOk())
                                .put("note", check.result() == Diagnosis.Result.NOTE)
                                .put("finished", check.finished())
                                .put("detail", check.detail())
                                .put("remedy", check.remedy()))
                .list(
                        "queries",
                        diagnosis.queries(),
                        query -> new JsonObject()
                                .put("name", query.name())
                                .put("plan", query.plan())
                                .put("millis", query.time() == null ? null : millis(query.time()))
                                .put("note", query.note()))
                .put("millis", millis(diagnosis.took()));
    }

    /** Returns milliseconds with three decimal places, because most queries take less than one. */
    private static double millis(Duration time) {
        return Math.round(time.toNanos() / 1e3) / 1e3;
    }
}
