package dev.windrow.sqlite;

import dev.windrow.JobState;
import dev.windrow.Statistics;
import dev.windrow.store.LiveWorkers;
import dev.windrow.store.sql.JsonText;
import dev.windrow.store.sql.Rows;
import dev.windrow.store.sql.Statements;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The numbers of the whole store, from the counters: their cost does not grow with the number of jobs. */
final class StatisticsQueries {
    record LaneCounts(long id, String queue, String type, boolean paused, Map<JobState, Long> states) {}

    private StatisticsQueries() {}

    static Statistics read(Statements statements, long now) throws SQLException {
        Map<Long, LaneCounts> lanes = lanes(statements);
        LiveWorkers live = liveWorkers(statements, lanes.values(), now);
        Map<JobState, Long> all = zero();
        Map<String, Map<JobState, Long>> types = new TreeMap<>();
        Map<String, Map<JobState, Long>> queues = new TreeMap<>();
        Map<String, Boolean> paused = new TreeMap<>();
        Map<String, Long> oldest = new TreeMap<>();
        for (LaneCounts lane : lanes.values()) {
            add(all, lane.states);
            add(types.computeIfAbsent(lane.type, k -> zero()), lane.states);
            add(queues.computeIfAbsent(lane.queue, k -> zero()), lane.states);
            paused.merge(lane.queue, lane.paused, Boolean::logicalAnd);
            if (lane.states.getOrDefault(JobState.PENDING, 0L) > 0) {
                Long since = oldestReady(statements, lane.id);
                if (since != null) {
                    oldest.merge(lane.queue, since, Math::min);
                }
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
        return new Statistics(
                all,
                ofTypes,
                ofQueues,
                oldestRunning(statements),
                retries(statements),
                failures(statements),
                live.unserved(),
                live.unhandled(),
                waits(statements),
                schedules(statements, now),
                stuck(statements, now));
    }

    private static Statistics.Schedules schedules(Statements statements, long now) throws SQLException {
        try (ResultSet row = statements.get(ScheduleSql.COUNT_SCHEDULES).rows()) {
            row.next();
            Long next = Rows.longOrNull(row, 3);
            return new Statistics.Schedules(
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

    /** What the counters say, by lane. */
    static Map<Long, LaneCounts> lanes(Statements statements) throws SQLException {
        Map<Long, LaneCounts> lanes = new TreeMap<>();
        try (ResultSet rows = statements.get(ReadSql.COUNTERS).rows()) {
            while (rows.next()) {
                long id = rows.getLong(1);
                LaneCounts lane = lanes.get(id);
                if (lane == null) {
                    lane = new LaneCounts(
                            id,
                            rows.getString(2),
                            rows.getString(3),
                            rows.getInt(4) != 0,
                            new EnumMap<>(JobState.class));
                    lanes.put(id, lane);
                }
                String state = rows.getString(5);
                if (state != null) {
                    lane.states.put(JobState.valueOf(state), rows.getLong(6));
                }
            }
        }
        return lanes;
    }

    private static @Nullable Long oldestReady(Statements statements, long lane) throws SQLException {
        return statements.get(ReadSql.LANE_LAG).set(1, lane).oneOrNull();
    }

    private static List<Statistics.Running> oldestRunning(Statements statements) throws SQLException {
        List<Statistics.Running> running = new ArrayList<>();
        try (ResultSet rows = statements.get(ReadSql.OLDEST_RUNNING).rows()) {
            while (rows.next()) {
                Instant heartbeat = Rows.instantOrNull(rows, 5);
                running.add(new Statistics.Running(
                        rows.getLong(1),
                        rows.getString(2),
                        rows.getString(3),
                        Instant.ofEpochMilli(rows.getLong(4)),
                        heartbeat == null ? Instant.ofEpochMilli(rows.getLong(6)) : heartbeat));
            }
        }
        return running;
    }

    private static List<Statistics.Retries> retries(Statements statements) throws SQLException {
        return statements
                .get(ReadSql.RETRIES)
                .list(rows -> new Statistics.Retries(rows.getString(1), rows.getInt(2), rows.getLong(3)));
    }

    private static List<Statistics.Failures> failures(Statements statements) throws SQLException {
        List<Statistics.Failures> failures = new ArrayList<>();
        try (ResultSet rows = statements.get(StatisticsSql.FAILURES).rows()) {
            while (rows.next()) {
                String code = rows.getString(1);
                failures.add(new Statistics.Failures(
                        code.isEmpty() ? "UNKNOWN:NONE" : code,
                        rows.getLong(2),
                        Instant.ofEpochMilli(rows.getLong(3)),
                        Instant.ofEpochMilli(rows.getLong(4)),
                        Rows.longOrNull(rows, 5)));
            }
        }
        return failures;
    }

    /** The jobs that wait for somebody outside until a time. */
    private static Statistics.Waits waits(Statements statements) throws SQLException {
        try (ResultSet row = statements.get(StepSql.COUNT_WAITS).rows()) {
            row.next();
            return new Statistics.Waits(row.getLong(1), Rows.instantOrNull(row, 2));
        }
    }

    /** The workers alive that have handlers which do not end. */
    static List<Statistics.Stuck> stuck(Statements statements, long now) throws SQLException {
        return statements
                .get(ReadSql.STUCK_SLOTS)
                .set(1, now)
                .list(rows -> new Statistics.Stuck(rows.getString(1), rows.getInt(2)));
    }

    /** The live workers, beside the ready jobs of these lanes. */
    static LiveWorkers liveWorkers(Statements statements, Collection<LaneCounts> lanes, long now) throws SQLException {
        LiveWorkers live = liveWorkers(statements, now);
        for (LaneCounts lane : lanes) {
            long ready = lane.states.getOrDefault(JobState.PENDING, 0L);
            if (ready > 0) {
                live.ready(lane.queue, lane.type, ready);
            }
        }
        return live;
    }

    static LiveWorkers liveWorkers(Statements statements, long now) throws SQLException {
        LiveWorkers live = new LiveWorkers();
        try (ResultSet rows = statements.get(ReadSql.LIVE_WORKERS).set(1, now).rows()) {
            while (rows.next()) {
                live.add(JsonText.names(rows.getString(1)), JsonText.names(rows.getString(2)));
            }
        }
        return live;
    }
}
