package dev.windrow.store.sql.monitor;

import dev.windrow.store.sql.connection.Query;
import dev.windrow.store.sql.connection.Statement;
import dev.windrow.store.sql.connection.Statements;
import java.io.IOException;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * A check of a diagnosis, as data. A store has a list of them, and {@link Examination} runs them.
 *
 * @param <D> the store that it examines
 * @param name the name in every diagnosis, never changed
 * @param reach the amount that it reads, and the condition under which it runs
 * @param remedy the action to take if it has failed; null for a check that only makes notes
 * @param look the code that reads the store and returns a finding
 */
public record Check<D extends Examined>(
        String name, Reach reach, @Nullable String remedy, Look<D> look) {
    /** The name of the check of the database's own structure. Damage there can prevent the check itself from completing. */
    static final String INTEGRITY = "integrity";

    /** The amount that a check reads, and the condition under which it runs. */
    public enum Reach {
        /** A moment, outside of the tables. The check runs with any schema. */
        ENVIRONMENT(false, false),
        /** A moment, in the tables. The check runs if this program knows the schema. */
        GLANCE(true, false),
        /** All rows of some tables. The check runs if this program knows the schema, within a share of the time that is left. */
        ALL_ROWS(true, true),
        /** All of the database. The check runs with any schema, within a share of the time that is left. */
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
     * One read of a store.
     *
     * @param <D> the store
     */
    public interface Look<D extends Examined> {
        /**
         * Returns the finding.
         *
         * @param findings receives the findings of a check that may be stopped; the ones added before the stop count
         */
        Finding look(D store, Findings findings) throws SQLException, IOException;
    }

    /** A statement whose rows are findings. */
    public interface Search {
        /** Adds a finding for each row. */
        void search(Statements statements, Findings findings) throws SQLException;
    }

    /** The code that makes a finding of a row. */
    public interface Reader {
        /** Reads columns; returns null if the row is no finding. */
        @Nullable String read(ResultSet row) throws SQLException;
    }

    /** Returns a search by a statement of both stores. */
    public static Search rows(Statement statement, Reader finding) {
        return (statements, findings) -> read(statements.get(statement), finding, findings);
    }

    /** Returns a search by a statement of one store. */
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

    /** Returns a check that reads for a moment, in a snapshot. */
    public static Check<Examined> glance(
            String name, Reach reach, @Nullable String remedy, Examined.Work<Finding> look) {
        return new Check<>(name, reach, remedy, (store, findings) -> store.inSnapshot(look));
    }

    /**
     * Returns a check that fails if one of these searches finds something. All of them see one snapshot.
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
