package dev.windrow.tests.processes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.windrow.AttemptOutcome;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.JobStory;
import dev.windrow.JobType;
import dev.windrow.engine.Windrow;
import dev.windrow.tests.Once;
import dev.windrow.tests.stores.OnEachStore;
import dev.windrow.tests.stores.StoreKind;
import dev.windrow.tests.stores.Target;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/**
 * Leases between real processes: what is alive keeps its jobs, whatever clocks, locks and pauses do, and what is not loses
 * them. That nothing is taken back is seen over a number of renewals, each of which is a chance to do so. All processes here have
 * the same clock, which is stepped; on PostgreSQL it is another one than the server's.
 */
@OnEachStore
class LeasesAcrossProcessesTest {
    private static final int LEASE_MILLIS = 1000;
    /** Renewals come each third of a lease: this many are two leases. */
    private static final int TWO_LEASES = 6;

    @Parameter
    StoreKind kind;

    @TempDir
    Path folder;

    private final List<Child> children = new ArrayList<>();
    private Target target;
    private Windrow windrow;

    @BeforeEach
    void open() {
        target = kind.newTarget(folder);
        windrow = Windrow.open(target.newStore());
    }

    @AfterEach
    void close() throws Exception {
        for (Child child : children) {
            child.kill();
        }
        windrow.close();
        target.close();
    }

    /** A worker in a process of its own, and its name. */
    private record Other(Child child, String name) {}

    private Other worker(int leaseMillis) throws Exception {
        Child child = Child.start(folder, TestWorker.class, target, 1, leaseMillis, folder.resolve("clock-offset"));
        children.add(child);
        String name = child.awaitPrefix("worker ");
        child.await("ready");
        return new Other(child, name);
    }

    private long number(String sql) {
        return target.rows(sql).stream().mapToLong(Long::parseLong).findFirst().orElse(-1);
    }

    /** Waits until the entry of each of these workers in the registry has been renewed so often. */
    private void awaitRenewals(int count, Other... workers) {
        for (int i = 0; i < count; i++) {
            Map<String, Long> before = new HashMap<>();
            for (Other worker : workers) {
                before.put(worker.name, heartbeat(worker.name));
            }
            await().atMost(Duration.ofMinutes(1))
                    .pollInterval(Duration.ofMillis(100))
                    .until(() -> before.entrySet().stream()
                            .allMatch(entry -> heartbeat(entry.getKey()) != entry.getValue()));
        }
    }

    private long heartbeat(String worker) {
        return number("SELECT heartbeat_at FROM windrow_workers WHERE name = '" + worker + "'");
    }

    private void stepClock(long seconds) throws Exception {
        Path next = folder.resolve("clock-offset.new");
        Files.writeString(next, Long.toString(seconds));
        Files.move(next, folder.resolve("clock-offset"), java.nio.file.StandardCopyOption.ATOMIC_MOVE);
    }

    /** Stops a process where it is in nobody's way: inside a transaction it would keep all others from writing. */
    private void stop(Other other) throws Exception {
        while (true) {
            other.child.signal("STOP");
            CompletableFuture<?> written = windrow.enqueueAsync(JobType.of("test.nobodys", String.class, String.class)
                            .job("x"))
                    .toCompletableFuture();
            try {
                Object unused = written.get(1, TimeUnit.SECONDS);
                return;
            } catch (TimeoutException e) {
                other.child.signal("CONT");
                Object unused = written.get(1, TimeUnit.MINUTES);
            }
        }
    }

    private JobRef<String> hold() {
        return windrow.enqueue(TestWorker.HOLD, "x").ref();
    }

    private JobStory story(JobRef<?> job) {
        return windrow.find(job.id()).orElseThrow();
    }

    private void assertFirstAttemptGoesOn(JobRef<?> job) {
        assertThat(story(job).job().state()).isEqualTo(JobState.RUNNING);
        assertThat(story(job).attempts()).extracting(JobStory.Attempt::outcome).containsOnlyNulls();
        assertThat(number("SELECT token FROM windrow_jobs WHERE id = " + job.id()))
                .isEqualTo(1);
    }

    private void finish(Other worker, JobRef<String> job, int attempt) throws Exception {
        worker.child.send("finish " + job.id());
        assertThat(windrow.await(job, Duration.ofMinutes(1))).isEqualTo("by attempt " + attempt);
    }

    /** Failure classes 1 and 2. */
    @Test
    void a_stopped_process_loses_its_job_and_is_told_when_it_wakes() throws Exception {
        Other zombie = worker(LEASE_MILLIS);
        JobRef<String> job = hold();
        zombie.child.await("started " + job.id());
        Other heir = worker(LEASE_MILLIS);
        stop(zombie);
        heir.child.await("started " + job.id());
        zombie.child.signal("CONT");
        zombie.child.await("interrupted " + job.id());
        finish(heir, job, 2);
        assertThat(story(job).attempts())
                .extracting(JobStory.Attempt::outcome)
                .containsExactly(AttemptOutcome.RECOVERED, AttemptOutcome.SUCCEEDED);
        assertThat(zombie.child.log()).contains("has lost job " + job.id());
    }

    @Test
    void a_job_that_runs_in_another_process_is_cancelled_there() throws Exception {
        Other holder = worker(30_000);
        JobRef<String> job = hold();
        holder.child.await("started " + job.id());
        windrow.cancel(List.of(job));
        holder.child.await("interrupted " + job.id());
        await().atMost(Duration.ofMinutes(1)).until(() -> story(job).job().state() == JobState.CANCELLED);
        assertThat(story(job).attempts())
                .extracting(JobStory.Attempt::outcome)
                .containsExactly(AttemptOutcome.CANCELLED);
    }

    /** Failure class 13. */
    @Test
    @Once
    void a_clock_that_steps_an_hour_either_way_takes_no_job_from_a_living_worker() throws Exception {
        Other holder = worker(LEASE_MILLIS);
        JobRef<String> job = hold();
        holder.child.await("started " + job.id());
        Other other = worker(LEASE_MILLIS);
        for (long offset : new long[] {3600, 0, -3600}) {
            stepClock(offset);
            awaitRenewals(TWO_LEASES, other, holder);
            assertFirstAttemptGoesOn(job);
        }
        finish(holder, job, 1);
    }

    /** Failure class 3: nobody waits ten minutes for a process that the kernel knows to be gone. */
    @Test
    void a_killed_process_loses_its_job_long_before_its_lease_runs_out() throws Exception {
        Other dead = worker(600_000);
        JobRef<String> job = hold();
        dead.child.await("started " + job.id());
        Other heir = worker(LEASE_MILLIS);
        dead.child.kill();
        heir.child.await("started " + job.id());
        finish(heir, job, 2);
        assertThat(story(job).attempts().get(0).errorDetail())
                .contains(dead.name)
                .contains("its process has ended");
        await().atMost(Duration.ofMinutes(1))
                .until(() -> windrow.workers().stream()
                        .noneMatch(worker -> worker.name().equals(dead.name)));
    }

    /** Failure class 13. */
    @Test
    @Once
    void a_dead_worker_loses_its_job_though_the_clock_has_stepped_back() throws Exception {
        Other dead = worker(LEASE_MILLIS);
        JobRef<String> job = hold();
        dead.child.await("started " + job.id());
        Other heir = worker(LEASE_MILLIS);
        // Stopped first: were it found dead before the step, its job would be due an hour after it.
        dead.child.signal("STOP");
        stepClock(-3600);
        dead.child.kill();
        heir.child.await("started " + job.id());
        finish(heir, job, 2);
    }

    /** Failure class 13. */
    @Test
    @Once
    void a_pause_shorter_than_the_lease_costs_nothing() throws Exception {
        Other paused = worker(6 * LEASE_MILLIS);
        JobRef<String> job = hold();
        paused.child.await("started " + job.id());
        Other other = worker(LEASE_MILLIS);
        stop(paused);
        awaitRenewals(TWO_LEASES, other);
        paused.child.signal("CONT");
        awaitRenewals(2, paused);
        assertFirstAttemptGoesOn(job);
        finish(paused, job, 1);
    }

    /** Failure class 13. */
    @Test
    @Once
    void a_machine_that_slept_takes_no_job_from_workers_that_wake_with_it() throws Exception {
        Other holder = worker(LEASE_MILLIS);
        JobRef<String> job = hold();
        holder.child.await("started " + job.id());
        Other other = worker(LEASE_MILLIS);
        other.child.signal("STOP");
        holder.child.signal("STOP");
        awaitLeasePast(job, 2 * LEASE_MILLIS);
        other.child.signal("CONT");
        holder.child.signal("CONT");
        awaitRenewals(TWO_LEASES, other, holder);
        assertFirstAttemptGoesOn(job);
        finish(holder, job, 1);
    }

    private void awaitLeasePast(JobRef<?> job, long millis) {
        await().atMost(Duration.ofMinutes(1))
                .pollInterval(Duration.ofMillis(50))
                .until(() -> number("SELECT lease_until FROM windrow_jobs WHERE id = " + job.id()) + millis
                        < System.currentTimeMillis());
    }

    /** Failure classes 9 and 13. */
    @Test
    @Once
    void a_lock_that_is_held_over_many_leases_takes_no_job_from_anybody() throws Exception {
        Other holder = worker(LEASE_MILLIS);
        JobRef<String> job = hold();
        holder.child.await("started " + job.id());
        Other other = worker(LEASE_MILLIS);
        try (Connection foreign = target.lockAll()) {
            awaitLeasePast(job, 3 * LEASE_MILLIS);
            foreign.rollback();
        }
        awaitRenewals(TWO_LEASES, other, holder);
        assertFirstAttemptGoesOn(job);
        finish(holder, job, 1);
    }
}
