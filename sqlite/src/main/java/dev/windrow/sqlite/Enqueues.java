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

        PreparedStatement job = tx.statements.get(Sql.INSERT_JOB);
        job.setLong(1, id);
        job.setLong(2, lane);
        job.setString(3, state.name());
        job.setInt(4, row.priority());
        job.setLong(5, later ? runAt : tx.stamp());
        job.setInt(6, row.maxAttempts());
        Statements.setLong(job, 7, row.timeoutMillis());
        job.setInt(8, open);
        job.setString(9, open > 0 ? "PARENTS" : null);
        job.setLong(10, tx.now);
        job.setString(11, row.name());
        job.setString(12, row.retryPolicy());
        job.setString(13, row.traceparent());
        job.addBatch();
        if (row.payload() != null) {
            PreparedStatement payload = tx.statements.get(Sql.INSERT_PAYLOAD);
            payload.setLong(1, id);
            payload.setString(2, row.payload());
            payload.addBatch();
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
        tx.entered(lane, state);
        return new EnqueuedJob(id, state, false);
    }

    private static boolean isSatisfied(Parent parent, Map<Long, JobState> states) {
        JobState state = states.get(parent.id());
        return state == JobState.COMPLETED
                || (state != null && state.isFinished() && parent.onFailure() == ParentPolicy.RUN);
    }

    /** Writes what was added, parents of foreign keys first. */
    static void flush(WriteTransaction tx) throws SQLException {
        tx.statements.get(Sql.INSERT_JOB).executeBatch();
        tx.statements.get(Sql.INSERT_PAYLOAD).executeBatch();
        tx.statements.get(Sql.INSERT_TAG).executeBatch();
        tx.statements.get(Sql.INSERT_EDGE).executeBatch();
        tx.flushEvents();
    }
}
