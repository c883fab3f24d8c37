package dev.windrow.sqlite.processes;

import dev.windrow.sqlite.TestDatabase;
import dev.windrow.sqlite.connection.SqliteErrors;
import java.nio.file.Path;
import java.sql.SQLException;

/** Prints {@code locked: true} if another process holds the write lock of the file, or {@code locked: false}. */
public final class LockProbe {
    private LockProbe() {}

    public static void main(String[] arguments) throws SQLException {
        try (TestDatabase database = TestDatabase.open(Path.of(arguments[0]))) {
            database.execute("PRAGMA busy_timeout = 0");
            boolean locked = false;
            try {
                database.execute("BEGIN IMMEDIATE");
                database.execute("ROLLBACK");
            } catch (SQLException e) {
                locked = SqliteErrors.isBusy(e);
            }
            System.out.println("locked: " + locked);
        }
    }
}
