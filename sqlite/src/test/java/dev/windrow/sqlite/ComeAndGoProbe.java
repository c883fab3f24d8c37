package dev.windrow.sqlite;

import dev.windrow.testkit.contract.NewRow;
import dev.windrow.testkit.contract.StoreDriver;
import java.nio.file.Path;

/** Opens the store, enqueues a job and closes it, again and again. */
final class ComeAndGoProbe {
    static final int ROUNDS = 50;

    private ComeAndGoProbe() {}

    public static void main(String[] arguments) {
        for (int i = 0; i < ROUNDS; i++) {
            try (StoreDriver store = Stores.open(Path.of(arguments[0]))) {
                store.enqueue(NewRow.job());
            }
        }
    }
}
