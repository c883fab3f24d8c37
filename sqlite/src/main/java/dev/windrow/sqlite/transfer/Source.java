package dev.windrow.sqlite.transfer;

import dev.windrow.sqlite.connection.SqliteErrors;
import dev.windrow.sqlite.connection.SqliteFile;
import dev.windrow.sqlite.writer.TransactionSql;
import dev.windrow.store.SafeLogger;
import dev.windrow.store.sql.transfer.TableRows;
import dev.windrow.store.transfer.CopyRows;
import dev.windrow.store.transfer.CopySource;
import dev.windrow.store.transfer.CopyTable;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** One read transaction of a file, on a connection of its own. Other connections write at the same time, and the log grows by their writes. */
final class Source implements CopySource {
    private static final Logger log = SafeLogger.of(Source.class);

    private final SqliteFile file;
    private final SqliteFile.Opened database;
    private final long nextNumber;
    private final String counts;
    private final long lastStamp;

    /** Makes a source of the present tables, over this connection. The connection is closed with the source, or if the tables cannot be read. */
    static Source of(SqliteFile file, SqliteFile.Opened database) throws SQLException {
        try {
            return new Source(file, database);
        } catch (SQLException e) {
            database.close();
            throw e;
        }
    }

    private Source(SqliteFile file, SqliteFile.Opened database) throws SQLException {
        this.file = file;
        this.database = database;
        database.execute(TransactionSql.BEGIN_READ);
        long[] numbers = numbers(database);
        this.nextNumber = numbers[0];
        this.counts = counts(database);
        this.lastStamp = numbers[1];
    }

    private static long[] numbers(SqliteFile.Opened database) throws SQLException {
        try (PreparedStatement numbers = database.prepare(CopySql.NUMBERS);
                ResultSet row = numbers.executeQuery()) {
            row.next();
            return new long[] {row.getLong(1), row.getLong(2)};
        }
    }

    private static String counts(SqliteFile.Opened database) throws SQLException {
        try (PreparedStatement counts = database.prepare(CopySql.COUNTS);
                ResultSet row = counts.executeQuery()) {
            row.next();
            return row.getString(1);
        }
    }

    @Override
    public CopyRows rows(CopyTable table, boolean finished) {
        return rows(table, finished ? CopySql.READ_FINISHED : CopySql.READ, null);
    }

    @Override
    public CopyRows rows(CopyTable table, long[] owners) {
        return rows(table, CopySql.READ_OF, Arrays.toString(owners));
    }

    private CopyRows rows(CopyTable table, Map<CopyTable, String> texts, @Nullable String owners) {
        try {
            PreparedStatement statement = database.prepare(Objects.requireNonNull(texts.get(table)));
            if (owners != null) {
                statement.setString(1, owners);
            }
            return new TableRows(table, statement, SqliteErrors::translate);
        } catch (SQLException e) {
            throw SqliteErrors.translate(e, "reading table " + table.table());
        }
    }

    @Override
    public long count(CopyTable table) {
        try {
            return Long.parseLong(database.query(Objects.requireNonNull(CopySql.COUNT.get(table))));
        } catch (SQLException e) {
            throw SqliteErrors.translate(e, "counting table " + table.table());
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
        try (SqliteFile.Opened now = file.openReader()) {
            return numbers(now)[0] != nextNumber || !counts(now).equals(counts);
        } catch (SQLException e) {
            throw SqliteErrors.translate(e, "reading " + file.location());
        }
    }

    @Override
    public void close() {
        try {
            database.close();
        } catch (SQLException e) {
            log.debug("The connection of a copy could not be closed: {}", e.getMessage());
        }
    }
}
