package dev.windrow.tests.processes.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.windrow.AttemptOutcome;
import dev.windrow.JobHistory;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.tests.processes.limit.PausesAcrossProcessesTest;
import dev.windrow.tests.stores.OnEachStore;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * Leases between real processes: live processes keep their jobs, and dead ones lose them. {@link PausesAcrossProcessesTest} tests clocks, pauses and
 * locks.
 */
@OnEachStore
class LeasesAcrossProcessesTest extends OtherWorkersTest {
    /** Failure classes 1 and 2. */
    @Test
    void a_stopped_process_loses_its_job_and_learns_it_when_it_wakes() throws Exception {
        Other zombie = worker(LEASE_MILLIS);
        JobRef<String> job = hold();
        zombie.child().await("started " + job.id());
        Other heir = worker(LEASE_MILLIS);
        stop(zombie);
        heir.child().await("started " + job.id());
        zombie.child().signal("CONT");
        zombie.child().await("interrupted " + job.id());
        finish(heir, job, 2);
        assertThat(history(job).attempts())
                .extracting(JobHistory.Attempt::outcome)
                .containsExactly(AttemptOutcome.RECOVERED, AttemptOutcome.SUCCEEDED);
        assertThat(zombie.child().log()).contains("has lost job " + job.id());
    }

    @Test
    void a_job_that_runs_in_another_process_is_cancelled() throws Exception {
        Other holder = worker(30_000);
        JobRef<String> job = hold();
        holder.child().await("started " + job.id());
        windrow.job(job).cancel();
        holder.child().await("interrupted " + job.id());
        await().atMost(Duration.ofMinutes(1)).until(() -> history(job).job().state() == JobState.CANCELLED);
        assertThat(history(job).attempts())
                .extracting(JobHistory.Attempt::outcome)
                .containsExactly(AttemptOutcome.CANCELLED);
    }

    /** Failure class 3: no job waits ten minutes for a process that the kernel reports as dead. */
    @Test
    void a_killed_process_loses_its_job_long_before_its_lease_expires() throws Exception {
        Other dead = worker(600_000);
        JobRef<String> job = hold();
        dead.child().await("started " + job.id());
        Other heir = worker(LEASE_MILLIS);
        dead.child().kill();
        heir.child().await("started " + job.id());
        finish(heir, job, 2);
        assertThat(history(job).attempts().get(0).errorDetail())
                .contains(dead.name())
                .contains("its process has ended");
        await().atMost(Duration.ofMinutes(1))
                .until(() -> windrow.monitor().workers().stream()
                        .noneMatch(worker -> worker.name().equals(dead.name())));
    }
}
