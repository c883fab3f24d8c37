package dev.windrow.postgres.schedule;

import dev.windrow.postgres.connection.PostgresQuery;
import dev.windrow.postgres.job.DirectDispatch;
import dev.windrow.postgres.job.Enqueues;
import dev.windrow.postgres.writer.Names;
import dev.windrow.postgres.writer.PostgresTransaction;
import dev.windrow.store.job.JobRow;
import dev.windrow.store.schedule.DueRuns;
import dev.windrow.store.schedule.ScheduleChange;
import dev.windrow.store.schedule.ScheduleRow;
import dev.windrow.store.sql.connection.Columns;
import dev.windrow.store.sql.schedule.Runs;
import dev.windrow.store.sql.schedule.ScheduleTable;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The runs of schedules on a server. Each statement handles all of them. */
public final class PostgresRuns implements Runs {
    private static final Columns<ScheduleRow> AS_READ =
            new Columns<ScheduleRow>().longs(ScheduleRow::id).longs(ScheduleRow::revision);
    private static final Columns<Span> SPANS =
            new Columns<Span>().longs(Span::schedule).longs(Span::from).longs(Span::to);
    private static final Columns<Run> RUNS = new Columns<Run>()
            .longs(Run::schedule)
            .longs(run -> run.of().fromMillis())
            .longs(run -> run.of().untilMillis())
            .longs(run -> run.of().runs())
            .longs(Run::job)
            .texts(run -> run.outcome().name());
    private static final Columns<Done> DONE = new Columns<Done>()
            .longs(done -> done.schedule().id())
            .longs(done -> done.schedule().revision())
            .longs(Done::next)
            .longs(Done::last)
            .longs(Done::lastJob);

    private final PostgresTransaction tx;
    private final Enqueues jobs;

    public PostgresRuns(PostgresTransaction tx) {
        this.tx = tx;
        this.jobs = new Enqueues(tx);
    }

    /** Adds the names that a change uses. The lane of its jobs was already added by the process that made the schedule. */
    public static void names(Names.Used used, ScheduleChange change) {
        ScheduleRow.Definition definition = change.definition();
        if (definition != null) {
            used.lane(definition.job().queue(), definition.job().type());
        }
    }

    /** Adds the names that the jobs of runs use. */
    public static void names(Names.Used used, List<DueRuns> allDueRuns) {
        used.actor(ScheduleTable.ACTOR);
        for (DueRuns dueRuns : allDueRuns) {
            JobRow job = dueRuns.schedule().definition().job();
            used.lane(job.queue(), job.type());
        }
    }

    @Override
    public Set<Long> asRead(List<ScheduleRow> schedules) throws SQLException {
        PostgresQuery lock = tx.statements().get(ScheduleSql.LOCK_SCHEDULES_AS_READ);
        return new HashSet<>(lock.bind(1, AS_READ, schedules).longs());
    }

    @Override
    public Map<Long, Set<Long>> made(List<Span> spans) throws SQLException {
        Map<Long, Set<Long>> made = new HashMap<>();
        PostgresQuery query = tx.statements().get(ScheduleSql.MADE_RUNS);
        try (ResultSet rows = query.bind(1, SPANS, spans).rows()) {
            while (rows.next()) {
                made.computeIfAbsent(rows.getLong(1), schedule -> new HashSet<>())
                        .add(rows.getLong(2));
            }
        }
        return made;
    }

    @Override
    public Set<Long> openChains(Collection<Long> jobs) throws SQLException {
        return jobs.isEmpty()
                ? Set.of()
                : new HashSet<>(tx.statements()
                        .get(ScheduleSql.OPEN_CHAINS)
                        .ids(1, jobs)
                        .longs());
    }

    @Override
    public long make(JobRow job) throws SQLException {
        if (tx.names.laneOrNull(job.queue(), job.type()) == null) {
            // Another process has made the schedule.
            tx.names.refresh(tx.statements());
        }
        return jobs.add(List.of(job), Map.of()).get(0).id();
    }

    @Override
    public void flush() throws SQLException {
        jobs.flush(DirectDispatch.NONE);
    }

    @Override
    public long account(List<Run> runs) throws SQLException {
        PostgresQuery insert = tx.statements().get(ScheduleSql.INSERT_RUNS);
        return runs.isEmpty() ? 0 : insert.bind(1, RUNS, runs).set(7, tx.now()).one();
    }

    @Override
    public long fired(List<Done> done) throws SQLException {
        PostgresQuery fired = tx.statements().get(ScheduleSql.CHANGED_SCHEDULES);
        return fired.bind(1, DONE, done).set(6, tx.now()).update();
    }
}
