package dev.windrow.cli.job;

import dev.windrow.JobRef;
import dev.windrow.JobRequest;
import dev.windrow.payload.Json;
import dev.windrow.workflow.ParentPolicy;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One line of a file of jobs.
 *
 * @param number the number of the line, from 1
 * @param job the job
 * @param ref the name by which later lines refer to the job, or null
 * @param after the refs of the lines on whose jobs this job depends
 * @param onParentFailure the policy of these dependencies
 */
record JobLine(
        long number,
        JobRequest<Json, Json> job,
        @Nullable String ref,
        List<String> after,
        ParentPolicy onParentFailure) {
    /** Returns the job, with the jobs of other lines as further parents. */
    JobRequest<Json, Json> job(List<JobRef<Json>> parents) {
        return job.withParents(onParentFailure, parents);
    }
}
