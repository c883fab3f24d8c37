package dev.windrow.postgres;

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
import dev.windrow.store.sql.Rows;
import dev.windrow.store.sql.StatisticsQueries;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads of jobs, few or many by one statement each: to a server, every statement is a round trip. What takes several of them is
 * whole in a transaction that sees one snapshot.
 */
final class Queries {
    /** A snapshot with what only a story needs. */
    private record Read(JobSnapshot job, long token) {}

    /** What a job was given, and what came of it. */
    private record Given(@Nullable Json payload, @Nullable Json result) {}

    /** The lines that are kept, and how many there were before. */
    private record Log(List<JobStory.LogLine> lines, long dropped) {}

    private Queries() {}

    static Optional<JobStory> story(PostgresStatements statements, long id) throws SQLException {
        List<Read> reads = read(statements, List.of(id));
        if (reads.isEmpty()) {
            return Optional.empty();
        }
        JobSnapshot job = reads.get(0).job();
        Given given = given(statements, id);
        Log log = log(statements, id);
        List<JobStory.Attempt> attempts = attempts(statements, id);
        if (job.state() == JobState.RUNNING) {
            attempts.add(new JobStory.Attempt(
                    job.attempt(),
                    reads.get(0).token(),
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
                given.payload(),
                given.result(),
                attempts,
                events(statements, id),
                log.lines(),
                log.dropped(),
                leftOut(statements, id),
                Steps.read(statements, id)));
    }

    private static long leftOut(PostgresStatements statements, long id) throws SQLException {
        Long leftOut = statements.get(ReadSql.ATTEMPTS_LEFT_OUT).set(1, id).oneOrNull();
        return leftOut == null ? 0 : leftOut;
    }

    static @Nullable JobSnapshot snapshot(PostgresStatements statements, long id) throws SQLException {
        List<JobSnapshot> found = snapshots(statements, List.of(id));
        return found.isEmpty() ? null : found.get(0);
    }

    /** Those of the jobs that exist, newest first. */
    static List<JobSnapshot> snapshots(PostgresStatements statements, Collection<Long> ids) throws SQLException {
        return ids.isEmpty()
                ? List.of()
                : read(statements, ids).stream().map(Read::job).toList();
    }

    /** The jobs of the chain in which a job is, from the first one. */
    static List<JobSnapshot> chain(PostgresStatements statements, long id) throws SQLException {
        List<Long> ids = statements.get(ReadSql.READ_CHAIN).set(1, id).list(rows -> rows.getLong(1));
        List<JobSnapshot> jobs = new ArrayList<>(snapshots(statements, ids));
        jobs.sort(Comparator.comparingInt(JobSnapshot::chainIndex));
        return jobs;
    }

    private static List<Read> read(PostgresStatements statements, Collection<Long> ids) throws SQLException {
        return statements.get(ReadSql.READ_JOBS).ids(1, ids).list(rows -> new Read(snapshot(rows), rows.getLong(19)));
    }

    private static JobSnapshot snapshot(ResultSet row) throws SQLException {
        long id = row.getLong(1);
        JobState state = JobState.valueOf(row.getString(5));
        int used = row.getInt(7);
        Long chain = Rows.longOrNull(row, 16);
        return new JobSnapshot(
                id,
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
                dependencies(row, 25, 26, 27),
                dependencies(row, 24, 31, 32),
                Rows.texts(row, 23),
                row.getString(28),
                row.getString(29),
                row.getBoolean(30),
                waiting(row.getString(34)),
                Rows.instantOrNull(row, 35),
                row.getString(18),
                progress(row),
                Rows.longOrNull(row, 33));
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

    private static List<JobSnapshot.Dependency> dependencies(ResultSet row, int id, int state, int policy)
            throws SQLException {
        List<Long> ids = Rows.longs(row, id);
        List<String> states = Rows.texts(row, state);
        List<String> policies = Rows.texts(row, policy);
        List<JobSnapshot.Dependency> others = new ArrayList<>();
        for (int i = 0; i < ids.size(); i++) {
            others.add(new JobSnapshot.Dependency(
                    ids.get(i), JobState.valueOf(states.get(i)), ParentPolicy.valueOf(policies.get(i))));
        }
        return others;
    }

    /** How many jobs of a workflow are in which state. */
    static Map<JobState, Long> workflow(PostgresStatements statements, long id) throws SQLException {
        Map<JobState, Long> states = new EnumMap<>(JobState.class);
        try (ResultSet rows = statements.get(ReadSql.WORKFLOW_STATES).set(1, id).rows()) {
            while (rows.next()) {
                states.put(JobState.valueOf(rows.getString(1)), rows.getLong(2));
            }
        }
        return states;
    }

    /** How far the jobs are that this one waits for. */
    static Optional<BatchProgress> batch(PostgresStatements statements, long callback) throws SQLException {
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

    private static Given given(PostgresStatements statements, long id) throws SQLException {
        try (ResultSet rows =
                statements.get(ReadSql.READ_PAYLOAD_AND_RESULT).set(1, id).rows()) {
            return rows.next() ? new Given(json(rows, 1), json(rows, 2)) : new Given(null, null);
        }
    }

    private static @Nullable Json json(ResultSet row, int column) throws SQLException {
        String text = row.getString(column);
        return text == null ? null : new Json(text);
    }

    private static Log log(PostgresStatements statements, long id) throws SQLException {
        List<JobStory.LogLine> lines = new ArrayList<>();
        long dropped = 0;
        try (ResultSet rows = statements.get(ReadSql.READ_LOG).set(1, id).rows()) {
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

    private static List<JobStory.Attempt> attempts(PostgresStatements statements, long id) throws SQLException {
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

    private static List<JobStory.Event> events(PostgresStatements statements, long id) throws SQLException {
        return statements
                .get(ReadSql.READ_EVENTS)
                .set(1, id)
                .list(rows -> new JobStory.Event(
                        Instant.ofEpochMilli(rows.getLong(1)),
                        EventKind.valueOf(rows.getString(2)),
                        rows.getString(3),
                        json(rows, 4)));
    }

    /** What {@link ReadSql#READ_OUTCOME} or {@link ReadSql#READ_PARENTS} answers for this job. */
    static List<ParentOutcome> outcomes(PostgresStatements statements, String sql, long id) throws SQLException {
        return statements
                .get(sql)
                .set(1, id)
                .list(rows -> new ParentOutcome(
                        rows.getLong(1),
                        rows.getString(2),
                        rows.getString(3),
                        JobState.valueOf(rows.getString(4)),
                        rows.getString(5),
                        json(rows, 6)));
    }

    /** What a job is doing, and which worker is missing for it to run. */
    static Optional<Explanation> explanation(PostgresStatements statements, long id, long now) throws SQLException {
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
    static List<Tracing.Origin> origins(PostgresStatements statements, long id) throws SQLException {
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
