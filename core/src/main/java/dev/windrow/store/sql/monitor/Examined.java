package dev.windrow.store.sql.monitor;

import dev.windrow.store.sql.connection.Statements;
import dev.windrow.store.sql.transfer.MovedMarker;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A store that is being examined, over a connection that may not write. Belongs to the thread that examines it. */
public interface Examined extends AutoCloseable {
    /**
     * A look at one state of the database.
     *
     * @param <T> the answer
     */
    interface Work<T extends @Nullable Object> {
        /** Reads, and returns an answer. */
        T on(Statements statements) throws SQLException;
    }

    /**
     * The schema that was found.
     *
     * @param version 0 if there is none
     * @param minCompatible the oldest program that may use it; not read if the version is older than this program's
     * @param current the version of this program
     * @param marker the reason for which no program may use it, or null
     * @param owner the file or the database, for people
     * @param absence the text if there is none
     */
    record Schema(
            int version,
            int minCompatible,
            int current,
            @Nullable MovedMarker marker,
            String owner,
            String absence) {
        /** Returns why this program cannot read the tables; null if it can. */
        @Nullable String problem(String location) {
            if (marker != null) {
                return marker.explanation(location);
            }
            if (version == 0) {
                return absence;
            }
            if (version < current) {
                return "%s has schema %d; this program knows %d, and migrates it when a worker or a command that changes something opens it"
                        .formatted(owner, version, current);
            }
            return minCompatible > current
                    ? "%s has schema %d, which needs a newer Windrow: this one knows schema %d"
                            .formatted(owner, version, current)
                    : null;
        }
    }

    /** The examination that this belongs to. */
    Examination examination();

    /** Returns the time by which leases are judged; read before a snapshot begins, so that no lease looks older than it was there. */
    long now() throws SQLException;

    /** Reads the schema. */
    Schema schema() throws SQLException;

    /** Returns the only finding that there can be if this error says that there is no database at all; else null. */
    default @Nullable Finding foreign(SQLException e) {
        return null;
    }

    /** Does this in a transaction that sees one state of the database, and ends it. */
    <T extends @Nullable Object> T inSnapshot(Work<T> work) throws SQLException;

    /** True if the database has stopped a statement because its time was over. */
    boolean isStopped(Exception e);

    // ---- plans -------------------------------------------------------------------------------------------------

    /** The statements whose plans are looked at. */
    List<OperationalQuery> queries();

    /** Does this in transactions that {@link #begin} and {@link #recover} begin, and ends the last one. */
    <T extends @Nullable Object> T planning(Work<T> work) throws SQLException;

    /** Gets ready for a query to be run, or, if null, for reading what it is tried with. */
    void begin(@Nullable OperationalQuery query) throws SQLException;

    /** Returns how a statement would be run, line by line. */
    String plan(OperationalQuery query) throws SQLException;

    /** Returns the index that a plan should use and does not; null if there is none. */
    @Nullable String missing(OperationalQuery query, String plan) throws SQLException;

    /** True if this keeps any statement from being planned, and says nothing of this one. */
    boolean isOfAll(SQLException e);

    /** Goes on after a statement that has failed; fails if the thread is interrupted. */
    void recover(Exception e) throws SQLException;

    // ---- the end -----------------------------------------------------------------------------------------------

    /** Ends what the connection is doing, from any thread. */
    void interrupt();

    /** Refuses what was read if it cannot be relied on. */
    default void requireUnchanged() {}

    @Override
    void close();
}
