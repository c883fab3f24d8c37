package dev.windrow.tests.engine.worker;

import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.Windrow;
import dev.windrow.payload.Json;
import dev.windrow.tests.engine.EngineTest;
import dev.windrow.tests.engine.FaultyStore;
import dev.windrow.tests.stores.OnEachStore;
import java.sql.Connection;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A ready job that a claim skips, because another transaction has locked its row. No notification about it follows. */
@OnEachStore
class PassedOverTest extends EngineTest {
    @Test
    void aWorkerStartsASkippedJobSoonAfterTheBlockingTransaction() throws Exception {
        JobRef<Json> parent = enqueue(ECHO);
        FaultyStore elsewhere = new FaultyStore(newStore());
        elsewhere.deaf = true;
        AtomicInteger empty = new AtomicInteger();
        elsewhere.claim = real -> request -> real.apply(request).whenComplete((claimed, failure) -> {
            if (claimed != null && claimed.jobs().isEmpty()) {
                empty.incrementAndGet();
            }
        });
        Windrow worker = open(elsewhere);
        try (Connection connection = target.begin()) {
            windrow.on(connection).enqueue(ECHO.job(new Json("{}")).withParents(parent));
            start(worker.worker().lease(LEASE).poll(Duration.ofMinutes(1)).handle(ECHO, (input, job) -> input));
            if (!target.isFile()) {
                // On a store with one writer at a time, a claim waits.
                until(() -> empty.get() > 0);
            }
            connection.commit();
        }
        // The clock does not reach the next poll in these steps.
        runClockUntil(Duration.ofMillis(5), () -> state(parent) == JobState.COMPLETED);
    }
}
