package dev.windrow.store.sql.query;

import dev.windrow.AttemptOutcome;
import dev.windrow.EventKind;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobHistory;
import dev.windrow.JobInfo;
import dev.windrow.JobState;
import dev.windrow.LogLevel;
import dev.windrow.RetryPolicy;
import dev.windrow.limit.ConcurrencyKey;
import dev.windrow.monitor.Tracing;
import dev.windrow.payload.Json;
import dev.windrow.store.job.FindKeyed;
import dev.windrow.store.job.ParentOutcomeRow;
import dev.windrow.store.query.StoredHistory;
import dev.windrow.store.sql.connection.Rows;
import dev.windrow.store.sql.connection.Statement;
import dev.windrow.store.sql.connection.Statements;
import dev.windrow.store.sql.job.JobInfos;
import dev.windrow.store.sql.limit.ConcurrencyKeys;
import dev.windrow.store.sql.step.Steps;
import dev.windrow.workflow.BatchProgress;
import dev.windrow.workflow.ParentOutcome;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The reads of jobs. Reads of several statements are consistent in a transaction with one snapshot. */
public final class Queries {
    /** The options with which a job was enqueued. */
    private record Options(
            @Nullable Duration timeout,
            @Nullable RetryPolicy retryPolicy,
            @Nullable ConcurrencyKey concurrencyKey,
            @Nullable Duration externalCompletion) {
        static final Options NONE = new Options(null, null, null, null);
    }

    /** The payload, the result and the options of a job. */
    private record Details(@Nullable Json payload, @Nullable Json result, Options options) {
        static final Details NONE = new Details(null, null, Options.NONE);
    }

    /** The stored lines of the log, and the number of deleted lines before them. */
    private record Log(List<JobHistory.LogLine> lines, long dropped) {}

    private record History(
            JobInfo job,
            @Nullable Json payload,
            @Nullable Json result,
            Options options,
            List<JobHistory.Attempt> attempts,
            List<JobHistory.Event> events,
            List<JobHistory.LogLine> log,
            long droppedLines,
            long attemptsLeftOut,
            List<JobHistory.Step> steps)
            implements StoredHistory {
        History {
            attempts = List.copyOf(attempts);
            events = List.copyOf(events);
            log = List.copyOf(log);
            steps = List.copyOf(steps);
        }

        @Override
        public @Nullable Duration timeout() {
            return options.timeout;
        }

        @Override
        public @Nullable RetryPolicy retryPolicy() {
            return options.retryPolicy;
        }

        @Override
        public @Nullable ConcurrencyKey concurrencyKey() {
            return options.concurrencyKey;
        }

        @Override
        public @Nullable Duration externalCompletion() {
            return options.externalCompletion;
        }

        @Override
        public JobHistory with(@Nullable Json shownPayload, @Nullable Json shownResult) {
            return new History(
                    /* job= */ job,
                    /* payload= */ shownPayload,
                    /* result= */ shownResult,
                    /* options= */ options,
                    /* attempts= */ attempts,
                    /* events= */ events,
                    /* log= */ log,
                    /* droppedLines= */ droppedLines,
                    /* attemptsLeftOut= */ attemptsLeftOut,
                    /* steps= */ steps);
        }
    }

    private record AttemptRow(
            int attempt,
            int run,
            long token,
            String worker,
            @Nullable AttemptOutcome outcome,
            @Nullable String errorCode,
            @Nullable String errorDetail,
            @Nullable Instant startedAt,
            @Nullable Instant finishedAt,
            @Nullable String output,
            @Nullable String stackTrace)
            implements JobHistory.Attempt {}

    private Queries() {}

    /** Returns a job with all that belongs to it; empty if no job has this id. */
    public static Optional<StoredHistory> history(Statements statements, JobInfos snapshots, long id)
            throws SQLException {
        List<JobInfos.Read> reads = snapshots.read(statements, List.of(id));
        if (reads.isEmpty()) {
            return Optional.empty();
        }
        JobInfo job = reads.get(0).job();
        Details details = details(statements, id);
        Log log = log(statements, id);
        List<JobHistory.Attempt> attempts = attempts(statements, id);
        if (job.state() == JobState.RUNNING) {
            attempts.add(new AttemptRow(
                    /* attempt= */ job.attempt(),
                    /* run= */ job.run(),
                    /* token= */ reads.get(0).token(),
                    /* worker= */ Objects.requireNonNullElse(job.worker(), "unknown"),
                    /* outcome= */ null,
                    /* errorCode= */ null,
                    /* errorDetail= */ null,
                    /* startedAt= */ job.startedAt(),
                    /* finishedAt= */ null,
                    /* output= */ null,
                    /* stackTrace= */ null));
        }
        return Optional.of(new History(
                /* job= */ job,
                /* payload= */ details.payload(),
                /* result= */ details.result(),
                /* options= */ details.options(),
                /* attempts= */ attempts,
                /* events= */ events(statements, id),
                /* log= */ log.lines(),
                /* droppedLines= */ log.dropped(),
                /* attemptsLeftOut= */ leftOut(statements, id),
                /* steps= */ Steps.read(statements, id)));
    }

    private static long leftOut(Statements statements, long id) throws SQLException {
        Long leftOut = statements.get(Statement.ATTEMPTS_LEFT_OUT).set(1, id).oneOrNull();
        return leftOut == null ? 0 : leftOut;
    }

    /** Returns the jobs of the chain of a job, from the first one. */
    public static List<JobInfo> chain(Statements statements, JobInfos snapshots, long id) throws SQLException {
        List<Long> ids = statements.get(Statement.READ_CHAIN).set(1, id).longs();
        return snapshots.read(statements, ids).stream()
                .map(JobInfos.Read::job)
                .sorted(Comparator.comparingInt(JobInfo::chainIndex))
                .toList();
    }

    /** Returns the number of jobs of a workflow in each state. */
    public static Map<JobState, Long> workflow(Statements statements, long id) throws SQLException {
        Map<JobState, Long> states = new EnumMap<>(JobState.class);
        try (ResultSet rows =
                statements.get(Statement.WORKFLOW_STATES).set(1, id).rows()) {
            while (rows.next()) {
                states.put(JobState.valueOf(rows.getString(1)), rows.getLong(2));
            }
        }
        return states;
    }

    /** Returns the progress of the jobs for which this one waits. */
    public static Optional<BatchProgress> batch(Statements statements, long callback) throws SQLException {
        try (ResultSet row =
                statements.get(Statement.READ_BATCH).set(1, callback).rows()) {
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

    private static Details details(Statements statements, long id) throws SQLException {
        try (ResultSet row = statements.get(Statement.READ_DETAILS).set(1, id).rows()) {
            return row.next()
                    ? new Details(Rows.jsonOrNull(row, 1), Rows.jsonOrNull(row, 2), options(row))
                    : Details.NONE;
        }
    }

    private static Options options(ResultSet row) throws SQLException {
        String retry = row.getString(4);
        String key = row.getString(5);
        return new Options(
                Rows.millisOrNull(row, 3),
                retry == null ? null : policy(retry),
                key == null ? null : ConcurrencyKeys.key(key, Rows.longOrNull(row, 6)),
                Rows.millisOrNull(row, 7));
    }

    /** Returns the policy. Without a readable one the worker uses that of the type, and says so. */
    private static @Nullable RetryPolicy policy(String text) {
        try {
            return RetryPolicy.parse(text);
        } catch (InvalidRequestException e) {
            return null;
        }
    }

    private static Log log(Statements statements, long id) throws SQLException {
        List<JobHistory.LogLine> lines = new ArrayList<>();
        long dropped = 0;
        try (ResultSet rows = statements.get(Statement.READ_LOG).set(1, id).rows()) {
            while (rows.next()) {
                if (lines.isEmpty()) {
                    dropped = rows.getLong(1) - 1;
                }
                lines.add(new JobHistory.LogLine(
                        Instant.ofEpochMilli(rows.getLong(2)), LogLevel.valueOf(rows.getString(3)), rows.getString(4)));
            }
        }
        return new Log(lines, dropped);
    }

    private static List<JobHistory.Attempt> attempts(Statements statements, long id) throws SQLException {
        return statements
                .get(Statement.READ_ATTEMPTS)
                .set(1, id)
                .list(rows -> new AttemptRow(
                        /* attempt= */ rows.getInt(1),
                        /* run= */ rows.getInt(11),
                        /* token= */ rows.getLong(2),
                        /* worker= */ rows.getString(3),
                        /* outcome= */ AttemptOutcome.valueOf(rows.getString(4)),
                        /* errorCode= */ rows.getString(5),
                        /* errorDetail= */ rows.getString(6),
                        /* startedAt= */ Rows.instantOrNull(rows, 7),
                        /* finishedAt= */ Rows.instantOrNull(rows, 8),
                        /* output= */ rows.getString(9),
                        /* stackTrace= */ rows.getString(10)));
    }

    private static List<JobHistory.Event> events(Statements statements, long id) throws SQLException {
        List<EventLog.Entry> entries = statements
                .get(Statement.READ_EVENTS)
                .set(1, id)
                .list(rows -> new EventLog.Entry(
                        new JobHistory.Event(
                                Instant.ofEpochMilli(rows.getLong(1)),
                                EventKind.valueOf(rows.getString(2)),
                                rows.getString(3),
                                Rows.jsonOrNull(rows, 4)),
                        rows.getLong(5),
                        Rows.longOrNull(rows, 6) != null));
        return EventLog.inOrder(entries);
    }

    /** Returns the outcome of a job. */
    public static Optional<ParentOutcome> outcome(Statements statements, long id) throws SQLException {
        return Optional.ofNullable(
                statements.get(Statement.READ_OUTCOME).set(1, id).find(Queries::outcome));
    }

    /** Returns the outcomes of the parents of a job, in declared order. */
    public static List<ParentOutcome> parents(Statements statements, long id) throws SQLException {
        return statements.get(Statement.READ_PARENTS).set(1, id).list(Queries::outcome);
    }

    private static ParentOutcome outcome(ResultSet row) throws SQLException {
        return new ParentOutcomeRow(
                /* id= */ row.getLong(1),
                /* type= */ row.getString(2),
                /* name= */ row.getString(3),
                /* state= */ JobState.valueOf(row.getString(4)),
                /* errorCode= */ row.getString(5),
                /* result= */ Rows.jsonOrNull(row, 6));
    }

    /** Returns the newest job that was enqueued with a dedupe key; empty if none exists. */
    public static Optional<Long> find(Statements statements, FindKeyed keyed) throws SQLException {
        return Optional.ofNullable(statements
                .get(Statement.FIND_KEYED)
                .set(1, keyed.key())
                .texts(2, keyed.types())
                .oneOrNull());
    }

    /** Returns the trace contexts with which a job and its first parents were settled last. */
    public static List<Tracing.Link> links(Statements statements, long id) throws SQLException {
        List<Tracing.Link> links = new ArrayList<>();
        try (ResultSet rows = statements.get(Statement.READ_LINKS).set(1, id).rows()) {
            while (rows.next()) {
                String traceparent = rows.getString(3);
                if (traceparent != null) {
                    links.add(new Tracing.Link(
                            Tracing.Link.Kind.valueOf(rows.getString(1)), rows.getLong(2), traceparent));
                }
            }
        }
        return links;
    }
}
