package dev.windrow.store.sql.transfer;

import dev.windrow.WindrowException;
import dev.windrow.store.SafeLogger;
import dev.windrow.store.transfer.CopyRows;
import dev.windrow.store.transfer.CopyTable;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** The rows of a statement that has the columns of a table, as copies read them. */
public final class TableRows implements CopyRows {
    private static final Logger log = SafeLogger.of(TableRows.class);

    private final CopyTable table;
    private final PreparedStatement statement;
    private final ResultSet rows;
    private final BiFunction<SQLException, String, ? extends WindrowException> translator;
    private final List<CopyTable.Column> columns;
    private boolean closed;

    /**
     * Runs the statement.
     *
     * @param translator returns the store's exception for a failure of the database and the operation that failed
     */
    public TableRows(
            CopyTable table,
            PreparedStatement statement,
            BiFunction<SQLException, String, ? extends WindrowException> translator)
            throws SQLException {
        this.table = table;
        this.statement = statement;
        this.rows = statement.executeQuery();
        this.translator = translator;
        this.columns = table.columns();
    }

    @Override
    public @Nullable Object @Nullable [] next() {
        if (closed) {
            return null;
        }
        try {
            if (!rows.next()) {
                return null;
            }
            @Nullable Object[] row = new @Nullable Object[columns.size()];
            for (int i = 0; i < row.length; i++) {
                row[i] = switch (columns.get(i).kind()) {
                    case NUMBER, FLAG -> {
                        long number = rows.getLong(i + 1);
                        yield number == 0 && rows.wasNull() ? null : Long.valueOf(number);
                    }
                    case FRACTION -> {
                        double fraction = rows.getDouble(i + 1);
                        yield fraction == 0 && rows.wasNull() ? null : Double.valueOf(fraction);
                    }
                    case TEXT, NUMBERS -> rows.getString(i + 1);
                    case BYTES -> rows.getBytes(i + 1);
                };
            }
            return row;
        } catch (SQLException e) {
            throw translator.apply(e, "reading table " + table.table());
        }
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            try {
                rows.close();
                statement.close();
            } catch (SQLException e) {
                log.debug("Ending a read: {}", e.getMessage());
            }
        }
    }
}
