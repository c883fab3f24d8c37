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

/** What deleted rows leave in the file: pages that nothing is in, for rows to come, or to be given back to the file system. */
public final class FreePages {
    /** So many stay in any case: they are of use soon. */
    private static final long FEW = 1000;
    /** And this part of the file: it grows and shrinks with the hours of a day. */
    private static final double SHARE = 0.1;
    /** For so long one transaction moves pages, roughly. */
    private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** Pages that nothing is in. */
    static final String FREE = "PRAGMA freelist_count";
    /** All pages. */
    static final String PAGES = "PRAGMA page_count";
    /** Bytes of a page. */
    private static final String PAGE_SIZE = "PRAGMA page_size";
    /** Cuts the file by so many pages at most, and moves what is in its last ones to the front. */
    private static final String GIVE_BACK = "PRAGMA incremental_vacuum(32)";

    private FreePages() {}

    /** Gives some back, in the open transaction; answers how many bytes are to follow. */
    public static long shrink(SqliteStatements statements) throws SQLException {
        long before = excess(statements);
        if (before <= 0) {
            return 0;
        }
        long begin = System.nanoTime();
        long left = before;
        Connection connection = statements.connection();
        // Not prepared: the driver takes one step of what is prepared, which is one page.
        try (Statement statement = connection.createStatement()) {
            while (left > 0 && System.nanoTime() - begin < STEP_NANOS) {
                statement.executeUpdate(GIVE_BACK);
                left = excess(statements);
            }
        }
        // A file that keeps no map of its pages gives none back.
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

    /** Writes the file anew. */
    public static SizeChange vacuum(SqliteFile file) {
        try (SqliteFile.Opened database = file.openWriter()) {
            long before = bytes(database);
            // The copy is as large as the file: not in memory, where temporary tables are else.
            database.execute("PRAGMA temp_store = FILE");
            // A file that was made before its pages were mapped has the map from now on.
            database.execute("PRAGMA auto_vacuum = INCREMENTAL");
            database.execute("VACUUM");
            boolean unused = database.truncateLog();
            return new SizeChange(before, bytes(database));
        } catch (SQLException e) {
            throw SqliteErrors.translate(e, "writing " + file.path() + " anew");
        }
    }

    private static long bytes(SqliteFile.Opened database) throws SQLException {
        return Long.parseLong(database.query(PAGES)) * Long.parseLong(database.query(PAGE_SIZE));
    }
}
