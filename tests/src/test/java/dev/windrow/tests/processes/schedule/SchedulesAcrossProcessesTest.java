package dev.windrow.tests.processes.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.windrow.JobState;
import dev.windrow.Windrow;
import dev.windrow.schedule.Misfire;
import dev.windrow.schedule.Schedule;
import dev.windrow.schedule.ScheduleRun;
import dev.windrow.tests.crash.Soak;
import dev.windrow.tests.processes.Child;
import dev.windrow.tests.processes.TestWorker;
import dev.windrow.tests.stores.OnceOnEachStore;
import dev.windrow.tests.stores.StoreKind;
import dev.windrow.tests.stores.Target;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** Schedules enqueue each job once, with many processes that run them, under kills. The check uses the history. */
@OnceOnEachStore
class SchedulesAcrossProcessesTest {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int SECONDS = Soak.number("windrow.schedules.seconds", 4, 300);
    private static final int MANY = Soak.number("windrow.schedules.many", 1000, 10_000);
    private static final int WORKERS = Soak.number("windrow.schedules.workers", 3, 4);

    @Parameter
    StoreKind kind;

    @TempDir
    Path folder;

    private Target target;
    private Windrow windrow;
    private final List<Child> children = new ArrayList<>();

    @BeforeEach
    void choose() {
        target = kind.newTarget(folder);
        windrow = Windrow.open(target.newStore());
    }

    @AfterEach
    void kill() throws Exception {
        for (Child child : children) {
            child.kill();
        }
        windrow.close();
        target.close();
    }

    private Child worker() throws Exception {
        Child child = Child.start(folder, TestWorker.class, target, 4, 5_000);
        children.add(child);
        return child;
    }

    private List<Child> workers(int count) throws Exception {
        List<Child> started = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            started.add(worker());
        }
        for (Child child : started) {
            child.await("ready");
        }
        return started;
    }

    /** Returns the number of jobs for each due time of a schedule, by the events of the jobs. */
    private Map<Instant, Integer> made(String name) {
        Map<Instant, Integer> made = new TreeMap<>();
        String detail = "{\"schedule\":\"%s\",\"due\":\"".formatted(name);
        for (String row : target.rows(
                "SELECT detail FROM windrow_events WHERE event = 'ENQUEUED' AND detail LIKE '%\"schedule\":\"" + name
                        + "\"%'")) {
            assertThat(row).startsWith(detail);
            made.merge(Instant.parse(row.substring(detail.length(), row.length() - 2)), 1, Integer::sum);
        }
        return made;
    }

    /** Returns the outcome of each second of a schedule that runs each second. */
    private Map<Instant, ScheduleRun.Outcome> outcomes(String name) {
        Map<Instant, ScheduleRun.Outcome> outcomes = new TreeMap<>();
        for (ScheduleRun run : windrow.schedules().runs(name, 1000)) {
            for (Instant at = run.due(); !at.isAfter(run.until()); at = at.plusSeconds(1)) {
                assertThat(outcomes.put(at, run.outcome()))
                        .as("%s has one outcome", at)
                        .isNull();
            }
        }
        return outcomes;
    }

    private void everySecondIsAccountedFor(String name, Instant first) {
        Map<Instant, ScheduleRun.Outcome> outcomes = outcomes(name);
        Map<Instant, Integer> made = made(name);
        assertThat(made.values()).as("jobs for each due time of %s", name).containsOnly(1);
        Instant last = first;
        for (Map.Entry<Instant, ScheduleRun.Outcome> each : outcomes.entrySet()) {
            last = each.getKey();
            assertThat(made.containsKey(last))
                    .as("%s of %s: %s", last, name, each.getValue())
                    .isEqualTo(each.getValue() == ScheduleRun.Outcome.ENQUEUED);
        }
        assertThat(outcomes).as("from %s to %s", first, last).hasSize((int)
                (Duration.between(first, last).toSeconds() + 1));
        assertThat(outcomes).containsKey(first);
        assertThat(made).hasSizeLessThanOrEqualTo(outcomes.size());
        System.out.printf("schedule %s on %s: %d seconds, %d jobs%n", name, kind, outcomes.size(), made.size());
    }

    @Test
    void eachDueSecondEnqueuesOneJobWhileProcessesAreKilled() throws Exception {
        long seed = Soak.seed("windrow.schedules.seed");
        System.out.println("schedules on " + kind + ": seed " + seed + ", " + SECONDS + " s");
        SplittableRandom random = new SplittableRandom(seed);
        List<Child> alive = workers(WORKERS);
        Instant firstOnce = next(Schedule.every("once", Duration.ofSeconds(1), TestWorker.NOOP.job("x")));
        Instant firstAll = next(Schedule.every("all", Duration.ofSeconds(1), TestWorker.NOOP.job("x"))
                .withMisfire(Misfire.ALL));
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
        CountDownLatch never = new CountDownLatch(1);
        for (int round = 0; System.nanoTime() < end; round++) {
            // In every fourth round all workers are killed at once. The new ones need some time to start.
            int kills = round % 4 == 1 ? WORKERS : 1;
            for (int i = 0; i < kills; i++) {
                alive.remove(random.nextInt(alive.size())).kill();
                alive.add(worker());
            }
            var unused = never.await(300 + random.nextInt(1500), TimeUnit.MILLISECONDS);
        }
        Instant now = Instant.now();
        await().atMost(PATIENCE)
                .until(() -> windrow.schedules().list().stream()
                        .allMatch(s -> s.lastRun() != null && s.lastRun().isAfter(now)));
        windrow.schedules().pause("once");
        windrow.schedules().pause("all");
        everySecondIsAccountedFor("once", firstOnce);
        everySecondIsAccountedFor("all", firstAll);
        await().atMost(PATIENCE)
                .until(() -> windrow.monitor().statistics().states().get(JobState.COMPLETED)
                        == made("once").size() + made("all").size());
        // Due times before the pause that were not run yet are skipped by the pause and stored as missed.
        assertThat(outcomes("all"))
                .allSatisfy((due, outcome) -> assertThat(outcome == ScheduleRun.Outcome.MISSED && !due.isAfter(now))
                        .as("%s", due)
                        .isFalse());
        assertThat(windrow.monitor().diagnose().failed()).isEmpty();
    }

    private Instant next(Schedule schedule) {
        return windrow.schedules().save(schedule).nextRuns().get(0);
    }

    /** Thrown if the writes took so long that some schedules may begin a day later. */
    private static final class TooLate extends Exception {
        private static final long serialVersionUID = 1;
    }

    /**
     * Saves many schedules, and returns their start. A schedule that is written after its start would begin a day later, so on a slow machine all of
     * them get more time.
     */
    private Instant manyThatStartAtOnce(Duration lead) {
        Instant start = Instant.now().plus(lead);
        try {
            windrow.inTransaction(connection -> {
                for (int i = 0; i < MANY; i++) {
                    windrow.on(connection)
                            .schedules()
                            .save(Schedule.every("s-" + i, Duration.ofDays(1), TestWorker.NOOP.job("x"))
                                    .withStartsAt(start));
                }
                if (Instant.now().isAfter(start.minusSeconds(2))) {
                    throw new TooLate();
                }
                return null;
            });
            return start;
        } catch (TooLate e) {
            return manyThatStartAtOnce(lead.multipliedBy(2));
        }
    }

    @Test
    void manySchedulesDueAtOnceEnqueueOneJobEachWhileWorkersContinue() throws Exception {
        Instant start = manyThatStartAtOnce(Duration.ofSeconds(MANY / 500 + 8));
        List<Child> workers = workers(2);
        await().atMost(PATIENCE).until(() -> Instant.now().isAfter(start));
        // Jobs enqueued during the runs are executed.
        for (int i = 0; i < 5; i++) {
            long before = System.nanoTime();
            windrow.await(windrow.enqueue(TestWorker.NOOP, "between"), PATIENCE);
            System.out.printf("a job in between took %d ms%n", (System.nanoTime() - before) / 1_000_000);
        }
        await().atMost(PATIENCE)
                .until(() -> windrow.monitor().statistics().states().get(JobState.COMPLETED) == MANY + 5L);
        System.out.printf(
                "%d schedules on %s: %s ms from the first to the last, the last one %s ms after it was due%n",
                MANY,
                kind,
                target.rows("SELECT max(fired_at) - min(fired_at) FROM windrow_schedule_runs"),
                target.rows("SELECT max(fired_at - due_at) FROM windrow_schedule_runs"));
        assertThat(target.rows("SELECT count(*) FROM windrow_schedule_runs WHERE outcome = 'ENQUEUED'"))
                .containsExactly(Integer.toString(MANY));
        for (Child worker : workers) {
            assertThat(worker.troubles()).isEmpty();
        }
        assertThat(windrow.monitor().diagnose().failed()).isEmpty();
    }
}
