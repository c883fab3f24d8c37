package dev.windrow.store.job;

import dev.windrow.JobState;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result for one enqueued row.
 *
 * @param id the job's id
 * @param state the state of the new job, or of the existing job; {@code COMPLETED} if the existing job has been deleted but its key is still held
 * @param deduplicated true if an existing job with the dedupe key takes its place
 * @param workflow the workflow of the row, or null; an existing job that takes the row's place does not become part of it
 */
public record EnqueuedJob(
        long id,
        JobState state,
        boolean deduplicated,
        @Nullable Long workflow) {
    /** Creates the result for a row of no workflow. */
    public EnqueuedJob(long id, JobState state, boolean deduplicated) {
        this(id, state, deduplicated, null);
    }

    /** Returns the results, each with the workflow of its row. */
    public static List<EnqueuedJob> withWorkflows(List<EnqueuedJob> answers, List<JobRow> rows) {
        List<EnqueuedJob> all = new ArrayList<>(answers.size());
        for (int i = 0; i < answers.size(); i++) {
            EnqueuedJob answer = answers.get(i);
            all.add(new EnqueuedJob(
                    answer.id, answer.state, answer.deduplicated, rows.get(i).workflow()));
        }
        return all;
    }
}
