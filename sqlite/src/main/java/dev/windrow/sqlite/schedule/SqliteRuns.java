package dev.windrow.sqlite.schedule;

import dev.windrow.sqlite.job.DirectDispatch;
import dev.windrow.sqlite.job.Enqueues;
import dev.windrow.sqlite.writer.SqliteTransaction;
import dev.windrow.store.job.JobRow;
import dev.windrow.store.schedule.ScheduleRow;
import dev.windrow.store.sql.schedule.Runs;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The runs of schedules in a file, one after the other. The write lock excludes other processes. */
public final class SqliteRuns implements Runs {
    /** The number of ids and event numbers that a change of a schedule needs: for a schedule, or for a job and its event. */
    public static final int IDS = 2;

    private final SqliteTransaction tx;

    public SqliteRuns(SqliteTransaction tx) {
        this.tx = tx;
    }

    @Override
    public Set<Long> asRead(List<ScheduleRow> schedules) throws SQLException {
        Set<Long> asRead = new HashSet<>();
        for (ScheduleRow schedule : schedules) {
            if (tx.statements()
                    .get(ScheduleSql.IS_SCHEDULE_AS_READ)
                    .set(1, schedule.id())
                    .set(2, schedule.revision())
                    .exists()) {
                asRead.add(schedule.id());
            }
        }
        return asRead;
    }

    @Override
    public Map<Long, Set<Long>> made(List<Span> spans) throws SQLException {
        Map<Long, Set<Long>> made = new HashMap<>();
        for (Span span : spans) {
            made.put(
                    span.schedule(),
                    new HashSet<>(tx.statements()
                            .get(ScheduleSql.MADE_RUNS)
                            .set(1, span.schedule())
                            .set(2, span.from())
                            .set(3, span.to())
                            .longs()));
        }
        return made;
    }

    @Override
    public Set<Long> openChains(Collection<Long> jobs) throws SQLException {
        Set<Long> open = new HashSet<>();
        for (long job : jobs) {
            if (tx.statements().get(ScheduleSql.OPEN_CHAINS).set(1, job).exists()) {
                open.add(job);
            }
        }
        return open;
    }

    @Override
    public long make(JobRow job) throws SQLException {
        return Enqueues.add(tx, List.of(job), Map.of()).get(0).id();
    }

    @Override
    public void flush() throws SQLException {
        Enqueues.flush(tx, DirectDispatch.NONE);
    }

    @Override
    public long account(List<Run> runs) throws SQLException {
        long withJobs = 0;
        for (Run run : runs) {
            int written = tx.statements()
                    .get(ScheduleSql.INSERT_RUN)
                    .set(1, run.schedule())
                    .set(2, run.of().fromMillis())
                    .set(3, run.of().untilMillis())
                    .set(4, run.of().runs())
                    .set(5, tx.now())
                    .set(6, run.outcome().name())
                    .set(7, run.job())
                    .update();
            withJobs += run.job() == null ? 0 : written;
        }
        return withJobs;
    }

    @Override
    public long fired(List<Done> done) throws SQLException {
        long fired = 0;
        for (Done each : done) {
            fired += tx.statements()
                    .get(ScheduleSql.CHANGED_SCHEDULE)
                    .set(1, each.schedule().id())
                    .set(2, each.schedule().revision())
                    .set(3, each.next())
                    .set(4, each.last())
                    .set(5, tx.now())
                    .set(6, each.lastJob())
                    .update();
        }
        return fired;
    }
}
