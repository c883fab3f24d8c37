package dev.windrow.tests.crash;

import dev.windrow.Windrow;
import dev.windrow.Worker;
import java.nio.file.Path;
import java.time.Duration;

/**
 * A worker of the storm. Arguments: the target, the ledger, the worker's name, and the name of its process. It prints {@code ready}, works until its
 * input ends, stops, and prints {@code stopped}.
 */
public final class StormWorker {
    static final Duration LEASE = Duration.ofSeconds(2);

    private StormWorker() {}

    public static void main(String[] args) throws Exception {
        Path file = Path.of(args[1]);
        try (Ledger ledger = new Ledger(file);
                Windrow windrow = StormProcess.open(args[0], file);
                Worker worker = StormJobs.handlers(windrow.worker(), args[2], args[3], ledger)
                        .name(args[2])
                        .concurrency(StormJobs.SLOTS)
                        .lease(LEASE)
                        .start()) {
            System.out.println("ready");
            StormProcess.obey();
        }
        System.out.println("stopped");
    }
}
