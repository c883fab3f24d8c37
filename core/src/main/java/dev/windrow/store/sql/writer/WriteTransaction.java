package dev.windrow.store.sql.writer;

import dev.windrow.EventKind;
import dev.windrow.JobState;
import dev.windrow.limit.LimitTarget;
import dev.windrow.store.job.WorkerId;
import dev.windrow.store.payload.Stage;
import dev.windrow.store.sql.connection.Statement;
import dev.windrow.store.sql.connection.Statements;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** The open transaction of a store, for the rules that both stores share. */
public interface WriteTransaction {
    /** Returns the statements of its connection. */
    Statements statements();

    /** Returns the time of all its writes, in milliseconds since 1970. */
    long now();

    /** Returns the number of an actor. */
    long actor(String name) throws SQLException;

    /** Returns the number of a worker. */
    long worker(WorkerId id) throws SQLException;

    /** Records that a rule has written something. */
    void wrote();

    /** Records that a rule has written an entry of the audit. */
    void wroteAudit(long entry);

    /**
     * Writes an entry of the audit; returns its id.
     *
     * @param jobs how many jobs were changed
     * @param detail short JSON, or null
     */
    default long audit(String action, String actor, @Nullable String reason, int jobs, @Nullable String detail)
            throws SQLException {
        long entry = statements()
                .get(Statement.INSERT_AUDIT)
                .set(1, now())
                .set(2, actor(actor))
                .set(3, action)
                .set(4, jobs)
                .set(5, detail)
                .set(6, reason)
                .one();
        wroteAudit(entry);
        return entry;
    }

    /** Records that a rule has written lines of a job's log, or its progress, for the attempt with this token. */
    void wroteReport(long job, long token);

    /** Records that a rule has written a step of a job for the attempt with this token, or has ended one. */
    void wroteStep(long job, long token);

    /** Adds an entry to a job's event log. */
    void event(long job, long at, EventKind kind, long actor, long token, @Nullable String detail) throws SQLException;

    /** Writes the events that were added so far. */
    void flushEvents() throws SQLException;

    /** Returns the store's time for a moment that this process has measured. */
    long storeTime(long localMillis);

    /** Returns this process's time for a moment in the store. */
    long localTime(long storeMillis);

    /** Returns the scheduled time of jobs that become ready now. It is never below an earlier one, unless that was by a clock ahead. */
    long stamp() throws SQLException;

    /** Records that a job of this lane, with this concurrency key or none, was blocked and is ready since {@link #stamp}. */
    void goesOn(long job, long lane, @Nullable String concurrencyKey, long priority) throws SQLException;

    /** Returns the notices that are sent after its commit. */
    CommitNotices notices();

    /** Writes a new blob, staged, with its first part; returns its id. */
    long stage(Stage first) throws SQLException;

    /** Waits until no other transaction changes pauses and limits, and locks them against other transactions. */
    void lockControls() throws SQLException;

    /** Copies the pause and limits of a queue or a type to its lanes. Jobs that wait there may be claimed now. */
    void limitLanes(LimitTarget scope) throws SQLException;

    /** Records that a job of this lane has left a state. */
    void left(long lane, JobState state);

    /** Records that a job which was FAILED with this code, or none, is no longer FAILED. */
    void noLongerFailed(@Nullable String errorCode);

    /** Returns the type of a lane's jobs. */
    String type(long lane) throws SQLException;

    /** Returns a new id. */
    long nextId() throws SQLException;
}
