package dev.windrow.store.sql.monitor;

import dev.windrow.store.sql.connection.Query;
import dev.windrow.store.sql.connection.Statement;
import dev.windrow.store.sql.connection.Statements;
import java.io.IOException;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * A check of a diagnosis, as data: a store has a list of them, and {@link Examination} goes through it.
 *
 * @param <D> the store that it examines
 * @param name the name in every diagnosis, never changed
 * @param reach the amount that it reads, and the condition under which it can
 * @param remedy the text that says what to do if it has failed; null of a check that only makes notes
 * @param look the way from the store to a finding
 */
public record Check<D extends Examined>(
        String name, Reach reach, @Nullable String remedy, Look<D> look) {
    /** The name of the check of the database's own structure, whose damage can keep the check itself from its end. */
    static final String INTEGRITY = "integrity";

    /** The amount that a check reads, and the condition under which it can. */
    public enum Reach {
        /** A moment, around the tables: made whatever the schema is. */
        ENVIRONMENT(false, false),
        /** A moment, in the tables: made if this program knows the schema. */
        GLANCE(true, false),
        /** All rows of some tables: made if this program knows the schema, within a share of the time that is left. */
        ALL_ROWS(true, true),
        /** All of the database: made whatever the schema is, within a share of the time that is left. */
        ALL_PAGES(false, true);

        private final boolean needsSchema;
        private final boolean isLong;

        Reach(boolean needsSchema, boolean isLong) {
            this.needsSchema = needsSchema;
            this.isLong = isLong;
        }

        boolean needsSchema() {
            return needsSchema;
        }

        boolean isLong() {
            return isLong;
        }
    }

    /**
     * One look at a store.
     *
     * @param <D> the store
     */
    public interface Look<D extends Examined> {
        /**
         * Returns what it has found.
         *
         * @param findings gets the findings of a check that may be stopped: those that it has by then count
         */
        Finding look(D store, Findings findings) throws SQLException, IOException;
    }

    /** A statement whose rows are findings. */
    public interface Search {
        /** Adds a finding for each row. */
        void search(Statements statements, Findings findings) throws SQLException;
    }

    /** Makes a finding of a row. */
    public interface Reader {
        /** Reads columns; returns null if the row is no finding. */
        @Nullable String read(ResultSet row) throws SQLException;
    }

    /** A search by a statement of both stores. */
    public static Search rows(Statement statement, Reader finding) {
        return (statements, findings) -> read(statements.get(statement), finding, findings);
    }

    /** A search by a statement of one store. */
    public static Search rows(String sql, Reader finding) {
        return (statements, findings) -> read(statements.get(sql), finding, findings);
    }

    private static void read(Query query, Reader finding, Findings findings) throws SQLException {
        try (ResultSet rows = query.manyRows()) {
            while (rows.next()) {
                String text = finding.read(rows);
                if (text != null) {
                    findings.add(text);
                }
            }
        }
    }

    /** A check that reads a moment, in a snapshot. */
    public static Check<Examined> glance(
            String name, Reach reach, @Nullable String remedy, Examined.Work<Finding> look) {
        return new Check<>(name, reach, remedy, (store, findings) -> store.inSnapshot(look));
    }

    /**
     * A check that fails if one of these finds something. All of them see one snapshot.
     *
     * @param well the text if nothing is found
     */
    public static Check<Examined> failingIfAny(
            String name, Reach reach, String remedy, String well, Search... searches) {
        return new Check<>(
                name,
                reach,
                remedy,
                (store, findings) -> store.inSnapshot(statements -> {
                    for (Search search : searches) {
                        search.search(statements, findings);
                    }
                    return Finding.failedIfAny(findings, well);
                }));
    }
}
