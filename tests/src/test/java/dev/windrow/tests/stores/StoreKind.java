package dev.windrow.tests.stores;

import dev.windrow.testserver.PostgresServer;
import java.nio.file.Path;
import java.util.List;

/** The stores on which the engine is tested. */
public enum StoreKind {
    /** A separate file for each test. */
    SQLITE(List.of("windrow-writer-", "windrow-notifier-")) {
        @Override
        public Target newTarget(Path folder) {
            return Target.file(folder.resolve("jobs.db"));
        }

        @Override
        public Target emptyTarget(Path folder) {
            return EmptyFile.copy(folder.resolve("jobs.db"));
        }
    },
    /** A separate schema for each test, on the server that all tests of this JVM share. */
    POSTGRES(List.of(
            "windrow-work-",
            "windrow-claims-",
            "windrow-patient-",
            "windrow-keyed-",
            "windrow-alive-",
            "windrow-notifier-",
            "windrow-listener-")) {
        @Override
        public Target newTarget(Path folder) {
            return Target.newSchema(PostgresServer.shared());
        }

        @Override
        public Target emptyTarget(Path folder) {
            return Target.lend();
        }
    };

    @SuppressWarnings("ImmutableEnumChecker") // List.copyOf is immutable, but its type does not show it.
    private final List<String> tasks;

    StoreKind(List<String> tasks) {
        this.tasks = List.copyOf(tasks);
    }

    /** Returns the prefixes of the names of its background tasks. Its threads have the same names. */
    public List<String> tasks() {
        return tasks;
    }

    /** Returns the place of a store that does not exist yet. */
    public abstract Target newTarget(Path folder);

    /** Returns a place with the empty tables of a store, for the stores of this process only. That is faster than opening a store. */
    public abstract Target emptyTarget(Path folder);
}
