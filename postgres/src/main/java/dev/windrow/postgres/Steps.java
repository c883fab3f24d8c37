package dev.windrow.postgres;

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
    private static final String SYSTEM = "system";

    /** A row that is to be inserted. */
    private record Row(long job, long token, @Nullable Long actor, Step step) {}

    /** A job that may wait, and is locked. */
    private record Waiting(
            long id,
            JobState state,
            int lane,
            long token,
            @Nullable String concurrencyKey,
            @Nullable Long awaitsUntil) {}

    private Steps() {}

    /** Writes a step of one who may hold the job; see {@link #write}. */
    static Optional<StepAnswer> writeIfHeld(PostgresTransaction tx, StepWrite write) throws SQLException {
        return Reports.held(tx, List.of(write.hold())).isEmpty() ? Optional.empty() : Optional.of(write(tx, write));
    }

    /** Writes a step of one who is known to hold the job, or looks whether the one that is there still waits. */
    static StepAnswer write(PostgresTransaction tx, StepWrite write) throws SQLException {
        Hold hold = write.hold();
        Row row = row(tx, write);
        if (insert(tx, row)) {
            return new StepAnswer(local(tx.clock, row.step), true);
        }
        Step found = existing(tx, hold.id(), write.name(), write.kind());
        Step now = isOver(found, tx.now()) ? end(tx, hold.id(), found) : found;
        return new StepAnswer(local(tx.clock, now), false);
    }

    private static Row row(PostgresTransaction tx, StepWrite write) {
        Long wait = write.waitMillis();
        Instant now = Instant.ofEpochMilli(tx.now());
        boolean done = wait == null || (wait == 0 && write.kind() == StepKind.SLEEP);
        Step step = new Step(
                write.name(),
                write.kind(),
                done ? StepState.DONE : StepState.WAITING,
                write.result() == null ? null : new Json(write.result()),
                wait == null ? null : now.plusMillis(wait),
                Instant.ofEpochMilli(tx.clock.toServer(write.startedAtMillis())),
                done ? now : null,
                null);
        return new Row(write.hold().id(), write.hold().token(), null, step);
    }

    /** False if there is one of its name, or too many. The job is locked, so that numbers are given one at a time. */
    private static boolean insert(PostgresTransaction tx, Row row) throws SQLException {
        Step step = row.step;
        int inserted = tx.statements()
                .get(StepSql.INSERT_STEP)
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
                .set(11, Integer.valueOf(StepWrite.MAX_STEPS))
                .update();
        if (inserted == 1) {
            tx.wroteAbout(row.job);
        }
        return inserted == 1;
    }

    private static @Nullable Long millis(@Nullable Instant time) {
        return time == null ? null : time.toEpochMilli();
    }

    /** The step of a name that could not be inserted. */
    private static Step existing(PostgresTransaction tx, long job, String name, StepKind wanted) throws SQLException {
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
    private static Step end(PostgresTransaction tx, long job, Step step) throws SQLException {
        StepState over = step.kind() == StepKind.SLEEP ? StepState.DONE : StepState.TIMED_OUT;
        tx.statements()
                .get(StepSql.END_STEP)
                .set(1, job)
                .set(2, step.name())
                .set(3, over.name())
                .set(4, tx.now())
                .update();
        tx.wroteAbout(job);
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
    static Signalled signal(PostgresTransaction tx, Signal signal) throws SQLException {
        Waiting job = waiting(tx, StepSql.READ_FOR_SIGNAL, signal.job());
        if (job == null) {
            throw new JobNotFoundException("job", signal.job());
        }
        if (job.state.isFinished()) {
            throw new TransitionRefusedException(
                    "job %d is %s: signal is possible only before it has ended".formatted(job.id, job.state));
        }
        long actor = tx.actor(signal.actor());
        if (!arrive(tx, signal, actor)) {
            return new Signalled(job.state, arriveEarly(tx, signal, actor));
        }
        if (job.awaitsUntil == null) {
            return new Signalled(job.state, true);
        }
        wake(tx, job, actor, "event '" + signal.name() + "'");
        return new Signalled(JobState.PENDING, true);
    }

    /** An event that was waited for; false: it was not. */
    private static boolean arrive(PostgresTransaction tx, Signal signal, long actor) throws SQLException {
        int arrived = tx.statements()
                .get(StepSql.ARRIVE)
                .set(1, signal.job())
                .set(2, signal.name())
                .set(3, signal.payload())
                .set(4, tx.now())
                .set(5, actor)
                .update();
        if (arrived == 1) {
            tx.wroteAbout(signal.job());
        }
        return arrived == 1;
    }

    /** An event that nobody has waited for yet; false: it is there, or was waited for in vain. */
    private static boolean arriveEarly(PostgresTransaction tx, Signal signal, long actor) throws SQLException {
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
        if (insert(tx, new Row(signal.job(), 0, actor, step))) {
            return true;
        }
        Step unused = existing(tx, signal.job(), signal.name(), StepKind.EVENT);
        return false;
    }

    /** A job was parked to await an event: until when, or, if that has come or is over by now, it goes on at once. */
    static void parked(PostgresTransaction tx, Settles.Ended end, String event) throws SQLException {
        Long until = tx.statements()
                .get(StepSql.AWAIT)
                .set(1, end.job())
                .set(2, event)
                .oneOrNull();
        if (until != null) {
            tx.waitsUntil(until);
        } else {
            Waiting job = new Waiting(
                    end.job(), JobState.BLOCKED, end.lane(), end.token(), end.concurrencyKey(), end.finishedAt());
            wake(tx, job, tx.actor(SYSTEM), "event '" + event + "'");
        }
    }

    /** The time for the events that these jobs await is over, but for those that others have locked; answers how many. */
    static int timeOut(PostgresTransaction tx, List<Long> ids) throws SQLException {
        int count = 0;
        for (long id : ids.stream().sorted().toList()) {
            Waiting job = waiting(tx, StepSql.READ_FREE_FOR_SIGNAL, id);
            if (job != null && job.awaitsUntil != null && job.awaitsUntil <= tx.now()) {
                tx.statements()
                        .get(StepSql.TIME_OUT_EVENTS)
                        .set(1, id)
                        .set(2, tx.now())
                        .update();
                wake(tx, job, tx.actor(SYSTEM), "no event came in time");
                count++;
            }
        }
        return count;
    }

    private static void wake(PostgresTransaction tx, Waiting job, long actor, String reason) throws SQLException {
        Long priority = tx.statements()
                .get(StepSql.WAKE)
                .set(1, job.id)
                .set(2, tx.stamp)
                .oneOrNull();
        if (priority == null) {
            throw new SQLException("job " + job.id + " changed while it was woken");
        }
        Marks.Place place = new Marks.Place((int) -priority, tx.stamp, job.id);
        tx.moved(job.id, job.concurrencyKey, job.lane, JobState.BLOCKED, JobState.PENDING, place);
        EventKind event = Objects.requireNonNull(Transition.WAKE.event());
        tx.event(job.id, tx.now(), event, actor, job.token, JsonText.object("reason", reason));
    }

    private static @Nullable Waiting waiting(PostgresTransaction tx, String sql, long id) throws SQLException {
        return tx.statements()
                .get(sql)
                .set(1, id)
                .find(row -> new Waiting(
                        id,
                        JobState.valueOf(row.getString(1)),
                        row.getInt(2),
                        row.getLong(3),
                        row.getString(4),
                        Rows.longOrNull(row, 5)));
    }

    /** All steps of a job, in order. */
    static List<Step> read(Statements statements, long job) throws SQLException {
        return statements.get(ReadSql.READ_STEPS).set(1, job).list(rows -> step(rows));
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

    /** The same step with its end by this process's clock, for whoever is to wait for it. */
    static Step local(ServerClock clock, Step step) {
        Instant until = step.until();
        return until == null
                ? step
                : new Step(
                        step.name(),
                        step.kind(),
                        step.state(),
                        step.result(),
                        Instant.ofEpochMilli(clock.toLocal(until.toEpochMilli())),
                        step.startedAt(),
                        step.finishedAt(),
                        step.actor());
    }
}
