package dev.windrow.store.sql.monitor;

import dev.windrow.monitor.SuggestField;
import dev.windrow.store.sql.connection.Statement;
import dev.windrow.store.sql.connection.Statements;
import java.sql.SQLException;
import java.util.List;

/** The names that begin with a text. */
public final class Suggestions {
    private Suggestions() {}

    /** Returns the first names of a field that begin with the prefix, in order. */
    public static List<String> read(Statements statements, SuggestField field, String prefix, int limit)
            throws SQLException {
        return statements.get(statement(field)).set(1, prefix).set(2, limit).list(row -> row.getString(1));
    }

    private static Statement statement(SuggestField field) {
        return switch (field) {
            case TYPE -> Statement.SUGGEST_TYPES;
            case QUEUE -> Statement.SUGGEST_QUEUES;
            case TAG -> Statement.SUGGEST_TAGS;
            case ERROR_CODE -> Statement.SUGGEST_CODES;
            case WORKER -> Statement.SUGGEST_WORKERS;
            case SCHEDULE -> Statement.SUGGEST_SCHEDULES;
        };
    }
}
