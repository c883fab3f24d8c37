package dev.windrow.sqlite;

import dev.windrow.store.CopyRows;
import dev.windrow.store.CopySource;
import dev.windrow.store.CopyTable;
import dev.windrow.store.SafeLogger;
import dev.windrow.store.sql.TableRows;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** One read transaction of a file, on a connection of its own: beside it everybody writes, and the log grows by what they write. */
final class Source implements CopySource {
    private static final Logger log = SafeLogger.of(Source.class);

    private final SqliteFile file;
    private final SqliteFile.Opened database;
    private final long nextNumber;
    private final long lastStamp;

    Source(SqliteFile file, SqliteFile.Opened database) throws SQLException {
        this.file = file;
        this.database = database;
        database.execute(Sql.BEGIN_READ);
        try (PreparedStatement numbers = database.connection().prepareStatement(CopySql.NUMBERS);
                ResultSet row = numbers.executeQuery()) {
            row.next();
            this.nextNumber = row.getLong(1);
            this.lastStamp = row.getLong(2);
        }
    }

    @Override
    public CopyRows rows(CopyTable table, boolean finished) {
        String sql = Objects.requireNonNull((finished ? CopySql.READ_FINISHED : CopySql.READ).get(table));
        return rows(database.connection(), table, sql, null, () -> {});
    }

    @Override
    public CopyRows rows(CopyTable table, long[] owners) {
        return rows(
                database.connection(),
                table,
                Objects.requireNonNull(CopySql.READ_OF.get(table)),
                Arrays.toString(owners),
                () -> {});
    }

    @Override
    public long count(CopyTable table) {
        try {
            return Long.parseLong(database.query(Objects.requireNonNull(CopySql.COUNT.get(table))));
        } catch (SQLException e) {
            throw SqliteErrors.translate(e, "counting table " + table.table());
        }
    }

    /**
     * The rows of a statement that answers the columns of a table.
     *
     * @param owners its parameter, if it has one
     * @param end what is to be done when they are closed
     */
    static CopyRows rows(Connection connection, CopyTable table, String sql, @Nullable String owners, Runnable end) {
        try {
            PreparedStatement statement = connection.prepareStatement(sql);
            if (owners != null) {
                statement.setString(1, owners);
            }
            return new TableRows(table, statement, SqliteErrors::translate, end);
        } catch (SQLException e) {
            throw SqliteErrors.translate(e, "reading table " + table.table());
        }
    }

    @Override
    public long nextNumber() {
        return nextNumber;
    }

    @Override
    public long lastStamp() {
        return lastStamp;
    }

    @Override
    public boolean hasChanged() {
        try (SqliteFile.Opened now = file.openReader();
                PreparedStatement numbers = now.connection().prepareStatement(CopySql.NUMBERS);
                ResultSet row = numbers.executeQuery()) {
            row.next();
            return row.getLong(1) != nextNumber;
        } catch (SQLException e) {
            throw SqliteErrors.translate(e, "reading " + file.path());
        }
    }

    @Override
    public void close() {
        try {
            database.close();
        } catch (SQLException e) {
            log.debug("Closing what was copied: {}", e.getMessage());
        }
    }
}
