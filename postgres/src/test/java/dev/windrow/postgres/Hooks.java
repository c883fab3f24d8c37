package dev.windrow.postgres;

import dev.windrow.postgres.writer.Writer;
import java.time.Duration;

/** The settings of a store that only tests may use. */
public final class Hooks {
    private Hooks() {}

    public static PostgresStore.Builder probe(PostgresStore.Builder store, Writer.Probe probe) {
        return store.probe(probe);
    }

    public static PostgresStore.Builder sessionPatience(PostgresStore.Builder store, Duration patience) {
        return store.sessionPatience(patience);
    }

    public static PostgresStore.Builder leastConnectionWait(PostgresStore.Builder store, Duration wait) {
        return store.leastConnectionWait(wait);
    }
}
