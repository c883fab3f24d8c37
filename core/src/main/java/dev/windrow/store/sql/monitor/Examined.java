package dev.windrow.store.sql.monitor;

import dev.windrow.store.sql.connection.Statements;
import dev.windrow.store.sql.transfer.MovedMarker;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A store that is being examined, over a connection that may not write. Belongs to the thread that examines it. */
public interface Examined extends AutoCloseable {
    /**
     * The code that reads one snapshot of the database.
     *
     * @param <T> the result
     */
    interface Work<T extends @Nullable Object> {
        /** Reads, and returns a result. */
        T on(Statements statements) throws SQLException;
    }

    /**
     * The schema of the database.
     *
     * @param version the version, or 0 without a schema
     * @param minCompatible the oldest program that may use it; not read if the version is older than this program's
     * @param current the version of this program
     * @param marker the reason for which no program may use it, or null
     * @param owner the file or the database, for messages
     * @param absence the text if the schema does not exist
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

    /** Returns the examination to which this belongs. */
    Examination examination();

    /**
     * Returns the time with which leases are compared. It is read before a snapshot begins, so that no lease looks older than it was in the snapshot.
     */
    long now() throws SQLException;

    /** Reads the schema. */
    Schema schema() throws SQLException;

    /** Returns the only finding if this error means that the database does not exist; else null. */
    default @Nullable Finding foreign(SQLException e) {
        return null;
    }

    /** Runs this in a transaction with one snapshot of the database, and ends the transaction. */
    <T extends @Nullable Object> T inSnapshot(Work<T> work) throws SQLException;

    /** True if the database has stopped a statement because its time was over. */
    boolean isStopped(Exception e);

    // ---- plans -------------------------------------------------------------------------------------------------

    /** Returns the statements whose plans are checked. */
    List<OperationalQuery> queries();

    /** Runs this in transactions that {@link #begin} and {@link #recover} begin, and ends the last one. */
    <T extends @Nullable Object> T planning(Work<T> work) throws SQLException;

    /** Prepares the connection to run a query. With null it prepares to read the sample values for queries. */
    void begin(@Nullable OperationalQuery query) throws SQLException;

    /** Returns the query plan of a statement, line by line. */
    String plan(OperationalQuery query) throws SQLException;

    /** Returns the index that a plan should use and does not; null if no index is missing. */
    @Nullable String missing(OperationalQuery query, String plan) throws SQLException;

    /** True if this error prevents the planning of every statement, and is no finding about this one. */
    boolean isOfAll(SQLException e);

    /** Continues after a statement that has failed. Throws if the thread is interrupted. */
    void recover(Exception e) throws SQLException;

    // ---- the end -----------------------------------------------------------------------------------------------

    /** Ends the present work of the connection, from any thread. */
    void interrupt();

    /** Throws if the data that was read is not reliable. */
    default void requireUnchanged() {}

    @Override
    void close();
}
