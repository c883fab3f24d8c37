package dev.windrow.tests.engine.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.windrow.AwaitTimeoutException;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.Worker;
import dev.windrow.monitor.WorkerInfo;
import dev.windrow.payload.Json;
import dev.windrow.tests.engine.EngineTest;
import dev.windrow.tests.stores.OnEachStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Workers that leave jobs of low priority to others. */
@OnEachStore
class MinPriorityTest extends EngineTest {
    private final List<Long> urgent = new CopyOnWriteArrayList<>();

    private Worker.Builder urgentWorker() {
        return worker().name("urgent").minPriority(10).handle(ECHO, (input, job) -> {
            urgent.add(job.id());
            return input;
        });
    }

    private JobRef<Json> enqueue(int priority) {
        return ECHO.ref(
                windrow.enqueue(ECHO.job(new Json("1")).withPriority(priority)).id());
    }

    @Test
    void aWorkerIsIdleWhileOnlyJobsBelowItsMinimumWait() throws InterruptedException {
        JobRef<Json> low = enqueue(9);
        JobRef<Json> high = enqueue(10);
        Worker worker = start(urgentWorker());
        worker.awaitIdle();
        assertThat(state(high)).isEqualTo(JobState.COMPLETED);
        assertThat(state(low)).isEqualTo(JobState.PENDING);
        assertThat(windrow.monitor().workers())
                .extracting(WorkerInfo::name, WorkerInfo::minPriority)
                .containsExactly(tuple("urgent", 10));
        assertThatThrownBy(() -> windrow.await(low, Duration.ZERO))
                .isInstanceOf(AwaitTimeoutException.class)
                .hasMessageContaining("PENDING: no live worker takes priority 9: minimum 10");
        assertThat(state(enqueue(9))).isEqualTo(JobState.PENDING);
        untilState(enqueue(11), JobState.COMPLETED);
        assertThat(urgent).hasSize(2);
    }

    @Test
    void workersOfOneProcessHaveDifferentMinima() {
        CountDownLatch finish = new CountDownLatch(1);
        start(urgentWorker());
        start(worker().name("any").concurrency(1).handle(ECHO, (input, job) -> {
            finish.await();
            return input;
        }));
        JobRef<Json> low = enqueue(0);
        untilState(low, JobState.RUNNING);
        JobRef<Json> waits = enqueue(5);
        JobRef<Json> high = enqueue(10);
        untilState(high, JobState.COMPLETED);
        assertThat(state(waits)).isEqualTo(JobState.PENDING);
        finish.countDown();
        untilState(waits, JobState.COMPLETED);
        assertThat(urgent).containsExactly(high.id());
    }

    @Test
    void aMinimumOutOfRangeIsRefused() {
        assertThatThrownBy(() -> worker().minPriority(32768))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessage("minimum priority 32768 is not allowed: -32768 to 32767");
    }
}
