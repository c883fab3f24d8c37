package dev.windrow.postgres.transfer;

import dev.windrow.postgres.connection.Database;
import dev.windrow.postgres.connection.PostgresErrors;
import dev.windrow.postgres.connection.PostgresQuery;
import dev.windrow.postgres.connection.Session;
import dev.windrow.postgres.monitor.CheckSql;
import dev.windrow.postgres.monitor.ExaminedTables;
import dev.windrow.postgres.schema.Migrations;
import dev.windrow.postgres.writer.TransactionSql;
import dev.windrow.store.SafeLogger;
import dev.windrow.store.sql.transfer.MovedMarker;
import dev.windrow.store.transfer.CopyReader;
import dev.windrow.store.transfer.CopySink;
import dev.windrow.store.transfer.CopyTable;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;
import org.slf4j.Logger;

/** The target of a copy: fills tables by {@code COPY}. Their marker of a copy keeps all other processes out. */
final class Sink implements CopySink {
    private static final Logger log = SafeLogger.of(Sink.class);
    private static final char[] HEX = "0123456789abcdef".toCharArray();

    private final Database database;
    private final Session session;
    private final String location;
    private final String identity;

    private Sink(Database database, Session session, String location) throws SQLException {
        this.database = database;
        this.session = session;
        this.location = location;
        try (ResultSet row = session.get(CopySql.CHANGE_IDENTITY).rows()) {
            row.next();
            this.identity = row.getString(1);
        }
    }

    /**
     * Marks empty tables, and deletes the few rows that they have, in the open transaction. Processes that had the store open before notice this
     * before they write anything more.
     */
    static Sink begin(Database database, Session session, String location, MovedMarker marker) throws SQLException {
        lock(session);
        MovedMarker.requireNone(Migrations.marker(session.statements()), location);
        session.get(CopySql.LOCK).run();
        MovedMarker.requireEmpty(
                location,
                session.get(CopySql.IS_USED).one() != 0,
                Moves.aliveWorkers(session, session.get(TransactionSql.NOW).one()));
        clear(session);
        Migrations.set(session.statements(), marker);
        return new Sink(database, session, location);
    }

    /** Continues with tables that have the marker, in the open transaction. The former writer of this copy can write nothing any more. */
    static Sink resume(Database database, Session session, String location, MovedMarker marker) throws SQLException {
        lock(session);
        marker.requireSame(Migrations.marker(session.statements()), location);
        return new Sink(database, session, location);
    }

    private static void lock(Session session) throws SQLException {
        // The queries before this point hold a lock as well. Two copies that begin at once would wait for each other.
        session.commit();
        session.get(CopySql.BOUND_WAITS).rows().close();
        session.get(CopySql.LOCK_SCHEMA).run();
    }

    /**
     * Checks that no other copy has taken the store over. Two copies into one store would mix their rows, and so the first one notices before it
     * writes. No other copy can take the store over from this check to the end of the transaction.
     */
    private void requireOurs() throws SQLException {
        try (ResultSet row = session.get(CopySql.READ_IDENTITY).rows()) {
            if (!row.next() || !identity.equals(row.getString(1))) {
                throw MovedMarker.takenOver(location);
            }
        }
    }

    /** Deletes the few rows of tables that count as empty, inside the transaction that marks them. */
    private static void clear(Session session) throws SQLException {
        for (String sql : CopySql.CLEAR.values()) {
            session.get(sql).run();
        }
        session.get(CopySql.CLEAR_INPUTS).run();
        session.get(CopySql.CLEAR_DELTAS).run();
        session.get(CopySql.CLEAR_FAILURE_DELTAS).run();
        session.get(CopySql.CLEAR_WORKERS).run();
    }

    @Override
    public CopyReader read() {
        try {
            return Moves.keeping(database.borrowPatient(), open -> new Source(database.tables(), open));
        } catch (SQLException e) {
            throw PostgresErrors.translate(e, "reading " + location);
        }
    }

    /** Work in a transaction. */
    private interface Work<T> {
        T run() throws SQLException;
    }

    /** Runs the work in a separate transaction, whose commit need not be on disk before the last one is. */
    private <T> T transaction(String what, Work<T> work) {
        return guarded(what, () -> {
            session.get(CopySql.COMMIT_LATER).rows().close();
            requireOurs();
            T answer = work.run();
            session.commit();
            return answer;
        });
    }

    /** Runs the work without a time limit. Rolls back the open transaction if it fails. */
    private <T> T guarded(String what, Work<T> work) {
        boolean done = false;
        try {
            session.get(CheckSql.NO_DEADLINE)
                    .set(1, ExaminedTables.LOCK_WAIT)
                    .rows()
                    .close();
            T answer = work.run();
            done = true;
            return answer;
        } catch (SQLException e) {
            throw PostgresErrors.translate(e, what);
        } finally {
            if (!done) {
                session.rollback();
            }
        }
    }

    @Override
    public boolean takeCompared() {
        return transaction(
                "writing the table of migrations of " + location,
                () -> session.get(CopySql.REMOVE_COMPARED).update() == 1);
    }

    @Override
    public void markCompared() {
        int unused = transaction(
                "writing the table of migrations of " + location,
                () -> session.get(CopySql.SET_COMPARED).update());
    }

    @Override
    public @Nullable String storable(@Nullable String text) {
        return PostgresQuery.storable(text);
    }

    @Override
    public void write(CopyTable table, List<@Nullable Object[]> removed, List<@Nullable Object[]> added) {
        boolean unused = transaction("writing table %s of %s".formatted(table.table(), location), () -> {
            remove(table, removed);
            add(table, added);
            return true;
        });
    }

    private void remove(CopyTable table, List<@Nullable Object[]> rows) throws SQLException {
        for (@Nullable Object[] row : rows) {
            PostgresQuery remove = session.get(Objects.requireNonNull(CopySql.REMOVE.get(table)));
            for (int i = 0; i < table.keys().size(); i++) {
                if (row[i] instanceof Long number) {
                    remove.set(i + 1, number.longValue());
                } else {
                    remove.set(i + 1, String.valueOf(row[i]));
                }
            }
            remove.update();
            if (table == CopyTable.JOBS && row[0] instanceof Long id) {
                session.get(CopySql.REMOVE_INPUT).set(1, id.longValue()).update();
            } else if (table == CopyTable.BLOBS && row[0] instanceof Long id) {
                // No process finds the chunks any more without the row that names their job.
                session.get(CopySql.REMOVE_CHUNKS).set(1, id.longValue()).update();
            }
        }
    }

    private void add(CopyTable table, List<@Nullable Object[]> rows) throws SQLException {
        if (rows.isEmpty()) {
            return;
        }
        copyIn(Objects.requireNonNull(CopySql.ADD.get(table)), table, rows, CopySql.columns(table));
        if (table == CopyTable.JOBS) {
            List<CopyTable.Column> inputs = new ArrayList<>(table.columns().subList(0, 2));
            inputs.addAll(CopySql.inputs());
            copyIn(CopySql.ADD_INPUTS, table, rows, inputs);
        }
    }

    private void copyIn(String sql, CopyTable table, List<@Nullable Object[]> rows, List<CopyTable.Column> columns)
            throws SQLException {
        int[] places = columns.stream()
                .mapToInt(column -> table.columns().indexOf(column))
                .toArray();
        StringBuilder text = new StringBuilder();
        CopyIn copy = session.connection()
                .unwrap(PGConnection.class)
                .getCopyAPI()
                .copyIn(database.tables().text(sql).sql());
        try {
            for (@Nullable Object[] row : rows) {
                IntStream.range(0, places.length).forEach(i -> {
                    text.append(i == 0 ? "" : "\t");
                    append(text, row[places[i]], columns.get(i).kind());
                });
                text.append('\n');
                if (text.length() > 256 * 1024) {
                    send(copy, text);
                }
            }
            send(copy, text);
            copy.endCopy();
        } finally {
            if (copy.isActive()) {
                copy.cancelCopy();
            }
        }
    }

    private static void send(CopyIn copy, StringBuilder text) throws SQLException {
        byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
        copy.writeToCopy(bytes, 0, bytes.length);
        text.setLength(0);
    }

    /** Writes a value in the text format of {@code COPY}. */
    private static void append(StringBuilder out, @Nullable Object value, CopyTable.Kind kind) {
        if (value == null) {
            out.append("\\N");
        } else if (value instanceof byte[] bytes) {
            out.append("\\\\x");
            for (byte each : bytes) {
                out.append(HEX[(each >> 4) & 15]).append(HEX[each & 15]);
            }
        } else if (kind == CopyTable.Kind.FLAG) {
            out.append(value.equals(0L) ? 'f' : 't');
        } else if (kind == CopyTable.Kind.NUMBERS) {
            out.append(value.toString().replace('[', '{').replace(']', '}'));
        } else if (value instanceof String string) {
            for (int i = 0; i < string.length(); i++) {
                char c = string.charAt(i);
                switch (c) {
                    case '\\' -> out.append("\\\\");
                    case '\n' -> out.append("\\n");
                    case '\r' -> out.append("\\r");
                    case '\t' -> out.append("\\t");
                    default -> out.append(c);
                }
            }
        } else {
            out.append(value);
        }
    }

    @Override
    public void open(long nextNumber, long lastStamp) {
        boolean unused = guarded("opening the copy in " + location, () -> {
            requireOurs();
            session.get(CopySql.RAISE_NUMBERS).set(1, nextNumber).rows().close();
            for (String analyze : CopySql.ANALYZE.values()) {
                session.get(analyze).run();
            }
            session.get(CopySql.ANALYZE_INPUTS).run();
            session.commit();
            // This is the first commit that waits for the disk, and so for all commits before it.
            session.get(CopySql.COMMIT_NOW).rows().close();
            requireOurs();
            session.get(CopySql.REMOVE_MOVED_MARKER).run();
            session.commit();
            return true;
        });
    }

    @Override
    public void close() {
        session.close();
        log.trace("Closed the copy in {}", location);
    }

    @Override
    public String toString() {
        return location;
    }
}
