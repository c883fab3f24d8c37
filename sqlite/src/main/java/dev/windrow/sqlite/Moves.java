package dev.windrow.sqlite;

import dev.windrow.StoreUnavailableException;
import dev.windrow.TimeSource;
import dev.windrow.WindrowException;
import dev.windrow.store.CopySink;
import dev.windrow.store.CopySource;
import dev.windrow.store.sql.Mark;
import java.nio.file.Files;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a move of the queue to another store, or from one, asks of a file that was not started. */
final class Moves {
    private final SqliteFile file;

    Moves(SqliteFile file) {
        this.file = file;
    }

    private String location() {
        return file.path().toString();
    }

    /** Something that is done with a connection. */
    private interface Work<T> {
        T run(SqliteFile.Opened database) throws SQLException;
    }

    /** With a connection that may not write; answers nothing if there is no queue. */
    private <T> Optional<T> look(Work<T> work) {
        if (!Files.exists(file.path()) || !Migrations.areIn(file)) {
            return Optional.empty();
        }
        try (SqliteFile.Opened database = file.openExaminer()) {
            return Optional.of(work.run(database));
        } catch (SQLException e) {
            throw SqliteErrors.translate(e, "reading " + file.path());
        }
    }

    private <T> T write(Work<T> work) {
        Copies.check(file.checkPlace());
        SqliteFile.Opened database = file.openWriter();
        try {
            return work.run(database);
        } catch (SQLException e) {
            throw closed(database, SqliteErrors.translate(e, "opening " + file.path()));
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

    Optional<String> identity() {
        return look(database -> file.realPath().toString());
    }

    List<String> aliveWorkers(TimeSource time) {
        return look(database -> aliveWorkers(database, time.now().toEpochMilli()))
                .orElse(List.of());
    }

    static List<String> aliveWorkers(SqliteFile.Opened database, long now) throws SQLException {
        List<String> names = new ArrayList<>();
        try (PreparedStatement query = database.connection().prepareStatement(CopySql.ALIVE_WORKERS)) {
            query.setLong(1, now);
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    names.add(rows.getString(1));
                }
            }
        }
        return List.copyOf(names);
    }

    Optional<String> movedTo() {
        return look(database -> {
                    Mark mark = Migrations.mark(database);
                    return Optional.ofNullable(mark == null ? null : mark.destination());
                })
                .flatMap(place -> place);
    }

    private void requireQueue() {
        if (!Files.exists(file.path()) || !Migrations.areIn(file)) {
            throw new StoreUnavailableException("there is no queue in " + location());
        }
    }

    /** Brings a file to this code's schema, unless it is shut; refuses one that holds a copy. Answers its mark. */
    private @Nullable Mark upToDate(SqliteFile.Opened database) throws SQLException {
        Mark mark = Migrations.mark(database);
        if (mark == null) {
            Migrations.apply(database, location(), TimeSource.system().now().toEpochMilli());
        } else if (!mark.isMove()) {
            throw mark.refusal(location());
        } else if (Migrations.versionBehind(database) != Migrations.CURRENT) {
            throw Mark.closedBehind(location(), Migrations.versionBehind(database), Migrations.CURRENT);
        }
        return mark;
    }

    CopySource source() {
        requireQueue();
        write(database -> {
            upToDate(database);
            database.close();
            return true;
        });
        try {
            SqliteFile.Opened database = file.openExaminer();
            try {
                return new Source(file, database);
            } catch (SQLException e) {
                database.close();
                throw e;
            }
        } catch (SQLException e) {
            throw SqliteErrors.translate(e, "reading " + file.path());
        }
    }

    void shut(String destination) {
        requireQueue();
        write(database -> {
            Mark mark = upToDate(database);
            if (mark == null) {
                database.execute(Sql.BEGIN);
                for (String sql : CopySql.REFUSE_WRITING) {
                    database.execute(sql);
                }
                Migrations.set(
                        database,
                        Mark.movedTo(destination),
                        TimeSource.system().now().toEpochMilli());
                database.execute(Sql.COMMIT);
            } else if (!destination.equals(mark.destination())) {
                throw mark.movedElsewhere(location(), destination);
            }
            database.close();
            return true;
        });
    }

    boolean reopen() {
        requireQueue();
        return write(database -> {
            Mark mark = Migrations.mark(database);
            if (mark != null && !mark.isMove()) {
                throw mark.refusal(location());
            }
            if (mark != null) {
                database.execute(Sql.BEGIN);
                for (String sql : CopySql.ALLOW_WRITING) {
                    database.execute(sql);
                }
                database.execute(CopySql.REMOVE_MARK);
                database.execute(Sql.COMMIT);
            }
            database.close();
            return mark != null;
        });
    }

    CopySink sink(String origin, boolean resume) {
        return write(database -> {
            long now = TimeSource.system().now().toEpochMilli();
            Mark wanted = Mark.copyOf(origin);
            Mark mark = Migrations.version(database) == 0 ? null : Migrations.mark(database);
            if (mark != null) {
                if (mark.isMove() || !resume) {
                    throw mark.refusal(location());
                }
                if (!mark.equals(wanted)) {
                    throw new WindrowException("%s holds a %s that is not finished, and cannot go on with one of %s"
                            .formatted(location(), mark.text(), origin));
                }
                return Sink.resume(file, database, wanted, now);
            }
            if (resume) {
                throw new WindrowException(
                        "there is no unfinished copy in %s: nothing to resume".formatted(location()));
            }
            Migrations.apply(database, location(), now);
            return Sink.begin(file, database, wanted, now);
        });
    }
}
