package dev.windrow.store.sql.connection;

import java.sql.SQLException;

/** The prepared statements of a connection, each prepared once. Not safe for use by more than one thread at a time, like the connection. */
public interface Statements {
    /**
     * Returns the statement of this text. It is prepared at the first call.
     *
     * @param sql a constant: statements are distinguished by the identity of the string
     */
    Query get(String sql) throws SQLException;

    /** Returns the database's statement for a statement of the shared rules. */
    Query get(Statement statement) throws SQLException;
}
