package dev.windrow.bench;

import dev.windrow.sqlite.Durability;
import java.sql.SQLException;

/** Where the runs of one measurement get their databases from. */
interface Databases extends AutoCloseable {
    /** A new one; nothing is there yet. */
    Database next() throws SQLException;

    /** The database's name and version. */
    String version() throws SQLException;

    /** What a commit survives. */
    Durability durability() throws SQLException;

    /** Whether the bare loop knows these databases. */
    boolean hasBareLoop();

    @Override
    void close();
}
