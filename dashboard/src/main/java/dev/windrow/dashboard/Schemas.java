package dev.windrow.dashboard;

import dev.windrow.JobState;
import dev.windrow.wire.JsonObject;
import java.util.Arrays;
import java.util.List;

/** The schemas of answers for OpenAPI. Answers may get further members at any time. */
final class Schemas {
    private Schemas() {}

    static JsonObject ref(String name) {
        return new JsonObject().put("$ref", "#/components/schemas/" + name);
    }

    static JsonObject all() {
        return more(new JsonObject())
                .put("AnyValue", new JsonObject())
                .put("OpenApi", object())
                .put(
                        "Problem",
                        object(
                                "type",
                                string(),
                                "title",
                                string(),
                                "status",
                                integer(),
                                "kind",
                                word(kinds()),
                                "detail",
                                string()))
                .put(
                        "About",
                        object(
                                "name",
                                string(),
                                "version",
                                string(),
                                "label",
                                nullable(),
                                "traceLink",
                                nullable(),
                                "actor",
                                string(),
                                "permissions",
                                list(string()),
                                "queues",
                                new JsonObject()
                                        .put("type", List.of("array", "null"))
                                        .put("items", string()),
                                "readOnly",
                                flag()))
                .put(
                        "JobState",
                        word(Arrays.stream(JobState.values())
                                .map(JobState::name)
                                .toList()))
                .put(
                        "Job",
                        object(
                                "id",
                                string(),
                                "type",
                                string(),
                                "queue",
                                string(),
                                "name",
                                nullable(),
                                "state",
                                ref("JobState"),
                                "version",
                                string(),
                                "priority",
                                integer(),
                                "run",
                                integer(),
                                "attempt",
                                integer(),
                                "maxAttempts",
                                integer(),
                                "errorCode",
                                nullable(),
                                "errorDetail",
                                nullable(),
                                "createdAt",
                                string(),
                                "tags",
                                list(string())))
                .put(
                        "JobPage",
                        object(
                                "jobs",
                                list(ref("Job")),
                                "next",
                                nullable(),
                                "previous",
                                nullable(),
                                "looked",
                                new JsonObject().put("type", List.of("integer", "null")),
                                "skipped",
                                new JsonObject().put("type", List.of("integer", "null"))))
                .put(
                        "Enqueued",
                        object(
                                "id",
                                nullable(),
                                "state",
                                nullable(),
                                "deduplicated",
                                flag(),
                                "jobs",
                                list(object("id", nullable(), "state", nullable(), "deduplicated", flag()))))
                .put("State", object("id", string(), "state", ref("JobState"), "version", string()))
                .put(
                        "Waited",
                        object("id", string(), "state", ref("JobState"), "version", string(), "finished", flag()))
                .put("Signalled", object("id", string(), "name", string(), "state", ref("JobState"), "kept", flag()))
                .put("Deleted", object("id", string(), "deleted", flag()))
                .put(
                        "Changed",
                        object("changed", integer(), "atLeast", flag(), "ids", list(string()), "skipped", integer()))
                .put(
                        "Log",
                        object(
                                "id",
                                string(),
                                "log",
                                list(object("at", string(), "level", string(), "message", string())),
                                "droppedLines",
                                integer()));
    }

    /** Adds the schemas whose members are lists and objects of one kind. */
    private static JsonObject more(JsonObject schemas) {
        return schemas.put("Explanation", object("id", string(), "state", ref("JobState"), "reasons", list(object())))
                .put(
                        "Submitted",
                        object(
                                "id",
                                string(),
                                "jobs",
                                list(object("id", nullable(), "state", nullable(), "ref", nullable()))))
                .put(
                        "Workflow",
                        object(
                                "id",
                                string(),
                                "finished",
                                flag(),
                                "jobs",
                                integer(),
                                "ended",
                                integer(),
                                "states",
                                object(),
                                "failed",
                                list(string())))
                .put(
                        "WorkflowPage",
                        object(
                                "workflows",
                                list(object(
                                        "id",
                                        string(),
                                        "type",
                                        string(),
                                        "name",
                                        nullable(),
                                        "createdAt",
                                        string(),
                                        "finished",
                                        flag(),
                                        "jobs",
                                        integer(),
                                        "ended",
                                        integer(),
                                        "states",
                                        object(),
                                        "capped",
                                        flag())),
                                "next",
                                nullable(),
                                "looked",
                                integer()))
                .put(
                        "Graph",
                        object(
                                "id",
                                string(),
                                "nodes",
                                list(object("id", string(), "type", string(), "state", ref("JobState"))),
                                "edges",
                                list(object("from", string(), "to", string(), "onFailure", string())),
                                "next",
                                nullable()))
                .put(
                        "Chain",
                        object(
                                "id",
                                string(),
                                "type",
                                string(),
                                "state",
                                ref("JobState"),
                                "finished",
                                flag(),
                                "length",
                                integer(),
                                "jobs",
                                list(ref("Job"))))
                .put("Schedules", object("schedules", list(ref("Schedule"))))
                .put(
                        "Schedule",
                        object(
                                "name",
                                string(),
                                "type",
                                string(),
                                "cron",
                                nullable(),
                                "every",
                                nullable(),
                                "zone",
                                nullable(),
                                "paused",
                                flag(),
                                "nextAt",
                                list(string())))
                .put("ScheduleRuns", object("runs", list(object())))
                .put("ScheduleStarted", object("id", string(), "schedule", string()))
                .put("Preview", object("nextAt", list(string())))
                .put("Removed", object("name", string(), "removed", flag()))
                .put("AllLimits", object("limits", list(ref("Limits"))))
                .put("Limits", object("paused", flag()))
                .put(
                        "Keys",
                        object(
                                "keys",
                                list(object(
                                        "key",
                                        string(),
                                        "paused",
                                        flag(),
                                        "waiting",
                                        integer(),
                                        "held",
                                        integer(),
                                        "holders",
                                        list(object("id", string(), "state", ref("JobState"))))),
                                "found",
                                integer(),
                                "atLeast",
                                flag(),
                                "maxCounted",
                                integer()))
                .put(
                        "Overview",
                        object(
                                "problems",
                                list(object("problem", string(), "subject", nullable())),
                                "problemsInAll",
                                object(),
                                "states",
                                object(),
                                "queues",
                                list(object()),
                                "queuesInAll",
                                integer(),
                                "workers",
                                list(object())))
                .put(
                        "Queues",
                        object("queues", list(object()), "limits", list(ref("Limits")), "queuesInAll", integer()))
                .put("Types", object("types", list(object()), "limits", list(ref("Limits")), "typesInAll", integer()))
                .put("Statistics", object("states", object(), "types", list(object()), "queues", list(object())))
                .put(
                        "Throughput",
                        object(
                                "window",
                                string(),
                                "times",
                                list(object()),
                                "timesInAll",
                                object(),
                                "throughput",
                                object(),
                                "typesInAll",
                                integer()))
                .put(
                        "Failures",
                        object(
                                "failures",
                                list(object(
                                        "errorCode",
                                        string(),
                                        "count",
                                        integer(),
                                        "trend",
                                        list(new JsonObject().put("type", List.of("integer", "null"))))),
                                "trendFrom",
                                nullable(),
                                "trendSince",
                                nullable()))
                .put("Workers", object("workers", list(object("id", string(), "queues", list(string())))))
                .put(
                        "Audit",
                        object(
                                "audit",
                                list(object("at", string(), "action", string(), "actor", string())),
                                "next",
                                nullable()))
                .put("Names", object("names", list(string())))
                .put(
                        "Retention",
                        object(
                                "retention",
                                list(object("state", ref("JobState"), "type", nullable(), "keep", string()))))
                .put("Cleanup", object("deleted", object(), "kept", integer(), "complete", flag(), "dryRun", flag()))
                .put(
                        "Diagnosis",
                        object(
                                "ok",
                                flag(),
                                "checks",
                                list(object("name", string(), "ok", flag(), "detail", string()))));
    }

    private static List<String> kinds() {
        return Arrays.stream(ProblemKind.values()).map(ProblemKind::word).toList();
    }

    /** Returns the schema of an object with these members: names and schemas in turn. */
    private static JsonObject object(Object... members) {
        JsonObject properties = new JsonObject();
        for (int i = 0; i < members.length; i += 2) {
            properties.put((String) members[i], members[i + 1]);
        }
        return new JsonObject().put("type", "object").put("properties", properties);
    }

    private static JsonObject string() {
        return new JsonObject().put("type", "string");
    }

    private static JsonObject nullable() {
        return new JsonObject().put("type", List.of("string", "null"));
    }

    private static JsonObject integer() {
        return new JsonObject().put("type", "integer");
    }

    private static JsonObject flag() {
        return new JsonObject().put("type", "boolean");
    }

    private static JsonObject list(JsonObject items) {
        return new JsonObject().put("type", "array").put("items", items);
    }

    private static JsonObject word(List<String> words) {
        return string().put("enum", words);
    }
}
