package dev.windrow.workflow;

import dev.windrow.JobState;
import java.util.EnumMap;
import java.util.Map;

/**
 * The status of a workflow: the number of its jobs in each state. A deleted job does not count any more.
 *
 * @param id the workflow's id
 * @param states the number of jobs in each of the seven states
 */
public record WorkflowStatus(long id, Map<JobState, Long> states) {
    /** Copies the map, and adds the missing states. */
    public WorkflowStatus {
        Map<JobState, Long> all = new EnumMap<>(JobState.class);
        for (JobState state : JobState.values()) {
            all.put(state, states.getOrDefault(state, 0L));
        }
        states = Map.copyOf(all);
    }

    /** Returns the number of jobs in this state. */
    public long count(JobState state) {
        return states.getOrDefault(state, 0L);
    }

    /** Returns the number of all jobs of the workflow. */
    public long jobs() {
        return states.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Returns the number of jobs that have ended, with or without success. */
    public long ended() {
        return states.entrySet().stream()
                .filter(entry -> entry.getKey().isFinished())
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    /**
     * True if all jobs have ended. A retry of a job that ended without success makes it false again. A job that waits for a failed job has not ended.
     */
    public boolean isFinished() {
        return ended() == jobs();
    }
}
