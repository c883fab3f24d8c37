package dev.windrow.dashboard;

import dev.windrow.Enqueued;
import dev.windrow.JobInfo;
import dev.windrow.JobNotFoundException;
import dev.windrow.JobRequest;
import dev.windrow.JobState;
import dev.windrow.payload.Json;
import dev.windrow.query.JobFilter;
import dev.windrow.query.JobPage;
import dev.windrow.query.JobQuery;
import dev.windrow.wire.JobFields;
import dev.windrow.wire.JsonObject;
import dev.windrow.wire.WorkflowJson;
import dev.windrow.workflow.ChainInfo;
import dev.windrow.workflow.SubmittedWorkflow;
import dev.windrow.workflow.Workflow;
import dev.windrow.workflow.WorkflowFilter;
import dev.windrow.workflow.WorkflowQuery;
import dev.windrow.workflow.WorkflowStatus;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/** The handlers of the routes of workflows and chains. */
final class WorkflowRoutes {
    private static final int FAILED_SHOWN = 20;
    private static final int PAGE = 1000;

    /** The fields of a job of a new workflow. */
    static final List<Field> NODE = Stream.concat(
                    Stream.of(
                            Field.text("ref", 100, "A name of the job within this request."),
                            Field.text("after", 100, "The refs of earlier jobs for which the job waits.")
                                    .upTo(1000)),
                    JobBody.FIELDS.stream())
            .toList();

    private WorkflowRoutes() {}

    static Answer submit(Call call) {
        Workflow flow = new Workflow();
        Map<String, Workflow.Node<?>> named = new HashMap<>();
        List<JobRequest<Json, Json>> requests = new ArrayList<>();
        List<Values> jobs = call.body().list("jobs");
        if (jobs.isEmpty()) {
            throw Problem.invalid("jobs: 0 jobs are not allowed; allowed: 1 to 1000");
        }
        for (Values job : jobs) {
            String at = "jobs[%d].".formatted(requests.size());
            JobRequest<Json, Json> request = JobBody.request(call, at, job);
            requests.add(request);
            Workflow.Node<?> node = flow.add(request);
            List<Workflow.Node<?>> parents = new ArrayList<>();
            for (String ref : job.<String>list("after")) {
                Workflow.Node<?> parent = named.get(ref);
                if (parent == null) {
                    throw Problem.invalid(
                            "%safter: no earlier job has the ref '%s'".formatted(at, Problem.shortened(ref)));
                }
                parents.add(parent);
            }
            Workflow.Node<?> unused = node.after(JobFields.policy(job::any), parents);
            String ref = job.text("ref");
            if (ref != null && named.put(ref, node) != null) {
                throw Problem.invalid("%sref: an earlier job has the ref '%s'".formatted(at, Problem.shortened(ref)));
            }
        }
        JobBody.checkNeighbours(call, requests);
        SubmittedWorkflow submitted = call.changing().submit(flow);
        call.changed();
        List<JsonObject> made = new ArrayList<>();
        for (int i = 0; i < jobs.size(); i++) {
            Enqueued<?> job = submitted.jobs().get(i);
            made.add(Visible.enqueued(call, job).put("ref", jobs.get(i).text("ref")));
        }
        return Answer.json(201, new JsonObject().id("id", submitted.id()).put("jobs", made))
                .header("Location", "workflows/" + submitted.id());
    }

    static Answer list(Call call) {
        Values query = call.query();
        WorkflowFilter filter =
                query.<WorkflowFilter, String>given(WorkflowFilter.ALL, "type", WorkflowFilter::withType);
        filter = query.flag("unfinished") ? filter.withUnfinished() : filter;
        filter = query.flag("failed") ? filter.withFailed() : filter;
        int limit = query.integer("limit");
        if (call.access().queues() != null) {
            return Answer.of(WorkflowJson.page(VisibleWorkflow.page(call, filter, limit)));
        }
        WorkflowQuery all = call.windrow().workflows(filter).limit(limit);
        Long after = query.number("after");
        return Answer.of(WorkflowJson.page((after == null ? all : all.after(after)).page()));
    }

    static Answer show(Call call) {
        long id = call.path().id("id");
        WorkflowStatus status = call.access().queues() == null
                ? call.windrow().workflow(id).orElseThrow(() -> missing(id))
                : visibleStatus(call, id);
        List<JobInfo> failed = new ArrayList<>();
        call.windrow()
                .jobs(JobFilter.failed().withWorkflow(id))
                .newestFirst()
                .limit(FAILED_SHOWN)
                .forEach(failed::add);
        return Answer.of(WorkflowJson.workflow(status, Visible.of(call.access(), failed)));
    }

    private static JobNotFoundException missing(long id) {
        return new JobNotFoundException("workflow", id);
    }

    /** Counts the jobs that the sender sees. */
    private static WorkflowStatus visibleStatus(Call call, long id) {
        Map<JobState, Long> states = new EnumMap<>(JobState.class);
        call.windrow().jobs(JobFilter.workflow(id)).newestFirst().forEach(job -> {
            if (call.access().sees(job.queue())) {
                states.merge(job.state(), 1L, Long::sum);
            }
        });
        if (states.isEmpty()) {
            throw missing(id);
        }
        return new WorkflowStatus(id, states);
    }

    static Answer graph(Call call) {
        long id = call.path().id("id");
        int limit = call.query().integer("limit");
        Long cursor = call.query().number("after");
        List<JobInfo> jobs = new ArrayList<>();
        JobQuery all = call.windrow().jobs(JobFilter.workflow(id)).oldestFirst();
        do {
            JobPage page = (cursor == null ? all : all.after(cursor)).page(Math.min(PAGE, limit - jobs.size()));
            jobs.addAll(Visible.of(call.access(), page.jobs()));
            cursor = page.next();
        } while (cursor != null && jobs.size() < limit && !call.isLate());
        if (jobs.isEmpty() && !call.query().has("after")) {
            throw missing(id);
        }
        List<JsonObject> edges = new ArrayList<>();
        for (JobInfo job : jobs) {
            for (JobInfo.Dependency parent : job.dependsOn()) {
                edges.add(new JsonObject()
                        .id("from", parent.id())
                        .id("to", job.id())
                        .put("onFailure", parent.onFailure().name().toLowerCase(Locale.ROOT)));
            }
        }
        return Answer.of(new JsonObject()
                .id("id", id)
                .list("nodes", jobs, WorkflowRoutes::node)
                .put("edges", edges)
                .id("next", cursor));
    }

    private static JsonObject node(JobInfo job) {
        return new JsonObject()
                .id("id", job.id())
                .put("type", job.type())
                .put("name", job.name())
                .put("queue", job.queue())
                .put("state", job.state())
                .put("attempt", job.attempt())
                .put("maxAttempts", job.maxAttempts())
                .put("errorCode", job.errorCode())
                .put("createdAt", job.createdAt())
                .put("scheduledAt", job.scheduledAt())
                .put("startedAt", job.startedAt())
                .put("finishedAt", job.finishedAt());
    }

    static Answer chain(Call call) {
        long id = call.path().id("id");
        var chain = call.windrow().chain(id);
        List<JobInfo> jobs = Visible.of(call.access(), chain.jobs());
        if (jobs.isEmpty()) {
            throw new JobNotFoundException("job", id);
        }
        call.reveals(jobs.stream().map(JobInfo::id).toList());
        ChainInfo info = chain.info();
        return Answer.of(WorkflowJson.chain(
                call.access().queues() == null ? info : new VisibleChain(info.id(), jobs), jobs, call.redactor()));
    }
}
