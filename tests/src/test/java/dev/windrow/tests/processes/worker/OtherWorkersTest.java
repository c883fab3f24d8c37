package dev.windrow.tests.processes.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.windrow.JobHistory;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.Windrow;
import dev.windrow.tests.processes.Child;
import dev.windrow.tests.processes.SteppedTime;
import dev.windrow.tests.processes.TestWorker;
import dev.windrow.tests.stores.StoreKind;
import dev.windrow.tests.stores.Target;
import java.nio.file.Path;
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
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/**
 * A queue, its workers in their own processes, and the clock of these processes, which tests can step. On PostgreSQL it is not the server's clock.
 */
public abstract class OtherWorkersTest {
    public static final int LEASE_MILLIS = 1000;
    /** The number of renewals in two leases, because a worker renews each third of a lease. */
    public static final int TWO_LEASES = 6;

    @Parameter
    StoreKind kind;

    @TempDir
    Path folder;

    private final List<Child> children = new ArrayList<>();
    public Target target;
    Windrow windrow;

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

    /** A worker in its own process, and its name. */
    public record Other(Child child, String name) {}

    public final Other worker(int leaseMillis) throws Exception {
        Child child = Child.start(folder, TestWorker.class, target, 1, leaseMillis, folder.resolve("clock-offset"));
        children.add(child);
        String name = child.awaitPrefix("worker ");
        child.await("ready");
        return new Other(child, name);
    }

    public final long number(String sql) {
        return target.rows(sql).stream().mapToLong(Long::parseLong).findFirst().orElse(-1);
    }

    /** Waits until the registry entry of each of these workers has been renewed this often. */
    public final void awaitRenewals(int count, Other... workers) {
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

    public final void stepClock(long seconds) throws Exception {
        SteppedTime.step(folder.resolve("clock-offset"), seconds);
    }

    /** Stops a process outside of its transactions, because a process that is stopped inside one blocks all other writers. */
    public final void stop(Other other) throws Exception {
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

    public final JobRef<String> hold() {
        return windrow.enqueue(TestWorker.HOLD, "x");
    }

    final JobHistory history(JobRef<?> job) {
        return windrow.job(job).history();
    }

    public final void assertFirstAttemptGoesOn(JobRef<?> job) {
        assertThat(history(job).job().state()).isEqualTo(JobState.RUNNING);
        assertThat(history(job).attempts())
                .extracting(JobHistory.Attempt::outcome)
                .containsOnlyNulls();
        assertThat(number("SELECT token FROM windrow_jobs WHERE id = " + job.id()))
                .isEqualTo(1);
    }

    public final void finish(Other worker, JobRef<String> job, int attempt) throws Exception {
        worker.child.send("finish " + job.id());
        assertThat(windrow.await(job, Duration.ofMinutes(1))).isEqualTo("by attempt " + attempt);
    }
}
