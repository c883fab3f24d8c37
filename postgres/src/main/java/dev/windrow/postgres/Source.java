package dev.windrow.postgres;

import dev.windrow.store.CopyRows;
import dev.windrow.store.CopySource;
import dev.windrow.store.CopyTable;
import dev.windrow.store.sql.TableRows;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One snapshot of the tables, on a connection of its own. */
final class Source implements CopySource {
    private final Database database;
    private final Session session;
    private final long lastEvent;
    private final boolean wasBeingWritten;
    private final long nextNumber;
    private final long lastStamp;

    Source(Database database, Session session) throws SQLException {
        this.database = database;
        this.session = session;
        // Before the snapshot: what was under way then and is not seen in it had a number by now, or its lock.
        this.lastEvent = session.get(CopySql.LAST_EVENT).one();
        this.wasBeingWritten = session.get(CopySql.IS_BEING_WRITTEN).one() != 0;
        session.commit();
        beginToRead(session);
        this.lastStamp = session.get(CopySql.LAST_STAMP).one();
        this.nextNumber = session.get(CopySql.NEXT_NUMBER).one();
    }

    static void beginToRead(Session session) throws SQLException {
        session.get(CheckSql.BEGIN_SNAPSHOT).run();
        session.get(CheckSql.NO_DEADLINE)
                .set(1, ExaminedTables.LOCK_WAIT)
                .rows()
                .close();
        session.get(CopySql.READ_IN_ORDER).rows().close();
    }

    @Override
    public CopyRows rows(CopyTable table, boolean finished) {
        String sql = Objects.requireNonNull((finished ? CopySql.READ_FINISHED : CopySql.READ).get(table));
        return rows(database.tables(), session, table, sql, null, () -> {});
    }

    @Override
    public CopyRows rows(CopyTable table, long[] owners) {
        String sql = Objects.requireNonNull(CopySql.READ_OF.get(table));
        return rows(database.tables(), session, table, sql, owners, () -> {});
    }

    @Override
    public long count(CopyTable table) {
        try {
            return session.get(Objects.requireNonNull(CopySql.COUNT.get(table))).one();
        } catch (SQLException e) {
            throw PostgresErrors.translate(e, "counting table " + table.table());
        }
    }

    /**
     * The rows of a statement that answers the columns of a table.
     *
     * @param owners its parameter, if it has one
     * @param end what is to be done when they are closed
     */
    static CopyRows rows(
            Tables tables, Session session, CopyTable table, String sql, long @Nullable [] owners, Runnable end) {
        try {
            PreparedStatement statement =
                    session.connection().prepareStatement(tables.text(sql).sql());
            if (owners != null) {
                statement.setObject(1, owners);
            }
            statement.setFetchSize(fetched(table));
            return new TableRows(table, statement, PostgresErrors::translate, end);
        } catch (SQLException e) {
            throw PostgresErrors.translate(e, "reading table " + table.table());
        }
    }

    /** How many rows are in memory at once: fewer of those that may be long, 64 KiB, 256 KiB or 1 MiB each. */
    private static int fetched(CopyTable table) {
        return switch (table) {
            case JOBS, RESULTS, ATTEMPT_TEXTS -> 500;
            case STEPS, BLOB_CHUNKS -> 32;
            default -> 2000;
        };
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
        try {
            // Sequences are what they are now, in whatever snapshot.
            return wasBeingWritten || session.get(CopySql.LAST_EVENT).one() != lastEvent;
        } catch (SQLException e) {
            throw PostgresErrors.translate(e, "reading what was written since");
        }
    }

    @Override
    public void close() {
        session.close();
    }
}
