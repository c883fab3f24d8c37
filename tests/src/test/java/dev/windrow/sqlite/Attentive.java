package dev.windrow.sqlite;

import java.nio.file.Path;
import java.time.Duration;

/** Stores that look ten times a second at what others have done to their file. */
public final class Attentive {
    private Attentive() {}

    public static SqliteStore at(Path file) {
        return SqliteStore.configure(file).safetyLook(Duration.ofMillis(100)).build();
    }
}
