package dev.windrow.store.sql.schedule;

import dev.windrow.schedule.Overlap;
import dev.windrow.schedule.ScheduleRun.Outcome;
import dev.windrow.store.job.JobRow;
import dev.windrow.store.schedule.DueRuns;
import dev.windrow.store.schedule.FireResult;
import dev.windrow.store.schedule.ScheduleRow;
import dev.windrow.store.sql.connection.Statement;
import dev.windrow.store.sql.writer.WriteTransaction;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The runs of due schedules: jobs are made, and the outcome of each due time is recorded. One instance for each call. */
public final class ScheduleRuns {
    /** The number of the newest runs of a schedule that are kept. */
    public static final int KEPT_RUNS = 1000;
    /** The number of runs between two searches for older ones. A search costs as much as a job. */
    private static final int PRUNE_EACH = 16;

    private final WriteTransaction tx;
    private final Runs runs;
    private final Map<Long, Set<Long>> made;
    private final Set<Long> open;
    private final List<Runs.Run> accounts = new ArrayList<>();
    private final List<Runs.Done> done = new ArrayList<>();
    private final Set<Long> prune = new HashSet<>();
    private int jobs;

    private ScheduleRuns(WriteTransaction tx, Runs runs, List<DueRuns> allDueRuns) throws SQLException {
        this.tx = tx;
        this.runs = runs;
        this.made = runs.made(allDueRuns.stream()
                .filter(dueRuns -> !dueRuns.dueMillis().isEmpty())
                .map(ScheduleRuns::span)
                .toList());
        this.open = runs.openChains(allDueRuns.stream()
                .map(DueRuns::schedule)
                .filter(schedule -> schedule.definition().overlap() == Overlap.SKIP)
                .flatMap(schedule -> Stream.ofNullable(schedule.lastJob()))
                .toList());
    }

    private static Runs.Span span(DueRuns dueRuns) {
        List<Long> due = dueRuns.dueMillis();
        return new Runs.Span(dueRuns.schedule().id(), due.get(0), due.get(due.size() - 1));
    }

    /** Runs the schedules that have not changed since they were read. */
    public static FireResult fire(WriteTransaction tx, Runs runs, List<DueRuns> allDueRuns) throws SQLException {
        Set<Long> asRead =
                runs.asRead(allDueRuns.stream().map(DueRuns::schedule).toList());
        if (asRead.isEmpty()) {
            return new FireResult(0, 0);
        }
        List<DueRuns> now = allDueRuns.stream()
                .filter(dueRuns -> asRead.contains(dueRuns.schedule().id()))
                .toList();
        ScheduleRuns all = new ScheduleRuns(tx, runs, now);
        for (DueRuns dueRuns : now) {
            if (dueRuns.stepBack()) {
                all.stepBack(dueRuns.schedule());
            } else {
                all.fire(dueRuns);
            }
        }
        all.write();
        return new FireResult(now.size(), all.jobs);
    }

    /** Records due times of a schedule that get no job. The schedule is locked. */
    static void missed(Runs runs, long schedule, DueRuns.@Nullable Missed missed) throws SQLException {
        if (missed != null) {
            long unused = runs.account(List.of(new Runs.Run(schedule, missed, Outcome.MISSED, null)));
        }
    }

    private void fire(DueRuns dueRuns) throws SQLException {
        ScheduleRow schedule = dueRuns.schedule();
        long id = schedule.id();
        Set<Long> gone = made.getOrDefault(id, Set.of());
        List<Long> due =
                dueRuns.dueMillis().stream().filter(at -> !gone.contains(at)).toList();
        int max = schedule.definition().overlap() == Overlap.ALLOW
                ? due.size()
                : schedule.lastJob() != null && open.contains(schedule.lastJob()) ? 0 : Math.min(1, due.size());
        DueRuns.Missed missed = dueRuns.missed();
        if (missed != null) {
            accounts.add(new Runs.Run(id, missed, Outcome.MISSED, null));
        }
        Long lastJob = schedule.lastJob();
        for (long at : due.subList(0, max)) {
            lastJob = make(schedule, at);
            accounts.add(new Runs.Run(id, new DueRuns.Missed(at, at, 1L), Outcome.ENQUEUED, lastJob));
        }
        if (max < due.size()) {
            DueRuns.Missed skipped = new DueRuns.Missed(due.get(max), due.get(due.size() - 1), (long) due.size() - max);
            accounts.add(new Runs.Run(id, skipped, Outcome.SKIPPED_OVERLAP, null));
        }
        Long last = dueRuns.dueMillis().isEmpty()
                ? missed == null ? schedule.lastAtMillis() : Long.valueOf(missed.untilMillis())
                : dueRuns.dueMillis().get(dueRuns.dueMillis().size() - 1);
        done.add(new Runs.Done(schedule, dueRuns.nextAtMillis(), last, lastJob));
        if (missed != null || due.size() > 1 || schedule.revision() % PRUNE_EACH == 0) {
            prune.add(id);
        }
        jobs += max;
    }

    private long make(ScheduleRow schedule, long due) throws SQLException {
        JobRow job = schedule.definition().job().by(ScheduleTable.ACTOR, new JobRow.Scheduled(schedule.name(), due));
        return runs.make(job);
    }

    private void write() throws SQLException {
        runs.flush();
        if (runs.account(accounts) != jobs) {
            throw new SQLException("some schedules would make a second job for the same due time");
        }
        if (runs.fired(done) != done.size()) {
            throw new SQLException("some schedules changed while their runs were written");
        }
        for (long schedule : prune) {
            tx.statements()
                    .get(Statement.PRUNE_RUNS)
                    .set(1, schedule)
                    .set(2, KEPT_RUNS)
                    .update();
        }
        for (Runs.Done each : done) {
            if (each.next() != null) {
                tx.notices().scheduleDue(each.next());
            }
        }
        tx.wrote();
    }

    /** Handles a clock that was set back. Due times after the present time that were missed come again. Due times with a job do not. */
    private void stepBack(ScheduleRow schedule) throws SQLException {
        // The count comes before the deletion. Due times with a job can be unknown only if old records were pruned.
        Long forgotten = null;
        try (ResultSet row =
                tx.statements().get(Statement.COUNT_RUNS).set(1, schedule.id()).rows()) {
            row.next();
            if (row.getLong(1) >= KEPT_RUNS && row.getLong(2) > tx.now()) {
                forgotten = row.getLong(2);
            }
        }
        for (Statement statement : List.of(Statement.DROP_MISSED_RUNS, Statement.CUT_MISSED_RUNS)) {
            tx.statements()
                    .get(statement)
                    .set(1, schedule.id())
                    .set(2, tx.now())
                    .update();
        }
        Set<Long> gone = runs.made(List.of(new Runs.Span(schedule.id(), tx.now() + 1, Long.MAX_VALUE)))
                .getOrDefault(schedule.id(), Set.of());
        Long next = schedule.timing().nextAfterStepBack(tx.now(), gone, forgotten);
        done.add(new Runs.Done(schedule, next, schedule.lastAtMillis(), schedule.lastJob()));
    }
}
