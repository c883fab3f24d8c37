package dev.windrow.sqlite.connection;

import dev.windrow.IncompatibleStoreException;
import dev.windrow.StoreUnavailableException;
import dev.windrow.WindrowException;
import java.sql.SQLException;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/** The meaning of SQLite's errors, in one place. */
public final class SqliteErrors {
    private SqliteErrors() {}

    /** Returns the primary result code, or -1 when the error does not come from SQLite. */
    static int code(SQLException e) {
        return e instanceof SQLiteException sqlite ? sqlite.getResultCode().code & 0xff : -1;
    }

    /** True if the error concerns the whole store. Then repeating operations one by one would not help. */
    public static boolean isStoreWide(SQLException e) {
        return switch (code(e)) {
            case 5, 6, 7, 8, 10, 11, 13, 14, 15, 26 -> true; // BUSY LOCKED NOMEM READONLY IOERR CORRUPT FULL CANTOPEN
            // PROTOCOL NOTADB
            default -> false;
        };
    }

    /** True if a statement was stopped by its own progress handler. */
    public static boolean isInterrupt(Exception e) {
        return e instanceof SQLException sql && code(sql) == SQLiteErrorCode.SQLITE_INTERRUPT.code;
    }

    /** True if the file is not an SQLite database: another kind of file, an encrypted one, or one whose beginning is damaged. */
    public static boolean isNoDatabase(SQLException e) {
        return code(e) == SQLiteErrorCode.SQLITE_NOTADB.code;
    }

    public static boolean isBusy(SQLException e) {
        int code = code(e);
        return code == SQLiteErrorCode.SQLITE_BUSY.code || code == SQLiteErrorCode.SQLITE_LOCKED.code;
    }

    /**
     * True if a commit that failed with this error may still be in effect, once the log is read again after a crash. The last write to the log makes
     * the commit effective. If that write has failed, or the disk was full, the commit is certainly undone. After an error that follows the write,
     * above all an error of the sync, the outcome is unknown. It is also unknown after an error of memory, which is needed before and after the
     * write.
     */
    public static boolean mayHaveCommitted(SQLException e) {
        int code = code(e);
        return code == SQLiteErrorCode.SQLITE_NOMEM.code
                || (code == SQLiteErrorCode.SQLITE_IOERR.code
                        && !(e instanceof SQLiteException sqlite
                                && sqlite.getResultCode() == SQLiteErrorCode.SQLITE_IOERR_WRITE));
    }

    /** True if a ROLLBACK has failed because no transaction is open: SQLite has rolled it back by itself. */
    public static boolean isNoTransaction(SQLException e) {
        return code(e) == SQLiteErrorCode.SQLITE_ERROR.code
                && String.valueOf(e.getMessage()).contains("no transaction is active");
    }

    /** True if a reader's snapshot cannot be upgraded to a writer's, because another connection has written since the snapshot began. */
    public static boolean isStaleSnapshot(SQLException e) {
        return e instanceof SQLiteException sqlite && sqlite.getResultCode() == SQLiteErrorCode.SQLITE_BUSY_SNAPSHOT;
    }

    /** Translates an error to an exception that names what failed, why, and what to do. */
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
                        because
                                + "the disk is full, or the database has reached its size limit; nothing was written; free space and"
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
