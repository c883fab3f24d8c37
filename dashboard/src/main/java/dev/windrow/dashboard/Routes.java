package dev.windrow.dashboard;

import static dev.windrow.dashboard.JobBody.NO_REASON;
import static dev.windrow.dashboard.JobBody.REASON;
import static dev.windrow.dashboard.Permission.CONTROL;
import static dev.windrow.dashboard.Permission.DESTROY;
import static dev.windrow.dashboard.Permission.DIAGNOSE;
import static dev.windrow.dashboard.Permission.ENQUEUE;
import static dev.windrow.dashboard.Permission.OPERATE;
import static dev.windrow.dashboard.Permission.REVEAL;
import static dev.windrow.dashboard.Permission.VIEW;

import dev.windrow.limit.KeyList;
import dev.windrow.monitor.SuggestField;
import java.util.ArrayList;
import java.util.List;

/** The table of routes below {@code /api/v1}. A path that has a word where another one has a parameter stands before it. */
final class Routes {
    private static final Field JOB = Field.id("id", "The id of the job.");
    private static final Field ORDER = Field.choice(
                    "order", List.of("newest", "oldest"), "The order by the time of the enqueue.")
            .orElse("newest");
    private static final Field WORKFLOW = Field.id("id", "The id of the workflow.");
    private static final Field SCHEDULE = Field.text("name", 100, "The name of the schedule.");
    private static final Field KIND =
            Field.choice("kind", List.of("queues", "types", "keys"), "The kind of the target.");
    private static final Field TARGET =
            Field.text("name", 200, "The name of the queue or the type, or the concurrency key.");
    private static final Field WINDOW = Field.duration(
                    "window", "1m", "7d", "The time over which percentiles are computed.")
            .orElse("1h");
    private static final Field ENDED = Field.choice(
                    "state", List.of("COMPLETED", "FAILED", "CANCELLED"), "The state in which the jobs have ended.")
            .required();
    private static final Field TYPE_OF_RULE =
            Field.text("type", 100, "The rule for this type, default the rule for all types.");
    private static final Field REVEALED = Field.flag(
            "reveal", "Return confidential values in full. Needs the permission reveal. The audit names the sender.");
    private static final Field ATTEMPTS =
            Field.integer("attempts", 1, 1000, "The new maximum number of attempts, default unchanged.");
    private static final Field FROM_START =
            Field.flag("fromStart", "Delete the durable steps, so that the handler does all of them again.");
    private static final Field WITH_DEPENDENTS = Field.flag(
            "withDependents",
            "Also retry the jobs that were cancelled because of the job. Not for a sender that sees some queues only.");

    private static final Field FIND = Field.text("find", 200, "A text in the name, in either case, default all names.");
    private static final Field MOST_TARGETS =
            Field.integer("limit", 1, 200, "The maximum number of names.").orElse("100");

    static final List<Route> ALL = List.of(
            Route.get(
                            "/",
                            null,
                            "Returns the name, the version, and the permissions of the sender.",
                            AboutRoutes::about)
                    .answers("About"),
            Route.get(
                            "/openapi.json",
                            null,
                            "Returns the description of this API, in OpenAPI 3.1.",
                            AboutRoutes::openApi)
                    .answers("OpenApi"),

            // Jobs
            Route.get("/jobs", VIEW, "Lists jobs, a page at a time.", JobRoutes::list)
                    .query(with(
                            Filters.FIELDS,
                            ORDER,
                            Field.integer("limit", 1, 200, "The maximum number of jobs of a page.")
                                    .orElse("50"),
                            Field.cursor("after", "next"),
                            Field.cursor("before", "previous"),
                            Field.text(
                                    "payload",
                                    1000,
                                    "Jobs whose payload matches PATH, PATH=VALUE or PATH~TEXT, such as `$.customer.id=42`. Also give a state, type, queue, tag, workflow, chain or parent. Needs the permission reveal, because a search finds out hidden values."),
                            Field.text(
                                    "metadata",
                                    1000,
                                    "Jobs whose metadata match, by the rules of payload. A path without $ begins with a name."),
                            Field.integer(
                                    "look",
                                    1,
                                    100_000,
                                    "With payload or metadata: the number of jobs to read, default 10000."),
                            REVEALED))
                    .needing("reveal", "true", REVEAL)
                    .needing("payload", REVEAL)
                    .needing("metadata", REVEAL)
                    .answers("JobPage"),
            Route.post("/jobs", ENQUEUE, "Enqueues one job, or up to 1000 jobs in one transaction.", JobRoutes::enqueue)
                    .body(JobBody.ONE_OR_MANY)
                    .answers("Enqueued"),
            Route.post(
                            "/jobs/change",
                            OPERATE,
                            "Changes jobs by their ids, all or none, or up to 1000 jobs that match a filter.",
                            JobRoutes::changeMany)
                    .body(
                            Field.choice(
                                            "action",
                                            List.of("retry", "cancel", "trigger", "delete"),
                                            "The change. `delete` needs the permission destroy.")
                                    .required(),
                            Field.id("ids", "The jobs. All are changed or none.")
                                    .upTo(1000),
                            Field.object(
                                            "jobs",
                                            List.of(
                                                    Field.id("id", "The job.").required(),
                                                    Field.plainVersion("version", "Its `version`, as it was read.")
                                                            .required()),
                                            "The jobs, in place of ids, each with its version. If one of them has another version, none is changed.")
                                    .upTo(1000),
                            Field.object(
                                    "filter",
                                    Filters.FIELDS,
                                    "The jobs, in place of ids or jobs. At least one part. `state` and `tag` are lists."),
                            Field.integer(
                                    "max",
                                    1,
                                    1000,
                                    "With a filter: stop after about this many jobs, default 1000, for a dry run no limit."),
                            Field.flag(
                                    "dryRun",
                                    "Change nothing; return the result that the change would have. With a filter it counts for about a second at most. If `atLeast` is true, there may be more."),
                            ATTEMPTS,
                            FROM_START,
                            WITH_DEPENDENTS,
                            REASON)
                    .needing("action", "delete", DESTROY)
                    .answers("Changed"),
            Route.get(
                            "/jobs/{id}",
                            VIEW,
                            "Returns a job with its options, attempts, events, steps and log.",
                            JobRoutes::show)
                    .at(JOB)
                    .query(REVEALED)
                    .needing("reveal", "true", REVEAL)
                    .answers("Job"),
            Route.delete("/jobs/{id}", DESTROY, "Deletes an ended job with all that belongs to it.", JobRoutes::delete)
                    .at(JOB)
                    .ifMatch()
                    .query(REASON)
                    .answers("Deleted"),
            Route.get(
                            "/jobs/{id}/payload",
                            REVEAL,
                            "Returns the payload of a job, of any length. The audit names the sender.",
                            JobRoutes::payload)
                    .at(JOB)
                    .streams(Answer.JSON),
            Route.get(
                            "/jobs/{id}/result",
                            REVEAL,
                            "Returns the result of a job, of any length. The audit names the sender.",
                            JobRoutes::result)
                    .at(JOB)
                    .streams(Answer.JSON),
            Route.get(
                            "/jobs/{id}/log",
                            VIEW,
                            "Returns the last lines that the handlers of a job have logged.",
                            JobRoutes::log)
                    .at(JOB)
                    .answers("Log"),
            Route.get("/jobs/{id}/attempts/{n}/stack", VIEW, "Returns the stack trace of an attempt.", JobRoutes::stack)
                    .at(JOB, Field.integer("n", 1, Integer.MAX_VALUE, "The number of the attempt within its run."))
                    .query(Field.integer("run", 1, Integer.MAX_VALUE, "The run of the job, default the last one."))
                    .media("text/plain;charset=utf-8"),
            Route.get(
                            "/jobs/{id}/explain",
                            VIEW,
                            "Returns why a job does not run, or what it is doing.",
                            JobRoutes::explain)
                    .at(JOB)
                    .answers("Explanation"),
            Route.get(
                            "/jobs/{id}/wait",
                            VIEW,
                            "Waits for the end of a job, and returns its state. `finished` is false after the time-out.",
                            JobRoutes::await)
                    .at(JOB)
                    .query(Field.duration("timeout", "0s", "60s", "The longest wait.")
                            .orElse("30s"))
                    .in(Route.Pool.WAITS)
                    .answers("Waited"),
            Route.post("/jobs/{id}/retry", OPERATE, "Retries a failed or cancelled job.", JobRoutes::retry)
                    .at(JOB)
                    .ifMatch()
                    .body(ATTEMPTS, FROM_START, WITH_DEPENDENTS, REASON)
                    .answers("State"),
            Route.post("/jobs/{id}/trigger", OPERATE, "Makes a scheduled job due now.", JobRoutes::trigger)
                    .at(JOB)
                    .ifMatch()
                    .body(REASON)
                    .answers("State"),
            Route.post("/jobs/{id}/cancel", OPERATE, "Cancels a job that has not ended.", JobRoutes::cancel)
                    .at(JOB)
                    .ifMatch()
                    .body(REASON)
                    .answers("State"),
            Route.post(
                            "/jobs/{id}/complete",
                            OPERATE,
                            "Completes a job that has not ended, without its handler.",
                            JobRoutes::complete)
                    .at(JOB)
                    .ifMatch()
                    .body(Field.json("result", "The result: any JSON value, default none."), REASON)
                    .answers("State"),
            Route.post(
                            "/jobs/{id}/fail",
                            OPERATE,
                            "Fails a job that has not ended, without its handler.",
                            JobRoutes::fail)
                    .at(JOB)
                    .ifMatch()
                    .body(
                            Field.text("errorCode", 200, "The error code: `CATEGORY:SUBCATEGORY`.")
                                    .required(),
                            Field.text("errorDetail", 500, "A text for humans, default none."),
                            REASON)
                    .answers("State"),
            Route.post("/jobs/{id}/signal", OPERATE, "Sends an event to a job that has not ended.", JobRoutes::signal)
                    .at(JOB)
                    .ifMatch()
                    .body(
                            Field.text("event", 200, "The name of the event.").required(),
                            Field.json("payload", "The payload of the event: any JSON value, default none."),
                            REASON)
                    .answers("Signalled"),
            Route.get(
                            "/export",
                            REVEAL,
                            "Returns the whole histories of jobs, a line of JSON each. The audit names the sender.",
                            JobRoutes::export)
                    .query(with(Filters.FIELDS, ORDER))
                    .streams(Answer.NDJSON),

            // Workflows and chains
            Route.post(
                            "/workflows",
                            ENQUEUE,
                            "Submits a workflow: jobs, some of which wait for others, in one transaction.",
                            WorkflowRoutes::submit)
                    .body(
                            Field.object(
                                            "jobs",
                                            WorkflowRoutes.NODE,
                                            "The jobs, parents before children. `ref` names a job within this request. `after` lists the refs of earlier jobs for which it waits.")
                                    .upTo(1000)
                                    .required(),
                            NO_REASON)
                    .answers("Submitted"),
            Route.get(
                            "/workflows",
                            VIEW,
                            "Lists workflows, the newest first, with the number of jobs in each state.",
                            WorkflowRoutes::list)
                    .query(
                            Field.text("type", 100, "Workflows whose first job has this type."),
                            Field.flag("unfinished", "Workflows with a job that has not ended."),
                            Field.flag("failed", "Workflows with a job that is FAILED."),
                            Field.integer("limit", 1, 200, "The maximum number of workflows of a page.")
                                    .orElse("50"),
                            Field.cursor("after", "next"))
                    .answers("WorkflowPage"),
            Route.get(
                            "/workflows/{id}",
                            VIEW,
                            "Counts the jobs of a workflow by state, and returns up to 20 failed ones.",
                            WorkflowRoutes::show)
                    .at(WORKFLOW)
                    .answers("Workflow"),
            Route.get(
                            "/workflows/{id}/graph",
                            VIEW,
                            "Returns the jobs of a workflow and their dependencies.",
                            WorkflowRoutes::graph)
                    .at(WORKFLOW)
                    .query(
                            Field.integer("limit", 1, 2000, "The maximum number of jobs.")
                                    .orElse("2000"),
                            Field.cursor("after", "next"))
                    .answers("Graph"),
            Route.get("/chains/{id}", VIEW, "Returns a chain with its jobs.", WorkflowRoutes::chain)
                    .at(Field.id("id", "The id of a job of the chain."))
                    .query(REVEALED)
                    .needing("reveal", "true", REVEAL)
                    .answers("Chain"),

            // Schedules
            Route.get("/schedules", VIEW, "Lists the schedules.", ScheduleRoutes::list)
                    .query(
                            Field.integer("runs", 0, 20, "The number of newest outcomes to return of each schedule.")
                                    .orElse("0"),
                            REVEALED)
                    .needing("reveal", "true", REVEAL)
                    .answers("Schedules"),
            Route.get(
                            "/schedules/preview",
                            VIEW,
                            "Returns the next runs of a cron expression or an interval.",
                            ScheduleRoutes::preview)
                    .query(with(
                            ScheduleRoutes.TIMES,
                            Field.instant("from", "The runs after this time, default now."),
                            Field.integer("count", 1, 50, "The number of runs.").orElse("10")))
                    .answers("Preview"),
            Route.get("/schedules/{name}", VIEW, "Returns a schedule.", ScheduleRoutes::show)
                    .at(SCHEDULE)
                    .query(REVEALED)
                    .needing("reveal", "true", REVEAL)
                    .answers("Schedule"),
            Route.put(
                            "/schedules/{name}",
                            CONTROL,
                            "Creates a schedule, or changes the one of this name.",
                            ScheduleRoutes::save)
                    .at(SCHEDULE)
                    .body(ScheduleRoutes.FIELDS)
                    .answers("Schedule"),
            Route.delete("/schedules/{name}", CONTROL, "Removes a schedule. Its jobs stay.", ScheduleRoutes::remove)
                    .at(SCHEDULE)
                    .query(REASON)
                    .answers("Removed"),
            Route.get(
                            "/schedules/{name}/runs",
                            VIEW,
                            "Returns the outcomes of the newest due times of a schedule.",
                            ScheduleRoutes::runs)
                    .at(SCHEDULE)
                    .query(Field.integer("limit", 1, 200, "The maximum number of outcomes.")
                            .orElse("20"))
                    .answers("ScheduleRuns"),
            Route.post("/schedules/{name}/pause", CONTROL, "Pauses a schedule.", ScheduleRoutes::pause)
                    .at(SCHEDULE)
                    .body(REASON)
                    .answers("Schedule"),
            Route.post(
                            "/schedules/{name}/resume",
                            CONTROL,
                            "Resumes a schedule at its first run after now.",
                            ScheduleRoutes::resume)
                    .at(SCHEDULE)
                    .body(REASON)
                    .answers("Schedule"),
            Route.post("/schedules/{name}/run", CONTROL, "Enqueues one job of a schedule now.", ScheduleRoutes::run)
                    .at(SCHEDULE)
                    .body(REASON)
                    .answers("ScheduleStarted"),

            // Pauses and limits
            Route.get("/controls", VIEW, "Lists all pauses and limits.", LimitRoutes::list)
                    .answers("AllLimits"),
            Route.get(
                            "/controls/keys",
                            VIEW,
                            "Lists the concurrency keys with waiting jobs, a pause or a limit, most waiting jobs first.",
                            LimitRoutes::keys)
                    .query(Field.integer("limit", 1, KeyList.MAX_KEYS, "The maximum number of keys.")
                            .orElse("50"))
                    .wholeStore()
                    .answers("Keys"),
            Route.get(
                            "/controls/{kind}/{name}",
                            VIEW,
                            "Returns the pause and the limits of a queue, a type or a concurrency key.",
                            LimitRoutes::show)
                    .at(KIND, TARGET)
                    .answers("Limits"),
            Route.put(
                            "/controls/{kind}/{name}",
                            CONTROL,
                            "Changes the pause and the limits that the body names. The others stay.",
                            LimitRoutes::set)
                    .at(KIND, TARGET)
                    .body(
                            Field.flag("paused", "True: start no more jobs. False: end the pause."),
                            Field.integer(
                                            "maxRunning",
                                            1,
                                            1_000_000,
                                            "How many jobs run at once, or `none` for no limit.")
                                    .or(LimitRoutes.NONE),
                            Field.text(
                                    "rate",
                                    50,
                                    "How often a job starts, such as `10/s`, `600/m` or `5/2s`, or `none` for no limit."),
                            Field.integer(
                                    "burst",
                                    1,
                                    1_000_000,
                                    "With rate: how many jobs may start at once after a time without starts, default as many as in 100 ms."),
                            REASON)
                    .answers("Limits"),
            Route.delete(
                            "/controls/{kind}/{name}",
                            CONTROL,
                            "Ends the pause and removes the limits.",
                            LimitRoutes::remove)
                    .at(KIND, TARGET)
                    .query(REASON)
                    .answers("Limits"),

            // The store
            Route.get(
                            "/overview",
                            VIEW,
                            "Returns the state of the store at a glance, problems first, without the throughput of each type and the jobs and types of workers. Its age is at most a second, or three times the time that reading it takes, if that is longer. It has at most 200 queues, 200 types, 200 keys with a limit and 20 problems of a kind, and the numbers of all.",
                            MonitorRoutes::overview)
                    .answers("Overview"),
            Route.get(
                            "/queues",
                            VIEW,
                            "Lists queues with the numbers of their jobs by state, and their limits. If there are more than the limit, queues with a pause or a limit are first, then those with ready or running jobs. The numbers may be as old as those of `GET /overview`.",
                            MonitorRoutes::queues)
                    .query(FIND, MOST_TARGETS)
                    .answers("Queues"),
            Route.get("/types", VIEW, "Lists types, by the rules of queues.", MonitorRoutes::types)
                    .query(FIND, MOST_TARGETS)
                    .wholeStore()
                    .answers("Types"),
            Route.get("/stats", VIEW, "Returns the statistics of the store.", MonitorRoutes::statistics)
                    .query(WINDOW)
                    .answers("Statistics"),
            Route.get(
                            "/throughput",
                            VIEW,
                            "Returns how many attempts have ended, and how long jobs waited and ran.",
                            MonitorRoutes::throughput)
                    .query(
                            WINDOW,
                            Field.text("type", 100, "Attempts of jobs of this type."),
                            Field.text(
                                    "queue",
                                    100,
                                    "Attempts of jobs in this queue. A sender that sees several queues only must name one."),
                            Field.integer(
                                            "limit",
                                            1,
                                            1000,
                                            "The maximum number of types. The types with the most attempts are listed.")
                                    .orElse("100"),
                            Field.flag("timesOnly", "Leave out the minutes and hours."))
                    .answers("Throughput"),
            Route.get(
                            "/failures",
                            VIEW,
                            "Returns error codes of failed jobs, most frequent first: the 20 most frequent ones, and the 20 most frequent"
                                    + " ones of the last 24 hours. `trend` has the jobs that failed in each of the"
                                    + " last 24 hours, from `trendFrom` on, and null for hours before `trendSince`. Those were not read."
                                    + " It is as old as the overview.",
                            MonitorRoutes::failures)
                    .wholeStore()
                    .answers("Failures"),
            Route.get("/workers", VIEW, "Lists the live workers.", MonitorRoutes::workers)
                    .answers("Workers"),
            Route.get(
                            "/audit",
                            VIEW,
                            "Returns the changes by operators and by retention, and the reads of confidential values, the newest first.",
                            MonitorRoutes::audit)
                    .query(
                            Field.text("action", 50, "Changes by this verb, such as `CANCEL`."),
                            Field.text("actor", 200, "Changes by this actor."),
                            Field.id("job", "Changes of this job."),
                            Field.instant("from", "Changes at this time or later."),
                            Field.instant("before", "Changes before this time."),
                            Field.integer("limit", 1, 200, "The maximum number of entries.")
                                    .orElse("50"),
                            Field.cursor("after", "next"),
                            REVEALED)
                    .needing("reveal", "true", REVEAL)
                    .answers("Audit"),
            Route.get("/suggest", VIEW, "Returns names that begin with a text, for completion.", MonitorRoutes::suggest)
                    .query(
                            Field.choice("field", SuggestField.class, "The field of the names.")
                                    .required(),
                            Field.text(
                                    "prefix",
                                    200,
                                    "The beginning of the names; upper and lower case differ. Default all names."),
                            Field.integer("limit", 1, 100, "The maximum number of names.")
                                    .orElse("20"))
                    .answers("Names"),
            Route.get("/retention", VIEW, "Returns the rules of retention.", RetentionRoutes::rules)
                    .wholeStore()
                    .answers("Retention"),
            Route.put("/retention", DESTROY, "Sets a rule of retention.", RetentionRoutes::set)
                    .body(
                            ENDED,
                            TYPE_OF_RULE,
                            Field.duration("keep", "0s", "36500d", "How long ended jobs are kept, or `forever`.")
                                    .or(RetentionRoutes.FOREVER)
                                    .required(),
                            REASON)
                    .wholeStore()
                    .answers("Retention"),
            Route.delete(
                            "/retention",
                            DESTROY,
                            "Removes the rule for a type, or resets the rule for all types to its default.",
                            RetentionRoutes::reset)
                    .query(ENDED, TYPE_OF_RULE, REASON)
                    .wholeStore()
                    .answers("Retention"),
            Route.post(
                            "/cleanup",
                            DESTROY,
                            "Works for up to 10 seconds, and deletes jobs that the rules no longer keep. `complete` says if all are deleted.",
                            RetentionRoutes::cleanup)
                    .body(
                            age("completed"),
                            age("failed"),
                            age("cancelled"),
                            Field.text("type", 100, "Jobs of this type only."),
                            Field.integer(
                                    "max", 1, Integer.MAX_VALUE, "Stop after about this many jobs, default no limit."),
                            Field.flag("dryRun", "Delete nothing; count the jobs."),
                            REASON)
                    .wholeStore()
                    .answers("Cleanup"),
            Route.get("/doctor", DIAGNOSE, "Examines the store. One examination runs at a time.", MonitorRoutes::doctor)
                    .query(
                            Field.flag("quick", "Leave out the comparison of indexes with their tables."),
                            Field.duration(
                                            "budget",
                                            "0s",
                                            "60s",
                                            "The time limit; checks that are not finished say so.")
                                    .orElse("10s"))
                    .in(Route.Pool.DIAGNOSES)
                    .wholeStore()
                    .answers("Diagnosis"));

    private Routes() {}

    private static Field age(String state) {
        return Field.duration(
                        state,
                        "0s",
                        "36500d",
                        "Delete jobs of this state that ended longer ago, or none: `forever`. Default by the rules.")
                .or(RetentionRoutes.FOREVER);
    }

    private static List<Field> with(List<Field> fields, Field... more) {
        List<Field> all = new ArrayList<>(fields);
        all.addAll(List.of(more));
        return List.copyOf(all);
    }
}
