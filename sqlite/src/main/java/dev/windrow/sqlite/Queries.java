package dev.windrow.sqlite;

import dev.windrow.AttemptOutcome;
import dev.windrow.BatchProgress;
import dev.windrow.EventKind;
import dev.windrow.JobSnapshot;
import dev.windrow.JobState;
import dev.windrow.JobStory;
import dev.windrow.Json;
import dev.windrow.LogLevel;
import dev.windrow.ParentOutcome;
import dev.windrow.ParentPolicy;
import dev.windrow.Tracing;
import dev.windrow.store.Explanation;
import dev.windrow.store.LiveWorkers;
import dev.windrow.store.sql.Query;
import dev.windrow.store.sql.Rows;
import dev.windrow.store.sql.Statements;
import dev.windrow.store.sql.StatisticsQueries;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads of single jobs. */
final class Queries {
    /** A snapshot with what only a story needs. */
    private record Read(JobSnapshot job, long token) {}

    /** The lines that are kept, and how many there were before. */
    private record Log(List<JobStory.LogLine> lines, long dropped) {}

    private Queries() {}

    static Optional<JobStory> story(Statements statements, long id) throws SQLException {
        Read read = readJob(statements, id);
        if (read == null) {
            return Optional.empty();
        }
        JobSnapshot job = read.job();
        Log log = log(statements, id);
        List<JobStory.Attempt> attempts = attempts(statements, id);
        if (job.state() == JobState.RUNNING) {
            attempts.add(new JobStory.Attempt(
                    job.attempt(),
                    read.token(),
                    Objects.requireNonNullElse(job.worker(), "unknown"),
                    null,
                    null,
                    null,
                    job.startedAt(),
                    null,
                    null,
                    null));
        }
        return Optional.of(new JobStory(
                job,
                json(statements, ReadSql.READ_PAYLOAD, id),
                json(statements, ReadSql.READ_RESULT, id),
                attempts,
                events(statements, id),
                log.lines(),
                log.dropped(),
                leftOut(statements, id),
                Steps.read(statements, id)));
    }

    private static long leftOut(Statements statements, long id) throws SQLException {
        Long leftOut = statements.get(ReadSql.ATTEMPTS_LEFT_OUT).set(1, id).oneOrNull();
        return leftOut == null ? 0 : leftOut;
    }

    static @Nullable JobSnapshot snapshot(Statements statements, long id) throws SQLException {
        Read read = readJob(statements, id);
        return read == null ? null : read.job();
    }

    /** The jobs of the chain in which a job is, from the first one. */
    static List<JobSnapshot> chain(Statements statements, long id) throws SQLException {
        List<Long> ids = statements.get(WorkflowSql.READ_CHAIN).set(1, id).list(rows -> rows.getLong(1));
        List<JobSnapshot> jobs = new ArrayList<>();
        for (long job : ids) {
            JobSnapshot snapshot = snapshot(statements, job);
            if (snapshot != null) {
                jobs.add(snapshot);
            }
        }
        return jobs;
    }

    private static @Nullable Read readJob(Statements statements, long id) throws SQLException {
        try (ResultSet row = statements.get(ReadSql.READ_JOB).set(1, id).rows()) {
            if (!row.next()) {
                return null;
            }
            JobState state = JobState.valueOf(row.getString(5));
            int used = row.getInt(7);
            Long chain = Rows.longOrNull(row, 16);
            JobSnapshot job = new JobSnapshot(
                    row.getLong(1),
                    row.getString(2),
                    row.getString(3),
                    row.getString(4),
                    state,
                    row.getInt(6),
                    state == JobState.RUNNING ? used + 1 : used,
                    row.getInt(8),
                    row.getString(9),
                    row.getString(10),
                    Instant.ofEpochMilli(row.getLong(11)),
                    Instant.ofEpochMilli(row.getLong(12)),
                    Rows.instantOrNull(row, 13),
                    Rows.instantOrNull(row, 14),
                    row.getString(15),
                    chain == null ? id : chain,
                    row.getInt(17),
                    dependencies(statements, ReadSql.READ_DEPENDS_ON, id),
                    dependencies(statements, ReadSql.READ_DEPENDENTS, id),
                    tags(statements, id),
                    row.getString(23),
                    row.getString(24),
                    row.getInt(25) != 0,
                    waiting(row.getString(27)),
                    Rows.instantOrNull(row, 28),
                    row.getString(18),
                    progress(row),
                    Rows.longOrNull(row, 26));
            return new Read(job, row.getLong(19));
        }
    }

    private static JobSnapshot.@Nullable Waiting waiting(@Nullable String name) {
        return name == null ? null : JobSnapshot.Waiting.valueOf(name);
    }

    private static JobSnapshot.@Nullable Progress progress(ResultSet row) throws SQLException {
        Instant at = Rows.instantOrNull(row, 20);
        if (at == null) {
            return null;
        }
        double fraction = row.getDouble(21);
        return new JobSnapshot.Progress(row.wasNull() ? null : fraction, row.getString(22), at);
    }

    private static Log log(Statements statements, long id) throws SQLException {
        Query query = statements.get(ReadSql.READ_LOG);
        query.set(1, id);
        List<JobStory.LogLine> lines = new ArrayList<>();
        long dropped = 0;
        try (ResultSet rows = query.rows()) {
            while (rows.next()) {
                if (lines.isEmpty()) {
                    dropped = rows.getLong(1) - 1;
                }
                lines.add(new JobStory.LogLine(
                        Instant.ofEpochMilli(rows.getLong(2)), LogLevel.valueOf(rows.getString(3)), rows.getString(4)));
            }
        }
        return new Log(lines, dropped);
    }

    private static List<JobSnapshot.Dependency> dependencies(Statements statements, String sql, long id)
            throws SQLException {
        return statements
                .get(sql)
                .set(1, id)
                .list(rows -> new JobSnapshot.Dependency(
                        rows.getLong(1), JobState.valueOf(rows.getString(2)), ParentPolicy.valueOf(rows.getString(3))));
    }

    /** How many jobs of a workflow are in which state. */
    static Map<JobState, Long> workflow(Statements statements, long id) throws SQLException {
        Query query = statements.get(ReadSql.WORKFLOW_STATES);
        query.set(1, id);
        Map<JobState, Long> states = new EnumMap<>(JobState.class);
        try (ResultSet rows = query.rows()) {
            while (rows.next()) {
                states.put(JobState.valueOf(rows.getString(1)), rows.getLong(2));
            }
        }
        return states;
    }

    /** How far the jobs are that this one waits for. */
    static Optional<BatchProgress> batch(Statements statements, long callback) throws SQLException {
        try (ResultSet row = statements.get(ReadSql.BATCH).set(1, callback).rows()) {
            return row.next()
                    ? Optional.of(new BatchProgress(
                            callback,
                            JobState.valueOf(row.getString(1)),
                            row.getLong(2),
                            row.getLong(3),
                            row.getLong(4)))
                    : Optional.empty();
        }
    }

    private static List<String> tags(Statements statements, long id) throws SQLException {
        return statements.get(ReadSql.READ_TAGS).set(1, id).list(rows -> rows.getString(1));
    }

    private static @Nullable Json json(Statements statements, String sql, long id) throws SQLException {
        return statements.get(sql).set(1, id).find(rows -> new Json(rows.getString(1)));
    }

    private static List<JobStory.Attempt> attempts(Statements statements, long id) throws SQLException {
        return statements
                .get(ReadSql.READ_ATTEMPTS)
                .set(1, id)
                .list(rows -> new JobStory.Attempt(
                        rows.getInt(1),
                        rows.getLong(2),
                        rows.getString(3),
                        AttemptOutcome.valueOf(rows.getString(4)),
                        rows.getString(5),
                        rows.getString(6),
                        Rows.instantOrNull(rows, 7),
                        Rows.instantOrNull(rows, 8),
                        rows.getString(9),
                        rows.getString(10)));
    }

    private static List<JobStory.Event> events(Statements statements, long id) throws SQLException {
        List<JobStory.Event> events = new ArrayList<>();
        try (ResultSet rows = statements.get(ReadSql.READ_EVENTS).set(1, id).rows()) {
            while (rows.next()) {
                String detail = rows.getString(4);
                events.add(new JobStory.Event(
                        Instant.ofEpochMilli(rows.getLong(1)),
                        EventKind.valueOf(rows.getString(2)),
                        rows.getString(3),
                        detail == null ? null : new Json(detail)));
            }
        }
        return events;
    }

    static List<ParentOutcome> outcomes(Statements statements, String sql, long id) throws SQLException {
        List<ParentOutcome> outcomes = new ArrayList<>();
        try (ResultSet rows = statements.get(sql).set(1, id).rows()) {
            while (rows.next()) {
                String result = rows.getString(6);
                outcomes.add(new ParentOutcome(
                        rows.getLong(1),
                        rows.getString(2),
                        rows.getString(3),
                        JobState.valueOf(rows.getString(4)),
                        rows.getString(5),
                        result == null ? null : new Json(result)));
            }
        }
        return outcomes;
    }

    /** What a job is doing, and which worker is missing for it to run. */
    static Optional<Explanation> explanation(Statements statements, long id, long now) throws SQLException {
        try (ResultSet row = statements.get(ReadSql.EXPLAIN).set(1, id).rows()) {
            if (!row.next()) {
                return Optional.empty();
            }
            String queue = row.getString(1);
            String type = row.getString(2);
            LiveWorkers live = StatisticsQueries.liveWorkers(statements, now);
            return Optional.of(new Explanation(
                    queue, type, JobState.valueOf(row.getString(3)), live.serve(queue), live.handle(queue, type)));
        }
    }

    /** What {@link ReadSql#READ_ORIGINS} answers for this job. */
    static List<Tracing.Origin> origins(Statements statements, long id) throws SQLException {
        List<Tracing.Origin> origins = new ArrayList<>();
        try (ResultSet rows = statements.get(ReadSql.READ_ORIGINS).set(1, id).rows()) {
            while (rows.next()) {
                String traceparent = rows.getString(3);
                if (traceparent != null) {
                    origins.add(new Tracing.Origin(
                            Tracing.Origin.Kind.valueOf(rows.getString(1)), rows.getLong(2), traceparent));
                }
            }
        }
        return origins;
    }
}
