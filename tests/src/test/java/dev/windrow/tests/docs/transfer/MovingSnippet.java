package dev.windrow.tests.docs.transfer;

import dev.windrow.Store;
import dev.windrow.Windrow;
import dev.windrow.postgres.PostgresStore;
import dev.windrow.sqlite.SqliteStore;
import dev.windrow.transfer.QueueCopy;
import java.nio.file.Path;

/** The code of docs/how-to/backup.md and docs/how-to/moving-to-postgresql.md. */
final class MovingSnippet {
    private MovingSnippet() {}

    static long backup(SqliteStore store) {
        // region backup
        long bytes =
                store.backup(Path.of("/backups/jobs-2026-11-22.db")); // the SqliteStore that was given to Windrow.open
        // endregion
        return bytes;
    }

    static Windrow open() {
        // region line
        Store store = PostgresStore.at("jdbc:postgresql://db.internal/shop"); // was: SqliteStore.at(Path.of("jobs.db"))
        Windrow windrow = Windrow.open(store);
        // endregion
        return windrow;
    }

    static long copy(Path file, String url) {
        // region copy
        QueueCopy.Report report = QueueCopy.from(SqliteStore.at(file))
                .to(PostgresStore.at(url))
                .closeSource()
                .run();
        return report.jobs();
        // endregion
    }
}
