package dev.windrow.sqlite.workflow;

import dev.windrow.JobState;
import dev.windrow.sqlite.job.DirectDispatch;
import dev.windrow.sqlite.job.Enqueues;
import dev.windrow.sqlite.writer.SqliteTransaction;
import dev.windrow.store.job.EnqueuedJob;
import dev.windrow.store.job.JobRow;
import dev.windrow.store.workflow.ParentPlaces;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The verb enqueue for jobs of one call that wait for each other, or that make a workflow. Parents are added before their children. */
public final class WorkflowEnqueues {
    private WorkflowEnqueues() {}

    /** Adds the rows, which were checked. Returns the jobs in the order of the rows. {@link Enqueues#flush} writes them. */
    public static List<EnqueuedJob> add(SqliteTransaction tx, List<JobRow> given, Map<Long, JobState> parentStates)
            throws SQLException {
        List<JobRow> rows = JobRow.makeWorkflow(given) ? JobRow.inWorkflow(given, tx.nextId()) : given;
        Map<Long, JobState> states = new HashMap<>(parentStates);
        @Nullable EnqueuedJob[] answers = new @Nullable EnqueuedJob[rows.size()];
        for (int place : ParentPlaces.of(rows).order()) {
            JobRow row =
                    ParentPlaces.resolved(rows.get(place), parent -> Objects.requireNonNull(answers[parent]), states);
            EnqueuedJob answer = Enqueues.addOne(tx, row, states);
            answers[place] = answer;
            if (answer.deduplicated()) {
                // The holder of the key may be an earlier job of this call, so that one is written first. Then this
                // finds out if the holder still exists.
                Enqueues.flush(tx, DirectDispatch.NONE);
                JobState state = Enqueues.states(tx, Set.of(answer.id())).get(answer.id());
                if (state != null) {
                    states.put(answer.id(), state);
                    long last = Chains.resolve(tx, answer.id());
                    states.put(
                            last,
                            Objects.requireNonNull(
                                    Enqueues.states(tx, Set.of(last)).get(last)));
                }
            } else {
                states.put(answer.id(), answer.state());
            }
        }
        endWithParents(tx, answers, states);
        return EnqueuedJob.withWorkflows(
                Arrays.stream(answers).map(Objects::requireNonNull).toList(), rows);
    }

    /**
     * Applies the ends of existing jobs that take the place of parents, because they hold the dedupe keys of these. Such a job may have ended without
     * success before. Its new children follow that end by their policies.
     */
    private static void endWithParents(
            SqliteTransaction tx, @Nullable EnqueuedJob[] answers, Map<Long, JobState> states) throws SQLException {
        Map<Long, JobState> ended = new TreeMap<>();
        for (EnqueuedJob answer : answers) {
            JobState state = answer != null && answer.deduplicated() ? states.get(answer.id()) : null;
            if (state == JobState.FAILED || state == JobState.CANCELLED) {
                ended.put(answer.id(), state);
            }
        }
        if (!ended.isEmpty()) {
            Enqueues.flush(tx, DirectDispatch.NONE);
            Dependents.release(tx, ended);
        }
    }
}
