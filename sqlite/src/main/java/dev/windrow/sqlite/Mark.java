package dev.windrow.sqlite;

import dev.windrow.IncompatibleStoreException;
import dev.windrow.WindrowException;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * A row of the table of migrations that no code is compatible with: the queue was moved to another store, or a copy to this one is not finished.
 *
 * @param text what it says
 */
record Mark(String text) {
    /** The version that it claims to be. */
    static final int VERSION = 1_000_000;

    private static final String MOVED = "moved to ";
    private static final String COPY = "copy of ";

    static Mark movedTo(String destination) {
        return new Mark(MOVED + destination);
    }

    static Mark copyOf(String origin) {
        return new Mark(COPY + origin);
    }

    /** The one of a file that has a schema, or null. */
    static @Nullable Mark of(SqliteFile.Opened database) throws SQLException {
        String text = database.query(CopySql.READ_MARK);
        return text.isEmpty() ? null : new Mark(text);
    }

    boolean isMove() {
        return text.startsWith(MOVED);
    }

    void set(SqliteFile.Opened database, long now) throws SQLException {
        try (PreparedStatement statement = database.connection().prepareStatement(CopySql.SET_MARK)) {
            statement.setString(1, text);
            statement.setLong(2, now);
            statement.executeUpdate();
        }
    }

    /** Where the queue has gone; null if it is not that. */
    @Nullable String destination() {
        return isMove() ? text.substring(MOVED.length()) : null;
    }

    /** What somebody is told who wants to move the queue to another place as well. */
    WindrowException movedElsewhere(String location, String destination) {
        return new WindrowException(
                "%s is closed: its queue was %s, and is not moved to %s as well, where its jobs would run once more; 'windrow reopen' takes the move back, 'copy' without --close-source makes a copy to look at"
                        .formatted(location, text, destination));
    }

    /** What somebody is told who wants to use the file. */
    IncompatibleStoreException refusal(String location) {
        return new IncompatibleStoreException(explanation(location));
    }

    String explanation(String location) {
        return isMove()
                ? "%s is closed: its queue was %s. Use it there; 'windrow reopen' takes the move back"
                        .formatted(location, text)
                : "%s holds a %s that is not finished: 'windrow copy --resume' goes on with it"
                        .formatted(location, text);
    }

    /** Of a file that was opened before: which mark it has now, as far as that can be read. */
    static String explanation(SqliteFile file) {
        try (SqliteFile.Opened database = file.openReader();
                ResultSet row = database.connection().createStatement().executeQuery(CopySql.READ_MARK)) {
            if (row.next()) {
                return new Mark(row.getString(1)).explanation(file.path().toString());
            }
        } catch (SQLException e) {
            return file.path() + " was closed";
        }
        return file.path() + " was closed, and opened again";
    }
}
