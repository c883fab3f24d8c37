package dev.windrow.bench;

import dev.windrow.sqlite.Durability;
import java.sql.SQLException;

/** The source of databases for the runs of one measurement. */
interface Databases extends AutoCloseable {
    /** Returns a new database that does not exist yet. */
    Database next() throws SQLException;

    /** Returns the database's name and version. */
    String version() throws SQLException;

    /** Returns the event that a commit survives. */
    Durability durability() throws SQLException;

    /** True if the bare loop supports these databases. */
    boolean hasBareLoop();

    @Override
    void close();
}
