package dev.windrow.sqlite.transfer;

import dev.windrow.TimeSource;
import dev.windrow.sqlite.connection.LibraryGuard;
import dev.windrow.sqlite.connection.SqliteErrors;
import dev.windrow.sqlite.connection.SqliteFile;
import dev.windrow.sqlite.connection.SqliteStatements;
import dev.windrow.sqlite.schema.Migrations;
import dev.windrow.sqlite.writer.TransactionSql;
import dev.windrow.store.sql.transfer.MovedMarker;
import dev.windrow.store.transfer.CopyPlace;
import dev.windrow.store.transfer.CopySink;
import dev.windrow.store.transfer.CopySource;
import java.nio.file.Files;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The operations of a move of the queue to or from another store, on a file whose store was not started. */
public final class Moves implements CopyPlace {
    private final SqliteFile file;
    private final Runnable requireWritable;

    /**
     * Makes the operations on a file.
     *
     * @param requireWritable throws if the store is read-only
     */
    public Moves(SqliteFile file, Runnable requireWritable) {
        this.file = file;
        this.requireWritable = requireWritable;
    }

    private String location() {
        return file.location();
    }

    /** An operation with a connection. */
    private interface Work<T> {
        T run(SqliteFile.Opened database) throws SQLException;
    }

    /** Runs an operation with a connection that may not write. Returns empty if the file has no queue. */
    private <T> Optional<T> look(Work<T> work) {
        if (!Files.exists(file.path()) || !Migrations.areIn(file)) {
            return Optional.empty();
        }
        try (SqliteFile.Opened database = file.openExaminer()) {
            return Optional.of(work.run(database));
        } catch (SQLException e) {
            throw SqliteErrors.translate(e, "reading " + file.location());
        }
    }

    private <T> T write(Work<T> work) {
        LibraryGuard.check(file.checkPlace());
        SqliteFile.Opened database = file.openWriter();
        try {
            return work.run(database);
        } catch (SQLException e) {
            throw closed(database, SqliteErrors.translate(e, "opening " + file.location()));
        } catch (RuntimeException e) {
            throw closed(database, e);
        }
    }

    private static <E extends RuntimeException> E closed(SqliteFile.Opened database, E e) {
        try {
            database.close();
        } catch (SQLException closing) {
            e.addSuppressed(closing);
        }
        return e;
    }

    @Override
    public Optional<String> identity() {
        return look(database -> file.realPath() + file.tables().suffix());
    }

    @Override
    public List<String> aliveWorkers(TimeSource time) {
        return look(database -> aliveWorkers(database, time.now().toEpochMilli()))
                .orElse(List.of());
    }

    static List<String> aliveWorkers(SqliteFile.Opened database, long now) throws SQLException {
        try (SqliteStatements statements = database.statements()) {
            return statements.get(CopySql.ALIVE_WORKERS).set(1, now).list(row -> row.getString(1));
        }
    }

    @Override
    public Optional<String> movedTo() {
        return look(database -> {
                    MovedMarker marker = Migrations.marker(database);
                    return Optional.ofNullable(marker == null ? null : marker.destination());
                })
                .flatMap(place -> place);
    }

    private void requireQueue() {
        if (!Files.exists(file.path()) || !Migrations.areIn(file)) {
            throw MovedMarker.noQueue(location());
        }
    }

    /** Migrates a file to this code's schema, unless the file was closed by a move. Throws if it holds an unfinished copy. Returns its marker. */
    private @Nullable MovedMarker upToDate(SqliteFile.Opened database) throws SQLException {
        MovedMarker marker = Migrations.marker(database);
        if (MovedMarker.wasMoved(marker, location())) {
            MovedMarker.requireClosedWith(Migrations.CURRENT, Migrations.versionBehind(database), location());
        } else {
            Migrations.apply(database, location(), TimeSource.system().now().toEpochMilli());
        }
        return marker;
    }

    @Override
    public CopySource copySource() {
        requireWritable.run(); // the file is migrated first
        requireQueue();
        write(database -> {
            upToDate(database);
            database.close();
            return true;
        });
        try {
            return Source.of(file, file.openExaminer());
        } catch (SQLException e) {
            throw SqliteErrors.translate(e, "reading " + file.location());
        }
    }

    @Override
    public void shut(String destination) {
        requireWritable.run();
        requireQueue();
        write(database -> {
            if (MovedMarker.closes(upToDate(database), location(), destination)) {
                database.execute(TransactionSql.BEGIN);
                for (String sql : CopySql.REFUSE_WRITING) {
                    database.execute(sql);
                }
                Migrations.set(
                        database,
                        MovedMarker.movedTo(destination),
                        TimeSource.system().now().toEpochMilli());
                database.execute(TransactionSql.COMMIT);
            }
            database.close();
            return true;
        });
    }

    @Override
    public boolean reopen() {
        requireWritable.run();
        requireQueue();
        return write(database -> {
            boolean moved = MovedMarker.wasMoved(Migrations.marker(database), location());
            if (moved) {
                database.execute(TransactionSql.BEGIN);
                for (String sql : CopySql.ALLOW_WRITING) {
                    database.execute(sql);
                }
                database.execute(CopySql.REMOVE_MOVED_MARKER);
                database.execute(TransactionSql.COMMIT);
            }
            database.close();
            return moved;
        });
    }

    @Override
    public CopySink copySink(String origin, boolean resume) {
        requireWritable.run();
        return write(database -> {
            long now = TimeSource.system().now().toEpochMilli();
            MovedMarker wanted = MovedMarker.copyOf(origin);
            MovedMarker marker = Migrations.version(database, location()) == 0 ? null : Migrations.marker(database);
            if (MovedMarker.resumes(marker, location(), origin, resume)) {
                MovedMarker.requireBegunWith(Migrations.CURRENT, Migrations.versionBehind(database), location());
                return Sink.resume(file, database, wanted, now);
            }
            Migrations.apply(database, location(), now);
            return Sink.begin(file, database, wanted, now);
        });
    }
}
