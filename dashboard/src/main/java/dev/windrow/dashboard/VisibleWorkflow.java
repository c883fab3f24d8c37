package dev.windrow.dashboard;

import dev.windrow.JobInfo;
import dev.windrow.JobState;
import dev.windrow.query.JobFilter;
import dev.windrow.query.JobPage;
import dev.windrow.query.JobQuery;
import dev.windrow.workflow.WorkflowFilter;
import dev.windrow.workflow.WorkflowInfo;
import dev.windrow.workflow.WorkflowPage;
import dev.windrow.workflow.WorkflowQuery;
import dev.windrow.workflow.WorkflowStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The part of a workflow that a sender sees: of the jobs in the visible queues, the first one and the counts.
 *
 * @param first the first visible job
 * @param status the number of visible jobs in each state
 * @param isCapped true if the count has ended early
 */
record VisibleWorkflow(
        JobInfo first,
        @Override WorkflowStatus status,
        @Override boolean isCapped) implements WorkflowInfo {
    private static final int JOBS = 1000;
    /** The number of workflows that are read before the time is looked at. */
    private static final int WORKFLOWS = 10;

    /** Reads a page of the workflows with visible jobs. The filter is applied to what the sender sees, so that it finds out nothing else. */
    static WorkflowPage page(Call call, WorkflowFilter filter, int limit) {
        WorkflowQuery all = call.windrow().workflows(WorkflowFilter.ALL);
        Long next = call.query().number("after");
        List<WorkflowInfo> workflows = new ArrayList<>();
        long looked = 0;
        do {
            WorkflowPage page = (next == null ? all : all.after(next))
                    .limit(Math.min(WORKFLOWS, limit - workflows.size()))
                    .page();
            for (WorkflowInfo whole : page.workflows()) {
                WorkflowInfo visible = of(call, whole.id());
                looked += visible == null ? 0 : 1;
                if (visible != null && filter.matches(visible)) {
                    workflows.add(visible);
                }
            }
            next = page.next();
        } while (next != null && workflows.size() < limit && !call.isLate());
        return new WorkflowPage(workflows, next, looked);
    }

    /** Returns what the sender sees of a workflow; null if that is nothing. */
    private static @Nullable WorkflowInfo of(Call call, long id) {
        JobQuery jobs = call.windrow()
                .jobs(Visible.narrowed(call.access(), JobFilter.workflow(id)))
                .newestFirst();
        Map<JobState, Long> states = new EnumMap<>(JobState.class);
        JobInfo first = null;
        int looked = 0;
        Long next = null;
        do {
            JobPage page = (next == null ? jobs : jobs.after(next)).page(JOBS);
            for (JobInfo job : Visible.of(call.access(), page.jobs())) {
                states.merge(job.state(), 1L, Long::sum);
                first = job;
            }
            looked += page.jobs().size();
            next = page.next();
        } while (next != null && looked < MAX_COUNTED);
        return first == null ? null : new VisibleWorkflow(first, new WorkflowStatus(id, states), next != null);
    }

    @Override
    public long id() {
        return status.id();
    }

    @Override
    public String type() {
        return first.type();
    }

    @Override
    public @Nullable String name() {
        return first.name();
    }

    @Override
    public Instant createdAt() {
        return first.createdAt();
    }
}
