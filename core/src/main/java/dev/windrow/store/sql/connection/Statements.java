package dev.windrow.store.sql.connection;

import java.sql.SQLException;

/** The prepared statements of a connection, each made once. Not safe for use by more than one thread at a time, like the connection. */
public interface Statements {
    /**
     * Returns the statement of this text, which is prepared when it is asked for first.
     *
     * @param sql a constant: statements are told apart by its identity
     */
    Query get(String sql) throws SQLException;

    /** Returns the database's statement for what a shared rule does. */
    Query get(Statement statement) throws SQLException;
}
