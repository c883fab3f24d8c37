package dev.windrow.tests.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.AttemptOutcome;
import dev.windrow.JobHistory;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.StoreUnavailableException;
import dev.windrow.monitor.WindrowEvent;
import dev.windrow.payload.Json;
import dev.windrow.tests.stores.FullServer;
import dev.windrow.tests.stores.StoreKind;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A PostgreSQL server with a full disk: each writing statement fails with the server's code for it. DiskTroubleTest tests a full disk for a SQLite
 * file, on a small disk.
 */
@ParameterizedClass(name = "{0}")
@EnumSource(value = StoreKind.class, names = "POSTGRES")
class ServerDiskTest extends EngineTest {
    /** Failure class 24. */
    @Test
    void aFullDiskOfTheServerCostsNoLiveWorkerItsJob() throws Exception {
        FullServer server = FullServer.at(target);
        CountDownLatch started = new CountDownLatch(2);
        CountDownLatch finish = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        closing(never::countDown);
        start(worker().handle(ECHO, (input, job) -> {
            started.countDown();
            (input.text().equals("1") ? finish : never).await();
            return input;
        }));
        JobRef<Json> ending = windrow.enqueue(ECHO, new Json("1"));
        JobRef<Json> running = windrow.enqueue(ECHO, new Json("2"));
        take(started);
        start(open(newStore()).worker().lease(LEASE).handle(ECHO, (input, context) -> new Json("\"twice\"")));
        server.fill();
        assertThatThrownBy(() -> enqueue(ECHO))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("disk is full");
        finish.countDown();
        runClock(Duration.ofMillis(500), 200);
        assertThat(windrow.monitor().health().isOk()).isFalse();
        assertThat(state(ending)).isEqualTo(JobState.RUNNING);
        assertThat(state(running)).isEqualTo(JobState.RUNNING);
        server.free();
        runClockUntil(Duration.ofMillis(500), () -> state(ending) == JobState.COMPLETED);
        runClock(Duration.ofMillis(500), 100);
        until(() -> windrow.monitor().health().isOk());
        JobRef<Json> next = windrow.enqueue(ECHO, new Json("1"));
        runClockUntil(Duration.ofMillis(500), () -> state(next) == JobState.COMPLETED);
        assertThat(history(ending).attempts())
                .extracting(JobHistory.Attempt::outcome)
                .containsExactly(AttemptOutcome.SUCCEEDED);
        assertThat(state(running)).isEqualTo(JobState.RUNNING);
        assertThat(history(running).attempts()).hasSize(1);
        assertThat(told(WindrowEvent.JobsReclaimed.class)).isEmpty();
        assertThat(windrow.monitor().statistics().states()).containsEntry(JobState.COMPLETED, 2L);
    }
}
