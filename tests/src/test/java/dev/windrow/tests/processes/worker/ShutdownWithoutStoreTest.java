package dev.windrow.tests.processes.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.Windrow;
import dev.windrow.tests.Once;
import dev.windrow.tests.processes.Child;
import dev.windrow.tests.stores.StoreKind;
import dev.windrow.tests.stores.Target;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The end of a JVM whose store does not answer. Runs on one store only, because the JVM waits 20 s for an answer. */
@Once
class ShutdownWithoutStoreTest {
    private static final int TERMINATED = 128 + 15;

    @TempDir
    Path folder;

    @Test
    void anUnresponsiveStoreDoesNotKeepTheJvmFromEnding() throws Exception {
        try (Target target = StoreKind.SQLITE.newTarget(folder);
                Windrow windrow = Windrow.open(target.newStore())) {
            JobRef<Integer> job = windrow.enqueue(EmbeddedWorker.HOLD, "");
            try (Child child = Child.start(folder, EmbeddedWorker.class, target, Duration.ZERO)) {
                child.await("started " + job.id());
                try (Connection lock = target.lockAll()) {
                    child.signal("TERM");
                    child.send("finish");
                    assertThat(child.awaitEnd()).isEqualTo(TERMINATED);
                    lock.rollback();
                }
                assertThat(child.log())
                        .contains("Windrow on " + target.place() + " is not closed after 20s; the JVM ends anyway");
            }
            assertThat(windrow.job(job).history().job().state()).isEqualTo(JobState.RUNNING);
        }
    }
}
