package dev.windrow.sqlite.processes;

import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.sqlite.Stores;
import dev.windrow.store.job.ClaimedJob;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/** Opens a store that other processes open as well, and completes the jobs of a queue of its own. */
public final class OpenProbe {
    public static final int JOBS = 50;

    private OpenProbe() {}

    public static void main(String[] arguments) {
        String worker = arguments[1];
        int done = 0;
        try (StoreDriver store = Stores.open(Path.of(arguments[0]))) {
            for (int i = 0; i < JOBS; i++) {
                store.enqueue(NewRow.of("shared", "t"));
            }
            List<ClaimedJob> jobs;
            do {
                jobs = store.claim(StoreDriver.request(worker, Set.of("shared"), Set.of("t"), 7))
                        .jobs();
                for (ClaimedJob job : jobs) {
                    done += store.complete(job) ? 1 : 0;
                }
            } while (!jobs.isEmpty());
        }
        System.out.println(worker + " completed " + done);
    }
}
