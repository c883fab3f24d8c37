package dev.windrow.postgres.transfer;

import dev.windrow.postgres.connection.PostgresErrors;
import dev.windrow.postgres.connection.Session;
import dev.windrow.postgres.connection.Tables;
import dev.windrow.postgres.monitor.CheckSql;
import dev.windrow.postgres.monitor.ExaminedTables;
import dev.windrow.store.sql.transfer.TableRows;
import dev.windrow.store.transfer.CopyRows;
import dev.windrow.store.transfer.CopySource;
import dev.windrow.store.transfer.CopyTable;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The source of a copy: one snapshot of the tables, on a separate connection. */
final class Source implements CopySource {
    private final Tables tables;
    private final Session session;
    private final long lastEvent;
    private final String counts;
    private final boolean wasBeingWritten;

    Source(Tables tables, Session session) throws SQLException {
        this.tables = tables;
        this.session = session;
        // This comes before the snapshot. A transaction that was open then and is not in the snapshot had its number or
        // its lock by then.
        this.lastEvent = session.get(CopySql.LAST_EVENT).one();
        this.wasBeingWritten = session.get(CopySql.IS_BEING_WRITTEN).one() != 0;
        session.commit();
        session.get(CheckSql.BEGIN_SNAPSHOT).run();
        session.get(CheckSql.NO_DEADLINE)
                .set(1, ExaminedTables.LOCK_WAIT)
                .rows()
                .close();
        session.get(CopySql.READ_IN_ORDER).rows().close();
        this.counts = counts(session);
    }

    private static String counts(Session session) throws SQLException {
        try (ResultSet row = session.get(CopySql.COUNTS).rows()) {
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
        return rows(table, CopySql.READ_OF, owners);
    }

    private CopyRows rows(CopyTable table, Map<CopyTable, String> texts, long @Nullable [] owners) {
        try {
            PreparedStatement statement = session.connection()
                    .prepareStatement(tables.text(Objects.requireNonNull(texts.get(table)))
                            .sql());
            if (owners != null) {
                statement.setObject(1, owners);
            }
            statement.setFetchSize(fetched(table));
            return new TableRows(table, statement, PostgresErrors::translate);
        } catch (SQLException e) {
            throw PostgresErrors.translate(e, "reading table " + table.table());
        }
    }

    @Override
    public long count(CopyTable table) {
        return one(Objects.requireNonNull(CopySql.COUNT.get(table)), "counting table " + table.table());
    }

    private long one(String sql, String what) {
        try {
            return session.get(sql).one();
        } catch (SQLException e) {
            throw PostgresErrors.translate(e, what);
        }
    }

    /** Returns how many rows are in memory at once. There are fewer of rows that may be long: 64 KiB, 256 KiB or 1 MiB each. */
    private static int fetched(CopyTable table) {
        return switch (table) {
            case JOBS, RESULTS, ATTEMPT_TEXTS -> 500;
            case STEPS, BLOB_CHUNKS -> 32;
            default -> 2000;
        };
    }

    @Override
    public long nextNumber() {
        return one(CopySql.NEXT_NUMBER, "reading the last assigned numbers");
    }

    @Override
    public long lastStamp() {
        return one(CopySql.LAST_STAMP, "reading the last scheduled time");
    }

    @Override
    public boolean hasChanged() {
        // The values of sequences are current in any snapshot, and the counters in a new one.
        if (wasBeingWritten || one(CopySql.LAST_EVENT, "reading later writes") != lastEvent) {
            return true;
        }
        try {
            session.commit();
            return !counts(session).equals(counts);
        } catch (SQLException e) {
            throw PostgresErrors.translate(e, "reading later writes");
        }
    }

    @Override
    public void close() {
        session.close();
    }
}
