package dev.windrow.tests.stores;

import dev.windrow.testserver.PostgresServer;
import java.nio.file.Path;
import java.util.List;

/** The stores that the engine is tested on. */
public enum StoreKind {
    /** A file of the test's own. */
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
    /** A schema of the test's own on the server that all tests of this JVM share. */
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

    @SuppressWarnings("ImmutableEnumChecker") // List.copyOf is immutable; its type does not say so.
    private final List<String> tasks;

    StoreKind(List<String> tasks) {
        this.tasks = List.copyOf(tasks);
    }

    /** The beginnings of the names of its background tasks, which are those of its threads. */
    public List<String> tasks() {
        return tasks;
    }

    /** A place for a store that does not exist yet. */
    public abstract Target newTarget(Path folder);

    /** A place with the empty tables of a store, made cheaper than by opening one, for the stores of this process alone. */
    public abstract Target emptyTarget(Path folder);
}
