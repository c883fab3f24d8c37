package dev.windrow.bench;

import dev.windrow.Store;
import dev.windrow.Windrow;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;

/** What one run works on: a file, or a schema of a server. Nobody else knows of it. */
interface Database {
    /** A store on it, not yet started. */
    Store store();

    /** A connection that finds the tables by their names, for who counts. */
    Connection connect() throws SQLException;

    /** How the tables are called, and what is counted in them. */
    Audit.Dialect dialect();

    /** Fills it with jobs that have succeeded at their first attempt, as if the engine had run them; nothing is there yet. */
    void seed(int finished, String payload) throws SQLException;

    /** What a {@link ChildMain} understands. */
    String line();

    /** Removes it with all that belongs to it. */
    void remove() throws SQLException, IOException;

    /** Opens it, and makes the tables if they are not there. */
    default Windrow open() {
        return Windrow.open(store());
    }
}
