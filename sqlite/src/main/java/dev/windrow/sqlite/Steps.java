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
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
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
    static Optional<StepAnswer> write(WriteTransaction tx, StepWrite write) throws SQLException {
        Hold hold = write.hold();
        PreparedStatement held = tx.statements.get(Sql.STILL_HELD);
        held.setLong(1, hold.id());
        held.setLong(2, hold.token());
        if (Rows.oneOrNull(held) == null) {
            return Optional.empty();
        }
        Row row = row(tx, write);
        if (insert(tx, row)) {
            return Optional.of(new StepAnswer(row.step, true));
        }
        Step found = existing(tx, hold.id(), write.name(), write.kind());
        return Optional.of(new StepAnswer(isOver(found, tx.now) ? end(tx, hold.id(), found) : found, false));
    }

    private static Row row(WriteTransaction tx, StepWrite write) {
        Long wait = write.waitMillis();
        Instant now = Instant.ofEpochMilli(tx.now);
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
    private static boolean insert(WriteTransaction tx, Row row) throws SQLException {
        Step step = row.step;
        PreparedStatement insert = tx.statements.get(StepSql.INSERT_STEP);
        insert.setLong(1, row.job);
        insert.setString(2, step.name());
        insert.setString(3, step.kind().name());
        insert.setString(4, step.state().name());
        insert.setString(5, step.result() == null ? null : step.result().text());
        Statements.setLong(insert, 6, millis(step.until()));
        insert.setLong(7, row.token);
        insert.setLong(8, row.startedAt);
        Statements.setLong(insert, 9, millis(step.finishedAt()));
        Statements.setLong(insert, 10, row.actor);
        insert.setInt(11, StepWrite.MAX_STEPS);
        return insert.executeUpdate() == 1;
    }

    private static @Nullable Long millis(@Nullable Instant time) {
        return time == null ? null : time.toEpochMilli();
    }

    /** The step of a name that could not be inserted. */
    private static Step existing(WriteTransaction tx, long job, String name, StepKind wanted) throws SQLException {
        PreparedStatement query = tx.statements.get(StepSql.READ_STEP);
        query.setLong(1, job);
        query.setString(2, name);
        try (ResultSet rows = query.executeQuery()) {
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
    private static Step end(WriteTransaction tx, long job, Step step) throws SQLException {
        StepState over = step.kind() == StepKind.SLEEP ? StepState.DONE : StepState.TIMED_OUT;
        PreparedStatement end = tx.statements.get(StepSql.END_STEP);
        end.setLong(1, job);
        end.setString(2, step.name());
        end.setString(3, over.name());
        end.setLong(4, tx.now);
        end.executeUpdate();
        return new Step(
                step.name(),
                step.kind(),
                over,
                null,
                step.until(),
                step.startedAt(),
                Instant.ofEpochMilli(tx.now),
                null);
    }

    /** Tells a job of an event. Refuses before anything is written. */
    static Signalled signal(WriteTransaction tx, Signal signal) throws SQLException {
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
    private static boolean arrive(WriteTransaction tx, Signal signal, long actor) throws SQLException {
        PreparedStatement arrive = tx.statements.get(StepSql.ARRIVE);
        arrive.setLong(1, signal.job());
        arrive.setString(2, signal.name());
        arrive.setString(3, signal.payload());
        arrive.setLong(4, tx.now);
        arrive.setLong(5, actor);
        return arrive.executeUpdate() == 1;
    }

    /** An event that nobody has waited for yet; false: it is there, or was waited for in vain. */
    private static boolean arriveEarly(WriteTransaction tx, Signal signal, long actor) throws SQLException {
        Instant now = Instant.ofEpochMilli(tx.now);
        Step step = new Step(
                signal.name(),
                StepKind.EVENT,
                StepState.DONE,
                signal.payload() == null ? null : new Json(signal.payload()),
                null,
                now,
                now,
                signal.actor());
        if (insert(tx, new Row(signal.job(), 0, tx.now, actor, step))) {
            return true;
        }
        Step unused = existing(tx, signal.job(), signal.name(), StepKind.EVENT);
        return false;
    }

    /** A job was parked to await an event: until when, or, if that has come or is over by now, it goes on at once. */
    static void parked(WriteTransaction tx, Settles.Ended end, String event) throws SQLException {
        PreparedStatement await = tx.statements.get(StepSql.AWAIT);
        await.setLong(1, end.job());
        await.setString(2, event);
        Long until = Rows.oneOrNull(await);
        if (until != null) {
            tx.waitsUntil(until);
        } else {
            Waiting job = new Waiting(end.job(), JobState.BLOCKED, end.lane(), end.token(), end.concurrencyKey(), true);
            wake(tx, job, tx.names.actor("system"), "event '" + event + "'");
        }
    }

    /** The time for the events that these jobs await is over. */
    static void timeOut(WriteTransaction tx, List<Long> ids) throws SQLException {
        for (long id : ids) {
            Waiting job = waiting(tx, id);
            if (job != null && job.awaits) {
                PreparedStatement over = tx.statements.get(StepSql.TIME_OUT_EVENTS);
                over.setLong(1, id);
                over.setLong(2, tx.now);
                over.executeUpdate();
                wake(tx, job, tx.names.actor("system"), "no event came in time");
            }
        }
        tx.flushEvents();
    }

    private static void wake(WriteTransaction tx, Waiting job, long actor, String reason) throws SQLException {
        PreparedStatement wake = tx.statements.get(StepSql.WAKE);
        wake.setLong(1, job.id);
        wake.setLong(2, tx.stamp());
        if (wake.executeUpdate() != 1) {
            throw new SQLException("job " + job.id + " changed while it was woken");
        }
        tx.moved(job.id, job.lane, job.concurrencyKey, JobState.BLOCKED, JobState.PENDING);
        EventKind event = Objects.requireNonNull(Transition.WAKE.event());
        tx.event(job.id, tx.now, event, actor, job.token, JsonText.object("reason", reason));
    }

    private static @Nullable Waiting waiting(WriteTransaction tx, long id) throws SQLException {
        PreparedStatement query = tx.statements.get(StepSql.READ_FOR_SIGNAL);
        query.setLong(1, id);
        try (ResultSet row = query.executeQuery()) {
            return row.next()
                    ? new Waiting(
                            id,
                            JobState.valueOf(row.getString(1)),
                            row.getLong(2),
                            row.getLong(3),
                            row.getString(4),
                            row.getInt(5) != 0)
                    : null;
        }
    }

    /** A retry from the start. */
    static void forget(WriteTransaction tx, long job) throws SQLException {
        PreparedStatement forget = tx.statements.get(StepSql.FORGET_STEPS);
        forget.setLong(1, job);
        forget.executeUpdate();
    }

    /** All steps of a job, in order. */
    static List<Step> read(Statements statements, long job) throws SQLException {
        PreparedStatement query = statements.get(StepSql.READ_STEPS);
        query.setLong(1, job);
        List<Step> steps = new ArrayList<>();
        try (ResultSet rows = query.executeQuery()) {
            while (rows.next()) {
                steps.add(step(rows));
            }
        }
        return steps;
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
        PreparedStatement query = statements.get(StepSql.READ_STEP);
        query.setLong(1, signal.job());
        query.setString(2, signal.name());
        try (ResultSet row = query.executeQuery()) {
            return row.next() && step(row).state() == StepState.DONE;
        }
    }
}
