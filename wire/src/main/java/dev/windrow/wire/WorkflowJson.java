package dev.windrow.wire;

import dev.windrow.JobInfo;
import dev.windrow.JobState;
import dev.windrow.workflow.ChainInfo;
import dev.windrow.workflow.ChainPage;
import dev.windrow.workflow.WorkflowPage;
import dev.windrow.workflow.WorkflowStatus;
import java.util.List;
import java.util.Map;

/** The JSON forms of workflows and chains. */
public final class WorkflowJson {
    private WorkflowJson() {}

    /** Returns a workflow, with the ids of some failed jobs. */
    public static JsonObject workflow(WorkflowStatus workflow, List<JobInfo> failed) {
        return new JsonObject()
                .id("id", workflow.id())
                .putAll(counts(workflow))
                .ids("failed", failed.stream().map(JobInfo::id).toList());
    }

    /** Returns a page of workflows. */
    public static JsonObject page(WorkflowPage page) {
        return new JsonObject()
                .list(
                        "workflows",
                        page.workflows(),
                        workflow -> new JsonObject()
                                .id("id", workflow.id())
                                .put("type", workflow.type())
                                .put("name", workflow.name())
                                .put("createdAt", workflow.createdAt())
                                .putAll(counts(workflow.status()))
                                .put("capped", workflow.isCapped()))
                .id("next", page.next())
                .put("looked", page.looked());
    }

    private static JsonObject counts(WorkflowStatus workflow) {
        return new JsonObject()
                .put("finished", workflow.isFinished())
                .put("jobs", workflow.jobs())
                .put("ended", workflow.ended())
                .put("states", states(workflow.states()));
    }

    /** Returns a count for each state. */
    static JsonObject states(Map<JobState, Long> counts) {
        JsonObject states = new JsonObject();
        for (JobState state : JobState.values()) {
            states.put(state.name(), counts.getOrDefault(state, 0L));
        }
        return states;
    }

    /** Returns a page of chains. */
    public static JsonObject page(ChainPage page) {
        return new JsonObject()
                .list("chains", page.chains(), WorkflowJson::chain)
                .id("next", page.next())
                .put("looked", page.looked())
                .put("skipped", page.skipped());
    }

    /** Returns a chain. */
    public static JsonObject chain(ChainInfo chain) {
        return new JsonObject()
                .id("id", chain.id())
                .put("type", chain.type())
                .put("state", chain.state())
                .put("finished", chain.state().isFinished())
                .put("length", chain.length())
                .id("lastJob", chain.lastJob())
                .put("lastType", chain.lastType())
                .put("createdAt", chain.createdAt())
                .put("finishedAt", chain.finishedAt());
    }

    /** Returns a chain with its jobs. */
    public static JsonObject chain(ChainInfo chain, List<JobInfo> jobs) {
        return chain(chain, jobs, Redactor.none());
    }

    /** Returns a chain with its jobs, with redacted metadata. */
    public static JsonObject chain(ChainInfo chain, List<JobInfo> jobs, Redactor redactor) {
        return chain(chain).list("jobs", jobs, job -> JobJson.listed(job, redactor));
    }
}
