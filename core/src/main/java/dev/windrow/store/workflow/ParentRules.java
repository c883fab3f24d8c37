package dev.windrow.store.workflow;

import dev.windrow.InvalidRequestException;
import dev.windrow.JobState;
import dev.windrow.store.job.JobRow;
import dev.windrow.workflow.Parent;
import dev.windrow.workflow.ParentPolicy;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The rules for the parents of a job, the same in every store. A job must not depend on a parent that has ended already, if this end would have
 * cancelled the job.
 */
public final class ParentRules {
    private ParentRules() {}

    /** True if an edge of this policy to a parent in this state cancels its child. */
    public static boolean cancels(ParentPolicy policy, @Nullable JobState parent) {
        return policy == ParentPolicy.CANCEL && (parent == JobState.FAILED || parent == JobState.CANCELLED);
    }

    /**
     * Checks new jobs against the states of their parents.
     *
     * @param end returns the job whose end counts as the end of a parent: itself, or the last one of its chain
     * @throws InvalidRequestException if one of them would have been cancelled by now, or waits for the same job twice
     */
    public static void check(List<JobRow> jobs, Map<Long, JobState> states, ToLongFunction<Parent> end) {
        for (JobRow job : jobs) {
            Set<Long> ends = new HashSet<>();
            for (Parent parent : job.parents()) {
                long id = end.applyAsLong(parent);
                if (!ends.add(id)) {
                    throw new InvalidRequestException(
                            "parent %d is named twice: job %d is the last one of its chain, and of another parent"
                                    .formatted(parent.id(), id));
                }
                JobState state = states.get(id);
                if (cancels(parent.onFailure(), state)) {
                    throw new InvalidRequestException(
                            "parent %d is %s already: a job with the policy CANCEL cannot depend on it; retry the parent first, or choose WAIT or RUN"
                                    .formatted(parent.id(), state));
                }
            }
        }
    }

    /** Returns why a job cannot be retried while this parent has its present state. */
    public static String refusal(long job, long parent, JobState state) {
        return "job %1$d cannot be retried: its parent, job %2$d, is %3$s, and the policy of job %1$d is CANCEL; retry job %2$d first, or with its dependents"
                .formatted(job, parent, state);
    }
}
