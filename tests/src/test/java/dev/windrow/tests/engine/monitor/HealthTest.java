package dev.windrow.tests.engine.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.StoreUnavailableException;
import dev.windrow.Worker;
import dev.windrow.monitor.Health;
import dev.windrow.monitor.WorkerInfo;
import dev.windrow.payload.Json;
import dev.windrow.tests.engine.EngineTest;
import dev.windrow.tests.stores.OnEachStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Failure class 6: a background task without progress is always reported. */
@OnEachStore
class HealthTest extends EngineTest {
    private List<Health.Task> ill() {
        return windrow.monitor().health().tasks().stream()
                .filter(task -> !task.isOk())
                .toList();
    }

    /** Waits for the problem. On a slow machine the clock runs ahead of the other tasks, which seem to hang until the clock stops. */
    private void untilSaid(String problem) {
        runClockUntil(
                Duration.ofSeconds(1),
                () -> ill().stream()
                        .anyMatch(task -> String.valueOf(task.problem()).contains(problem)));
        until(() -> ill().size() == 1);
    }

    @Test
    void healthIsOkWhileWorkersAreBusyOrIdle() throws Exception {
        Worker worker = start(worker().handle(ECHO, (input, job) -> input));
        JobRef<Json> job = enqueue(ECHO);
        until(() -> state(job) == JobState.COMPLETED);
        assertThat(ill()).isEmpty();
        assertThat(windrow.monitor().health().tasks())
                .extracting(Health.Task::name)
                .satisfies(names -> assertThat(kind.tasks())
                        .allSatisfy(prefix -> assertThat(names).anyMatch(name -> name.startsWith(prefix))))
                .contains(
                        "windrow-dispatch-" + worker.name(),
                        "windrow-lease-" + worker.name(),
                        "worker " + worker.name(),
                        "windrow-reclaim",
                        "windrow-waits",
                        "windrow-schedules",
                        "windrow-retention");
    }

    @Test
    void aWorkerThatCannotClaimIsNamedUntilItCan() {
        faults.claim =
                real -> request -> CompletableFuture.failedFuture(new StoreUnavailableException("the disk is full"));
        Worker worker = start(worker().handle(ECHO, (input, job) -> input));
        untilSaid("could not claim");
        assertThat(ill()).singleElement().satisfies(task -> {
            assertThat(task.name()).isEqualTo("windrow-dispatch-" + worker.name());
            assertThat(task.problem()).contains("could not claim").contains("the disk is full");
        });
        assertThat(windrow.monitor().health().isOk()).isFalse();
        faults.claim = real -> real;
        runClockUntil(Duration.ofSeconds(1), () -> ill().isEmpty());
    }

    @Test
    void aWorkerThatCannotRenewItsLeasesIsNamedUntilItCan() throws Exception {
        faults.renew =
                real -> holds -> CompletableFuture.failedFuture(new StoreUnavailableException("the disk is full"));
        CountDownLatch end = new CountDownLatch(1);
        start(worker().handle(ECHO, (input, job) -> {
            end.await();
            return input;
        }));
        JobRef<Json> job = enqueue(ECHO);
        until(() -> state(job) == JobState.RUNNING);
        untilSaid("could not renew its leases");
        assertThat(ill().get(0).problem())
                .contains("could not renew its leases")
                .contains("the disk is full");
        faults.renew = real -> real;
        runClockUntil(Duration.ofSeconds(1), () -> ill().isEmpty());
        end.countDown();
        until(() -> state(job) == JobState.COMPLETED);
    }

    @Test
    void aLoopThatHangsInACallIsNamed() throws Exception {
        CountDownLatch hanging = new CountDownLatch(1);
        CountDownLatch let = new CountDownLatch(1);
        faults.renew = real -> holds -> {
            hanging.countDown();
            try {
                let.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return real.apply(holds);
        };
        CountDownLatch end = new CountDownLatch(1);
        Worker worker = start(worker().handle(ECHO, (input, job) -> {
            end.await();
            return input;
        }));
        JobRef<Json> job = enqueue(ECHO);
        until(() -> state(job) == JobState.RUNNING);
        // The loop may begin to wait only after the clock has moved.
        runClockUntil(Duration.ofSeconds(1), () -> hanging.getCount() == 0);
        String name = "windrow-lease-" + worker.name();
        time.advance(Duration.ofSeconds(31));
        // The clock may have moved once more after the round had begun.
        assertThat(ill()).anySatisfy(task -> {
            assertThat(task.name()).isEqualTo(name);
            assertThat(task.sinceProgress()).isBetween(Duration.ofSeconds(31), Duration.ofSeconds(33));
            assertThat(task.problem())
                    .contains(
                            "has been in one round for " + task.sinceProgress().toSeconds() + " s");
        });
        let.countDown();
        end.countDown();
        until(() -> ill().isEmpty());
    }

    @Test
    void theRegistryListsLiveWorkersAndTheirJobs() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        Worker worker = start(worker().handle(ECHO, (input, job) -> {
            end.await();
            return input;
        }));
        JobRef<Json> job = enqueue(ECHO);
        until(() -> windrow.monitor().workers().stream()
                .anyMatch(other -> other.running().equals(List.of(job.id()))));
        assertThat(windrow.monitor().workers()).singleElement().satisfies(other -> {
            assertThat(other.name()).isEqualTo(worker.name());
            assertThat(other.pid()).isEqualTo(ProcessHandle.current().pid());
            assertThat(other.queues()).containsExactly("default");
            assertThat(other.types()).containsExactly(ECHO.name());
            assertThat(other.slots()).isEqualTo(2);
            assertThat(other.alive()).isTrue();
            assertThat(other.startedAt()).isEqualTo(time.now());
        });
        end.countDown();
        worker.close();
        assertThat(windrow.monitor().workers()).extracting(WorkerInfo::name).isEmpty();
    }
}
