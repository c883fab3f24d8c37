package dev.windrow.sqlite;

import dev.windrow.ConcurrencyKey;
import dev.windrow.Control;
import dev.windrow.InvalidRequestException;
import dev.windrow.Misfire;
import dev.windrow.Overlap;
import dev.windrow.ScheduleNotFoundException;
import dev.windrow.ScheduleRun;
import dev.windrow.store.DueSchedules;
import dev.windrow.store.JobRow;
import dev.windrow.store.ScheduleChange;
import dev.windrow.store.ScheduleChanged;
import dev.windrow.store.ScheduleRow;
import dev.windrow.store.Timing;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What schedules are to do, and whether they do it; what they do is in {@link Firings}. */
final class Schedules {
    /** Who makes their jobs. */
    static final String ACTOR = "system";
    /** How many ids and event numbers a change needs: those of a schedule, or of a job and its event. */
    static final int IDS = 2;

    private Schedules() {}

    static ScheduleChanged change(WriteTransaction tx, ScheduleChange change) throws SQLException {
        ScheduleRow before = find(tx.statements, change.name());
        if (change.verb() == ScheduleChange.Verb.SCHEDULE) {
            return put(tx, change, Objects.requireNonNull(change.definition()), before);
        }
        if (before == null) {
            throw new ScheduleNotFoundException(change.name());
        }
        return switch (change.verb()) {
            case PAUSE -> pause(tx, change, before);
            case RESUME -> resume(tx, change, before);
            case REMOVE -> {
                PreparedStatement remove = tx.statements.get(ScheduleSql.REMOVE_SCHEDULE);
                remove.setLong(1, before.id());
                remove.executeUpdate();
                audit(tx, change, 0);
                yield new ScheduleChanged(before, null);
            }
            case RUN -> run(tx, change, before);
            case SCHEDULE -> throw new IllegalStateException("done above");
        };
    }

    private static ScheduleChanged put(
            WriteTransaction tx, ScheduleChange change, ScheduleRow.Definition definition, @Nullable ScheduleRow before)
            throws SQLException {
        Timing wanted = definition.timing();
        boolean sameTiming = before != null && wanted.isOf(before.timing());
        Timing timing = before != null && sameTiming ? before.timing() : wanted.stored(tx.now);
        ScheduleRow.Definition now = new ScheduleRow.Definition(
                definition.name(),
                definition.job().by(ACTOR, null),
                timing,
                definition.misfire(),
                definition.overlap());
        if (before != null && before.definition().equals(now)) {
            return new ScheduleChanged(before, null);
        }
        Long next = before != null && sameTiming ? before.nextAtMillis() : timing.next(tx.now);
        if (next == null && !sameTiming) {
            throw new InvalidRequestException("schedule '%s' is never due after now".formatted(definition.name()));
        }
        PreparedStatement write =
                tx.statements.get(before == null ? ScheduleSql.INSERT_SCHEDULE : ScheduleSql.UPDATE_SCHEDULE);
        write.setLong(1, before == null ? tx.nextId() : before.id());
        bind(write, now);
        Statements.setLong(write, 20, before != null && before.pause() != null ? null : next);
        write.setLong(21, tx.now);
        if (before == null) {
            write.setLong(22, tx.names.actor(change.actor()));
        } else {
            // The clock by which the next run is computed.
            Statements.setLong(write, 22, sameTiming ? before.firedAtMillis() : Long.valueOf(tx.now));
        }
        if (before != null && !sameTiming) {
            Firings.missed(tx, before.id(), before.overdue(tx.now));
        }
        write.executeUpdate();
        return changed(tx, change, null);
    }

    /** What it is to do, from the second parameter on. */
    private static void bind(PreparedStatement write, ScheduleRow.Definition definition) throws SQLException {
        JobRow job = definition.job();
        ConcurrencyKey key = job.concurrencyKey();
        write.setString(2, definition.name());
        write.setString(3, job.queue());
        write.setString(4, job.type());
        write.setString(5, job.payload());
        write.setString(6, job.name());
        write.setInt(7, job.priority());
        write.setInt(8, job.maxAttempts());
        Statements.setLong(write, 9, job.timeoutMillis());
        write.setString(10, job.retryPolicy());
        write.setString(11, JsonText.strings(job.tags()));
        write.setString(12, key == null ? null : key.key());
        write.setObject(13, key == null ? null : Turns.most(key));
        write.setString(14, definition.timing().cron());
        write.setString(15, definition.timing().zone());
        Statements.setLong(write, 16, definition.timing().everyMillis());
        Statements.setLong(write, 17, definition.timing().startsAtMillis());
        write.setString(18, definition.misfire().name());
        write.setString(19, definition.overlap().name());
    }

    private static ScheduleChanged pause(WriteTransaction tx, ScheduleChange change, ScheduleRow before)
            throws SQLException {
        Firings.missed(tx, before.id(), before.overdue(tx.now));
        PreparedStatement pause = tx.statements.get(ScheduleSql.PAUSE_SCHEDULE);
        pause.setLong(1, before.id());
        pause.setLong(2, tx.now);
        pause.setLong(3, tx.names.actor(change.actor()));
        pause.setString(4, change.reason());
        pause.executeUpdate();
        return changed(tx, change, null);
    }

    private static ScheduleChanged resume(WriteTransaction tx, ScheduleChange change, ScheduleRow before)
            throws SQLException {
        if (before.pause() == null) {
            return new ScheduleChanged(before, null);
        }
        Long next = before.resumedAt(tx.now);
        PreparedStatement resume = tx.statements.get(ScheduleSql.RESUME_SCHEDULE);
        resume.setLong(1, before.id());
        resume.setLong(2, tx.now);
        Statements.setLong(resume, 3, next);
        resume.executeUpdate();
        return changed(tx, change, null);
    }

    private static ScheduleChanged run(WriteTransaction tx, ScheduleChange change, ScheduleRow before)
            throws SQLException {
        JobRow job = before.definition().job().by(change.actor(), new JobRow.Scheduled(before.name(), null));
        long id = Enqueues.add(tx, List.of(job), Map.of()).get(0).id();
        Enqueues.flush(tx, HandOff.NONE);
        PreparedStatement ran = tx.statements.get(ScheduleSql.RAN_SCHEDULE);
        ran.setLong(1, before.id());
        ran.setLong(2, lastJob(tx, before, id));
        ran.executeUpdate();
        return changed(tx, change, id);
    }

    /** The job that later runs look at: one that goes on is not forgotten for another one, beside which it runs. */
    private static long lastJob(WriteTransaction tx, ScheduleRow before, long made) throws SQLException {
        Long last = before.lastJob();
        return last != null && before.definition().overlap() == Overlap.SKIP && Firings.goesOn(tx, last) ? last : made;
    }

    /** Tells of a change that was written; answers what came of it. */
    private static ScheduleChanged changed(WriteTransaction tx, ScheduleChange change, @Nullable Long job)
            throws SQLException {
        audit(tx, change, job == null ? 0 : 1);
        ScheduleRow after = Objects.requireNonNull(find(tx.statements, change.name()));
        if (after.nextAtMillis() != null) {
            tx.scheduleChanged(after.nextAtMillis());
        }
        return new ScheduleChanged(after, job);
    }

    private static void audit(WriteTransaction tx, ScheduleChange change, int jobs) throws SQLException {
        PreparedStatement audit = tx.statements.get(Sql.INSERT_AUDIT);
        audit.setLong(1, tx.now);
        audit.setLong(2, tx.names.actor(change.actor()));
        audit.setString(3, change.verb().name());
        audit.setLong(4, jobs);
        audit.setString(5, JsonText.object("schedule", change.name(), "reason", change.reason()));
        audit.executeUpdate();
    }

    // ---- reads -------------------------------------------------------------------------------------------------

    /** The schedule of a name; null if there is none. */
    static @Nullable ScheduleRow find(Statements statements, String name) throws SQLException {
        PreparedStatement query = statements.get(ScheduleSql.READ_SCHEDULE);
        query.setString(1, name);
        List<ScheduleRow> found = read(query);
        return found.isEmpty() ? null : found.get(0);
    }

    static List<ScheduleRow> all(Statements statements) throws SQLException {
        return read(statements.get(ScheduleSql.READ_SCHEDULES));
    }

    static DueSchedules due(Statements statements, long now, @Nullable ScheduleRow after, int limit)
            throws SQLException {
        PreparedStatement due = statements.get(ScheduleSql.DUE_SCHEDULES);
        due.setLong(1, now);
        due.setLong(2, after == null ? Long.MIN_VALUE : Objects.requireNonNull(after.nextAtMillis()));
        due.setLong(3, after == null ? 0 : after.id());
        due.setInt(4, limit);
        PreparedStatement ahead = statements.get(ScheduleSql.AHEAD_SCHEDULES);
        ahead.setLong(1, now + DueSchedules.TOLERANCE_MILLIS);
        ahead.setInt(2, limit);
        PreparedStatement next = statements.get(ScheduleSql.NEXT_SCHEDULE);
        next.setLong(1, now);
        return new DueSchedules(now, read(due), after == null ? read(ahead) : List.of(), Rows.oneOrNull(next));
    }

    private static List<ScheduleRow> read(PreparedStatement query) throws SQLException {
        List<ScheduleRow> schedules = new ArrayList<>();
        try (ResultSet rows = query.executeQuery()) {
            while (rows.next()) {
                schedules.add(row(rows));
            }
        }
        return schedules;
    }

    private static ScheduleRow row(ResultSet row) throws SQLException {
        Long pausedAt = longOrNull(row, "paused_at");
        return new ScheduleRow(
                row.getLong("id"),
                new ScheduleRow.Definition(
                        row.getString("name"),
                        job(row),
                        new Timing(
                                row.getString("cron"),
                                row.getString("zone"),
                                longOrNull(row, "every_ms"),
                                longOrNull(row, "starts_at")),
                        Misfire.valueOf(row.getString("misfire")),
                        Overlap.valueOf(row.getString("overlap"))),
                pausedAt == null
                        ? null
                        : new Control.Pause(
                                Instant.ofEpochMilli(pausedAt),
                                String.valueOf(row.getString("pauser")),
                                row.getString("pause_reason")),
                longOrNull(row, "next_at"),
                longOrNull(row, "last_at"),
                longOrNull(row, "fired_at"),
                longOrNull(row, "last_job"),
                row.getLong("revision"),
                row.getLong("created_at"));
    }

    private static JobRow job(ResultSet row) throws SQLException {
        String key = row.getString("concurrency_key");
        return new JobRow(
                row.getString("type"),
                row.getString("queue"),
                row.getString("job_name"),
                row.getString("payload"),
                row.getInt("priority"),
                null,
                null,
                row.getInt("max_attempts"),
                longOrNull(row, "timeout_ms"),
                row.getString("retry_policy"),
                JsonText.readStrings(row.getString("tags")),
                List.of(),
                null,
                null,
                key == null ? null : Turns.key(key, longOrNull(row, "concurrency_most")),
                null,
                ACTOR);
    }

    private static @Nullable Long longOrNull(ResultSet row, String column) throws SQLException {
        long value = row.getLong(column);
        return row.wasNull() ? null : value;
    }

    /** The newest runs, the newest first. */
    static List<ScheduleRun> runs(Statements statements, String name, int limit) throws SQLException {
        PreparedStatement query = statements.get(ScheduleSql.READ_RUNS);
        query.setString(1, name);
        query.setInt(2, limit);
        List<ScheduleRun> runs = new ArrayList<>();
        try (ResultSet rows = query.executeQuery()) {
            while (rows.next()) {
                runs.add(new ScheduleRun(
                        Instant.ofEpochMilli(rows.getLong(1)),
                        Instant.ofEpochMilli(rows.getLong(2)),
                        Rows.longOrNull(rows, 3),
                        Instant.ofEpochMilli(rows.getLong(4)),
                        ScheduleRun.Outcome.valueOf(rows.getString(5)),
                        Rows.longOrNull(rows, 6)));
            }
        }
        return runs;
    }
}
