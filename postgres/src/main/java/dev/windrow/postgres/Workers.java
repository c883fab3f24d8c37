package dev.windrow.postgres;

import dev.windrow.WorkerSnapshot;
import dev.windrow.store.sql.Rows;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;

/** Reads the registry of workers. */
final class Workers {
    private Workers() {}

    /** All that are registered, oldest first, with what they hold. */
    static List<WorkerSnapshot> read(PostgresStatements statements, long now) throws SQLException {
        return statements
                .get(ReadSql.READ_WORKERS)
                .list(rows -> new WorkerSnapshot(
                        rows.getString(1),
                        rows.getString(2),
                        rows.getLong(3),
                        rows.getString(4),
                        rows.getString(5),
                        Rows.texts(rows, 6),
                        Rows.texts(rows, 7),
                        rows.getInt(8),
                        Rows.longs(rows, 9),
                        rows.getLong(10),
                        Instant.ofEpochMilli(rows.getLong(11)),
                        Instant.ofEpochMilli(rows.getLong(12)),
                        rows.getLong(13) > now));
    }
}
