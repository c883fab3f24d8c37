package dev.windrow.cli.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.EventLevel;
import dev.windrow.JobType;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.sqlite.SqliteStore;
import dev.windrow.store.job.WorkerId;
import dev.windrow.store.processes.Announce;
import dev.windrow.store.processes.WorkerRow;
import dev.windrow.testkit.ManualTime;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LeftJobsTest {
    @TempDir
    Path folder;

    private static void announce(StoreDriver store, String instance, long pid, String queue, String type) {
        Object unused = StoreDriver.answer(store.store()
                .submit(new Announce(new WorkerRow(
                        new WorkerId("mailer", instance),
                        new WorkerRow.WorkerProcess("host", pid, "here/" + pid, "0.1"),
                        new WorkerRow.Work(Set.of(queue), Set.of(type), 1),
                        StoreDriver.LEASE.toMillis(),
                        0))));
    }

    /**
     * The queue knows no worker of this process at the first look, only one of the same name in another process. The
     * own worker is of another file, so that it announces itself only where the test does it.
     */
    @Test
    void theEntryOfAWorkerOfTheSameNameInAnotherProcessIsNotItsOwn() throws Exception {
        ManualTime time = new ManualTime();
        Path file = folder.resolve("queue.db");
        long pid = ProcessHandle.current().pid();
        try (StoreDriver store = new StoreDriver(SqliteStore.at(file), time, EventLevel.ALL);
                Windrow windrow =
                        Windrow.configure(SqliteStore.at(file)).time(time).open();
                Windrow other = Windrow.configure(SqliteStore.at(folder.resolve("other.db")))
                        .time(time)
                        .open();
                Worker worker = other.worker()
                        .name("mailer")
                        .queue("mail")
                        .handle(JobType.raw("send"), (input, job) -> input)
                        .start()) {
            store.enqueue(NewRow.of("mail", "write"));
            announce(store, "1", pid + 1, "parcels", "write");
            CompletableFuture<Void> stop = new CompletableFuture<>() {
                @Override
                public Void get(long timeout, TimeUnit unit) throws TimeoutException {
                    announce(store, "2", pid, "mail", "send");
                    throw new TimeoutException();
                }
            };
            assertThat(new LeftJobs(windrow, worker).lines(stop))
                    .containsExactly("no live worker handles type 'write' (1 ready job)");
        }
    }
}
