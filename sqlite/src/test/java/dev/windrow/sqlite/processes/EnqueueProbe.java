package dev.windrow.sqlite.processes;

import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.sqlite.Stores;
import dev.windrow.testkit.ManualTime;
import java.nio.file.Path;
import java.time.Duration;

/** Enqueues a job that is ready and one that is due later. */
final class EnqueueProbe {
    static final String LANE = "heard/test.heard";
    static final long DUE = ManualTime.START.plus(Duration.ofHours(1)).toEpochMilli();

    private EnqueueProbe() {}

    public static void main(String[] arguments) {
        try (StoreDriver store = Stores.open(Path.of(arguments[0]))) {
            store.enqueue(NewRow.of("heard", "test.heard"));
            store.enqueue(NewRow.job().runAt(ManualTime.START.plus(Duration.ofHours(1))));
        }
    }
}
