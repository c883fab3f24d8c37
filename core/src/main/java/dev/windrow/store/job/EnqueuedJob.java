package dev.windrow.store.job;

import dev.windrow.JobState;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The answer to one enqueued row.
 *
 * @param id the job's id
 * @param state the state that it was written in, or that an existing one was found in; {@code COMPLETED} when the existing
 *     one has been deleted and its key goes on
 * @param deduplicated whether an existing job stands for it
 * @param workflow the workflow that the row belongs to, or null; an existing job that stands for it does not become part of it
 */
public record EnqueuedJob(
        long id,
        JobState state,
        boolean deduplicated,
        @Nullable Long workflow) {
    /** The answer to a row of no workflow. */
    public EnqueuedJob(long id, JobState state, boolean deduplicated) {
        this(id, state, deduplicated, null);
    }

    /** The answers, each with the workflow of its row. */
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
