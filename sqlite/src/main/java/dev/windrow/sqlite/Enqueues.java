package dev.windrow.sqlite;

import dev.windrow.EventKind;
import dev.windrow.JobNotFoundException;
import dev.windrow.JobState;
import dev.windrow.Parent;
import dev.windrow.ParentPolicy;
import dev.windrow.store.EnqueuedJob;
import dev.windrow.store.JobRow;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The verb enqueue: new jobs -> BLOCKED, SCHEDULED or PENDING. */
final class Enqueues {
    private static final Insert<NewRow> JOBS = new Insert<>(
            Sql.INSERT_JOB,
            (values, job) -> values.add(job.id)
                    .add(job.lane)
                    .add(job.state.name())
                    .add(job.row.priority())
                    .add(job.scheduledAt)
                    .add(job.row.maxAttempts())
                    .add(job.row.timeoutMillis())
                    .add(job.open)
                    .add(job.open > 0 ? "PARENTS" : null)
                    .add(job.now)
                    .add(job.row.name())
                    .add(job.row.retryPolicy())
                    .add(job.row.traceparent()));

    private static final Insert<NewRow> PAYLOADS =
            new Insert<>(Sql.INSERT_PAYLOAD, (values, job) -> values.add(job.id).add(job.row.payload()));

    /** A job that is to be inserted. */
    record NewRow(long id, long lane, JobState state, long scheduledAt, int open, long now, JobRow row) {}

    /** The jobs of a transaction that are added and not written yet. */
    static final class NewRows {
        private final List<NewRow> jobs = new ArrayList<>();
        private final List<NewRow> payloads = new ArrayList<>();

        private void clear() {
            jobs.clear();
            payloads.clear();
        }
    }

    private Enqueues() {}

    /** Ids and event numbers that the rows need. */
    static int ids(List<JobRow> rows) {
        return 2 * rows.size();
    }

    /**
     * Checks everything that may be refused, before anything of this call is written.
     *
     * @return the states of all parents by id
     */
    static Map<Long, JobState> check(WriteTransaction tx, List<JobRow> rows) throws SQLException {
        List<Long> parents = new ArrayList<>();
        for (JobRow row : rows) {
            for (Parent parent : row.parents()) {
                parents.add(parent.id());
            }
        }
        Map<Long, JobState> states = new HashMap<>();
        if (parents.isEmpty()) {
            return states;
        }
        PreparedStatement query = tx.statements.get(Sql.PARENT_STATES);
        query.setString(1, JsonText.array(parents));
        try (ResultSet result = query.executeQuery()) {
            while (result.next()) {
                String state = result.getString(2);
                if (state == null) {
                    throw new JobNotFoundException("parent", result.getLong(1));
                }
                states.put(result.getLong(1), JobState.valueOf(state));
            }
        }
        return states;
    }

    /** Adds the rows to the batches of the transaction; {@link #flush} writes them. */
    static List<EnqueuedJob> add(WriteTransaction tx, List<JobRow> rows, Map<Long, JobState> parentStates)
            throws SQLException {
        List<EnqueuedJob> answers = new ArrayList<>(rows.size());
        for (JobRow row : rows) {
            answers.add(add(tx, row, parentStates));
        }
        return answers;
    }

    private static EnqueuedJob add(WriteTransaction tx, JobRow row, Map<Long, JobState> parentStates)
            throws SQLException {
        long id = tx.nextId();
        long lane = tx.names.lane(row.queue(), row.type());
        int open = 0;
        for (Parent parent : row.parents()) {
            open += isSatisfied(parent, parentStates) ? 0 : 1;
        }
        long runAt = row.runAtMillis() != null
                ? row.runAtMillis()
                : row.delayMillis() != null ? Math.addExact(tx.now, row.delayMillis()) : tx.now;
        boolean later = runAt > tx.now;
        JobState state = open > 0 ? JobState.BLOCKED : later ? JobState.SCHEDULED : JobState.PENDING;

        NewRow added = new NewRow(id, lane, state, later ? runAt : tx.stamp(), open, tx.now, row);
        tx.newRows.jobs.add(added);
        if (row.payload() != null) {
            tx.newRows.payloads.add(added);
        }
        for (String tag : row.tags()) {
            PreparedStatement insert = tx.statements.get(Sql.INSERT_TAG);
            insert.setLong(1, id);
            insert.setString(2, tag);
            insert.addBatch();
        }
        for (int i = 0; i < row.parents().size(); i++) {
            Parent parent = row.parents().get(i);
            PreparedStatement edge = tx.statements.get(Sql.INSERT_EDGE);
            edge.setLong(1, id);
            edge.setInt(2, i);
            edge.setLong(3, parent.id());
            edge.setString(4, parent.onFailure().name());
            edge.setInt(5, isSatisfied(parent, parentStates) ? 1 : 0);
            edge.addBatch();
        }
        tx.event(id, tx.now, EventKind.ENQUEUED, tx.names.actor(row.actor()), 0, null);
        return new EnqueuedJob(id, state, false);
    }

    private static boolean isSatisfied(Parent parent, Map<Long, JobState> states) {
        JobState state = states.get(parent.id());
        return state == JobState.COMPLETED
                || (state != null && state.isFinished() && parent.onFailure() == ParentPolicy.RUN);
    }

    /** Writes what was added, parents of foreign keys first. */
    static void flush(WriteTransaction tx, HandOff handOff) throws SQLException {
        List<NewRow> waiting = handOff.take(tx, tx.newRows.jobs);
        JOBS.all(tx.statements, waiting);
        waiting.forEach(job -> tx.entered(job.lane, job.state));
        PAYLOADS.all(tx.statements, tx.newRows.payloads);
        tx.newRows.clear();
        tx.statements.get(Sql.INSERT_TAG).executeBatch();
        tx.statements.get(Sql.INSERT_EDGE).executeBatch();
        tx.flushEvents();
    }
}
