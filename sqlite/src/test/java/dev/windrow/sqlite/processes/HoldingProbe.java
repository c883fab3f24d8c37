package dev.windrow.sqlite.processes;

import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.sqlite.Hooks;
import dev.windrow.sqlite.SqliteStore;
import dev.windrow.sqlite.writer.Writer;
import dev.windrow.store.sql.writer.Batch;
import dev.windrow.testkit.ManualTime;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Enqueues a job and prints {@code inside} within the transaction. Continues when it reads a line, prints {@code enqueued}, and waits for the end of
 * its input.
 */
final class HoldingProbe {
    private HoldingProbe() {}

    public static void main(String[] arguments) throws Exception {
        Writer.Probe probe = new Writer.Probe() {
            private boolean held;

            @Override
            public void committing(Batch batch) {
                if (held) {
                    return;
                }
                held = true;
                System.out.println("inside");
                readLine();
            }
        };
        SqliteStore store =
                Hooks.probe(SqliteStore.configure(Path.of(arguments[0])), probe).build();
        try (StoreDriver driver = new StoreDriver(store, new ManualTime())) {
            driver.enqueue(NewRow.job());
            System.out.println("enqueued");
            readLine();
        }
    }

    private static void readLine() {
        try {
            int read = System.in.read();
            while (read >= 0 && read != '\n') {
                read = System.in.read();
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
