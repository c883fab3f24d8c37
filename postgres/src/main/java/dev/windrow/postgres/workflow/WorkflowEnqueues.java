package dev.windrow.postgres.workflow;

import dev.windrow.JobState;
import dev.windrow.postgres.job.DirectDispatch;
import dev.windrow.postgres.job.Enqueues;
import dev.windrow.postgres.job.KeyedEnqueues;
import dev.windrow.postgres.writer.PostgresTransaction;
import dev.windrow.store.job.EnqueuedJob;
import dev.windrow.store.job.JobRow;
import dev.windrow.store.workflow.ParentPlaces;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The verb enqueue for jobs of one call that wait for each other, or that make a workflow. Writes level by level: first the jobs that wait for no
 * other of the call, then their children, and so on. The jobs of a level share their queries for dedupe keys.
 */
public final class WorkflowEnqueues {
    private WorkflowEnqueues() {}

    /**
     * Adds the checked rows of a call, with all that they may have. Returns the results in the order of the rows. {@link Enqueues#flush} writes them.
     */
    public static List<EnqueuedJob> add(
            PostgresTransaction tx, Enqueues enqueues, List<JobRow> given, Map<Long, JobState> parentStates)
            throws SQLException {
        if (!ParentPlaces.areNamed(given) && !JobRow.areOfWorkflows(given)) {
            return KeyedEnqueues.add(tx, enqueues, given, parentStates);
        }
        List<JobRow> rows = JobRow.makeWorkflow(given) ? JobRow.inWorkflow(given, tx.nextId()) : given;
        Map<Long, JobState> states = new HashMap<>(parentStates);
        @Nullable EnqueuedJob[] answers = new @Nullable EnqueuedJob[rows.size()];
        for (List<Integer> places : ParentPlaces.of(rows).levels()) {
            List<JobRow> level = new ArrayList<>(places.size());
            for (int place : places) {
                level.add(ParentPlaces.resolved(
                        rows.get(place), parent -> Objects.requireNonNull(answers[parent]), states));
            }
            List<EnqueuedJob> written = KeyedEnqueues.add(tx, enqueues, level, states);
            Set<Long> existing = new TreeSet<>();
            for (int i = 0; i < written.size(); i++) {
                EnqueuedJob answer = written.get(i);
                answers[places.get(i)] = answer;
                if (answer.deduplicated()) {
                    existing.add(answer.id());
                } else {
                    states.put(answer.id(), answer.state());
                }
            }
            if (!existing.isEmpty()) {
                // The existing job that represents a new one may be of this call, and not written yet. If it is not,
                // another transaction may end or delete it.
                enqueues.flush(DirectDispatch.NONE);
                Map<Long, JobState> found = Enqueues.lockedStates(tx, existing);
                states.putAll(found);
                states.putAll(tx.chains.resolve(found.keySet()));
            }
        }
        endWithParents(tx, enqueues, answers, states);
        return EnqueuedJob.withWorkflows(
                Arrays.stream(answers).map(Objects::requireNonNull).toList(), rows);
    }

    /**
     * Releases the children of existing jobs that represent parents of the call and have ended without success. The children follow that end like any
     * other.
     */
    private static void endWithParents(
            PostgresTransaction tx, Enqueues enqueues, @Nullable EnqueuedJob[] answers, Map<Long, JobState> states)
            throws SQLException {
        Map<Long, JobState> ended = new TreeMap<>();
        long firstNew = Long.MAX_VALUE;
        for (EnqueuedJob answer : answers) {
            if (answer == null) {
                continue;
            }
            if (!answer.deduplicated()) {
                firstNew = Math.min(firstNew, answer.id());
                continue;
            }
            JobState state = states.get(answer.id());
            if (state == JobState.FAILED || state == JobState.CANCELLED) {
                ended.put(answer.id(), state);
            }
        }
        if (!ended.isEmpty() && firstNew != Long.MAX_VALUE) {
            enqueues.flush(DirectDispatch.NONE);
            Dependents.releaseNew(tx, ended, firstNew);
        }
    }
}
