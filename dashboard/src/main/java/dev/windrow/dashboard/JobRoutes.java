package dev.windrow.dashboard;

import dev.windrow.AwaitTimeoutException;
import dev.windrow.BulkResult;
import dev.windrow.Enqueued;
import dev.windrow.JobHandle;
import dev.windrow.JobHandles;
import dev.windrow.JobHistory;
import dev.windrow.JobInfo;
import dev.windrow.JobNotFoundException;
import dev.windrow.JobRef;
import dev.windrow.JobRequest;
import dev.windrow.JobSelection;
import dev.windrow.JobUnsuccessfulException;
import dev.windrow.Retry;
import dev.windrow.Windrow;
import dev.windrow.payload.BlobRef;
import dev.windrow.payload.Content;
import dev.windrow.payload.Json;
import dev.windrow.query.JobFilter;
import dev.windrow.query.JobMatches;
import dev.windrow.query.JobPage;
import dev.windrow.query.JobQuery;
import dev.windrow.query.PayloadMatch;
import dev.windrow.step.Signalled;
import dev.windrow.wire.JobJson;
import dev.windrow.wire.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The handlers of the routes of jobs. */
final class JobRoutes {
    private static final int PAGE = 200;
    private static final int MOST_CHANGED = 1000;

    private JobRoutes() {}

    static Answer list(Call call) {
        Values query = call.query();
        JobFilter filter = Filters.of(query);
        Long after = query.number("after");
        Long before = query.number("before");
        if (after != null && before != null) {
            throw Problem.invalid("after and before do not go together: a page is after or before a cursor");
        }
        if (query.has("payload") && query.has("metadata")) {
            throw Problem.invalid("payload and metadata do not go together: give one of them");
        }
        int limit = query.integer("limit");
        String searched = query.has("metadata") ? "metadata" : query.has("payload") ? "payload" : null;
        if (searched == null && query.has("look")) {
            throw Problem.invalid("look needs payload or metadata");
        }
        JobFilter narrowed = Visible.narrowed(call.access(), filter);
        boolean oldestFirst = "oldest".equals(query.text("order"));
        if (!Visible.mayMatch(call.access(), filter)) {
            return searched == null
                    ? page(call, new JobPage(List.of(), null))
                    : page(call, new JobMatches(List.of(), null, 0, 0));
        }
        Set<String> queues = narrowed.queue() == null ? call.access().queues() : null;
        if (searched != null) {
            if (queues != null) {
                // The cursor and the numbers would tell of matches in other queues.
                throw Visible.queueMissing(call.access(), "queue");
            }
            return search(call, ordered(call, narrowed, oldestFirst).limit(limit), searched, after, before);
        }
        // One part of the list: it may have no job, and still a next part.
        Function<JobFilter, JobPage> read = some -> {
            JobQuery all = ordered(call, some, oldestFirst);
            return (after != null ? all.after(after) : before != null ? all.before(before) : all).page(limit);
        };
        return page(
                call,
                queues == null
                        ? read.apply(narrowed)
                        : VisibleJobs.page(
                                queues,
                                limit,
                                /* ascending= */ oldestFirst == (before == null),
                                /* backwards= */ before != null,
                                queue -> read.apply(narrowed.withQueue(queue))));
    }

    private static JobQuery ordered(Call call, JobFilter filter, boolean oldestFirst) {
        JobSelection jobs = call.windrow().jobs(filter);
        return oldestFirst ? jobs.oldestFirst() : jobs.newestFirst();
    }

    private static Answer search(
            Call call, JobQuery all, String searched, @Nullable Long after, @Nullable Long before) {
        if (before != null) {
            throw Problem.invalid("before does not go with %s: a search has the cursor after only".formatted(searched));
        }
        String text = call.query().some(searched);
        boolean metadata = searched.equals("metadata");
        PayloadMatch match = PayloadMatch.parse(metadata && !text.startsWith("$") ? "$." + text : text);
        int look = call.query().has("look") ? call.query().integer("look") : 10_000;
        JobQuery query = after == null ? all : all.after(after);
        JobMatches found = metadata ? query.searchMetadata(match, look) : query.search(match, look);
        return page(call, found);
    }

    private static Answer page(Call call, JobPage page) {
        call.revealsList(page.jobs(), /* search= */ false);
        return Answer.of(JobJson.page(page, job -> JobJson.listed(job, call.redactor())));
    }

    private static Answer page(Call call, JobMatches page) {
        call.revealsList(page.jobs(), /* search= */ true);
        return Answer.of(JobJson.page(page, job -> JobJson.listed(job, call.redactor())));
    }

    static Answer enqueue(Call call) {
        Values body = call.body();
        List<Values> many = body.list("jobs");
        if (!body.has("jobs")) {
            if (!body.has("type")) {
                throw Problem.invalid("type is missing; allowed: a job, or jobs with several");
            }
            JobRequest<Json, Json> request = JobBody.request(call, "", body);
            JobBody.checkNeighbours(call, List.of(request));
            Enqueued<Json> job = call.changing().enqueue(request);
            call.changed();
            Answer answer = Answer.json(job.deduplicated() ? 200 : 201, Visible.enqueued(call, job));
            return Visible.hides(call, job) ? answer : answer.header("Location", "jobs/" + job.id());
        }
        for (Field field : JobBody.FIELDS) {
            if (body.has(field.name())) {
                throw Problem.invalid("%s does not go with jobs: each job has its own".formatted(field.name()));
            }
        }
        if (many.isEmpty()) {
            throw Problem.invalid("jobs: 0 jobs are not allowed; allowed: 1 to 1000");
        }
        List<JobRequest<Json, Json>> requests = new ArrayList<>();
        for (Values values : many) {
            requests.add(JobBody.request(call, "jobs[%d].".formatted(requests.size()), values));
        }
        JobBody.checkNeighbours(call, requests);
        List<Enqueued<?>> jobs = call.changing().enqueueAll(requests);
        call.changed();
        return Answer.json(
                201,
                new JsonObject()
                        .put(
                                "jobs",
                                jobs.stream()
                                        .map(job -> Visible.enqueued(call, job))
                                        .toList()));
    }

    static Answer show(Call call) {
        JobHistory history = history(call);
        call.reveals(List.of(history.job().id()));
        return Answer.of(JobJson.history(history, call.redactor()))
                .version(history.job().version());
    }

    private static JobHistory history(Call call) {
        JobHistory history = call.windrow().job(call.path().id("id")).history();
        if (!call.access().sees(history.job().queue())) {
            throw new JobNotFoundException("job", history.job().id());
        }
        return history;
    }

    static Answer delete(Call call) {
        long id = call.path().id("id");
        call.changingJob().delete();
        return Answer.of(new JsonObject().id("id", id).put("deleted", true));
    }

    static Answer payload(Call call) {
        JobHistory history = history(call);
        return content(
                call, "payload", history.payload(), handle(call).payload().orElse(null));
    }

    static Answer result(Call call) {
        JobHistory history = history(call);
        return content(call, "result", history.result(), handle(call).result().orElse(null));
    }

    private static JobHandle<@Nullable Json> handle(Call call) {
        return call.windrow().job(call.path().id("id"));
    }

    private static Answer content(Call call, String what, @Nullable Json stored, @Nullable Content content) {
        long id = call.path().id("id");
        if (content == null || stored == null) {
            throw Problem.notFound("job %d has no %s".formatted(id, what));
        }
        call.reveals(List.of(id));
        BlobRef blob = BlobRef.of(stored.text());
        boolean json = blob == null || blob.form() == BlobRef.Form.JSON;
        return Answer.stream(json ? Answer.JSON : "application/octet-stream", out -> {
                    try (InputStream in = content.open()) {
                        in.transferTo(out);
                    }
                })
                .header(
                        "Content-Disposition",
                        "attachment; filename=\"job-%d-%s.%s\"".formatted(id, what, json ? "json" : "bin"));
    }

    static Answer log(Call call) {
        return Answer.of(JobJson.log(history(call)));
    }

    static Answer stack(Call call) {
        JobHistory history = history(call);
        int attempt = call.path().integer("n");
        Long run = call.query().number("run");
        long wanted = run == null ? history.job().run() : run;
        String found = null;
        for (JobHistory.Attempt each : history.attempts()) {
            if (each.attempt() == attempt && each.run() == wanted && each.stackTrace() != null) {
                found = each.stackTrace();
            }
        }
        if (found == null) {
            throw Problem.notFound("attempt %d of run %d of job %d has no stack trace"
                    .formatted(attempt, wanted, history.job().id()));
        }
        return Answer.text(200, "text/plain;charset=utf-8", found);
    }

    static Answer explain(Call call) {
        return Answer.of(JobJson.explanation(Visible.explanation(
                call.access(),
                call.windrow(),
                call.windrow().job(call.job().id()).explain())));
    }

    static Answer await(Call call) {
        long id = call.job().id();
        boolean ended = true;
        try {
            Json unused = call.windrow()
                    .await(JobRef.raw(id), Objects.requireNonNull(call.query().duration("timeout")));
        } catch (AwaitTimeoutException e) {
            ended = false;
        } catch (JobUnsuccessfulException e) {
            // An end as well.
        }
        return Answer.of(state(call.job()).put("finished", ended));
    }

    private static JsonObject state(JobInfo job) {
        return JobJson.ended(JobRef.raw(job.id()), job.state()).id("version", job.version());
    }

    /** A change of one job. */
    private interface Change {
        void of(JobHandle<@Nullable Json> job);
    }

    private static Answer change(Call call, Change change) {
        change.of(call.changingJob());
        call.changed();
        return Answer.of(state(call.job()));
    }

    static Answer retry(Call call) {
        Retry how = how(call);
        return change(call, job -> {
            BulkResult unused = job.retry(how);
        });
    }

    private static Retry how(Call call) {
        Values body = call.body();
        if (body.flag("withDependents") && call.access().queues() != null) {
            throw Visible.allQueues(call.access(), "withDependents");
        }
        Long attempts = body.number("attempts");
        Retry how = attempts == null ? Retry.keepingAttempts() : Retry.attempts(attempts.intValue());
        how = body.flag("fromStart") ? how.fromStart() : how;
        return body.flag("withDependents") ? how.withDependents() : how;
    }

    static Answer trigger(Call call) {
        return change(call, JobHandle::trigger);
    }

    static Answer cancel(Call call) {
        return change(call, JobHandle::cancel);
    }

    static Answer complete(Call call) {
        Json result = call.body().json("result");
        return change(call, job -> {
            if (result == null) {
                job.complete();
            } else {
                job.complete(result);
            }
        });
    }

    static Answer fail(Call call) {
        Values body = call.body();
        String detail = body.text("errorDetail");
        return change(call, job -> {
            if (detail == null) {
                job.fail(body.some("errorCode"));
            } else {
                job.fail(body.some("errorCode"), detail);
            }
        });
    }

    static Answer signal(Call call) {
        Values body = call.body();
        Json payload = body.json("payload");
        String event = body.some("event");
        JobHandle<@Nullable Json> job = call.changingJob();
        Signalled signalled = payload == null ? job.signal(event) : job.signal(event, payload);
        return Answer.of(JobJson.signalled(job.ref(), event, signalled));
    }

    static Answer changeMany(Call call) {
        Values body = call.body();
        String action = body.some("action");
        Retry how = how(call);
        if (!action.equals("retry")) {
            for (String field : List.of("attempts", "fromStart", "withDependents")) {
                if (body.has(field)) {
                    throw Problem.invalid("%s is for the action retry, not for %s".formatted(field, action));
                }
            }
        }
        Windrow windrow = call.changing();
        JobHandles jobs = body.has("ids") || body.has("jobs") ? named(call, windrow) : selected(call, windrow);
        if (jobs == null) {
            return changed(call, new BulkResult(0, List.of()));
        }
        JobHandles target = body.flag("dryRun") ? preview(jobs) : jobs;
        return changed(
                call,
                switch (action) {
                    case "retry" -> target.retry(how);
                    case "cancel" -> target.cancel();
                    case "trigger" -> target.trigger();
                    default -> target.delete();
                });
    }

    private static Answer changed(Call call, BulkResult result) {
        return Answer.of(call.body().flag("dryRun") ? JobJson.preview(result) : JobJson.changed(result));
    }

    private static JobHandles preview(JobHandles jobs) {
        return jobs instanceof JobSelection selection ? selection.quickPreview() : jobs.preview();
    }

    private static JobHandles named(Call call, Windrow windrow) {
        Values body = call.body();
        String given = body.has("ids") ? "ids" : "jobs";
        for (String other : List.of("jobs", "filter", "max")) {
            if (!other.equals(given) && body.has(other)) {
                throw Problem.invalid(
                        "%s do not go with %s: named jobs are changed all or none".formatted(given, other));
            }
        }
        Set<JobRef<Json>> jobs = new LinkedHashSet<>();
        for (Long id : body.<Long>list("ids")) {
            jobs.add(visible(call, id));
        }
        Map<JobRef<Json>, Long> versions = new LinkedHashMap<>();
        for (Values job : body.<Values>list("jobs")) {
            if (versions.put(visible(call, job.id("id")), job.id("version")) != null) {
                throw Problem.invalid("jobs: job %d is named twice; allowed: once".formatted(job.id("id")));
            }
        }
        if (jobs.isEmpty() && versions.isEmpty()) {
            throw Problem.invalid("%s: 0 %s are not allowed; allowed: 1 to 1000".formatted(given, given));
        }
        return jobs.isEmpty() ? windrow.jobsIfVersion(versions) : windrow.jobs(jobs);
    }

    /** Returns a job of the body. One in a queue that the sender does not see looks like a missing one. */
    private static JobRef<Json> visible(Call call, long id) {
        if (call.access().queues() != null) {
            call.job("job", id);
        }
        return JobRef.raw(id);
    }

    /** Returns the jobs of the filter; null if the sender sees none of them. */
    private static @Nullable JobHandles selected(Call call, Windrow windrow) {
        Values parts = call.body().object("filter");
        if (parts == null || parts.isEmpty()) {
            throw Problem.invalid("filter is missing; allowed: ids, jobs, or a filter with at least one part");
        }
        JobFilter filter = Filters.of(parts);
        if (!Visible.mayMatch(call.access(), filter)) {
            return null;
        }
        JobFilter narrowed = Visible.narrowed(call.access(), filter);
        if (call.access().queues() != null && narrowed.queue() == null) {
            throw Visible.queueMissing(call.access(), "filter.queue");
        }
        JobSelection jobs = windrow.jobs(narrowed);
        if (call.body().has("max")) {
            return jobs.withMaxJobs(call.body().integer("max"));
        }
        return call.body().flag("dryRun") ? jobs : jobs.withMaxJobs(MOST_CHANGED);
    }

    static Answer export(Call call) {
        call.revealsExport();
        JobFilter filter = Filters.of(call.query());
        if (!Visible.mayMatch(call.access(), filter)) {
            return Answer.text(200, Answer.NDJSON, "");
        }
        JobSelection jobs = call.windrow().jobs(Visible.narrowed(call.access(), filter));
        JobQuery all =
                ("oldest".equals(call.query().text("order")) ? jobs.oldestFirst() : jobs.newestFirst()).limit(PAGE);
        return Answer.stream(Answer.NDJSON, out -> {
            Long next = null;
            do {
                JobPage page = (next == null ? all : all.after(next)).page();
                for (JobInfo job : page.jobs()) {
                    if (call.access().sees(job.queue())) {
                        write(call, job.id(), out);
                    }
                }
                next = page.next();
            } while (next != null);
        });
    }

    private static void write(Call call, long id, OutputStream out) throws IOException {
        String line;
        try {
            line = JobJson.line(call.windrow().job(id).history());
        } catch (JobNotFoundException e) {
            return; // deleted after the page was read
        }
        out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
    }
}
