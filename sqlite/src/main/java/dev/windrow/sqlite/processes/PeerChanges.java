package dev.windrow.sqlite.processes;

import dev.windrow.IncompatibleStoreException;
import dev.windrow.sqlite.connection.SqliteFile;
import dev.windrow.sqlite.connection.SqliteStatements;
import dev.windrow.sqlite.job.JobSql;
import dev.windrow.sqlite.schedule.ScheduleSql;
import dev.windrow.sqlite.schema.Migrations;
import dev.windrow.sqlite.schema.SchemaSql;
import dev.windrow.sqlite.step.StepSql;
import dev.windrow.sqlite.writer.Names;
import dev.windrow.sqlite.writer.TransactionSql;
import dev.windrow.store.SafeLogger;
import dev.windrow.store.StoreHints;
import dev.windrow.store.job.LeaseToken;
import dev.windrow.store.sql.transfer.MovedMarker;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Notifies this process's workers of commits by other processes that concern them: ready jobs, due times, requests to cancel. It only reads, and only
 * when a transaction was committed since the last query. Used by the notifier's thread only.
 */
public final class PeerChanges implements AutoCloseable {
    private static final Logger log = SafeLogger.of(PeerChanges.class);

    private final SqliteFile file;
    private final Names names;
    private final StoreHints hints;
    private final Incompatible incompatible;
    private SqliteFile.@Nullable Opened database;
    private @Nullable SqliteStatements statements;
    private long lastVersion = -1;
    /**
     * True if a running job has a request to cancel. A request may come before its holder in this process knows that it holds the job. So the hint is
     * repeated until no running job has a request.
     */
    private boolean cancelling;

    /**
     * The time at which the next schedule was due at the last query. It is sent once, because a schedule may be due for long and notifications may be
     * frequent.
     */
    private @Nullable Long lastSchedule;

    /** The number of superseded jobs at the last query. The first query sends a hint for earlier ones once more. */
    private long lastSuperseded;

    /** The result of a read. The hints are sent when the read has ended. */
    private record Found(
            List<Names.Lane> ready,
            @Nullable Long due,
            List<LeaseToken> cancelled,
            @Nullable Long waitEnds,
            @Nullable Long scheduleDue,
            boolean superseded) {}

    /** A callback for a database that this code may no longer use, because it was migrated or is another file. */
    public interface Incompatible {
        void found(IncompatibleStoreException why);
    }

    public PeerChanges(SqliteFile file, Names names, StoreHints hints, Incompatible incompatible) {
        this.incompatible = incompatible;
        this.file = file;
        this.names = names;
        this.hints = hints;
    }

    /** True if the next query is useful even if nothing is committed until then. */
    boolean tellsAgain() {
        return cancelling;
    }

    void look() throws SQLException {
        try {
            file.requireSame();
        } catch (IncompatibleStoreException e) {
            incompatible.found(e);
            return;
        }
        boolean done = false;
        Found found;
        try {
            found = read(connected());
            done = true;
        } finally {
            if (!done) {
                close();
            }
        }
        if (found != null) {
            found.ready.forEach(lane -> hints.ready(lane.queue(), lane.type()));
            if (found.due != null) {
                hints.due(found.due);
            }
            found.cancelled.forEach(hints::cancelRequested);
            if (found.waitEnds != null) {
                hints.waitEnds(found.waitEnds);
            }
            if (found.scheduleDue != null) {
                hints.scheduleDue(found.scheduleDue);
            }
            if (found.superseded) {
                hints.superseded(null);
            }
        }
    }

    private SqliteStatements connected() throws SQLException {
        SqliteStatements open = statements;
        if (open == null) {
            database = file.openReader();
            open = database.statements();
            statements = open;
        }
        return open;
    }

    private IncompatibleStoreException tooNew(int version) {
        return new IncompatibleStoreException(
                version == MovedMarker.VERSION
                        ? closed()
                        : "%s was migrated to a schema that needs a newer Windrow (schema %d; this one knows %d): nothing more is written; stop this process and start the newer version"
                                .formatted(file.location(), version, Migrations.CURRENT));
    }

    /** Returns the explanation of the moved marker that the file has now, if it can be read. */
    private String closed() {
        try (SqliteFile.Opened now = file.openReader()) {
            MovedMarker marker = Migrations.marker(now);
            return marker == null
                    ? file.location() + " was closed, and opened again"
                    : marker.explanation(file.location());
        } catch (SQLException e) {
            return file.location() + " was closed";
        }
    }

    /** Queries the database once. Null when nothing was committed since the last query and no hint has to be repeated. */
    private @Nullable Found read(SqliteStatements statements) throws SQLException {
        long version = statements.get(SchemaSql.DATA_VERSION).one();
        if (version == lastVersion && !cancelling) {
            return null;
        }
        statements.run(TransactionSql.BEGIN_READ);
        try {
            int minCompatible =
                    Math.toIntExact(statements.get(SchemaSql.MIN_COMPATIBLE).one());
            if (minCompatible > Migrations.CURRENT) {
                incompatible.found(tooNew(minCompatible));
            }
            names.refresh(statements);
            List<Names.Lane> ready = new ArrayList<>();
            try (ResultSet rows =
                    statements.get(JobSql.READY_LANES).set(1, Long.MIN_VALUE).rows()) {
                while (rows.next()) {
                    Names.Lane lane = names.lane(rows.getLong(1));
                    if (lane != null) {
                        ready.add(lane);
                    }
                }
            }
            Long due = statements.get(JobSql.NEXT_DUE).oneOrNull();
            List<LeaseToken> cancelled = statements
                    .get(JobSql.CANCEL_REQUESTS)
                    .list(rows -> new LeaseToken(rows.getLong(1), rows.getLong(2)));
            lastVersion = version;
            cancelling = !cancelled.isEmpty();
            Long wait = statements.get(StepSql.NEXT_WAIT).oneOrNull();
            Long next = statements
                    .get(ScheduleSql.NEXT_SCHEDULE)
                    .set(1, Long.MIN_VALUE)
                    .oneOrNull();
            Long schedule = Objects.equals(next, lastSchedule) ? null : next;
            lastSchedule = next;
            long superseded = statements.get(JobSql.SUPERSEDED).one();
            boolean more = superseded != lastSuperseded;
            lastSuperseded = superseded;
            return new Found(
                    /* ready= */ ready,
                    /* due= */ due,
                    /* cancelled= */ cancelled,
                    /* waitEnds= */ wait,
                    /* scheduleDue= */ schedule,
                    /* superseded= */ more);
        } finally {
            statements.run(TransactionSql.COMMIT);
        }
    }

    @Override
    public void close() {
        try {
            if (statements != null) {
                statements.close();
            }
            if (database != null) {
                database.close();
            }
        } catch (SQLException e) {
            log.warn(
                    "A read connection could not be closed, and stays open until the process ends: {}", e.getMessage());
        }
        statements = null;
        database = null;
        lastVersion = -1;
    }
}
