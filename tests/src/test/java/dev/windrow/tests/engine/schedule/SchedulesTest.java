package dev.windrow.tests.engine.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.Dedupe;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobInfo;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.Windrow;
import dev.windrow.monitor.AuditFilter;
import dev.windrow.payload.BlobRef;
import dev.windrow.payload.Content;
import dev.windrow.payload.Json;
import dev.windrow.query.JobFilter;
import dev.windrow.schedule.Misfire;
import dev.windrow.schedule.Overlap;
import dev.windrow.schedule.Schedule;
import dev.windrow.schedule.ScheduleInfo;
import dev.windrow.schedule.ScheduleNotFoundException;
import dev.windrow.schedule.ScheduleRun;
import dev.windrow.tests.engine.EngineTest;
import dev.windrow.tests.stores.OnEachStore;
import dev.windrow.workflow.ParentPolicy;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Schedules enqueue jobs while the engine runs. */
@OnEachStore
class SchedulesTest extends EngineTest {
    private static final JobType<Json, Json> REPORT = JobType.raw("test.report");
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private static Schedule everyMinute(String name) {
        return Schedule.every(name, MINUTE, REPORT.job(new Json("{\"by\":\"" + name + "\"}")));
    }

    private void startWorker() {
        start(worker().handle(REPORT, (input, job) -> input).handle(ECHO, (input, job) -> input));
    }

    private List<JobInfo> jobs(JobState state) {
        return windrow.jobs(JobFilter.ALL.withState(state))
                .newestFirst()
                .limit(1000)
                .page()
                .jobs();
    }

    private long completed() {
        return windrow.monitor().statistics().states().getOrDefault(JobState.COMPLETED, 0L);
    }

    private List<String> runs(String name) {
        return windrow.schedules().runs(name, 100).stream()
                .map(run -> run.outcome() + " " + run.runs())
                .toList();
    }

    /** Moves the clock until the schedule has this many runs. Every loop runs after each step, so no worker loses a job. */
    private void untilRuns(String name, int count) {
        for (int i = 0; i < 1000 && windrow.schedules().runs(name, 1000).size() < count; i++) {
            runClock(Duration.ofSeconds(10), 1);
        }
        assertThat(windrow.schedules().runs(name, 1000)).hasSizeGreaterThanOrEqualTo(count);
    }

    private void untilCompleted(long count) {
        runClockUntil(Duration.ofMillis(50), () -> completed() >= count);
        assertThat(completed()).isEqualTo(count);
    }

    private Instant next(String name) {
        return windrow.schedules().find(name).orElseThrow().nextRuns().get(0);
    }

    @Test
    void eachScheduleRunEnqueuesOneJobThatAWorkerRuns() {
        startWorker();
        ScheduleInfo stored = windrow.schedules().save(everyMinute("s"));
        Instant first = time.now().plus(MINUTE);
        assertThat(stored.nextRuns()).containsExactly(first, first.plus(MINUTE), first.plus(MINUTE.multipliedBy(2)));
        untilRuns("s", 5);
        List<ScheduleRun> runs = windrow.schedules().runs("s", 100);
        untilCompleted(runs.size());
        for (int i = 0; i < runs.size(); i++) {
            ScheduleRun run = runs.get(runs.size() - 1 - i);
            assertThat(run.outcome()).isEqualTo(ScheduleRun.Outcome.ENQUEUED);
            assertThat(run.due()).isEqualTo(first.plus(MINUTE.multipliedBy(i)));
        }
        Set<Instant> due =
                jobs(JobState.COMPLETED).stream().map(JobInfo::scheduledAt).collect(Collectors.toSet());
        assertThat(due).hasSize((int) completed());
        assertThat(windrow.monitor().health().tasks())
                .anySatisfy(task -> assertThat(task.name()).isEqualTo("windrow-schedules"));
    }

    @Test
    void eachMisfirePolicyHandlesMissedRuns() {
        windrow.schedules().save(everyMinute("once"));
        windrow.schedules().save(everyMinute("all").withMisfire(Misfire.ALL));
        windrow.schedules()
                .save(Schedule.cron("skip", "0 0 * * *", ZoneOffset.UTC, REPORT.job(null))
                        .withMisfire(Misfire.SKIP));
        // No worker runs, so no process runs the schedules.
        time.advance(Duration.ofDays(2).plus(Duration.ofMinutes(10)));
        startWorker();
        until(() -> windrow.schedules().list().stream()
                .allMatch(s -> s.nextRuns().get(0).isAfter(time.now())));
        assertThat(runs("once")).containsExactly("ENQUEUED 1", "MISSED 2889");
        assertThat(runs("skip")).containsExactly("MISSED 2");
        assertThat(windrow.schedules().find("skip").orElseThrow().lastJob()).isNull();
        assertThat(runs("all")).hasSize(100).containsOnly("ENQUEUED 1");
        until(() -> completed() == 1001);
    }

    @Test
    void twoProcessesEnqueueOneJobForEachRun() {
        startWorker();
        Windrow other = open(newStore());
        start(other.worker().lease(LEASE).handle(REPORT, (input, job) -> input));
        windrow.schedules().save(everyMinute("s"));
        other.schedules().save(everyMinute("s"));
        untilRuns("s", 10);
        List<ScheduleRun> runs = windrow.schedules().runs("s", 100);
        long accounted = runs.stream()
                .mapToLong(run -> run.runs() == null ? 0 : run.runs())
                .sum();
        Instant last = runs.get(0).due();
        Instant first = runs.get(runs.size() - 1).due();
        assertThat(Duration.between(first, last).toMinutes() + 1).isEqualTo(accounted);
        long made = runs.stream()
                .filter(run -> run.outcome() == ScheduleRun.Outcome.ENQUEUED)
                .count();
        untilCompleted(made);
        assertThat(jobs(JobState.COMPLETED)).extracting(JobInfo::scheduledAt).doesNotHaveDuplicates();
    }

    @Test
    void aFailingScheduleDelaysNoOtherAndIsRetried() throws Exception {
        for (int i = 0; i < 3; i++) {
            windrow.schedules().save(everyMinute("good-" + i));
        }
        windrow.schedules().save(everyMinute("bad"));
        windrow.schedules().save(Schedule.cron("unreadable", "* * * * *", ZoneOffset.UTC, REPORT.job(null)));
        String lost = new BlobRef(4711, BlobRef.Form.JSON, 1, "0".repeat(64), null).text();
        execute("UPDATE windrow_schedules SET payload = '" + lost + "' WHERE name = 'bad'");
        execute("UPDATE windrow_schedules SET zone = 'Mars/Olympus' WHERE name = 'unreadable'");
        Instant due = next("bad");
        time.advance(MINUTE);
        startWorker();
        until(() -> completed() == 3);
        assertThat(next("bad")).isEqualTo(due);
        assertThat(windrow.schedules().runs("bad", 10)).isEmpty();
        assertThat(windrow.schedules().find("unreadable").orElseThrow().lastRun())
                .isNull();
        execute("UPDATE windrow_schedules SET payload = '[]' WHERE name = 'bad'");
        runClockUntil(
                Duration.ofSeconds(1),
                () -> windrow.schedules().find("bad").orElseThrow().lastJob() != null);
        assertThat(windrow.schedules().runs("bad", 10)).isNotEmpty();
    }

    @Test
    void aScheduleInAnUnknownZoneCanBePausedReplacedAndRemoved() throws Exception {
        for (String name : List.of("paused", "saved", "removed")) {
            windrow.schedules().save(Schedule.cron(name, "* * * * *", ZoneOffset.UTC, REPORT.job(null)));
            execute("UPDATE windrow_schedules SET zone = 'Mars/Olympus' WHERE name = '%s'".formatted(name));
        }
        // The schedules are due by now, but the due time of an unreadable schedule is unknown.
        time.advance(Duration.ofMinutes(5));
        assertThat(windrow.schedules().list())
                .hasSize(3)
                .allSatisfy(schedule -> assertThat(schedule.problem()).contains("cannot be read", "Mars/Olympus"));
        assertThat(windrow.schedules().pause("paused", "why").isPaused()).isTrue();
        assertThatThrownBy(() -> windrow.schedules().resume("paused"))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("Mars/Olympus")
                .hasMessageContaining("save it again, or remove it");
        assertThat(windrow.schedules().find("paused").orElseThrow().isPaused()).isTrue();
        Schedule good = Schedule.cron("saved", "* * * * *", ZoneOffset.UTC, REPORT.job(null));
        assertThat(windrow.schedules().save(good)).satisfies(schedule -> {
            assertThat(schedule.problem()).isNull();
            assertThat(schedule.nextRuns()).hasSize(3);
        });
        windrow.schedules().save(Schedule.cron("paused", "* * * * *", ZoneOffset.UTC, REPORT.job(null)));
        assertThat(windrow.schedules().resume("paused").nextRuns()).hasSize(3);
        windrow.schedules().remove("removed");
        assertThat(windrow.schedules().list()).hasSize(2);
        startWorker();
        time.advance(MINUTE);
        untilCompleted(2);
    }

    private void execute(String sql) throws Exception {
        try (var connection = target.connect();
                var statement = connection.createStatement()) {
            assertThat(statement.executeUpdate(sql)).isEqualTo(1);
        }
    }

    @Test
    void aScheduleWithoutOverlapSkipsRunsWhileItsJobRuns() {
        CountDownLatch end = new CountDownLatch(1);
        start(worker().handle(REPORT, (input, job) -> {
            take(end);
            return input;
        }));
        windrow.schedules().save(everyMinute("s").withOverlap(Overlap.SKIP));
        untilRuns("s", 4);
        assertThat(runs("s").subList(0, 3)).containsOnly("SKIPPED_OVERLAP 1");
        end.countDown();
        untilCompleted(1);
        untilRuns("s", windrow.schedules().runs("s", 100).size() + 1);
        untilCompleted(2);
    }

    @Test
    void aClockSetBackNeitherStopsNorRepeatsRuns() {
        startWorker();
        windrow.schedules().save(everyMinute("s"));
        untilRuns("s", 10);
        untilCompleted(windrow.schedules().runs("s", 100).size());
        long before = completed();
        Instant last = windrow.schedules().runs("s", 1).get(0).due();
        time.stepWall(Duration.ofMinutes(-5));
        // The slow poll that backs the hints finds the clock step.
        runClockUntil(Duration.ofSeconds(1), () -> next("s").equals(last.plus(MINUTE)));
        untilRuns("s", (int) before + 1);
        untilCompleted(before + 1);
        assertThat(jobs(JobState.COMPLETED)).extracting(JobInfo::scheduledAt).doesNotHaveDuplicates();
        assertThat(windrow.schedules().runs("s", 1).get(0).due()).isEqualTo(last.plus(MINUTE));
        // The clock jumps forward, as after a time without processes.
        time.stepWall(Duration.ofDays(365));
        runClockUntil(Duration.ofSeconds(1), () -> next("s").isAfter(time.now()));
        assertThat(windrow.schedules().runs("s", 100)).anySatisfy(run -> {
            assertThat(run.outcome()).isEqualTo(ScheduleRun.Outcome.MISSED);
            assertThat(run.runs()).isNotNull().isGreaterThan(500_000L);
        });
    }

    @Test
    void scheduleVerbsCommitWithTheCallersTransaction() throws Exception {
        startWorker();
        JobRef<Json> job;
        // The connection is closed before the test waits. On SQLite its next transaction would take the write lock at
        // once.
        try (var connection = target.begin()) {
            windrow.on(connection).schedules().save(everyMinute("gone"));
            connection.rollback();
            assertThat(windrow.schedules().list()).isEmpty();
            windrow.on(connection).schedules().save(everyMinute("kept"));
            job = windrow.on(connection).schedules().run("kept");
            assertThat(windrow.job(job).exists()).isFalse();
            connection.commit();
        }
        untilState(job, JobState.COMPLETED);
        assertThat(windrow.schedules().list()).extracting(ScheduleInfo::name).containsExactly("kept");
        untilRuns("kept", 1);
        windrow.inTransaction(connection -> {
            windrow.on(connection).schedules().pause("kept", "enough");
            return null;
        });
        assertThat(windrow.schedules().find("kept").orElseThrow().isPaused()).isTrue();
        assertThatThrownBy(() -> windrow.inTransaction(
                        connection -> windrow.on(connection).schedules().run("nobody")))
                .isInstanceOf(ScheduleNotFoundException.class);
    }

    @Test
    void aScheduleIsReadAsItWasSaved() {
        Instant start = time.now().plusSeconds(30);
        windrow.schedules()
                .save(Schedule.every("even", Duration.ofHours(1), REPORT.job(new Json("[1]")))
                        .withStartsAt(start)
                        .withOverlap(Overlap.SKIP));
        ScheduleInfo even = windrow.schedules().find("even").orElseThrow();
        assertThat(even.every()).isEqualTo(Duration.ofHours(1));
        assertThat(even.startsAt()).isEqualTo(start);
        assertThat(even.nextRun()).isEqualTo(start);
        assertThat(even.payload()).isEqualTo(new Json("[1]"));
        assertThat(even.cron()).isNull();
        assertThat(even.overlap()).isEqualTo(Overlap.SKIP);
        windrow.schedules().save(Schedule.cron("daily", "@daily", ZoneId.of("Europe/Berlin"), REPORT.job(null)));
        ScheduleInfo daily = windrow.schedules().find("daily").orElseThrow();
        assertThat(daily.cron()).isEqualTo("@daily");
        assertThat(daily.zone()).isEqualTo("Europe/Berlin");
        assertThat(daily.misfire()).isEqualTo(Misfire.ONCE);
        assertThat(daily.nextRuns()).hasSize(3);
        assertThat(windrow.monitor().statistics().schedules().count()).isEqualTo(2);
        assertThat(windrow.monitor().statistics().schedules().overdueMillis()).isNull();
        windrow.schedules().pause("daily");
        time.advance(Duration.ofSeconds(31));
        assertThat(windrow.monitor().statistics().schedules().paused()).isEqualTo(1);
        assertThat(windrow.monitor().statistics().schedules().overdueMillis()).isEqualTo(1000);
        windrow.schedules().remove("even");
        assertThatThrownBy(() -> windrow.schedules().runs("even", 1)).isInstanceOf(ScheduleNotFoundException.class);
    }

    @Test
    void jobOptionsThatCannotRepeatForEachRunAreRefused() {
        JobRef<Json> parent = enqueue(ECHO);
        for (var job : List.of(
                REPORT.job(null).withParents(ParentPolicy.WAIT, List.of(parent)),
                REPORT.job(null).withDedupe(Dedupe.key("k")),
                REPORT.job(null).withDelay(MINUTE),
                REPORT.job(null).withRunAt(time.now()),
                REPORT.job(null).withExternalCompletion(MINUTE),
                REPORT.job(null).withTraceparent("00-1-2-01"))) {
            assertThatThrownBy(() -> Schedule.every("s", MINUTE, job))
                    .isInstanceOf(InvalidRequestException.class)
                    .hasMessageContaining("the job of schedule 's'");
        }
        assertThatThrownBy(() -> Schedule.every("s", Duration.ofMillis(999), REPORT.job(null)))
                .hasMessageContaining("999ms")
                .hasMessageContaining("1s to 3650d");
        assertThatThrownBy(() -> Schedule.every("no blanks", MINUTE, REPORT.job(null)))
                .hasMessageContaining("'no blanks'");
        assertThatThrownBy(() -> Schedule.cron("s", "0 3 * * *", ZoneOffset.UTC, REPORT.job(null))
                        .withStartsAt(time.now()))
                .isInstanceOf(InvalidRequestException.class);
        String tooLong = "\"" + "x".repeat(Windrow.DEFAULT_INLINE_BYTES) + "\"";
        assertThatThrownBy(() -> windrow.schedules().save(Schedule.every("s", MINUTE, REPORT.job(new Json(tooLong)))))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("schedule 's'")
                .hasMessageContaining("65536");
        JobType<Content, Void> stream = JobType.of("test.stream", Content.class);
        assertThatThrownBy(() ->
                        windrow.schedules().save(Schedule.every("s", MINUTE, stream.job(Content.of(new byte[] {1})))))
                .isInstanceOf(InvalidRequestException.class);
        assertThat(windrow.schedules().list()).isEmpty();
        assertThat(windrow.monitor().audit(AuditFilter.ALL).limit(10).page().entries())
                .isEmpty();
    }
}
