package dev.windrow.store.sql.writer;

import dev.windrow.EventKind;
import dev.windrow.JobState;
import dev.windrow.limit.LimitTarget;
import dev.windrow.store.job.WorkerId;
import dev.windrow.store.payload.Stage;
import dev.windrow.store.sql.connection.Statements;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** The open transaction of a store, as rules see it that both stores share. */
public interface WriteTransaction {
    /** The statements of its connection. */
    Statements statements();

    /** The time of all that it writes, in milliseconds since 1970. */
    long now();

    /** The number of an actor. */
    long actor(String name) throws SQLException;

    /** The number of a worker. */
    long worker(WorkerId id) throws SQLException;

    /** Says that a rule has written something. */
    void wrote();

    /** Says that a rule has written something about a job that stays. */
    void wroteAbout(long job);

    /** Adds an entry to a job's event log. */
    void event(long job, long at, EventKind kind, long actor, long token, @Nullable String detail) throws SQLException;

    /** The time in the store of a moment that this process has measured. */
    long storeTime(long localMillis);

    /** The time by this process's clock of a moment in the store. */
    long localTime(long storeMillis);

    /** The scheduled time of jobs that run now: never below an earlier one, unless that was by a clock ahead. */
    long stamp() throws SQLException;

    /** Says that a job of this lane, with this concurrency key or none, was blocked and is ready since {@link #stamp}. */
    void goesOn(long job, long lane, @Nullable String concurrencyKey, long priority) throws SQLException;

    /** The news that it tells after its commit. */
    CommitNotices notices();

    /** Writes a new blob, staged, with its first part; returns its id. */
    long stage(Stage first) throws SQLException;

    /** Waits until no other transaction changes pauses and limits, and keeps them from it. */
    void lockControls() throws SQLException;

    /** Makes the lanes of a queue or a type repeat the pause and limits of it: what waits there may be claimed now. */
    void limitLanes(LimitTarget scope) throws SQLException;

    /** Says that a job of this lane has left a state. */
    void left(long lane, JobState state);

    /** Says that a job which was FAILED with this code, or none, is not any more. */
    void noLongerFailed(@Nullable String errorCode);

    /** The type of a lane's jobs. */
    String type(long lane) throws SQLException;

    /** A new id. */
    long nextId() throws SQLException;
}
