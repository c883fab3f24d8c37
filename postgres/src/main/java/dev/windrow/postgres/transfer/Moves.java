package dev.windrow.postgres.transfer;

import dev.windrow.TimeSource;
import dev.windrow.postgres.connection.Database;
import dev.windrow.postgres.connection.PostgresErrors;
import dev.windrow.postgres.connection.Session;
import dev.windrow.postgres.schema.Migrations;
import dev.windrow.postgres.schema.SchemaSql;
import dev.windrow.postgres.writer.TransactionSql;
import dev.windrow.store.sql.transfer.MovedMarker;
import dev.windrow.store.transfer.CopyPlace;
import dev.windrow.store.transfer.CopySink;
import dev.windrow.store.transfer.CopySource;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The operations of a move of a queue, or of a copy, on a store that was not started. */
public final class Moves implements CopyPlace {
    private final Database database;
    private final String location;

    public Moves(Database database, String location) {
        this.database = database;
        this.location = location;
    }

    /** Work on a connection. */
    interface Work<T> {
        T run(Session session) throws SQLException;
    }

    /** Runs the work. Closes the session if it fails. */
    static <T> T keeping(Session session, Work<T> work) throws SQLException {
        boolean done = false;
        try {
            T answer = work.run(session);
            done = true;
            return answer;
        } finally {
            if (!done) {
                session.close();
            }
        }
    }

    /** Runs the work in a transaction. */
    private <T> T once(Work<T> work) {
        try (Session session = database.borrowOnce()) {
            T answer = work.run(session);
            session.commit();
            return answer;
        } catch (SQLException e) {
            throw PostgresErrors.translate(e, "opening " + location);
        }
    }

    private boolean isThere(Session session) throws SQLException {
        return Migrations.version(session.connection(), database.tables()) != 0;
    }

    private void requireQueue(Session session) throws SQLException {
        if (!isThere(session)) {
            throw MovedMarker.noQueue(location);
        }
    }

    @Override
    public Optional<String> identity() {
        return once(session -> {
            if (!isThere(session)) {
                return Optional.empty();
            }
            try (ResultSet row = session.get(SchemaSql.STORE).rows()) {
                row.next();
                return Optional.of(row.getString(1));
            }
        });
    }

    @Override
    public List<String> aliveWorkers(TimeSource time) {
        return once(session -> {
            if (!isThere(session)) {
                return List.of();
            }
            return aliveWorkers(
                    session,
                    time.equals(TimeSource.system())
                            ? session.get(TransactionSql.NOW).one()
                            : time.now().toEpochMilli());
        });
    }

    static List<String> aliveWorkers(Session session, long now) throws SQLException {
        return session.get(CopySql.ALIVE_WORKERS).set(1, now).list(rows -> rows.getString(1));
    }

    @Override
    public Optional<String> movedTo() {
        return once(session -> {
            MovedMarker marker = isThere(session) ? Migrations.marker(session.statements()) : null;
            return Optional.ofNullable(marker == null ? null : marker.destination());
        });
    }

    /** Migrates the tables to this code's schema, unless they are sealed. Refuses tables that hold a copy. Returns their marker. */
    private @Nullable MovedMarker upToDate(Session session) throws SQLException {
        requireQueue(session);
        MovedMarker marker = Migrations.marker(session.statements());
        if (MovedMarker.wasMoved(marker, location)) {
            MovedMarker.requireClosedWith(
                    Migrations.CURRENT,
                    session.get(CopySql.VERSION_BEHIND_MARKER).one(),
                    location);
        } else {
            Migrations.apply(session, database, location);
        }
        return marker;
    }

    @Override
    public CopySource copySource() {
        try {
            Session session = database.borrowPatient();
            return keeping(session, open -> {
                upToDate(open);
                open.commit();
                return new Source(database.tables(), open);
            });
        } catch (SQLException e) {
            throw PostgresErrors.translate(e, "reading " + location);
        }
    }

    @Override
    public void shut(String destination) {
        boolean unused = once(session -> {
            if (MovedMarker.closes(upToDate(session), location, destination)) {
                session.get(CopySql.BOUND_WAITS).rows().close();
                session.get(CopySql.LOCK).run();
                session.get(CopySql.REFUSAL).run();
                for (String sql : CopySql.REFUSE_WRITING) {
                    session.get(sql).run();
                }
                Migrations.set(session.statements(), MovedMarker.movedTo(destination));
                session.get(CopySql.COMMIT_NOW).rows().close();
            }
            return true;
        });
    }

    @Override
    public boolean reopen() {
        return once(session -> {
            requireQueue(session);
            boolean moved = MovedMarker.wasMoved(Migrations.marker(session.statements()), location);
            if (moved) {
                session.get(CopySql.BOUND_WAITS).rows().close();
                session.get(CopySql.ALLOW_WRITING).run();
                session.get(CopySql.REMOVE_MOVED_MARKER).run();
                session.get(CopySql.COMMIT_NOW).rows().close();
            }
            return moved;
        });
    }

    @Override
    public CopySink copySink(String origin, boolean resume) {
        try {
            return keeping(database.borrowPatient(), session -> {
                CopySink sink = begin(session, origin, resume);
                session.commit();
                return sink;
            });
        } catch (SQLException e) {
            throw PostgresErrors.translate(e, "opening " + location);
        }
    }

    private CopySink begin(Session session, String origin, boolean resume) throws SQLException {
        MovedMarker wanted = MovedMarker.copyOf(origin);
        MovedMarker marker = isThere(session) ? Migrations.marker(session.statements()) : null;
        if (MovedMarker.resumes(marker, location, origin, resume)) {
            MovedMarker.requireBegunWith(
                    Migrations.CURRENT,
                    session.get(CopySql.VERSION_BEHIND_MARKER).one(),
                    location);
            return Sink.resume(database, session, location, wanted);
        }
        Migrations.apply(session, database, location);
        return Sink.begin(database, session, location, wanted);
    }
}
