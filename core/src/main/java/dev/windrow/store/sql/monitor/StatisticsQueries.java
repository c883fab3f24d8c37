package dev.windrow.store.sql.monitor;

import dev.windrow.JobState;
import dev.windrow.monitor.Statistics;
import dev.windrow.store.processes.LiveWorkers;
import dev.windrow.store.sql.connection.Rows;
import dev.windrow.store.sql.connection.Statement;
import dev.windrow.store.sql.connection.Statements;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The numbers of the whole store, from the counters. Their cost does not grow with the number of jobs. */
public final class StatisticsQueries {
    /**
     * The jobs of a lane.
     *
     * @param states the number of jobs in each state; states without a counter are absent
     */
    public record LaneCounts(long id, String queue, String type, boolean paused, Map<JobState, Long> states) {}

    private record Counted(
            Map<JobState, Long> states,
            List<Statistics.OfType> types,
            List<Statistics.OfQueue> queues,
            List<Statistics.Running> oldestRunning,
            @Nullable Instant runningSince,
            List<Statistics.Retries> retries,
            List<Statistics.Retries> liveRetries,
            List<Statistics.Failures> failures,
            @Nullable Instant trendSince,
            List<Statistics.Unserved> unserved,
            List<Statistics.Unhandled> unhandled,
            Statistics.Waits waits,
            Statistics.ScheduleCounts schedules,
            List<Statistics.Stuck> stuck)
            implements Statistics {}

    /**
     * The running jobs.
     *
     * @param oldest the jobs with the oldest heartbeats
     * @param since the earliest start of all of them; null if none runs
     */
    private record InProgress(
            List<Statistics.Running> oldest, @Nullable Instant since) {}

    /** The most codes that are read because of their last hours. As many are read because of their counts. */
    private static final int MOST_RECENT_CODES = 20;

    private StatisticsQueries() {}

    /** Reads the numbers of the whole store. */
    public static Statistics read(Statements statements, long now) throws SQLException {
        Map<Long, LaneCounts> lanes = lanes(statements);
        LiveWorkers live = liveWorkers(statements, lanes.values(), now);
        Map<JobState, Long> all = zero();
        Map<String, Map<JobState, Long>> types = new TreeMap<>();
        Map<String, Map<JobState, Long>> queues = new TreeMap<>();
        Map<String, Boolean> paused = new TreeMap<>();
        Map<String, Long> oldest = new TreeMap<>();
        Map<Long, Long> ready = oldestReady(statements, lanes.values());
        for (LaneCounts lane : lanes.values()) {
            add(all, lane.states);
            add(types.computeIfAbsent(lane.type, k -> zero()), lane.states);
            add(queues.computeIfAbsent(lane.queue, k -> zero()), lane.states);
            paused.merge(lane.queue, lane.paused, Boolean::logicalAnd);
            Long since = ready.get(lane.id);
            if (since != null) {
                oldest.merge(lane.queue, since, Math::min);
            }
        }
        List<Statistics.OfType> ofTypes = new ArrayList<>();
        types.forEach((type, states) -> ofTypes.add(new Statistics.OfType(type, states)));
        List<Statistics.OfQueue> ofQueues = new ArrayList<>();
        queues.forEach((queue, states) -> {
            Long since = oldest.get(queue);
            ofQueues.add(new Statistics.OfQueue(
                    queue, paused.getOrDefault(queue, false), states, since == null ? null : Math.max(0, now - since)));
        });
        InProgress running = inProgress(statements);
        FailureTrends trends = FailureTrends.read(statements, now);
        List<Statistics.Failures> failures = failures(statements, trends);
        return new Counted(
                /* states= */ all,
                /* types= */ ofTypes,
                /* queues= */ ofQueues,
                /* oldestRunning= */ running.oldest,
                /* runningSince= */ running.since,
                /* retries= */ retries(statements, Statement.READ_RETRIES),
                /* liveRetries= */ retries(statements, Statement.LIVE_RETRIES),
                /* failures= */ failures,
                /* trendSince= */ failures.isEmpty() ? null : trends.since(),
                /* unserved= */ live.unserved(),
                /* unhandled= */ live.unhandled(),
                /* waits= */ waits(statements),
                /* schedules= */ schedules(statements, now),
                /* stuck= */ stuck(statements, now));
    }

    private static Statistics.ScheduleCounts schedules(Statements statements, long now) throws SQLException {
        try (ResultSet row = statements.get(Statement.COUNT_SCHEDULES).rows()) {
            row.next();
            Long next = Rows.longOrNull(row, 3);
            return new Statistics.ScheduleCounts(
                    row.getLong(1), row.getLong(2), next == null || next > now ? null : Long.valueOf(now - next));
        }
    }

    private static Map<JobState, Long> zero() {
        Map<JobState, Long> states = new EnumMap<>(JobState.class);
        for (JobState state : JobState.values()) {
            states.put(state, 0L);
        }
        return states;
    }

    private static void add(Map<JobState, Long> sum, Map<JobState, Long> states) {
        states.forEach((state, n) -> sum.merge(state, n, Long::sum));
    }

    /** Returns the values of the counters, by lane. */
    public static Map<Long, LaneCounts> lanes(Statements statements) throws SQLException {
        Map<Long, Map<JobState, Long>> counts = new HashMap<>();
        try (ResultSet rows = statements.get(Statement.READ_COUNTERS).rows()) {
            while (rows.next()) {
                counts.computeIfAbsent(rows.getLong(1), k -> new EnumMap<>(JobState.class))
                        .put(JobState.valueOf(rows.getString(2)), rows.getLong(3));
            }
        }
        // Lanes are read after the counters. So each counted lane has a name, even without a snapshot.
        Map<Long, LaneCounts> lanes = new TreeMap<>();
        try (ResultSet rows = statements.get(Statement.READ_LANES).rows()) {
            while (rows.next()) {
                long id = rows.getLong(1);
                lanes.put(
                        id,
                        new LaneCounts(
                                id,
                                rows.getString(2),
                                rows.getString(3),
                                rows.getBoolean(4),
                                counts.getOrDefault(id, Map.of())));
            }
        }
        return lanes;
    }

    /** Returns since when the oldest ready job of each lane has been due, by the number of the lane. */
    private static Map<Long, Long> oldestReady(Statements statements, Collection<LaneCounts> lanes)
            throws SQLException {
        List<Long> ready = lanes.stream()
                .filter(lane -> lane.states.getOrDefault(JobState.PENDING, 0L) > 0)
                .map(LaneCounts::id)
                .toList();
        Map<Long, Long> oldest = new HashMap<>();
        if (!ready.isEmpty()) {
            try (ResultSet rows =
                    statements.get(Statement.LANE_LAGS).ids(1, ready).rows()) {
                while (rows.next()) {
                    Long since = Rows.longOrNull(rows, 2);
                    if (since != null) {
                        oldest.put(rows.getLong(1), since);
                    }
                }
            }
        }
        return oldest;
    }

    private static InProgress inProgress(Statements statements) throws SQLException {
        List<Statistics.Running> oldest = new ArrayList<>();
        Instant since = null;
        try (ResultSet rows = statements.get(Statement.OLDEST_RUNNING).rows()) {
            while (rows.next()) {
                oldest.add(new Statistics.Running(
                        rows.getLong(1),
                        rows.getString(2),
                        rows.getString(3),
                        Instant.ofEpochMilli(rows.getLong(4)),
                        Instant.ofEpochMilli(rows.getLong(5))));
                since = Instant.ofEpochMilli(rows.getLong(6));
            }
        }
        return new InProgress(oldest, since);
    }

    private static List<Statistics.Retries> retries(Statements statements, Statement which) throws SQLException {
        return statements
                .get(which)
                .list(rows -> new Statistics.Retries(rows.getString(1), rows.getInt(2), rows.getLong(3)));
    }

    private static List<Statistics.Failures> failures(Statements statements, FailureTrends trends) throws SQLException {
        List<Statistics.Failures> failures = new ArrayList<>();
        try (ResultSet rows = statements
                .get(Statement.READ_FAILURES)
                .texts(1, trends.most(MOST_RECENT_CODES))
                .rows()) {
            while (rows.next()) {
                String code = rows.getString(1);
                failures.add(new Statistics.Failures(
                        /* errorCode= */ code.isEmpty() ? "UNKNOWN:NONE" : code,
                        /* count= */ rows.getLong(2),
                        /* firstAt= */ Instant.ofEpochMilli(rows.getLong(3)),
                        /* lastAt= */ Instant.ofEpochMilli(rows.getLong(4)),
                        /* sampleJob= */ Rows.longOrNull(rows, 5),
                        /* trend= */ trends.of(code)));
            }
        }
        return failures;
    }

    /** Returns the jobs that wait for a signal until a time. */
    private static Statistics.Waits waits(Statements statements) throws SQLException {
        try (ResultSet row = statements.get(Statement.COUNT_WAITS).rows()) {
            row.next();
            return new Statistics.Waits(row.getLong(1), Rows.instantOrNull(row, 2));
        }
    }

    /** Returns the live workers with stuck handlers. */
    public static List<Statistics.Stuck> stuck(Statements statements, long now) throws SQLException {
        return statements
                .get(Statement.STUCK_SLOTS)
                .set(1, now)
                .list(rows -> new Statistics.Stuck(rows.getString(1), rows.getInt(2)));
    }

    /** Returns the live workers, together with the ready jobs of these lanes. */
    public static LiveWorkers liveWorkers(Statements statements, Collection<LaneCounts> lanes, long now)
            throws SQLException {
        LiveWorkers live = liveWorkers(statements, now);
        for (LaneCounts lane : lanes) {
            long ready = lane.states.getOrDefault(JobState.PENDING, 0L);
            if (ready > 0) {
                live.ready(lane.queue, lane.type, ready);
            }
        }
        return live;
    }

    /** Returns the live workers. */
    public static LiveWorkers liveWorkers(Statements statements, long now) throws SQLException {
        LiveWorkers live = new LiveWorkers();
        try (ResultSet rows = statements.get(Statement.LIVE_WORKERS).set(1, now).rows()) {
            while (rows.next()) {
                live.add(Rows.texts(rows, 1), Rows.texts(rows, 2), rows.getInt(3));
            }
        }
        return live;
    }
}
