package dev.windrow;

import java.util.List;
import java.util.stream.Collectors;

/** Thrown if a job is not at the version that the caller of {@link JobHandle#ifVersion} or {@link Jobs#jobsIfVersion} expects. Nothing was written. */
public final class ChangedMeanwhileException extends WindrowException {
    private static final long serialVersionUID = 1L;

    /** The number of jobs that the message describes. */
    private static final int DESCRIBED = 10;

    private final transient List<Job> jobs;

    /**
     * A job that has changed.
     *
     * @param id the job
     * @param expected the version that the caller expected
     * @param actual the version of the job
     * @param state the state of the job
     */
    public record Job(long id, long expected, long actual, JobState state) {
        private String described() {
            return "it is %s at version %d, not at version %d".formatted(state, actual, expected);
        }
    }

    /** Creates the exception for all jobs that have changed, at least one. */
    public ChangedMeanwhileException(List<Job> jobs) {
        super(message(jobs));
        this.jobs = List.copyOf(jobs);
    }

    private static String message(List<Job> jobs) {
        if (jobs.size() == 1) {
            return "job %d has changed meanwhile: %s; read it again, then decide"
                    .formatted(jobs.get(0).id, jobs.get(0).described());
        }
        return "%d jobs have changed meanwhile: %s%s; read them again, then decide"
                .formatted(
                        jobs.size(),
                        jobs.stream()
                                .limit(DESCRIBED)
                                .map(job -> "job " + job.id + " (" + job.described() + ")")
                                .collect(Collectors.joining(", ")),
                        jobs.size() > DESCRIBED ? " and " + (jobs.size() - DESCRIBED) + " others" : "");
    }

    /** Returns all jobs of the change that have changed, in the order of their ids. */
    public List<Job> jobs() {
        return jobs == null ? List.of() : jobs;
    }
}
