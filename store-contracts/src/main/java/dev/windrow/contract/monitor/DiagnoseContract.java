package dev.windrow.contract.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.windrow.JobState;
import dev.windrow.StoreUnavailableException;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreContract;
import dev.windrow.contract.StoreDriver;
import dev.windrow.monitor.DiagnoseOptions;
import dev.windrow.monitor.Diagnosis;
import dev.windrow.monitor.Diagnosis.Check;
import dev.windrow.monitor.Diagnosis.Query;
import dev.windrow.monitor.Diagnosis.Result;
import dev.windrow.store.StoreProvider;
import dev.windrow.store.Transition;
import dev.windrow.store.job.Change.Verb;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.monitor.DiagnoseRequest;
import dev.windrow.store.processes.Announce;
import dev.windrow.store.processes.WorkerRow;
import dev.windrow.workflow.ParentPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/**
 * Diagnosis: a sound store has no findings, even while it changes. Obstacles to the progress of jobs are named. Damage cannot be caused by commands.
 * A store's own tests cause it.
 */
public abstract class DiagnoseContract extends StoreContract {
    /** The checks that each store makes; it may make more. */
    private static final String[] OF_ALL_STORES = {
        "schema",
        "leases",
        "queues",
        "handlers",
        "stuck-slots",
        "schedules",
        "integrity",
        "orphans",
        "counters",
        "edges",
        "states",
        "attempts"
    };

    /** The checks among these that read all of their data. */
    private static final String[] LONG = {"integrity", "orphans", "counters", "edges", "states", "attempts"};

    /** The queries that each store runs and that only read; it may have more. */
    private static final String[] READING = {
        "statistics: counts",
        "statistics: lag",
        "statistics: oldest in progress",
        "statistics: throughput per minute",
        "statistics: throughput per hour",
        "statistics: retries",
        "statistics: failures",
        "statistics: live workers",
        "statistics: waits",
        "statistics: schedules",
        "statistics: stuck slots",
        "workers",
        "listing of all jobs",
        "listing by lane",
        "listing by tag",
        "suggestion of tags",
        "listing by workflow",
        "listing of pending jobs",
        "listing of running jobs",
        "listing of scheduled jobs",
        "listing of blocked jobs",
        "listing of failed jobs",
        "listing by error code",
        "listing of cancelled jobs",
        "show: the job",
        "show: attempts",
        "show: events",
        "explain",
        "audit",
        "dedupe key",
        "ready lanes",
        "open lanes",
        "next due time",
        "waits that time out",
        "schedules that are due",
        "requests to cancel",
        "expired leases",
        "waiting keys",
        "retention: failed jobs",
        "retention: cancelled jobs",
        "retention: jobs of a lane"
    };

    /** The queries that write. */
    private static final String[] WRITING = {
        "claim",
        "start",
        "renewal",
        "settlement",
        "settlement: another attempt",
        "settlement: failed",
        "promotion",
        "retention: deletion"
    };

    /** Creates the contract for a subclass. */
    protected DiagnoseContract() {}

    private static Query query(Diagnosis diagnosis, String name) {
        return diagnosis.queries().stream()
                .filter(query -> query.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no query " + name + " in " + diagnosis));
    }

    private Diagnosis within(Duration budget) {
        return store().store().diagnose(new DiagnoseRequest(time, DiagnoseOptions.ALL.withBudget(budget)));
    }

    private static Check check(Diagnosis diagnosis, String name) {
        return diagnosis.checks().stream()
                .filter(check -> check.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no check " + name + " in " + diagnosis));
    }

    private void announce(String worker, String... types) {
        Object unused = StoreDriver.answer(store().store()
                .submit(new Announce(new WorkerRow(
                        StoreDriver.worker(worker),
                        new WorkerRow.WorkerProcess("host", 4711, "here/4711", "0.1"),
                        new WorkerRow.Work(Set.of("q"), Set.of(types), 4),
                        StoreDriver.LEASE.toMillis(),
                        0))));
    }

    @Test
    void anEmptyStorePassesEveryCheckWithItsFinding() {
        Diagnosis diagnosis = store().diagnose();
        assertThat(diagnosis.checks()).extracting(Check::name).contains(OF_ALL_STORES);
        assertThat(diagnosis.checks()).extracting(Check::name).doesNotHaveDuplicates();
        assertThat(diagnosis.checks())
                .allSatisfy(check -> assertThat(check.detail()).isNotBlank());
        assertThat(diagnosis.checks()).extracting(Check::remedy).containsOnlyNulls();
        assertThat(diagnosis.failed()).isEmpty();
        assertThat(diagnosis.isOk()).isTrue();
    }

    @Test
    void aStoreWithJobsInEveryStatePassesTheDiagnosis() {
        announce("w", "t");
        long parent = store().enqueue(NewRow.job().payload("{}").tags("a", "b"));
        long failing = store().enqueue(NewRow.job());
        long child =
                store().enqueue(NewRow.job().after(parent, ParentPolicy.WAIT).after(failing, ParentPolicy.RUN));
        store().enqueue(NewRow.job().after(child, ParentPolicy.WAIT));
        long gone = store().enqueue(NewRow.job().delay(Duration.ofDays(1)));
        store().enqueue(NewRow.job().delay(Duration.ofDays(1)));
        List<ClaimedJob> claimed = store().claim(2);
        store().complete(claimed.get(0));
        store().settle(claimed.get(1), Transition.FAIL);
        store().settle(store().claimOne(), Transition.RETRY_LATER);
        store().change(Verb.CANCEL, gone);
        store().change(Verb.DELETE, gone);
        store().change(Verb.RETRY, failing);
        store().running(NewRow.job().priority(9));
        store().enqueue(NewRow.job());
        Diagnosis diagnosis = store().diagnose();
        assertThat(diagnosis.checks()).allMatch(check -> check.result() == Result.OK);
    }

    @Test
    void anExpiredLeaseIsANoteWhenAllWorkersWereKilled() {
        ClaimedJob job = store().running(NewRow.job());
        time.advance(StoreDriver.LEASE.plusDays(1));
        Check leases = check(store().diagnose(), "leases");
        assertThat(leases.result()).isEqualTo(Result.NOTE);
        assertThat(leases.detail()).contains("job " + job.id() + " ", "worker w", "0 workers", "start one");
        announce("new", "t");
        assertThat(check(store().diagnose(), "leases").result())
                .as("right after a worker was started")
                .isEqualTo(Result.NOTE);
    }

    @Test
    void aLeaseExpiredBesideALiveWorkerIsANoteAndAFailureOneLeaseLater() {
        store().running(NewRow.job());
        time.advance(StoreDriver.LEASE.plusSeconds(1));
        announce("other", "t");
        assertThat(check(store().diagnose(), "leases").result()).isEqualTo(Result.NOTE);
        time.advance(StoreDriver.LEASE.plusSeconds(1));
        announce("other", "t");
        assertThat(check(store().diagnose(), "leases").result()).isEqualTo(Result.FAILED);
    }

    @Test
    void aJobWhoseWorkerIsNotInTheRegistryIsANoteWhileItsLeaseLasts() {
        ClaimedJob job = store().running(NewRow.job());
        announce("other", "t");
        Check leases = check(store().diagnose(), "leases");
        assertThat(leases.result()).isEqualTo(Result.NOTE);
        assertThat(leases.detail()).contains("job " + job.id() + " ");
        announce("w", "t");
        assertThat(check(store().diagnose(), "leases").result()).isEqualTo(Result.OK);
    }

    @Test
    void aQueueThatNoLiveWorkerServesIsANote() {
        store().enqueueAll(NewRow.of("images", "a"), NewRow.of("images", "a"), NewRow.of("q", "a"));
        announce("w", "a");
        Diagnosis diagnosis = store().diagnose();
        assertThat(check(diagnosis, "queues").result()).isEqualTo(Result.NOTE);
        assertThat(check(diagnosis, "queues").detail())
                .contains("queue 'images' (2 ready)")
                .doesNotContain("'q'");
        assertThat(diagnosis.isOk()).isTrue();
    }

    @Test
    void aTypeWithoutALiveHandlerIsANote() {
        store().enqueueAll(NewRow.of("q", "a"), NewRow.of("q", "b"));
        announce("w", "a");
        Diagnosis diagnosis = store().diagnose();
        assertThat(check(diagnosis, "handlers").result()).isEqualTo(Result.NOTE);
        assertThat(check(diagnosis, "handlers").detail()).contains("type b").doesNotContain("type a");
        assertThat(diagnosis.isOk()).isTrue();
    }

    @Test
    void theBeginOfEachCheckIsReported() {
        ConcurrentLinkedQueue<String> begun = new ConcurrentLinkedQueue<>();
        Diagnosis diagnosis = store().store()
                .diagnose(new DiagnoseRequest(
                        time, DiagnoseOptions.ALL.withoutIndexes().withProgress(begun::add)));
        assertThat(diagnosis.checks()).extracting(Check::name).containsExactlyElementsOf(begun);
    }

    @Test
    void eachQueryHasAPlanAndEachReadHasATime() {
        store().enqueue(NewRow.job().tags("a"));
        store().settle(store().claimOne(), Transition.FAIL);
        store().enqueue(NewRow.job());
        for (Diagnosis diagnosis : List.of(store().diagnose(), within(Duration.ofMinutes(5)))) {
            assertThat(diagnosis.queries()).extracting(Query::name).doesNotHaveDuplicates();
            assertThat(diagnosis.queries())
                    .allSatisfy(query -> assertThat(query.plan()).isNotBlank());
            for (String name : READING) {
                assertThat(query(diagnosis, name).time())
                        .as("%s: %s", name, query(diagnosis, name).note())
                        .isNotNull();
                assertThat(query(diagnosis, name).note()).isNull();
            }
            for (String name : WRITING) {
                assertThat(query(diagnosis, name).time()).as(name).isNull();
                assertThat(query(diagnosis, name).note()).isEqualTo("it writes");
            }
            assertThat(query(diagnosis, "claim").plan()).contains("windrow_jobs_claim");
        }
        assertThat(store().count(JobState.PENDING)).as("nothing was claimed").isEqualTo(1);
    }

    @Test
    void queriesAreTriedOnAnEmptyStore() {
        Diagnosis diagnosis = store().diagnose();
        for (String name : READING) {
            assertThat(query(diagnosis, name).note()).as(name).isNull();
        }
    }

    @Test
    void withoutTimeFullScansAreSkippedAndReported() {
        store().enqueue(NewRow.job());
        announce("w", "t");
        Diagnosis diagnosis = within(Duration.ZERO);
        assertThat(diagnosis.isOk()).isTrue();
        assertThat(diagnosis.checks())
                .extracting(Check::name)
                .containsExactlyElementsOf(
                        store().diagnose().checks().stream().map(Check::name).toList());
        for (String name : LONG) {
            assertThat(check(diagnosis, name).result()).as(name).isEqualTo(Result.NOTE);
            assertThat(check(diagnosis, name).finished()).as(name).isFalse();
            assertThat(check(diagnosis, name).detail()).startsWith("not begun").contains("doctor --full");
        }
        assertThat(diagnosis.checks())
                .filteredOn(check ->
                        !List.of(LONG).contains(check.name()) && !check.name().equals("foreign-keys"))
                .allMatch(check -> check.result() == Result.OK && check.finished());
        assertThat(diagnosis.isFinished()).isFalse();
        for (String name : READING) {
            assertThat(query(diagnosis, name).plan()).isNotBlank();
            assertThat(query(diagnosis, name).time()).as(name).isNull();
            assertThat(query(diagnosis, name).note()).contains("not tried");
        }
    }

    @Test
    void withTimeEnoughEveryCheckIsFinished() {
        store().enqueue(NewRow.job());
        announce("w", "t");
        Diagnosis diagnosis = within(Duration.ofMinutes(5));
        assertThat(diagnosis.checks()).allMatch(check -> check.result() == Result.OK);
        assertThat(diagnosis.isFinished()).isTrue();
    }

    @Test
    void onlyTheRequestedChecksRun() {
        Diagnosis diagnosis = store().store()
                .diagnose(new DiagnoseRequest(
                        time,
                        DiagnoseOptions.ALL
                                .withoutIndexes()
                                .withChecks(Set.of("schema", "edges"))
                                .withBudget(Duration.ofMinutes(5))));
        assertThat(diagnosis.checks()).extracting(Check::name).containsExactly("schema", "edges");
        assertThat(diagnosis.queries()).isEmpty();
    }

    @Test
    void anUnopenedStoreCanBeDiagnosedAndAClosedOneCannot() {
        store().enqueue(NewRow.job());
        DiagnoseRequest request = new DiagnoseRequest(time, DiagnoseOptions.ALL);
        assertThat(StoreProvider.diagnose(newStore(), request).isOk()).isTrue();
        StoreDriver other = open();
        other.close();
        assertThatThrownBy(() -> other.store().diagnose(request)).isInstanceOf(StoreUnavailableException.class);
    }

    /** Returns the request for an examination that stops in the middle. */
    private DiagnoseRequest halted(CountDownLatch arrived) {
        return new DiagnoseRequest(time, DiagnoseOptions.ALL.withProgress(name -> {
            if (name.equals("integrity")) {
                arrived.countDown();
                try {
                    new CountDownLatch(1).await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        }));
    }

    /** Examines on a thread of its own; returns when that thread waits for the result. */
    private static FutureTask<Throwable> start(Runnable examination) {
        FutureTask<Throwable> task = new FutureTask<>(() -> catchThrowable(examination::run));
        Thread thread = new Thread(task);
        thread.start();
        while (thread.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        return task;
    }

    @Test
    void anInterruptOfTheCallerEndsTheDiagnosisAndTheNextOneRuns() throws Exception {
        CountDownLatch arrived = new CountDownLatch(1);
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread caller =
                new Thread(() -> thrown.set(catchThrowable(() -> store().store().diagnose(halted(arrived)))));
        caller.start();
        assertThat(arrived.await(60, TimeUnit.SECONDS)).isTrue();
        caller.interrupt();
        caller.join(60_000);
        assertThat(thrown.get()).isInstanceOf(StoreUnavailableException.class).hasMessageContaining("interrupted");
        assertThat(store().diagnose().checks()).allMatch(Check::isOk);
    }

    @Test
    void closingTheStoreEndsTheRunningAndTheWaitingDiagnoses() throws Exception {
        StoreDriver other = open();
        CountDownLatch arrived = new CountDownLatch(1);
        FutureTask<Throwable> first = start(() -> other.store().diagnose(halted(arrived)));
        assertThat(arrived.await(60, TimeUnit.SECONDS)).isTrue();
        FutureTask<Throwable> second =
                start(() -> other.store().diagnose(new DiagnoseRequest(time, DiagnoseOptions.ALL.withoutIndexes())));
        other.close();
        assertThat(first.get(60, TimeUnit.SECONDS)).isInstanceOf(StoreUnavailableException.class);
        assertThat(second.get(60, TimeUnit.SECONDS)).isInstanceOf(StoreUnavailableException.class);
    }

    @Test
    void aDiagnosisFindsNothingDuringManyConcurrentChanges() {
        AtomicInteger working = new AtomicInteger(3);
        List<Callable<Integer>> tasks = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            StoreDriver driver = open();
            String type = "t" + i;
            tasks.add(() -> {
                try {
                    for (int round = 0; round < 40; round++) {
                        work(driver, type);
                    }
                } finally {
                    working.decrementAndGet();
                }
                return 0;
            });
        }
        StoreDriver examined = open();
        tasks.add(() -> {
            int examinations = 0;
            do {
                assertThat(examined.diagnose().checks()).allMatch(Check::isOk);
                examinations++;
            } while (working.get() > 0);
            return examinations;
        });
        assertThat(together(tasks).get(3)).isPositive();
    }

    /** Runs a parent, two children, a failure and an operator's change. */
    private static void work(StoreDriver driver, String type) {
        long parent = driver.enqueue(NewRow.of("q", type).payload("1").tags("x"));
        driver.enqueueAll(
                NewRow.of("q", type).after(parent, ParentPolicy.WAIT),
                NewRow.of("q", type).after(parent, ParentPolicy.RUN));
        List<ClaimedJob> jobs = driver.claim(StoreDriver.request("w" + type, Set.of("q"), Set.of(type), 10))
                .jobs();
        for (ClaimedJob job : jobs) {
            if (job.id() % 5 == 0) {
                driver.settle(job, Transition.FAIL);
                driver.change(Verb.RETRY, job.id());
            } else {
                driver.complete(job);
            }
        }
    }
}
