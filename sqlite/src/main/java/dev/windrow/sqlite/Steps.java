package dev.windrow.sqlite;

import dev.windrow.EventKind;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobNotFoundException;
import dev.windrow.JobState;
import dev.windrow.JobStory.Step;
import dev.windrow.JobStory.StepKind;
import dev.windrow.JobStory.StepState;
import dev.windrow.Json;
import dev.windrow.Signalled;
import dev.windrow.TransitionRefusedException;
import dev.windrow.store.Hold;
import dev.windrow.store.Signal;
import dev.windrow.store.StepAnswer;
import dev.windrow.store.StepWrite;
import dev.windrow.store.Transition;
import dev.windrow.store.sql.JsonText;
import dev.windrow.store.sql.Rows;
import dev.windrow.store.sql.Statements;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Durable steps: the holder's, guarded by (id, RUNNING, token), and the events of which somebody outside tells. */
final class Steps {
    /** A row that is to be inserted. */
    private record Row(
            long job, long token, long startedAt, @Nullable Long actor, Step step) {}

    /** A job that may wait. */
    private record Waiting(
            long id,
            JobState state,
            long lane,
            long token,
            @Nullable String concurrencyKey,
            boolean awaits) {}

    private Steps() {}

    /** Writes a step, or looks whether the one that is there still waits; empty, and nothing, if the holder has lost the job. */
    static Optional<StepAnswer> write(SqliteTransaction tx, StepWrite write) throws SQLException {
        Hold hold = write.hold();
        if (tx.statements()
                        .get(Sql.STILL_HELD)
                        .set(1, hold.id())
                        .set(2, hold.token())
                        .oneOrNull()
                == null) {
            return Optional.empty();
        }
        Row row = row(tx, write);
        if (insert(tx, row)) {
            return Optional.of(new StepAnswer(row.step, true));
        }
        Step found = existing(tx, hold.id(), write.name(), write.kind());
        return Optional.of(new StepAnswer(isOver(found, tx.now()) ? end(tx, hold.id(), found) : found, false));
    }

    private static Row row(SqliteTransaction tx, StepWrite write) {
        Long wait = write.waitMillis();
        Instant now = Instant.ofEpochMilli(tx.now());
        Instant until = wait == null ? null : now.plusMillis(wait);
        boolean done = wait == null || (wait == 0 && write.kind() == StepKind.SLEEP);
        Step step = new Step(
                write.name(),
                write.kind(),
                done ? StepState.DONE : StepState.WAITING,
                write.result() == null ? null : new Json(write.result()),
                until,
                Instant.ofEpochMilli(write.startedAtMillis()),
                done ? now : null,
                null);
        return new Row(write.hold().id(), write.hold().token(), write.startedAtMillis(), null, step);
    }

    /** False if there is one of its name, or too many. */
    private static boolean insert(SqliteTransaction tx, Row row) throws SQLException {
        Step step = row.step;
        return tx.statements()
                        .get(StepSql.INSERT_STEP)
                        .set(1, row.job)
                        .set(2, step.name())
                        .set(3, step.kind().name())
                        .set(4, step.state().name())
                        .set(5, step.result() == null ? null : step.result().text())
                        .set(6, millis(step.until()))
                        .set(7, row.token)
                        .set(8, row.startedAt)
                        .set(9, millis(step.finishedAt()))
                        .set(10, row.actor)
                        .set(11, StepWrite.MAX_STEPS)
                        .update()
                == 1;
    }

    private static @Nullable Long millis(@Nullable Instant time) {
        return time == null ? null : time.toEpochMilli();
    }

    /** The step of a name that could not be inserted. */
    private static Step existing(SqliteTransaction tx, long job, String name, StepKind wanted) throws SQLException {
        try (ResultSet rows =
                tx.statements().get(StepSql.READ_STEP).set(1, job).set(2, name).rows()) {
            if (!rows.next()) {
                throw new InvalidRequestException(StepWrite.tooMany(job));
            }
            Step found = step(rows);
            if (found.kind() != wanted) {
                throw new InvalidRequestException(StepWrite.otherKind(job, name, wanted, found.kind()));
            }
            return found;
        }
    }

    private static boolean isOver(Step step, long now) {
        return step.state() == StepState.WAITING
                && Objects.requireNonNull(step.until()).toEpochMilli() <= now;
    }

    /** What has waited for as long as it was to stays over. */
    private static Step end(SqliteTransaction tx, long job, Step step) throws SQLException {
        StepState over = step.kind() == StepKind.SLEEP ? StepState.DONE : StepState.TIMED_OUT;
        tx.statements()
                .get(StepSql.END_STEP)
                .set(1, job)
                .set(2, step.name())
                .set(3, over.name())
                .set(4, tx.now())
                .update();
        return new Step(
                step.name(),
                step.kind(),
                over,
                null,
                step.until(),
                step.startedAt(),
                Instant.ofEpochMilli(tx.now()),
                null);
    }

    /** Tells a job of an event. Refuses before anything is written. */
    static Signalled signal(SqliteTransaction tx, Signal signal) throws SQLException {
        Waiting job = waiting(tx, signal.job());
        if (job == null) {
            throw new JobNotFoundException("job", signal.job());
        }
        if (job.state.isFinished()) {
            throw new TransitionRefusedException(
                    "job %d is %s: signal is possible only before it has ended".formatted(job.id, job.state));
        }
        long actor = tx.names.actor(signal.actor());
        if (!arrive(tx, signal, actor)) {
            return new Signalled(job.state, arriveEarly(tx, signal, actor));
        }
        if (!job.awaits) {
            return new Signalled(job.state, true);
        }
        wake(tx, job, actor, "event '" + signal.name() + "'");
        return new Signalled(JobState.PENDING, true);
    }

    /** An event that was waited for; false: it was not. */
    private static boolean arrive(SqliteTransaction tx, Signal signal, long actor) throws SQLException {
        return tx.statements()
                        .get(StepSql.ARRIVE)
                        .set(1, signal.job())
                        .set(2, signal.name())
                        .set(3, signal.payload())
                        .set(4, tx.now())
                        .set(5, actor)
                        .update()
                == 1;
    }

    /** An event that nobody has waited for yet; false: it is there, or was waited for in vain. */
    private static boolean arriveEarly(SqliteTransaction tx, Signal signal, long actor) throws SQLException {
        Instant now = Instant.ofEpochMilli(tx.now());
        Step step = new Step(
                signal.name(),
                StepKind.EVENT,
                StepState.DONE,
                signal.payload() == null ? null : new Json(signal.payload()),
                null,
                now,
                now,
                signal.actor());
        if (insert(tx, new Row(signal.job(), 0, tx.now(), actor, step))) {
            return true;
        }
        Step unused = existing(tx, signal.job(), signal.name(), StepKind.EVENT);
        return false;
    }

    /** A job was parked to await an event: until when, or, if that has come or is over by now, it goes on at once. */
    static void parked(SqliteTransaction tx, Settles.Ended end, String event) throws SQLException {
        Long until = tx.statements()
                .get(StepSql.AWAIT)
                .set(1, end.job())
                .set(2, event)
                .oneOrNull();
        if (until != null) {
            tx.waitsUntil(until);
        } else {
            Waiting job = new Waiting(end.job(), JobState.BLOCKED, end.lane(), end.token(), end.concurrencyKey(), true);
            wake(tx, job, tx.names.actor("system"), "event '" + event + "'");
        }
    }

    /** The time for the events that these jobs await is over. */
    static void timeOut(SqliteTransaction tx, List<Long> ids) throws SQLException {
        for (long id : ids) {
            Waiting job = waiting(tx, id);
            if (job != null && job.awaits) {
                tx.statements()
                        .get(StepSql.TIME_OUT_EVENTS)
                        .set(1, id)
                        .set(2, tx.now())
                        .update();
                wake(tx, job, tx.names.actor("system"), "no event came in time");
            }
        }
        tx.flushEvents();
    }

    private static void wake(SqliteTransaction tx, Waiting job, long actor, String reason) throws SQLException {
        if (tx.statements().get(StepSql.WAKE).set(1, job.id).set(2, tx.stamp()).update() != 1) {
            throw new SQLException("job " + job.id + " changed while it was woken");
        }
        tx.moved(job.id, job.lane, job.concurrencyKey, JobState.BLOCKED, JobState.PENDING);
        EventKind event = Objects.requireNonNull(Transition.WAKE.event());
        tx.event(job.id, tx.now(), event, actor, job.token, JsonText.object("reason", reason));
    }

    private static @Nullable Waiting waiting(SqliteTransaction tx, long id) throws SQLException {
        return tx.statements()
                .get(StepSql.READ_FOR_SIGNAL)
                .set(1, id)
                .find(row -> new Waiting(
                        id,
                        JobState.valueOf(row.getString(1)),
                        row.getLong(2),
                        row.getLong(3),
                        row.getString(4),
                        row.getInt(5) != 0));
    }

    /** A retry from the start. */
    static void forget(SqliteTransaction tx, long job) throws SQLException {
        tx.statements().get(StepSql.FORGET_STEPS).set(1, job).update();
    }

    /** All steps of a job, in order. */
    static List<Step> read(Statements statements, long job) throws SQLException {
        return statements.get(StepSql.READ_STEPS).set(1, job).list(rows -> step(rows));
    }

    private static Step step(ResultSet row) throws SQLException {
        String result = row.getString(4);
        return new Step(
                row.getString(1),
                StepKind.valueOf(row.getString(2)),
                StepState.valueOf(row.getString(3)),
                result == null ? null : new Json(result),
                Rows.instantOrNull(row, 5),
                Instant.ofEpochMilli(row.getLong(6)),
                Rows.instantOrNull(row, 7),
                row.getString(8));
    }

    /** Whether an event is there: what a caller's transaction has told of can be seen. */
    static boolean hasArrived(Statements statements, Signal signal) throws SQLException {
        try (ResultSet row = statements
                .get(StepSql.READ_STEP)
                .set(1, signal.job())
                .set(2, signal.name())
                .rows()) {
            return row.next() && step(row).state() == StepState.DONE;
        }
    }
}
