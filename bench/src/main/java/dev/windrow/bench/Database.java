package dev.windrow.bench;

import dev.windrow.Store;
import dev.windrow.Windrow;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** The database of one run: a file, or a schema of a server. No other program uses it. */
interface Database {
    /** Returns a store on it, not yet opened. */
    Store store();

    /**
     * Returns a store on it whose round trips {@link CountedSockets} counts. Null if it has no server, or its URL names
     * sockets of its own.
     */
    @Nullable Store countedStore();

    /** Returns a connection that finds the tables by their names, for counting. */
    Connection connect() throws SQLException;

    /** Returns the names of the tables and the counts in them. */
    Audit.Dialect dialect();

    /** Fills the empty database with jobs that have succeeded at their first attempt, as if the engine had run them. */
    void seed(int finished, String payload) throws SQLException;

    /** Returns the text by which a {@link ChildMain} opens it. */
    String line();

    /** Removes it completely. */
    void remove() throws SQLException, IOException;

    /** Opens it, and creates the tables if they do not exist. */
    default Windrow open() {
        return Windrow.open(store());
    }
}
