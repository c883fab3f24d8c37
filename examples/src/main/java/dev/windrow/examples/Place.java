package dev.windrow.examples;

import dev.windrow.Store;
import dev.windrow.Windrow;
import dev.windrow.postgres.PostgresStore;
import dev.windrow.sqlite.SqliteStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The store for the jobs of an example: a new SQLite file, or the store that the arguments name. */
final class Place {
    private Place() {}

    /** Opens the store that {@link #store} returns. */
    static Windrow open(String... args) throws IOException {
        return Windrow.open(store(args));
    }

    /**
     * Returns the store that the arguments of an example name.
     *
     * @param args nothing, a file, or {@code jdbc:postgresql://host/database}
     */
    static Store store(String... args) throws IOException {
        String place = args.length > 0
                ? args[0]
                : Files.createTempDirectory("windrow-example")
                        .resolve("jobs.db")
                        .toString();
        System.out.println("Jobs are in " + place);
        return place.startsWith("jdbc:postgresql:") ? PostgresStore.at(place) : SqliteStore.at(Path.of(place));
    }
}
