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
 * Whom a job may wait for, the same in every store: nobody waits for a parent that has ended already so that it would have
 * cancelled the job.
 */
public final class ParentRules {
    private ParentRules() {}

    /** Whether an edge of this policy to a parent in this state cancels its child. */
    public static boolean cancels(ParentPolicy policy, @Nullable JobState parent) {
        return policy == ParentPolicy.CANCEL && (parent == JobState.FAILED || parent == JobState.CANCELLED);
    }

    /**
     * Checks new jobs against the states of their parents.
     *
     * @param end the job whose end a parent stands for: itself, or the last one of its chain
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
                            "parent %d is %s already: a job that is to be cancelled when it ends so cannot depend on it; retry the parent before, or choose WAIT or RUN"
                                    .formatted(parent.id(), state));
                }
            }
        }
    }

    /** Why a job cannot be retried while this parent is as it is. */
    public static String refusal(long job, long parent, JobState state) {
        return "job %1$d cannot be retried: job %2$d is %3$s, and job %1$d is to be cancelled when that ends so; retry job %2$d before, or with its dependents"
                .formatted(job, parent, state);
    }
}
