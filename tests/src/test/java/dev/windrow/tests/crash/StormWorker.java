package dev.windrow.tests.crash;

import dev.windrow.engine.Windrow;
import dev.windrow.engine.Worker;
import dev.windrow.tests.stores.Target;
import java.nio.file.Path;
import java.time.Duration;

/**
 * A worker of the storm. Arguments: the target, the ledger, the worker's name. It prints {@code ready}, works until
 * its input ends, stops, and prints {@code stopped}.
 */
public final class StormWorker {
    private StormWorker() {}

    public static void main(String[] args) throws Exception {
        try (Ledger ledger = new Ledger(Path.of(args[1]));
                Windrow windrow = Windrow.open(Target.of(args[0]).newStore());
                Worker worker = StormJobs.handlers(windrow.worker(), args[2], ledger)
                        .name(args[2])
                        .concurrency(StormJobs.SLOTS)
                        .lease(Duration.ofSeconds(2))
                        .start()) {
            System.out.println("ready");
            while (System.in.read() >= 0) {
                Thread.onSpinWait();
            }
        }
        System.out.println("stopped");
    }
}
