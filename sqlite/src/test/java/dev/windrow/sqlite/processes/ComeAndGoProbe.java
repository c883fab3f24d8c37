package dev.windrow.sqlite.processes;

import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.sqlite.Stores;
import java.nio.file.Path;

/** Opens the store, enqueues a job and closes it, again and again. */
public final class ComeAndGoProbe {
    public static final int ROUNDS = 50;

    private ComeAndGoProbe() {}

    public static void main(String[] arguments) {
        for (int i = 0; i < ROUNDS; i++) {
            try (StoreDriver store = Stores.open(Path.of(arguments[0]))) {
                store.enqueue(NewRow.job());
            }
        }
    }
}
