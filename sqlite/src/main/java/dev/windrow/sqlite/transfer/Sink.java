package dev.windrow.sqlite.transfer;

import dev.windrow.WindrowException;
import dev.windrow.sqlite.connection.SqliteErrors;
import dev.windrow.sqlite.connection.SqliteFile;
import dev.windrow.sqlite.connection.SqliteStatements;
import dev.windrow.sqlite.schema.Migrations;
import dev.windrow.sqlite.writer.TransactionSql;
import dev.windrow.store.SafeLogger;
import dev.windrow.store.sql.connection.Query;
import dev.windrow.store.sql.transfer.MovedMarker;
import dev.windrow.store.transfer.CopyReader;
import dev.windrow.store.transfer.CopySink;
import dev.windrow.store.transfer.CopyTable;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Fills a file that has the marker of a copy, so that no other process uses it. Rows come table by table, so references are checked once, at the end.
 * A transaction need not be on disk before the last one is. Only their order is kept.
 */
final class Sink implements CopySink {
    private static final Logger log = SafeLogger.of(Sink.class);

    private final SqliteFile file;
    private final SqliteFile.Opened database;
    private final SqliteStatements statements;
    private final String filling;

    private Sink(SqliteFile file, SqliteFile.Opened database, MovedMarker marker) throws SQLException {
        this.file = file;
        this.database = database;
        this.filling = "%s, by %s".formatted(marker.text(), UUID.randomUUID());
        this.statements = database.statements();
        database.execute("PRAGMA foreign_keys = OFF");
        database.execute("PRAGMA synchronous = NORMAL");
    }

    /** Marks an empty file, and deletes the few rows in it, in one transaction. */
    static Sink begin(SqliteFile file, SqliteFile.Opened database, MovedMarker marker, long now) throws SQLException {
        Sink sink = new Sink(file, database, marker);
        SqliteStatements statements = sink.statements;
        transaction(statements, () -> {
            MovedMarker.requireNone(Migrations.marker(database), sink.toString());
            MovedMarker.requireEmpty(
                    sink.toString(), statements.get(CopySql.IS_USED).one() != 0, Moves.aliveWorkers(database, now));
            for (String sql : CopySql.CLEAR.values()) {
                statements.run(sql);
            }
            statements.run(CopySql.CLEAR_PAYLOADS);
            statements.run(CopySql.CLEAR_WORKERS);
            Migrations.set(database, marker, now);
            sink.takeOver(now);
        });
        return sink;
    }

    /** Continues with a file that has the marker. A process that filled the file until now can write nothing more. */
    static Sink resume(SqliteFile file, SqliteFile.Opened database, MovedMarker marker, long now) throws SQLException {
        Sink sink = new Sink(file, database, marker);
        transaction(sink.statements, () -> {
            marker.requireSame(Migrations.marker(database), sink.toString());
            sink.takeOver(now);
        });
        return sink;
    }

    private void takeOver(long now) throws SQLException {
        Query set = statements.get(CopySql.SET_FILLING);
        set.set(1, filling).set(2, now).update();
    }

    /** Throws if another process fills the file now. Two processes would mix their rows, so the first one has to notice before it writes. */
    private void requireOurs() throws SQLException {
        if (!filling.equals(database.query(CopySql.READ_FILLING))) {
            throw MovedMarker.takenOver(toString());
        }
    }

    /** The statements of a transaction. */
    private interface Work {
        void run() throws SQLException;
    }

    private void transaction(String what, Work work) {
        try {
            transaction(statements, () -> {
                requireOurs();
                work.run();
            });
        } catch (SQLException e) {
            throw SqliteErrors.translate(e, what);
        }
    }

    private static void transaction(SqliteStatements statements, Work work) throws SQLException {
        statements.run(TransactionSql.BEGIN);
        boolean done = false;
        try {
            work.run();
            statements.run(TransactionSql.COMMIT);
            done = true;
        } finally {
            if (!done) {
                // After some errors SQLite has rolled back by itself.
                try {
                    statements.run(TransactionSql.ROLLBACK);
                } catch (SQLException e) {
                    log.debug("Ending a transaction that has failed: {}", e.getMessage());
                }
            }
        }
    }

    @Override
    public CopyReader read() {
        try {
            return Source.of(file, file.openReader());
        } catch (SQLException e) {
            throw SqliteErrors.translate(e, "opening " + file.location());
        }
    }

    @Override
    public boolean takeCompared() {
        boolean[] compared = new boolean[1];
        transaction(
                "writing " + this,
                () -> compared[0] = statements.get(CopySql.REMOVE_COMPARED).update() == 1);
        return compared[0];
    }

    @Override
    public void markCompared() {
        transaction("writing " + this, () -> statements.run(CopySql.SET_COMPARED));
    }

    @Override
    public void write(CopyTable table, List<@Nullable Object[]> removed, List<@Nullable Object[]> added) {
        transaction("writing table %s of %s".formatted(table.table(), this), () -> {
            remove(table, removed);
            add(table, added);
        });
    }

    private void remove(CopyTable table, List<@Nullable Object[]> rows) throws SQLException {
        if (rows.isEmpty()) {
            return;
        }
        Query remove = statements.get(Objects.requireNonNull(CopySql.REMOVE.get(table)));
        for (@Nullable Object[] row : rows) {
            for (int i = 0; i < table.keys().size(); i++) {
                remove.value(i + 1, row[i]);
            }
            remove.add();
        }
        remove.batch();
        if (table == CopyTable.JOBS || table == CopyTable.BLOBS) {
            // No reader finds chunks without the row that names their job.
            Query parts = statements.get(table == CopyTable.JOBS ? CopySql.REMOVE_PAYLOAD : CopySql.REMOVE_CHUNKS);
            for (@Nullable Object[] row : rows) {
                parts.value(1, row[0]).add();
            }
            parts.batch();
        }
    }

    private void add(CopyTable table, List<@Nullable Object[]> rows) throws SQLException {
        if (rows.isEmpty()) {
            return;
        }
        Query add = statements.get(Objects.requireNonNull(CopySql.ADD.get(table)));
        int columns = CopySql.columns(table).size();
        for (@Nullable Object[] row : rows) {
            for (int i = 0; i < columns; i++) {
                add.value(i + 1, row[i]);
            }
            add.add();
        }
        add.batch();
        if (table == CopyTable.JOBS) {
            Query payload = statements.get(CopySql.ADD_PAYLOAD);
            for (@Nullable Object[] row : rows) {
                // The last column of jobs.
                if (row[columns] != null) {
                    payload.value(1, row[0]).value(2, row[columns]).add();
                }
            }
            payload.batch();
        }
    }

    @Override
    public void open(long nextNumber, long lastStamp) {
        try {
            String orphan = database.query(CopySql.FOREIGN_KEYS);
            if (!orphan.isEmpty()) {
                throw new WindrowException(
                        "the copy has rows of %s that refer to missing rows, as in the source: examine the source with 'doctor'; the copy stays closed"
                                .formatted(orphan));
            }
            // This is the first commit that waits for the disk, also for all commits before it.
            database.execute("PRAGMA synchronous = FULL");
            transaction("opening the copy in " + this, () -> {
                statements.run(CopySql.NUMBER_PERMITS);
                statements
                        .get(CopySql.RAISE_NUMBERS)
                        .set(1, nextNumber)
                        .set(2, lastStamp)
                        .update();
                statements.run(CopySql.REMOVE_MOVED_MARKER);
            });
            boolean unused = database.truncateLog();
        } catch (SQLException e) {
            throw SqliteErrors.translate(e, "opening the copy in " + file.location());
        }
    }

    @Override
    public void close() {
        try {
            statements.close();
            database.close();
        } catch (SQLException e) {
            log.debug("Closing a copy: {}", e.getMessage());
        }
    }

    @Override
    public String toString() {
        return file.location();
    }
}
