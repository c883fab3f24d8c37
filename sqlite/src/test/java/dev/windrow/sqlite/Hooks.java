package dev.windrow.sqlite;

import dev.windrow.sqlite.writer.Writer;
import java.time.Duration;

/** The settings of a store that only tests may make. */
public final class Hooks {
    private Hooks() {}

    public static SqliteStore.Builder probe(SqliteStore.Builder store, Writer.Probe probe) {
        return store.probe(probe);
    }

    public static SqliteStore.Builder safetyLook(SqliteStore.Builder store, Duration interval) {
        return store.safetyLook(interval);
    }
}
