package dev.windrow.store.sql.step;

import dev.windrow.EventKind;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobHistory.Step;
import dev.windrow.JobHistory.StepKind;
import dev.windrow.JobHistory.StepState;
import dev.windrow.JobNotFoundException;
import dev.windrow.JobState;
import dev.windrow.TransitionRefusedException;
import dev.windrow.monitor.AuditEntry;
import dev.windrow.payload.Json;
import dev.windrow.step.Signalled;
import dev.windrow.store.Author;
import dev.windrow.store.Transition;
import dev.windrow.store.sql.connection.JsonText;
import dev.windrow.store.sql.connection.Rows;
import dev.windrow.store.sql.connection.Statement;
import dev.windrow.store.sql.connection.Statements;
import dev.windrow.store.sql.job.Audits;
import dev.windrow.store.sql.job.JobVersions;
import dev.windrow.store.sql.writer.WriteTransaction;
import dev.windrow.store.step.Signal;
import dev.windrow.store.step.StepAnswer;
import dev.windrow.store.step.StepWrite;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/** The writes of durable steps. The holder writes its steps, guarded by (id, RUNNING, token). Callers and other processes write events as signals. */
public final class Steps {
    private static final Author SYSTEM = new Author("system", null);

    /** A row to insert. */
    private record Row(long job, long token, @Nullable Long actor, Step step) {}

    /** A job that may wait. Its row is locked. */
    private record Waiting(
            Parked job, JobState state, @Nullable Long awaitsUntil, boolean started) {}

    /**
     * A job that may have to continue.
     *
     * @param id its id
     * @param lane its lane
     * @param token the token of its last attempt
     * @param concurrencyKey its key; null if it has none
     */
    public record Parked(
            long id, long lane, long token, @Nullable String concurrencyKey) {}

    private record Written(
            String name,
            StepKind kind,
            StepState state,
            @Nullable Json result,
            @Nullable Instant until,
            Instant startedAt,
            @Nullable Instant finishedAt,
            @Nullable String actor)
            implements Step {}

    private Steps() {}

    /** Writes a step of a worker that is known to hold the job. If the step exists, checks whether its wait has ended. */
    public static StepAnswer write(WriteTransaction tx, StepWrite write) throws SQLException {
        Row row = row(tx, write);
        if (insert(tx, row)) {
            return new StepAnswer(local(row.step, tx::localTime), true);
        }
        Step found = existing(tx, write.leaseToken().id(), write.name(), write.kind());
        Step now = isOver(found, tx.now()) ? end(tx, write.leaseToken().id(), found) : found;
        return new StepAnswer(local(now, tx::localTime), false);
    }

    private static Row row(WriteTransaction tx, StepWrite write) {
        Long wait = write.waitMillis();
        Instant now = Instant.ofEpochMilli(tx.now());
        boolean done = wait == null || (wait == 0 && write.kind() == StepKind.SLEEP);
        Step step = new Written(
                /* name= */ write.name(),
                /* kind= */ write.kind(),
                /* state= */ done ? StepState.DONE : StepState.WAITING,
                /* result= */ write.result() == null ? null : new Json(write.result()),
                /* until= */ wait == null ? null : now.plusMillis(wait),
                /* startedAt= */ Instant.ofEpochMilli(tx.storeTime(write.startedAtMillis())),
                /* finishedAt= */ done ? now : null,
                /* actor= */ null);
        return new Row(write.leaseToken().id(), write.leaseToken().token(), null, step);
    }

    /**
     * Inserts a step. Returns false if a step with its name exists, or the job has too many. The job is locked, so that positions are assigned one at
     * a time.
     */
    private static boolean insert(WriteTransaction tx, Row row) throws SQLException {
        Step step = row.step;
        int inserted = tx.statements()
                .get(Statement.INSERT_STEP)
                .set(1, row.job)
                .set(2, step.name())
                .set(3, step.kind().name())
                .set(4, step.state().name())
                .set(5, step.result() == null ? null : step.result().text())
                .set(6, millis(step.until()))
                .set(7, row.token)
                .set(8, step.startedAt().toEpochMilli())
                .set(9, millis(step.finishedAt()))
                .set(10, row.actor)
                .set(11, StepWrite.MAX_STEPS)
                .update();
        if (inserted == 1) {
            tx.wroteStep(row.job, row.token);
        }
        return inserted == 1;
    }

    private static @Nullable Long millis(@Nullable Instant time) {
        return time == null ? null : time.toEpochMilli();
    }

    /** Returns the step that has prevented an insertion. */
    private static Step existing(WriteTransaction tx, long job, String name, StepKind wanted) throws SQLException {
        Step found = find(tx.statements(), job, name);
        if (found == null) {
            throw new InvalidRequestException(StepWrite.tooMany(job));
        }
        if (found.kind() != wanted) {
            throw new InvalidRequestException(StepWrite.otherKind(job, name, wanted, found.kind()));
        }
        return found;
    }

    private static boolean isOver(Step step, long now) {
        return step.state() == StepState.WAITING
                && Objects.requireNonNull(step.until()).toEpochMilli() <= now;
    }

    /** Ends a step whose wait is over, for good. */
    private static Step end(WriteTransaction tx, long job, Step step) throws SQLException {
        StepState over = step.kind() == StepKind.SLEEP ? StepState.DONE : StepState.TIMED_OUT;
        tx.statements()
                .get(Statement.END_STEP)
                .set(1, job)
                .set(2, step.name())
                .set(3, over.name())
                .set(4, tx.now())
                .update();
        // The step may have been begun by an earlier attempt. Its end has the time of this transaction.
        tx.wroteStep(job, 0);
        return new Written(
                /* name= */ step.name(),
                /* kind= */ step.kind(),
                /* state= */ over,
                /* result= */ null,
                /* until= */ step.until(),
                /* startedAt= */ step.startedAt(),
                /* finishedAt= */ Instant.ofEpochMilli(tx.now()),
                /* actor= */ null);
    }

    /** Sends an event to a job. Refuses before it writes. */
    public static Signalled signal(WriteTransaction tx, Signal signal) throws SQLException {
        Waiting job = waiting(tx, Statement.READ_FOR_SIGNAL, signal.job());
        if (job == null) {
            throw new JobNotFoundException("job", signal.job());
        }
        JobVersions.require(tx, signal.expected(), signal.job(), job.job.token, job.state, job.started);
        if (job.state.isFinished()) {
            throw new TransitionRefusedException(
                    "job %d is %s: signal is possible only before it has ended".formatted(signal.job(), job.state));
        }
        Signalled signalled = signal(tx, signal, job);
        if (signalled.kept()) {
            Audits.signalled(
                    tx, signal.author(), signal.name(), new AuditEntry.Job(signal.job(), job.state, signalled.state()));
        }
        return signalled;
    }

    private static Signalled signal(WriteTransaction tx, Signal signal, Waiting job) throws SQLException {
        long actor = tx.actor(signal.actor());
        boolean arrived = arrive(tx, signal, actor);
        if (arrived && job.awaitsUntil != null) {
            wake(tx, job.job, signal.author(), "event '" + signal.name() + "'");
            return new Signalled(JobState.PENDING, true);
        }
        boolean kept = arrived || arriveEarly(tx, signal, actor);
        if (kept) {
            String detail = JsonText.object(
                    "event", signal.name(), "reason", signal.author().reason());
            tx.event(signal.job(), tx.now(), EventKind.SIGNALLED, actor, job.job.token, detail);
        }
        return new Signalled(job.state, kept);
    }

    /** Writes an event for which the job waits; false if it does not wait. */
    private static boolean arrive(WriteTransaction tx, Signal signal, long actor) throws SQLException {
        int arrived = tx.statements()
                .get(Statement.ARRIVE)
                .set(1, signal.job())
                .set(2, signal.name())
                .set(3, signal.payload())
                .set(4, tx.now())
                .set(5, actor)
                .update();
        if (arrived == 1) {
            tx.wrote();
        }
        return arrived == 1;
    }

    /** Writes an event before the job waits for it; false if the event has come before, or its wait has timed out. */
    private static boolean arriveEarly(WriteTransaction tx, Signal signal, long actor) throws SQLException {
        Instant now = Instant.ofEpochMilli(tx.now());
        Step step = new Written(
                /* name= */ signal.name(),
                /* kind= */ StepKind.EVENT,
                /* state= */ StepState.DONE,
                /* result= */ signal.payload() == null ? null : new Json(signal.payload()),
                /* until= */ null,
                /* startedAt= */ now,
                /* finishedAt= */ now,
                /* actor= */ signal.actor());
        if (insert(tx, new Row(signal.job(), 0, actor, step))) {
            return true;
        }
        Step unused = existing(tx, signal.job(), signal.name(), StepKind.EVENT);
        return false;
    }

    /**
     * Makes a job that was just parked wait for an event until its time. If the event has come or its time is over by now, the job continues at once.
     */
    public static void parked(WriteTransaction tx, Parked job, String event) throws SQLException {
        Long until = tx.statements()
                .get(Statement.AWAIT)
                .set(1, job.id)
                .set(2, event)
                .oneOrNull();
        if (until != null) {
            tx.notices().waitsUntil(until);
        } else {
            wake(tx, job, SYSTEM, "event '" + event + "'");
        }
    }

    /** Ends the waits of these jobs for events whose time is over; returns their number. Skips jobs that other transactions have locked. */
    public static int timeOut(WriteTransaction tx, List<Long> ids) throws SQLException {
        int count = 0;
        for (long id : ids.stream().sorted().toList()) {
            Waiting job = waiting(tx, Statement.READ_FREE_FOR_SIGNAL, id);
            if (job != null && job.awaitsUntil != null && job.awaitsUntil <= tx.now()) {
                tx.statements()
                        .get(Statement.TIME_OUT_EVENTS)
                        .set(1, id)
                        .set(2, tx.now())
                        .update();
                wake(tx, job.job, SYSTEM, "the event did not come before its timeout");
                count++;
            }
        }
        return count;
    }

    private static void wake(WriteTransaction tx, Parked job, Author author, String cause) throws SQLException {
        Long priority = tx.statements()
                .get(Statement.WAKE)
                .set(1, job.id)
                .set(2, tx.stamp())
                .oneOrNull();
        if (priority == null) {
            throw new SQLException("job " + job.id + " changed while it was woken");
        }
        tx.goesOn(job.id, job.lane, job.concurrencyKey, priority);
        EventKind event = Objects.requireNonNull(Transition.WAKE.event());
        String reason = author.reason() == null ? cause : cause + ": " + author.reason();
        tx.event(job.id, tx.now(), event, tx.actor(author.actor()), job.token, JsonText.object("reason", reason));
    }

    private static @Nullable Waiting waiting(WriteTransaction tx, Statement read, long id) throws SQLException {
        return tx.statements()
                .get(read)
                .set(1, id)
                .find(row -> new Waiting(
                        new Parked(id, row.getLong(2), row.getLong(3), row.getString(4)),
                        JobState.valueOf(row.getString(1)),
                        Rows.longOrNull(row, 5),
                        row.getBoolean(6)));
    }

    /** Returns the step of a name; null if it does not exist. */
    public static @Nullable Step find(Statements statements, long job, String name) throws SQLException {
        return statements.get(Statement.READ_STEP).set(1, job).set(2, name).find(Steps::step);
    }

    /** Returns all steps of a job, in order. */
    public static List<Step> read(Statements statements, long job) throws SQLException {
        return statements.get(Statement.READ_STEPS).set(1, job).list(Steps::step);
    }

    private static Step step(ResultSet row) throws SQLException {
        return new Written(
                /* name= */ row.getString(1),
                /* kind= */ StepKind.valueOf(row.getString(2)),
                /* state= */ StepState.valueOf(row.getString(3)),
                /* result= */ Rows.jsonOrNull(row, 4),
                /* until= */ Rows.instantOrNull(row, 5),
                /* startedAt= */ Instant.ofEpochMilli(row.getLong(6)),
                /* finishedAt= */ Rows.instantOrNull(row, 7),
                /* actor= */ row.getString(8));
    }

    /** Returns the same step with the end of its wait by this process's clock, for the threads of this process that wait for it. */
    public static Step local(Step step, LongUnaryOperator clock) {
        Instant until = step.until();
        return until == null
                ? step
                : new Written(
                        /* name= */ step.name(),
                        /* kind= */ step.kind(),
                        /* state= */ step.state(),
                        /* result= */ step.result(),
                        /* until= */ Instant.ofEpochMilli(clock.applyAsLong(until.toEpochMilli())),
                        /* startedAt= */ step.startedAt(),
                        /* finishedAt= */ step.finishedAt(),
                        /* actor= */ step.actor());
    }
}
