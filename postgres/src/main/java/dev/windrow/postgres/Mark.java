package dev.windrow.postgres;

import dev.windrow.IncompatibleStoreException;
import dev.windrow.WindrowException;
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

    /** The one of a store that has a schema, or null. */
    static @Nullable Mark of(PostgresStatements statements) throws SQLException {
        return statements.get(CopySql.READ_MARK).find(row -> new Mark(row.getString(1)));
    }

    boolean isMove() {
        return text.startsWith(MOVED);
    }

    void set(PostgresStatements statements) throws SQLException {
        statements.get(CopySql.SET_MARK).set(1, text).run();
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

    /** What somebody is told who wants to use the store. */
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
}
