package dev.windrow.tests.processes.limit;

import static org.awaitility.Awaitility.await;

import dev.windrow.JobRef;
import dev.windrow.tests.processes.worker.OtherWorkersTest;
import dev.windrow.tests.stores.OnceOnEachStore;
import java.sql.Connection;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * Clock steps, pauses of processes and of the machine, and long-held locks take no job from a live worker. The test observes a number of renewals,
 * each of which is a chance to reclaim a job.
 */
@OnceOnEachStore
public class PausesAcrossProcessesTest extends OtherWorkersTest {
    /** Failure class 13. */
    @Test
    void a_clock_step_of_an_hour_reclaims_no_job_of_a_live_worker() throws Exception {
        Other holder = worker(LEASE_MILLIS);
        JobRef<String> job = hold();
        holder.child().await("started " + job.id());
        Other other = worker(LEASE_MILLIS);
        for (long offset : new long[] {3600, 0, -3600}) {
            stepClock(offset);
            awaitRenewals(TWO_LEASES, other, holder);
            assertFirstAttemptGoesOn(job);
        }
        finish(holder, job, 1);
    }

    /** Failure class 13. */
    @Test
    void a_dead_worker_loses_its_job_though_the_clock_has_stepped_back() throws Exception {
        Other dead = worker(LEASE_MILLIS);
        JobRef<String> job = hold();
        dead.child().await("started " + job.id());
        Other heir = worker(LEASE_MILLIS);
        // The process is stopped first. A dead process found before the step would have its job due an hour after it.
        dead.child().signal("STOP");
        stepClock(-3600);
        dead.child().kill();
        heir.child().await("started " + job.id());
        finish(heir, job, 2);
    }

    /** Failure class 13. */
    @Test
    void a_pause_shorter_than_the_lease_loses_no_job() throws Exception {
        Other paused = worker(6 * LEASE_MILLIS);
        JobRef<String> job = hold();
        paused.child().await("started " + job.id());
        Other other = worker(LEASE_MILLIS);
        stop(paused);
        awaitRenewals(TWO_LEASES, other);
        paused.child().signal("CONT");
        awaitRenewals(2, paused);
        assertFirstAttemptGoesOn(job);
        finish(paused, job, 1);
    }

    /** Failure class 13. */
    @Test
    void a_machine_that_slept_reclaims_no_job_of_its_workers() throws Exception {
        Other holder = worker(LEASE_MILLIS);
        JobRef<String> job = hold();
        holder.child().await("started " + job.id());
        Other other = worker(LEASE_MILLIS);
        other.child().signal("STOP");
        holder.child().signal("STOP");
        awaitLeasePast(job, 2 * LEASE_MILLIS);
        other.child().signal("CONT");
        holder.child().signal("CONT");
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
    void a_lock_held_over_many_leases_reclaims_no_job() throws Exception {
        Other holder = worker(LEASE_MILLIS);
        JobRef<String> job = hold();
        holder.child().await("started " + job.id());
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
