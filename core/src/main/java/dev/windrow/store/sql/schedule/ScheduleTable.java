package dev.windrow.store.sql.schedule;

import dev.windrow.InvalidRequestException;
import dev.windrow.StoreUnavailableException;
import dev.windrow.limit.ConcurrencyKey;
import dev.windrow.limit.Limits;
import dev.windrow.schedule.Misfire;
import dev.windrow.schedule.Overlap;
import dev.windrow.schedule.ScheduleNotFoundException;
import dev.windrow.schedule.ScheduleRun;
import dev.windrow.store.job.JobRow;
import dev.windrow.store.schedule.DueSchedules;
import dev.windrow.store.schedule.ScheduleChange;
import dev.windrow.store.schedule.ScheduleChanged;
import dev.windrow.store.schedule.ScheduleRow;
import dev.windrow.store.schedule.Timing;
import dev.windrow.store.sql.connection.JsonText;
import dev.windrow.store.sql.connection.Query;
import dev.windrow.store.sql.connection.Rows;
import dev.windrow.store.sql.connection.Statement;
import dev.windrow.store.sql.connection.Statements;
import dev.windrow.store.sql.limit.ConcurrencyKeys;
import dev.windrow.store.sql.writer.WriteTransaction;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The definitions and the states of schedules. Their runs are in {@link ScheduleRuns}. */
public final class ScheduleTable {
    /** The actor that enqueues the jobs of schedules. */
    public static final String ACTOR = "system";

    private ScheduleTable() {}

    /** Makes a change of a schedule. */
    public static ScheduleChanged change(WriteTransaction tx, Runs runs, ScheduleChange change) throws SQLException {
        ScheduleRow before = lock(tx, change.name());
        if (change.verb() == ScheduleChange.Verb.SCHEDULE) {
            return put(tx, runs, change, Objects.requireNonNull(change.definition()), before);
        }
        if (before == null) {
            throw new ScheduleNotFoundException(change.name());
        }
        return switch (change.verb()) {
            case PAUSE -> pause(tx, runs, change, before);
            case RESUME -> resume(tx, change, before);
            case REMOVE -> {
                tx.statements()
                        .get(Statement.REMOVE_SCHEDULE)
                        .set(1, before.id())
                        .update();
                audit(tx, change, 0);
                yield new ScheduleChanged(before, null);
            }
            case RUN -> run(tx, runs, change, before);
            case SCHEDULE -> throw new IllegalStateException("done above");
        };
    }

    /** Returns the schedule of a name, and locks it against other transactions; null if it does not exist. */
    private static @Nullable ScheduleRow lock(WriteTransaction tx, String name) throws SQLException {
        return tx.statements().get(Statement.LOCK_SCHEDULE).set(1, name).find(ScheduleTable::row);
    }

    private static ScheduleChanged put(
            WriteTransaction tx,
            Runs runs,
            ScheduleChange change,
            ScheduleRow.Definition definition,
            @Nullable ScheduleRow before)
            throws SQLException {
        Timing wanted = definition.timing();
        boolean sameTiming = before != null && wanted.isOf(before.timing());
        Timing timing = before != null && sameTiming ? before.timing() : wanted.stored(tx.now());
        ScheduleRow.Definition now = new ScheduleRow.Definition(
                definition.name(),
                definition.job().by(ACTOR, null),
                timing,
                definition.misfire(),
                definition.overlap());
        if (before != null && before.definition().equals(now)) {
            return new ScheduleChanged(before, null);
        }
        Long next = before != null && sameTiming ? before.nextAtMillis() : timing.next(tx.now());
        if (next == null && !sameTiming) {
            throw new InvalidRequestException("schedule '%s' is never due after now".formatted(definition.name()));
        }
        Query write = tx.statements()
                .get(before == null ? Statement.INSERT_SCHEDULE : Statement.UPDATE_SCHEDULE)
                .set(1, before == null ? tx.nextId() : before.id())
                .set(20, before != null && before.pause() != null ? null : next)
                .set(21, tx.now());
        bind(write, now);
        if (before == null) {
            write.set(22, tx.actor(change.actor()));
        } else {
            // The clock by which the next run is computed.
            write.set(22, sameTiming ? before.firedAtMillis() : Long.valueOf(tx.now()));
        }
        if (before != null && !sameTiming) {
            ScheduleRuns.missed(runs, before.id(), before.overdue(tx.now()));
        }
        if (write.update() == 0) {
            // Another transaction has written the schedule first, and has committed while this one waited.
            ScheduleRow theirs = lock(tx, change.name());
            if (theirs == null) {
                throw new StoreUnavailableException(
                        "schedule '%s' was created and removed by other transactions at the same time: try again"
                                .formatted(change.name()));
            }
            return put(tx, runs, change, definition, theirs);
        }
        return changed(tx, change, null);
    }

    /** Sets the parameters of the definition, from the second one on. */
    private static void bind(Query write, ScheduleRow.Definition definition) throws SQLException {
        JobRow job = definition.job();
        ConcurrencyKey key = job.concurrencyKey();
        write.set(2, definition.name())
                .set(3, job.queue())
                .set(4, job.type())
                .set(5, job.payload())
                .set(6, job.name())
                .set(7, job.priority())
                .set(8, job.maxAttempts())
                .set(9, job.timeoutMillis())
                .set(10, job.retryPolicy())
                .set(11, JsonText.strings(job.tags()))
                .set(12, key == null ? null : key.key())
                .set(13, key == null ? null : ConcurrencyKeys.max(key))
                .set(14, definition.timing().cron())
                .set(15, definition.timing().zone())
                .set(16, definition.timing().everyMillis())
                .set(17, definition.timing().startsAtMillis())
                .set(18, definition.misfire().name())
                .set(19, definition.overlap().name())
                .set(23, job.metadata());
    }

    private static ScheduleChanged pause(WriteTransaction tx, Runs runs, ScheduleChange change, ScheduleRow before)
            throws SQLException {
        ScheduleRuns.missed(runs, before.id(), before.overdue(tx.now()));
        tx.statements()
                .get(Statement.PAUSE_SCHEDULE)
                .set(1, before.id())
                .set(2, tx.now())
                .set(3, tx.actor(change.actor()))
                .set(4, change.reason())
                .update();
        return changed(tx, change, null);
    }

    private static ScheduleChanged resume(WriteTransaction tx, ScheduleChange change, ScheduleRow before)
            throws SQLException {
        if (before.pause() == null) {
            return new ScheduleChanged(before, null);
        }
        Long next = before.resumedAt(tx.now());
        tx.statements()
                .get(Statement.RESUME_SCHEDULE)
                .set(1, before.id())
                .set(2, tx.now())
                .set(3, next)
                .update();
        return changed(tx, change, null);
    }

    private static ScheduleChanged run(WriteTransaction tx, Runs runs, ScheduleChange change, ScheduleRow before)
            throws SQLException {
        JobRow job = before.definition().job().by(change.actor(), new JobRow.Scheduled(before.name(), null));
        long id = runs.make(job);
        runs.flush();
        tx.statements()
                .get(Statement.RAN_SCHEDULE)
                .set(1, before.id())
                .set(2, lastJob(runs, before, id))
                .update();
        return changed(tx, change, id);
    }

    /** Returns the job that later runs check for an overlap. A last job that has not ended is kept, even if another job now runs at the same time. */
    private static long lastJob(Runs runs, ScheduleRow before, long made) throws SQLException {
        Long last = before.lastJob();
        return last != null
                        && before.definition().overlap() == Overlap.SKIP
                        && !runs.openChains(Set.of(last)).isEmpty()
                ? last
                : made;
    }

    /** Sends the notices of a change that was written; returns its result. */
    private static ScheduleChanged changed(WriteTransaction tx, ScheduleChange change, @Nullable Long job)
            throws SQLException {
        audit(tx, change, job == null ? 0 : 1);
        ScheduleRow after = find(tx.statements(), change.name()).orElseThrow();
        if (after.nextAtMillis() != null) {
            tx.notices().scheduleChanged(after.nextAtMillis());
        }
        return new ScheduleChanged(after, job);
    }

    private static void audit(WriteTransaction tx, ScheduleChange change, int jobs) throws SQLException {
        tx.audit(
                change.verb().name(),
                change.actor(),
                change.reason(),
                jobs,
                JsonText.object("schedule", change.name()));
    }

    // ---- reads -------------------------------------------------------------------------------------------------

    /** Returns the schedule of a name. */
    public static Optional<ScheduleRow> find(Statements statements, String name) throws SQLException {
        return Optional.ofNullable(
                statements.get(Statement.READ_SCHEDULE).set(1, name).find(ScheduleTable::row));
    }

    /** Returns all schedules, by name. */
    public static List<ScheduleRow> all(Statements statements) throws SQLException {
        return statements.get(Statement.READ_SCHEDULES).list(ScheduleTable::row);
    }

    /**
     * Returns the schedules that are due after this one, at most {@code limit}. The first page also has the schedules that a clock ahead has handled.
     */
    public static DueSchedules due(Statements statements, long now, @Nullable ScheduleRow after, int limit)
            throws SQLException {
        List<ScheduleRow> due = statements
                .get(Statement.DUE_SCHEDULES)
                .set(1, now)
                .set(2, after == null ? Long.MIN_VALUE : (long) Objects.requireNonNull(after.nextAtMillis()))
                .set(3, after == null ? 0 : after.id())
                .set(4, limit)
                .list(ScheduleTable::row);
        List<ScheduleRow> ahead = after != null
                ? List.of()
                : statements
                        .get(Statement.AHEAD_SCHEDULES)
                        .set(1, now + DueSchedules.TOLERANCE_MILLIS)
                        .set(2, limit)
                        .list(ScheduleTable::row);
        return new DueSchedules(
                now,
                due,
                ahead,
                statements.get(Statement.NEXT_SCHEDULE).set(1, now).oneOrNull());
    }

    private static ScheduleRow row(ResultSet row) throws SQLException {
        Long pausedAt = longOrNull(row, "paused_at");
        return new ScheduleRow(
                /* id= */ row.getLong("id"),
                /* definition= */ new ScheduleRow.Definition(
                        row.getString("name"),
                        job(row),
                        new Timing(
                                row.getString("cron"),
                                row.getString("zone"),
                                longOrNull(row, "every_ms"),
                                longOrNull(row, "starts_at")),
                        Misfire.valueOf(row.getString("misfire")),
                        Overlap.valueOf(row.getString("overlap"))),
                /* pause= */ pausedAt == null
                        ? null
                        : new Limits.Pause(
                                Instant.ofEpochMilli(pausedAt),
                                String.valueOf(row.getString("pauser")),
                                row.getString("pause_reason")),
                /* nextAtMillis= */ longOrNull(row, "next_at"),
                /* lastAtMillis= */ longOrNull(row, "last_at"),
                /* firedAtMillis= */ longOrNull(row, "fired_at"),
                /* lastJob= */ longOrNull(row, "last_job"),
                /* revision= */ row.getLong("revision"),
                /* createdAtMillis= */ row.getLong("created_at"));
    }

    private static JobRow job(ResultSet row) throws SQLException {
        String key = row.getString("concurrency_key");
        return JobRow.of(row.getString("type"), row.getString("queue"), row.getInt("max_attempts"), ACTOR)
                .name(row.getString("job_name"))
                .payload(row.getString("payload"))
                .priority(row.getInt("priority"))
                .timeoutMillis(longOrNull(row, "timeout_ms"))
                .retryPolicy(row.getString("retry_policy"))
                .tags(JsonText.readStrings(row.getString("tags")))
                .metadata(row.getString("metadata"))
                .concurrencyKey(key == null ? null : ConcurrencyKeys.key(key, longOrNull(row, "concurrency_limit")))
                .build();
    }

    private static @Nullable Long longOrNull(ResultSet row, String column) throws SQLException {
        long value = row.getLong(column);
        return row.wasNull() ? null : value;
    }

    /** Returns the newest runs, newest first. */
    public static List<ScheduleRun> runs(Statements statements, String name, int limit) throws SQLException {
        return statements
                .get(Statement.READ_RUNS)
                .set(1, name)
                .set(2, limit)
                .list(rows -> new ScheduleRunRow(
                        /* due= */ Instant.ofEpochMilli(rows.getLong(1)),
                        /* until= */ Instant.ofEpochMilli(rows.getLong(2)),
                        /* runs= */ Rows.longOrNull(rows, 3),
                        /* at= */ Instant.ofEpochMilli(rows.getLong(4)),
                        /* outcome= */ ScheduleRun.Outcome.valueOf(rows.getString(5)),
                        /* job= */ Rows.longOrNull(rows, 6)));
    }
}
