package dev.windrow.sqlite.connection;

import dev.windrow.IncompatibleStoreException;
import dev.windrow.StoreUnavailableException;
import dev.windrow.WindrowException;
import java.sql.SQLException;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/** The one place that knows what SQLite's errors mean. */
public final class SqliteErrors {
    private SqliteErrors() {}

    /** The primary result code, or -1 when the error does not come from SQLite. */
    static int code(SQLException e) {
        return e instanceof SQLiteException sqlite ? sqlite.getResultCode().code & 0xff : -1;
    }

    /** Whether the error concerns the whole store, so that repeating operations one by one would not help. */
    public static boolean isStoreWide(SQLException e) {
        return switch (code(e)) {
            case 5, 6, 7, 8, 10, 11, 13, 14, 15, 26 -> true; // BUSY LOCKED NOMEM READONLY IOERR CORRUPT FULL CANTOPEN
            // PROTOCOL NOTADB
            default -> false;
        };
    }

    /** Whether a statement was stopped by its own progress handler. */
    public static boolean isInterrupt(Exception e) {
        return e instanceof SQLException sql && code(sql) == SQLiteErrorCode.SQLITE_INTERRUPT.code;
    }

    /** Whether the file is not one of SQLite's: another kind of file, an encrypted one, or one whose beginning is damaged. */
    public static boolean isNoDatabase(SQLException e) {
        return code(e) == SQLiteErrorCode.SQLITE_NOTADB.code;
    }

    public static boolean isBusy(SQLException e) {
        int code = code(e);
        return code == SQLiteErrorCode.SQLITE_BUSY.code || code == SQLiteErrorCode.SQLITE_LOCKED.code;
    }

    /**
     * Whether a commit that failed so may stand nevertheless, once the log is read again after a crash. What makes it stand
     * is the last thing that it writes to the log: when that write has failed, or there was no room for it, the commit is
     * undone for sure. An error after it, of the sync above all, leaves it open; so does one of memory, which is needed before and after.
     */
    public static boolean mayHaveCommitted(SQLException e) {
        int code = code(e);
        return code == SQLiteErrorCode.SQLITE_NOMEM.code
                || (code == SQLiteErrorCode.SQLITE_IOERR.code
                        && !(e instanceof SQLiteException sqlite
                                && sqlite.getResultCode() == SQLiteErrorCode.SQLITE_IOERR_WRITE));
    }

    /** Whether a ROLLBACK has failed because no transaction is open: SQLite has rolled it back by itself. */
    public static boolean isNoTransaction(SQLException e) {
        return code(e) == SQLiteErrorCode.SQLITE_ERROR.code
                && String.valueOf(e.getMessage()).contains("no transaction is active");
    }

    /** A reader's snapshot that cannot be upgraded to a writer's: somebody else has written since it began. */
    public static boolean isStaleSnapshot(SQLException e) {
        return e instanceof SQLiteException sqlite && sqlite.getResultCode() == SQLiteErrorCode.SQLITE_BUSY_SNAPSHOT;
    }

    /** Names what failed, why, and what to do. */
    public static WindrowException translate(SQLException e, String what) {
        String because = what + " failed: ";
        return switch (code(e)) {
            case 5, 6 ->
                new StoreUnavailableException(
                        because
                                + "another connection has held the write lock for too long; end or shorten its transaction",
                        e);
            case 8 ->
                new StoreUnavailableException(
                        because + "the database cannot be written; check the permissions of the file and its folder",
                        e);
            case 10 ->
                new StoreUnavailableException(
                        because + "the disk reports an error (" + e.getMessage() + "); nothing was written", e);
            case 13 ->
                new StoreUnavailableException(
                        because + "the disk or the database's size limit is full; nothing was written; free space and"
                                + " repeat",
                        e);
            case 14 ->
                new StoreUnavailableException(
                        because + "the database file cannot be opened; check that its folder exists and can be written",
                        e);
            case 11 -> new StoreUnavailableException(because + "the database file is damaged; restore a backup", e);
            case 26 -> new IncompatibleStoreException(because + "the file is not a SQLite database", e);
            default ->
                isStoreWide(e)
                        ? new StoreUnavailableException(because + e.getMessage(), e)
                        : new WindrowException(because + e.getMessage(), e);
        };
    }
}
