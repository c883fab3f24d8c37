package dev.windrow.sqlite.retention;

import dev.windrow.retention.SizeChange;
import dev.windrow.sqlite.connection.SqliteErrors;
import dev.windrow.sqlite.connection.SqliteFile;
import dev.windrow.sqlite.connection.SqliteStatements;
import dev.windrow.store.sql.connection.Statements;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;

/** The free pages that deleted rows leave in the file. New rows use them, or the file system gets them back. */
public final class FreePages {
    /** The free pages that stay in any case, because new rows use them soon. */
    private static final long FEW = 1000;
    /** The part of the file that stays free, because the file grows and shrinks with the hours of a day. */
    private static final double SHARE = 0.1;
    /** The approximate time for which one transaction moves pages. */
    private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** The number of free pages. */
    static final String FREE = "PRAGMA freelist_count";
    /** The number of all pages. */
    static final String PAGES = "PRAGMA page_count";
    /** The number of bytes of a page. */
    private static final String PAGE_SIZE = "PRAGMA page_size";
    /** Truncates the file by at most 32 pages, and moves the content of its last pages to the front. */
    private static final String GIVE_BACK = "PRAGMA incremental_vacuum(32)";

    private FreePages() {}

    /** Gives some pages back to the file system, in the open transaction. Returns how many bytes remain to be given back. */
    public static long shrink(SqliteStatements statements) throws SQLException {
        long before = excess(statements);
        if (before <= 0) {
            return 0;
        }
        long begin = System.nanoTime();
        long left = before;
        Connection connection = statements.connection();
        // Not prepared: the driver makes one step of a prepared statement, which is one page.
        try (Statement statement = connection.createStatement()) {
            while (left > 0 && System.nanoTime() - begin < STEP_NANOS) {
                statement.executeUpdate(GIVE_BACK);
                left = excess(statements);
            }
        }
        // A file without a map of its pages cannot give pages back.
        return left == before ? 0 : left * one(statements, PAGE_SIZE);
    }

    private static long excess(Statements statements) throws SQLException {
        long free = one(statements, FREE);
        return Math.min(free - FEW, (long) (free - SHARE * one(statements, PAGES)));
    }

    private static long one(Statements statements, String pragma) throws SQLException {
        try (ResultSet row = statements.get(pragma).rows()) {
            return row.next() ? row.getLong(1) : 0;
        }
    }

    /** Rewrites the whole file. */
    public static SizeChange vacuum(SqliteFile file) {
        try (SqliteFile.Opened database = file.openWriter()) {
            long before = bytes(database);
            // The copy is as large as the file. So it is not made in memory, like other temporary tables.
            database.execute("PRAGMA temp_store = FILE");
            // A file that was created without a map of its pages has the map from now on.
            database.execute("PRAGMA auto_vacuum = INCREMENTAL");
            database.execute("VACUUM");
            boolean unused = database.truncateLog();
            return new SizeChange(before, bytes(database));
        } catch (SQLException e) {
            throw SqliteErrors.translate(e, "rewriting " + file.path());
        }
    }

    private static long bytes(SqliteFile.Opened database) throws SQLException {
        return Long.parseLong(database.query(PAGES)) * Long.parseLong(database.query(PAGE_SIZE));
    }
}
