package dev.windrow.postgres;

import dev.windrow.store.CopyRows;
import dev.windrow.store.CopySource;
import dev.windrow.store.CopyTable;
import dev.windrow.store.SafeLogger;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** One snapshot of the tables, on a connection of its own. */
final class Source implements CopySource {
    private static final Logger log = SafeLogger.of(Source.class);

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
        session.get(CheckSql.NO_DEADLINE).set(1, Examination.LOCK_WAIT).rows().close();
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
            return new Rows(table, statement, statement.executeQuery(), end);
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

    private static final class Rows implements CopyRows {
        private final CopyTable table;
        private final PreparedStatement statement;
        private final ResultSet rows;
        private final Runnable end;
        private final List<CopyTable.Column> columns;
        private boolean closed;

        Rows(CopyTable table, PreparedStatement statement, ResultSet rows, Runnable end) {
            this.table = table;
            this.statement = statement;
            this.rows = rows;
            this.end = end;
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
                throw PostgresErrors.translate(e, "reading table " + table.table());
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
                end.run();
            }
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
