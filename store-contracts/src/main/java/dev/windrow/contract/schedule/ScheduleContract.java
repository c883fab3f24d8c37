package dev.windrow.contract.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.windrow.InvalidRequestException;
import dev.windrow.JobInfo;
import dev.windrow.JobState;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreContract;
import dev.windrow.contract.StoreDriver;
import dev.windrow.limit.ConcurrencyKey;
import dev.windrow.monitor.AuditEntry;
import dev.windrow.payload.BlobRef;
import dev.windrow.query.JobFilter;
import dev.windrow.schedule.Misfire;
import dev.windrow.schedule.Overlap;
import dev.windrow.schedule.ScheduleNotFoundException;
import dev.windrow.schedule.ScheduleRun;
import dev.windrow.store.OpenStore;
import dev.windrow.store.Transition;
import dev.windrow.store.job.Change;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.JobRow;
import dev.windrow.store.schedule.DueRuns;
import dev.windrow.store.schedule.DueSchedules;
import dev.windrow.store.schedule.Fire;
import dev.windrow.store.schedule.FireResult;
import dev.windrow.store.schedule.ScheduleChange;
import dev.windrow.store.schedule.ScheduleChanged;
import dev.windrow.store.schedule.ScheduleRow;
import dev.windrow.store.schedule.Timing;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Schedules: their definitions, and the records that are written when they are due. */
public abstract class ScheduleContract extends StoreContract {
    private static final long MINUTE = 60_000;
    private static final Timing EACH_MINUTE = new Timing(null, null, MINUTE, null);
    /** A job that cannot be written, because its blob is not staged. */
    private static final String NO_PAYLOAD = new BlobRef(4711, BlobRef.Form.JSON, 1, "0".repeat(64), null).text();

    /** Creates the contract for a subclass. */
    protected ScheduleContract() {}

    // ---- steps ------------------------------------------------------------------------------------------------------

    private static ScheduleRow.Definition definition(String name, Timing timing) {
        return new ScheduleRow.Definition(name, NewRow.job().row(), timing, Misfire.ONCE, Overlap.ALLOW);
    }

    private static ScheduleRow.Definition definition(String name, Timing timing, Misfire misfire, Overlap overlap) {
        return new ScheduleRow.Definition(name, NewRow.job().row(), timing, misfire, overlap);
    }

    private static ScheduleChange change(ScheduleRow.Definition definition) {
        return new ScheduleChange(ScheduleChange.Verb.SCHEDULE, definition.name(), "anna", definition, null);
    }

    private static ScheduleChange change(ScheduleChange.Verb verb, String name, @Nullable String reason) {
        return new ScheduleChange(verb, name, "anna", null, reason);
    }

    private ScheduleRow put(ScheduleRow.Definition definition) {
        return StoreDriver.answer(store().store().submit(change(definition))).schedule();
    }

    private ScheduleRow put(String name) {
        return put(definition(name, EACH_MINUTE));
    }

    private ScheduleChanged change(ScheduleChange.Verb verb, String name) {
        return StoreDriver.answer(store().store().submit(change(verb, name, null)));
    }

    private ScheduleRow find(String name) {
        return store().store().schedule(name).orElseThrow();
    }

    /** Returns the runs of a schedule: a job for each of these due times, and the due times that were missed before. */
    private DueRuns dueRuns(ScheduleRow schedule, DueRuns.@Nullable Missed missed, Long... due) {
        return new DueRuns(schedule, List.of(due), missed, schedule.timing().next(time.millis()), false);
    }

    private FireResult fire(DueRuns... allDueRuns) {
        return StoreDriver.answer(store().store().submit(new Fire(List.of(allDueRuns))));
    }

    /** Makes a due schedule enqueue a job for its next due time. */
    private ScheduleRow fireNext(String name) {
        ScheduleRow schedule = find(name);
        assertThat(fire(dueRuns(schedule, null, next(schedule))).schedules()).isEqualTo(1);
        return find(name);
    }

    private static long next(ScheduleRow schedule) {
        return Objects.requireNonNull(schedule.nextAtMillis());
    }

    private List<ScheduleRun> runs(String name) {
        return store().store().scheduleRuns(name, 1000);
    }

    private List<String> outcomes(String name) {
        return runs(name).stream()
                .map(run -> run.due().toEpochMilli() + " " + run.outcome() + " " + run.runs())
                .toList();
    }

    private List<JobInfo> jobs() {
        return all(store().store(), JobFilter.ALL);
    }

    private List<String> audit() {
        return store().audit(100).stream()
                .map(entry -> entry.action() + " " + entry.actor() + " " + entry.changed() + " " + entry.detail() + " "
                        + entry.reason())
                .toList();
    }

    // ---- definitions -----------------------------------------------------------------------------------------------

    @Test
    void aScheduleIsStoredWithAllOptionsOfItsJobs() {
        JobRow job = NewRow.of("mail", "report")
                .payload("{\"to\": \"a \\\"b\\\" \\ud83d\"}")
                .name("Nightly report")
                .priority(7)
                .maxAttempts(5)
                .extras(1234L, "none", null)
                .metadata("{\"a\":1}")
                .tags("a \"quoted\" \\ tag", "büro \u0007", "x,y")
                .concurrencyKey(ConcurrencyKey.atMost("tenant 1", 3))
                .actor("system")
                .row();
        Timing timing = new Timing("0 3 * * *", "Europe/Berlin", null, null);
        ScheduleRow row = put(new ScheduleRow.Definition("nightly", job, timing, Misfire.ALL, Overlap.SKIP));
        assertThat(row.definition())
                .isEqualTo(new ScheduleRow.Definition("nightly", job, timing, Misfire.ALL, Overlap.SKIP));
        assertThat(row.nextAtMillis()).isEqualTo(timing.next(time.millis()));
        assertThat(row.createdAtMillis()).isEqualTo(time.millis());
        assertThat(find("nightly")).isEqualTo(row);
        assertThat(store().store().schedules()).containsExactly(row);
        assertThat(store().store().schedule("Nightly")).isEmpty();
    }

    @Test
    void concurrencyKeysOfAllKindsAreStored() {
        for (ConcurrencyKey key :
                List.of(ConcurrencyKey.of("a"), ConcurrencyKey.inSequence("b"), ConcurrencyKey.atMost("c", 1))) {
            JobRow job = NewRow.job().concurrencyKey(key).row();
            ScheduleRow row = put(new ScheduleRow.Definition(key.key(), job, EACH_MINUTE, Misfire.ONCE, Overlap.ALLOW));
            assertThat(row.definition().job().concurrencyKey()).isEqualTo(key);
        }
    }

    @Test
    void schedulesAreListedInOrderOfTheirNames() {
        List.of("b", "C", "a", "a-1").forEach(this::put);
        assertThat(store().store().schedules()).extracting(ScheduleRow::name).containsExactly("C", "a", "a-1", "b");
    }

    @Test
    void anEqualScheduleIsNeitherChangedNorAudited() {
        ScheduleRow first = put("s");
        time.advance(Duration.ofSeconds(30));
        ScheduleRow again = put("s");
        assertThat(again).isEqualTo(first);
        assertThat(audit()).hasSize(1).first().asString().isEqualTo("SCHEDULE anna 0 {\"schedule\":\"s\"} null");
    }

    @Test
    void onlyAChangeOfTheTimingMovesTheNextRun() {
        ScheduleRow first = put("s");
        time.advance(Duration.ofSeconds(30));
        ScheduleRow other = put(
                new ScheduleRow.Definition("s", NewRow.of("q2", "t2").row(), EACH_MINUTE, Misfire.SKIP, Overlap.SKIP));
        assertThat(other.nextAtMillis()).isEqualTo(first.nextAtMillis());
        assertThat(other.revision()).isEqualTo(first.revision() + 1);
        assertThat(other.definition().job().type()).isEqualTo("t2");
        assertThat(other.timing()).isEqualTo(first.timing());
        ScheduleRow moved = put(definition("s", new Timing(null, null, 2 * MINUTE, null)));
        assertThat(moved.nextAtMillis()).isEqualTo(time.millis() + 2 * MINUTE);
        ScheduleRow cron = put(definition("s", new Timing("* * * * *", "UTC", null, null)));
        assertThat(next(cron) % MINUTE).isZero();
        assertThat(cron.id()).isEqualTo(first.id());
    }

    @Test
    void aSaveWithoutAStartKeepsItAndASaveWithOneSetsIt() {
        ScheduleRow first = put("s");
        assertThat(first.nextAtMillis()).isEqualTo(time.millis() + MINUTE);
        time.advance(Duration.ofSeconds(90));
        assertThat(put(definition("s", EACH_MINUTE.startingAt(time.millis() - 61_000)))
                        .nextAtMillis())
                .isEqualTo(time.millis() + 59_000);
        assertThat(put(definition("s", EACH_MINUTE.startingAt(time.millis() + 5000)))
                        .nextAtMillis())
                .isEqualTo(time.millis() + 5000);
        assertThat(put("s").nextAtMillis()).isEqualTo(time.millis() + 5000);
    }

    @Test
    void aScheduleWithoutRunsIsRefusedAndNothingIsWritten() {
        Timing never =
                EACH_MINUTE.startingAt(Instant.parse("9999-12-31T00:00:00Z").toEpochMilli());
        assertThat(failure(store().store().submit(change(definition("s", never)))))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("'s'");
        assertThat(store().store().schedules()).isEmpty();
        assertThat(audit()).isEmpty();
    }

    @Test
    void allProcessesMaySaveOneScheduleAtOnce() {
        List<Callable<ScheduleRow>> tasks = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            OpenStore store = open().store();
            tasks.add(() -> StoreDriver.answer(store.submit(change(definition("s", EACH_MINUTE))))
                    .schedule());
        }
        List<ScheduleRow> answers = together(tasks);
        assertThat(answers).containsOnly(find("s"));
        assertThat(audit()).hasSize(1);
    }

    @Test
    void savingAScheduleNotifiesAllProcesses() {
        StoreDriver other = open();
        ScheduleRow row = put("s");
        store().hints().awaitSchedule(next(row));
        other.hints().awaitSchedule(next(row));
    }

    @Test
    void aPausedScheduleIsNotDueAndResumesFromNow() {
        put("s");
        ScheduleRow paused = StoreDriver.answer(
                        store().store().submit(change(ScheduleChange.Verb.PAUSE, "s", "maintenance")))
                .schedule();
        assertThat(paused.nextAtMillis()).isNull();
        assertThat(Objects.requireNonNull(paused.pause()).reason()).isEqualTo("maintenance");
        assertThat(Objects.requireNonNull(paused.pause()).by()).isEqualTo("anna");
        time.advance(Duration.ofSeconds(150));
        assertThat(due().due()).isEmpty();
        assertThat(due().nextMillis()).isNull();
        // Its definition may be changed while it is paused.
        assertThat(put(definition("s", new Timing(null, null, 2 * MINUTE, null)))
                        .nextAtMillis())
                .isNull();
        assertThat(put("s").pause()).isNotNull();
        ScheduleRow resumed = change(ScheduleChange.Verb.RESUME, "s").schedule();
        assertThat(resumed.pause()).isNull();
        assertThat(next(resumed)).isBetween(time.millis() + 1, time.millis() + MINUTE);
        assertThat(change(ScheduleChange.Verb.RESUME, "s").schedule()).isEqualTo(resumed);
        assertThat(runs("s")).isEmpty();
        assertThat(store().audit(10))
                .extracting(AuditEntry::action)
                .containsExactly("RESUME", "SCHEDULE", "SCHEDULE", "PAUSE", "SCHEDULE");
        assertThat(audit().get(3)).isEqualTo("PAUSE anna 0 {\"schedule\":\"s\"} maintenance");
    }

    @Test
    void pausingAgainChangesTheReason() {
        put("s");
        ScheduleRow first = change(ScheduleChange.Verb.PAUSE, "s").schedule();
        time.advance(Duration.ofSeconds(1));
        ScheduleRow again = StoreDriver.answer(store().store().submit(change(ScheduleChange.Verb.PAUSE, "s", "longer")))
                .schedule();
        assertThat(Objects.requireNonNull(again.pause()).at())
                .isEqualTo(Objects.requireNonNull(first.pause()).at());
        assertThat(again.pause().reason()).isEqualTo("longer");
    }

    @Test
    void removingAScheduleDeletesItsRunsAndKeepsItsJobs() {
        ScheduleRow first = put("s");
        time.advance(Duration.ofMinutes(1));
        fireNext("s");
        change(ScheduleChange.Verb.REMOVE, "s");
        assertThat(store().store().schedules()).isEmpty();
        assertThat(runs("s")).isEmpty();
        assertThat(jobs()).hasSize(1);
        assertThat(audit().get(0)).isEqualTo("REMOVE anna 0 {\"schedule\":\"s\"} null");
        // Another schedule of this name is not the same one. The planned runs of the first are not written.
        ScheduleRow second = put("s");
        assertThat(second.id()).isNotEqualTo(first.id());
        assertThat(fire(dueRuns(first, null, next(first)))).isEqualTo(new FireResult(0, 0));
        assertThat(runs("s")).isEmpty();
    }

    @Test
    void anExtraRunEnqueuesAJobAndKeepsTheNextRun() {
        ScheduleRow row = put("s");
        change(ScheduleChange.Verb.PAUSE, "s");
        ScheduleChanged ran = change(ScheduleChange.Verb.RUN, "s");
        long job = Objects.requireNonNull(ran.job());
        assertThat(ran.schedule().lastJob()).isEqualTo(job);
        assertThat(ran.schedule().pause()).isNotNull();
        assertThat(store().state(job)).isEqualTo(JobState.PENDING);
        assertThat(store().history(job).events().get(0).detail()).hasToString("{\"schedule\":\"s\"}");
        assertThat(store().history(job).events().get(0).actor()).isEqualTo("anna");
        assertThat(runs("s")).isEmpty();
        assertThat(audit().get(0)).isEqualTo("RUN anna 1 {\"schedule\":\"s\"} null");
        change(ScheduleChange.Verb.RESUME, "s");
        assertThat(change(ScheduleChange.Verb.RUN, "s").schedule().nextAtMillis())
                .isEqualTo(row.nextAtMillis());
    }

    @Test
    void anUnknownNameIsReportedAndNothingIsWritten() {
        for (ScheduleChange.Verb verb : ScheduleChange.Verb.values()) {
            if (verb != ScheduleChange.Verb.SCHEDULE) {
                assertThat(failure(store().store().submit(change(verb, "nobody", null))))
                        .isInstanceOf(ScheduleNotFoundException.class)
                        .hasMessage("schedule 'nobody' does not exist in this store");
            }
        }
        assertThat(audit()).isEmpty();
    }

    // ---- due schedules ---------------------------------------------------------------------------------------------

    private DueSchedules due() {
        return store().store().dueSchedules(null, 100);
    }

    @Test
    void dueSchedulesAreFoundInOrderPageByPage() {
        for (int i = 1; i <= 3; i++) {
            put(definition("m" + i, new Timing(null, null, i * MINUTE, null)));
        }
        assertThat(due()).isEqualTo(new DueSchedules(time.millis(), List.of(), List.of(), time.millis() + MINUTE));
        long begin = time.millis();
        time.advance(Duration.ofMinutes(2));
        assertThat(due().due()).extracting(ScheduleRow::name).containsExactly("m1", "m2");
        assertThat(due().nextMillis()).isEqualTo(begin + 3 * MINUTE);
        assertThat(due().nowMillis()).isEqualTo(time.millis());
        ScheduleRow first = store().store().dueSchedules(null, 1).due().get(0);
        assertThat(store().store().dueSchedules(first, 1).due())
                .extracting(ScheduleRow::name)
                .containsExactly("m2");
        ScheduleRow second = store().store().dueSchedules(first, 1).due().get(0);
        assertThat(store().store().dueSchedules(second, 1).due()).isEmpty();
    }

    @Test
    void aDueRunEnqueuesAReadyJobWithTheDueTime() {
        ScheduleRow row = put("s");
        long due = next(row);
        time.advance(Duration.ofSeconds(65));
        assertThat(fire(dueRuns(row, null, due))).isEqualTo(new FireResult(1, 1));
        JobInfo job = jobs().get(0);
        assertThat(job.state()).isEqualTo(JobState.PENDING);
        assertThat(job.scheduledAt()).isEqualTo(Instant.ofEpochMilli(due));
        assertThat(job.createdAt()).isEqualTo(Instant.ofEpochMilli(time.millis()));
        assertThat(store().history(job.id()).events().get(0).detail())
                .hasToString("{\"schedule\":\"s\",\"due\":\"%s\"}"
                        .formatted(Instant.ofEpochMilli(due).toString().replace("Z", ".000Z")));
        assertThat(store().history(job.id()).events().get(0).actor()).isEqualTo("system");
        assertThat(runs("s"))
                .extracting(
                        ScheduleRun::due,
                        ScheduleRun::until,
                        ScheduleRun::runs,
                        ScheduleRun::at,
                        ScheduleRun::outcome,
                        ScheduleRun::job)
                .containsExactly(tuple(
                        Instant.ofEpochMilli(due),
                        Instant.ofEpochMilli(due),
                        1L,
                        Instant.ofEpochMilli(time.millis()),
                        ScheduleRun.Outcome.ENQUEUED,
                        job.id()));
        ScheduleRow after = find("s");
        assertThat(after.nextAtMillis()).isEqualTo(due + MINUTE);
        assertThat(after.lastAtMillis()).isEqualTo(due);
        assertThat(after.firedAtMillis()).isEqualTo(time.millis());
        assertThat(after.lastJob()).isEqualTo(job.id());
        assertThat(after.revision()).isEqualTo(row.revision() + 1);
        assertThat(after.definition()).isEqualTo(row.definition());
        store().hints().awaitHint("q", "t");
        store().hints().awaitSchedule(due + MINUTE);
        assertThat(store().claim(10)).extracting(ClaimedJob::id).containsExactly(job.id());
    }

    @Test
    void jobsOfSchedulesAreClaimedInOrderOfTheirDueTime() {
        ScheduleRow row = put("s");
        time.advance(Duration.ofSeconds(90));
        long later = store().enqueue(NewRow.job());
        assertThat(fire(dueRuns(row, null, next(row)))).isEqualTo(new FireResult(1, 1));
        long scheduled = Objects.requireNonNull(find("s").lastJob());
        assertThat(store().claim(10)).extracting(ClaimedJob::id).containsExactly(scheduled, later);
    }

    @Test
    void aJobOfAScheduleHasAllOptionsOfTheSchedule() {
        JobRow job = NewRow.of("mail", "report")
                .payload("[1]")
                .name("n")
                .priority(3)
                .maxAttempts(9)
                .tags("x", "y")
                .concurrencyKey(ConcurrencyKey.inSequence("k"))
                .row();
        ScheduleRow row = put(new ScheduleRow.Definition("s", job, EACH_MINUTE, Misfire.ONCE, Overlap.ALLOW));
        time.advance(Duration.ofMinutes(2));
        fire(dueRuns(row, null, next(row), next(row) + MINUTE));
        List<JobInfo> made = jobs();
        assertThat(made).hasSize(2).allSatisfy(each -> {
            assertThat(each.type()).isEqualTo("report");
            assertThat(each.queue()).isEqualTo("mail");
            assertThat(each.name()).isEqualTo("n");
            assertThat(each.priority()).isEqualTo(3);
            assertThat(each.maxAttempts()).isEqualTo(9);
            assertThat(each.tags()).containsExactlyInAnyOrder("x", "y");
            assertThat(each.concurrencyKey()).isEqualTo("k");
            assertThat(store().history(each.id()).payload()).hasToString("[1]");
        });
        // One after the other, in the order of their due times.
        List<ClaimedJob> claimed = store().claim(StoreDriver.request("w", Set.of("mail"), Set.of("report"), 10))
                .jobs();
        assertThat(claimed).extracting(ClaimedJob::scheduledAtMillis).containsExactly(next(row));
    }

    @Test
    void aRunPlannedBeforeAChangeOrAnotherRunIsNotWritten() {
        ScheduleRow row = put("s");
        time.advance(Duration.ofMinutes(1));
        fireNext("s");
        assertThat(fire(dueRuns(row, null, next(row)))).isEqualTo(new FireResult(0, 0));
        ScheduleRow read = find("s");
        time.advance(Duration.ofMinutes(1));
        change(ScheduleChange.Verb.PAUSE, "s");
        assertThat(fire(dueRuns(read, null, next(read)))).isEqualTo(new FireResult(0, 0));
        change(ScheduleChange.Verb.RESUME, "s");
        assertThat(fire(dueRuns(read, null, next(read)))).isEqualTo(new FireResult(0, 0));
        assertThat(jobs()).hasSize(1);
        assertThat(outcomes("s")).containsExactly(next(read) + " MISSED 1", next(row) + " ENQUEUED 1");
    }

    @Test
    void oneOfManyConcurrentRunsOfAScheduleWins() {
        ScheduleRow row = put("s");
        time.advance(Duration.ofMinutes(1));
        List<Callable<FireResult>> tasks = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            OpenStore store = open().store();
            tasks.add(() -> StoreDriver.answer(store.submit(new Fire(List.of(dueRuns(row, null, next(row)))))));
        }
        assertThat(together(tasks))
                .containsExactlyInAnyOrder(
                        new FireResult(1, 1), new FireResult(0, 0), new FireResult(0, 0), new FireResult(0, 0));
        assertThat(jobs()).hasSize(1);
    }

    @Test
    void aFailingScheduleFailsItsWholeTransactionAndNothingIsWritten() {
        ScheduleRow good = put("good");
        ScheduleRow bad = put("bad");
        time.advance(Duration.ofMinutes(1));
        JobRow job = NewRow.job().payload(NO_PAYLOAD).row();
        ScheduleRow broken = new ScheduleRow(
                /* id= */ bad.id(),
                /* definition= */ new ScheduleRow.Definition("bad", job, bad.timing(), Misfire.ONCE, Overlap.ALLOW),
                /* pause= */ null,
                /* nextAtMillis= */ bad.nextAtMillis(),
                /* lastAtMillis= */ null,
                /* firedAtMillis= */ null,
                /* lastJob= */ null,
                /* revision= */ bad.revision(),
                /* createdAtMillis= */ bad.createdAtMillis());
        DueRuns fails = dueRuns(broken, null, next(bad));
        assertThat(failure(store().store().submit(new Fire(List.of(dueRuns(good, null, next(good)), fails)))))
                .isNotNull();
        assertThat(find("good")).isEqualTo(good);
        assertThat(find("bad")).isEqualTo(bad);
        assertThat(jobs()).isEmpty();
        assertThat(runs("good")).isEmpty();
        assertThat(fire(dueRuns(good, null, next(good)))).isEqualTo(new FireResult(1, 1));
        assertThat(failure(store().store().submit(new Fire(List.of(fails))))).isNotNull();
        assertThat(due().due()).containsExactly(bad);
    }

    @Test
    void missedRunsAreStoredInOneRow() {
        ScheduleRow row = put("s");
        long first = next(row);
        time.advance(Duration.ofMinutes(5));
        DueRuns.Missed missed = new DueRuns.Missed(first, first + 3 * MINUTE, 4L);
        assertThat(fire(dueRuns(row, missed, first + 4 * MINUTE))).isEqualTo(new FireResult(1, 1));
        assertThat(outcomes("s")).containsExactly(first + 4 * MINUTE + " ENQUEUED 1", first + " MISSED 4");
        assertThat(runs("s").get(1).until()).isEqualTo(Instant.ofEpochMilli(first + 3 * MINUTE));
        ScheduleRow after = find("s");
        time.advance(Duration.ofMinutes(5));
        DueRuns none = new DueRuns(
                after,
                List.of(),
                new DueRuns.Missed(next(after), next(after) + MINUTE, null),
                next(after) + 100 * MINUTE,
                false);
        assertThat(fire(none)).isEqualTo(new FireResult(1, 0));
        assertThat(runs("s").get(0).runs()).isNull();
        assertThat(find("s").lastAtMillis()).isEqualTo(next(after) + MINUTE);
        assertThat(find("s").lastJob()).isEqualTo(after.lastJob());
        assertThat(find("s").nextAtMillis()).isEqualTo(next(after) + 100 * MINUTE);
    }

    @Test
    void aDueTimeEnqueuesOnlyOneJob() {
        ScheduleRow row = put("s");
        long due = next(row);
        time.advance(Duration.ofMinutes(2));
        fireNext("s");
        ScheduleRow again = find("s");
        assertThat(fire(dueRuns(again, null, due, due + MINUTE))).isEqualTo(new FireResult(1, 1));
        assertThat(jobs()).hasSize(2);
        assertThat(outcomes("s")).containsExactly(due + MINUTE + " ENQUEUED 1", due + " ENQUEUED 1");
    }

    @Test
    void theNewestRunsAreKept() {
        ScheduleRow row = put("s");
        long first = next(row);
        time.advance(Duration.ofMinutes(1100));
        Long[] due = LongStream.range(0, 600)
                .mapToObj(i -> Long.valueOf(first + i * MINUTE))
                .toArray(Long[]::new);
        fire(dueRuns(row, null, due));
        Long[] more = LongStream.range(600, 1100)
                .mapToObj(i -> Long.valueOf(first + i * MINUTE))
                .toArray(Long[]::new);
        fire(dueRuns(find("s"), null, more));
        List<ScheduleRun> kept = runs("s");
        assertThat(kept).hasSize(1000);
        assertThat(kept.get(999).due()).isEqualTo(Instant.ofEpochMilli(first + 100 * MINUTE));
        assertThat(store().store().scheduleRuns("s", 3)).isEqualTo(kept.subList(0, 3));
        assertThat(jobs()).hasSize(1100);
    }

    // ---- overlaps --------------------------------------------------------------------------------------------------

    @Test
    void aScheduleWithoutOverlapSkipsRunsWhileItsLastJobIsUnfinished() {
        ScheduleRow row = put(definition("s", EACH_MINUTE, Misfire.ALL, Overlap.SKIP));
        long first = next(row);
        time.advance(Duration.ofMinutes(1));
        fireNext("s");
        ClaimedJob job = store().claimOne();
        time.advance(Duration.ofMinutes(1));
        assertThat(fire(dueRuns(find("s"), null, first + MINUTE))).isEqualTo(new FireResult(1, 0));
        assertThat(find("s").lastJob()).isEqualTo(job.id());
        assertThat(find("s").lastAtMillis()).isEqualTo(first + MINUTE);
        store().settle(job, Transition.RETRY_LATER);
        time.advance(Duration.ofMinutes(1));
        assertThat(fire(dueRuns(find("s"), null, first + 2 * MINUTE))).isEqualTo(new FireResult(1, 0));
        store().complete(store().claimOne());
        time.advance(Duration.ofMinutes(3));
        // If there are several, only the first one gets a job, which then has not ended.
        assertThat(fire(dueRuns(find("s"), null, first + 3 * MINUTE, first + 4 * MINUTE, first + 5 * MINUTE)))
                .isEqualTo(new FireResult(1, 1));
        assertThat(outcomes("s"))
                .containsExactly(
                        first + 4 * MINUTE + " SKIPPED_OVERLAP 2",
                        first + 3 * MINUTE + " ENQUEUED 1",
                        first + 2 * MINUTE + " SKIPPED_OVERLAP 1",
                        first + MINUTE + " SKIPPED_OVERLAP 1",
                        first + " ENQUEUED 1");
    }

    @Test
    void aJobThatContinuesInAChainHasNotEnded() {
        ScheduleRow row = put(definition("s", EACH_MINUTE, Misfire.ONCE, Overlap.SKIP));
        time.advance(Duration.ofMinutes(1));
        fireNext("s");
        ClaimedJob job = store().claimOne();
        store().start(job);
        assertThat(StoreDriver.answer(store().store()
                        .submit(StoreDriver.goingOn(
                                store().settlement(job, Transition.COMPLETE),
                                NewRow.job().row()))))
                .isTrue();
        time.advance(Duration.ofMinutes(1));
        assertThat(fire(dueRuns(find("s"), null, next(row) + MINUTE))).isEqualTo(new FireResult(1, 0));
        store().complete(store().claimOne());
        time.advance(Duration.ofMinutes(1));
        assertThat(fire(dueRuns(find("s"), null, next(row) + 2 * MINUTE))).isEqualTo(new FireResult(1, 1));
    }

    // ---- clocks ----------------------------------------------------------------------------------------------------

    private FireResult fireStepBack(String name) {
        ScheduleRow schedule = find(name);
        return fire(new DueRuns(schedule, List.of(), null, schedule.timing().next(time.millis()), true));
    }

    @Test
    void aScheduleRunByAClockAheadIsFoundWhenTheClockIsSetBack() {
        put("s");
        time.advance(Duration.ofMinutes(10));
        ScheduleRow fired = fireNext("s");
        time.stepWall(Duration.ofMinutes(-1));
        assertThat(due().ahead()).isEmpty();
        time.stepWall(Duration.ofMillis(-1));
        assertThat(due().ahead()).containsExactly(fired);
        assertThat(due().due()).isEmpty();
        assertThat(fireStepBack("s")).isEqualTo(new FireResult(1, 0));
        assertThat(due().ahead()).isEmpty();
        assertThat(find("s").firedAtMillis()).isEqualTo(time.millis());
    }

    @Test
    void aClockStepBackRepeatsOnlyRunsWithoutJobs() {
        ScheduleRow row = put(definition("s", EACH_MINUTE, Misfire.ALL, Overlap.ALLOW));
        long first = next(row);
        time.advance(Duration.ofMinutes(10));
        // 0 to 5 are missed, 6 and 7 make jobs, 8 and 9 are missed.
        fire(dueRuns(row, new DueRuns.Missed(first, first + 5 * MINUTE, 6L), first + 6 * MINUTE, first + 7 * MINUTE));
        fire(dueRuns(find("s"), new DueRuns.Missed(first + 8 * MINUTE, first + 9 * MINUTE, 2L)));
        time.stepWall(Duration.ofSeconds(-450));
        fireStepBack("s");
        long now = time.millis();
        assertThat(now).isEqualTo(first + 90_000);
        assertThat(outcomes("s"))
                .containsExactly(
                        first + 7 * MINUTE + " ENQUEUED 1", first + 6 * MINUTE + " ENQUEUED 1", first + " MISSED null");
        assertThat(runs("s").get(2).until()).isEqualTo(Instant.ofEpochMilli(now));
        assertThat(find("s").nextAtMillis()).isEqualTo(first + 2 * MINUTE);
        time.advance(Duration.ofSeconds(30 + 60 * 7));
        assertThat(fire(dueRuns(
                        find("s"),
                        null,
                        first + 2 * MINUTE,
                        first + 3 * MINUTE,
                        first + 4 * MINUTE,
                        first + 5 * MINUTE,
                        first + 6 * MINUTE,
                        first + 7 * MINUTE,
                        first + 8 * MINUTE)))
                .isEqualTo(new FireResult(1, 5));
        assertThat(jobs()).hasSize(7).extracting(JobInfo::scheduledAt).doesNotHaveDuplicates();
    }

    @Test
    void theNextRunAfterAClockStepBackIsTheFirstWithoutAJob() {
        ScheduleRow row = put("s");
        long first = next(row);
        for (int i = 0; i < 5; i++) {
            time.advance(Duration.ofMinutes(1));
            fireNext("s");
        }
        time.stepWall(Duration.ofMinutes(-4));
        fireStepBack("s");
        assertThat(find("s").nextAtMillis()).isEqualTo(first + 5 * MINUTE);
        assertThat(find("s").lastJob()).isNotNull();
    }

    @Test
    void aClockStepBackBeyondTheStoredRunsEnqueuesNoJobTwice() {
        ScheduleRow row = put(definition("s", new Timing(null, null, 1000L, null)));
        long first = next(row);
        time.advance(Duration.ofSeconds(2000));
        for (int part = 0; part < 2; part++) {
            long from = first + part * 1_000_000L;
            fire(dueRuns(
                    find("s"),
                    null,
                    LongStream.range(0, 1000)
                            .mapToObj(i -> Long.valueOf(from + i * 1000))
                            .toArray(Long[]::new)));
        }
        time.stepWall(Duration.ofMinutes(-25));
        fireStepBack("s");
        assertThat(find("s").nextAtMillis()).isEqualTo(first + 2_000_000);
    }

    @Test
    void aClockStepBackBeyondTheStoredRunsEnqueuesNoJobTwiceAfterSkippedRuns() {
        ScheduleRow row = put(definition("s", new Timing(null, null, 1000L, null)));
        long first = next(row);
        time.advance(Duration.ofSeconds(2000));
        for (int part = 0; part < 2; part++) {
            long from = first + part * 1_000_000L;
            fire(dueRuns(
                    find("s"),
                    null,
                    LongStream.range(0, 999)
                            .mapToObj(i -> Long.valueOf(from + i * 1000))
                            .toArray(Long[]::new)));
            fire(dueRuns(find("s"), new DueRuns.Missed(from + 999_000, from + 999_000, 1L)));
        }
        time.stepWall(Duration.ofMinutes(-25));
        fireStepBack("s");
        assertThat(find("s").nextAtMillis()).isEqualTo(first + 1_999_000);
    }

    @Test
    void aScheduleSavedOrResumedByAClockAheadIsFoundWhenTheClockIsSetBack() {
        put("stored");
        put(definition("every", new Timing(null, null, MINUTE, null)));
        put("resumed");
        change(ScheduleChange.Verb.PAUSE, "resumed");
        change(ScheduleChange.Verb.RESUME, "resumed");
        time.stepWall(Duration.ofDays(-1));
        assertThat(due().ahead()).extracting(ScheduleRow::name).containsExactlyInAnyOrder("stored", "every", "resumed");
        for (String name : List.of("stored", "every", "resumed")) {
            assertThat(fireStepBack(name)).isEqualTo(new FireResult(1, 0));
            assertThat(next(find(name))).as(name).isBetween(time.millis() + 1, time.millis() + MINUTE);
        }
        assertThat(due().ahead()).isEmpty();
    }

    @Test
    void runsSkippedByAChangeAreStoredAsMissed() {
        long first = next(put("timing"));
        put("paused");
        put("other");
        time.advance(Duration.ofMinutes(3));
        put(definition("timing", new Timing("0 3 * * *", "UTC", null, null)));
        change(ScheduleChange.Verb.PAUSE, "paused");
        put(definition("other", EACH_MINUTE, Misfire.ALL, Overlap.SKIP));
        assertThat(outcomes("timing")).containsExactly(first + " MISSED 3");
        assertThat(outcomes("paused")).containsExactly(first + " MISSED 3");
        assertThat(outcomes("other")).isEmpty();
        assertThat(next(find("other"))).isEqualTo(first);
    }

    @Test
    void anExtraJobDoesNotHideAnUnfinishedOne() {
        put(definition("s", EACH_MINUTE, Misfire.ONCE, Overlap.SKIP));
        time.advance(Duration.ofMinutes(1));
        long goesOn = Objects.requireNonNull(fireNext("s").lastJob());
        ScheduleChanged ran = change(ScheduleChange.Verb.RUN, "s");
        assertThat(ran.schedule().lastJob()).isEqualTo(goesOn);
        store().change(Change.Verb.CANCEL, Objects.requireNonNull(ran.job()));
        time.advance(Duration.ofMinutes(1));
        ScheduleRow row = find("s");
        assertThat(fire(dueRuns(row, null, next(row)))).isEqualTo(new FireResult(1, 0));
        assertThat(runs("s").get(0).outcome()).isEqualTo(ScheduleRun.Outcome.SKIPPED_OVERLAP);
    }

    @Test
    void anUnreadableTimingFailsAlone() {
        ScheduleRow row = put("s");
        time.advance(Duration.ofMinutes(1));
        ScheduleRow broken = new ScheduleRow(
                /* id= */ row.id(),
                /* definition= */ definition("s", new Timing("* * * * *", "Mars/Olympus", null, null)),
                /* pause= */ null,
                /* nextAtMillis= */ row.nextAtMillis(),
                /* lastAtMillis= */ null,
                /* firedAtMillis= */ null,
                /* lastJob= */ null,
                /* revision= */ row.revision(),
                /* createdAtMillis= */ row.createdAtMillis());
        assertThatThrownBy(() -> broken.timing().next(time.millis()))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("Mars/Olympus");
        assertThat(failure(store().store().submit(new Fire(List.of(new DueRuns(broken, List.of(), null, null, true))))))
                .isInstanceOf(InvalidRequestException.class);
        assertThat(find("s")).isEqualTo(row);
    }
}
