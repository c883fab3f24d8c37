package dev.windrow.sqlite;

import dev.windrow.sqlite.writer.Writer;
import dev.windrow.store.sql.writer.Batch;
import java.nio.file.Path;
import java.util.function.Consumer;

/** A store that reports the thread of each commit. */
public final class WatchedCommits {
    private WatchedCommits() {}

    /**
     * Returns the store.
     *
     * @param watch accepts the thread before each commit of commands
     */
    public static SqliteStore at(Path file, Consumer<Thread> watch) {
        return SqliteStore.configure(file)
                .probe(new Writer.Probe() {
                    @Override
                    public void committing(Batch batch) {
                        watch.accept(Thread.currentThread());
                    }
                })
                .build();
    }
}
