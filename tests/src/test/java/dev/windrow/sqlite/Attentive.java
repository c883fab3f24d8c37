package dev.windrow.sqlite;

import java.nio.file.Path;
import java.time.Duration;

/** Stores that poll their file ten times a second for changes of peer processes. */
public final class Attentive {
    private Attentive() {}

    public static SqliteStore at(Path file) {
        return SqliteStore.configure(file).safetyLook(Duration.ofMillis(100)).build();
    }
}
