package dev.windrow.sqlite.schema;

import dev.windrow.IncompatibleStoreException;
import dev.windrow.StoreUnavailableException;
import dev.windrow.sqlite.connection.LibraryGuard;
import dev.windrow.sqlite.connection.SqliteErrors;
import dev.windrow.sqlite.connection.SqliteFile;
import dev.windrow.sqlite.transfer.CopySql;
import dev.windrow.sqlite.writer.TransactionSql;
import dev.windrow.store.SafeLogger;
import dev.windrow.store.sql.connection.Scripts;
import dev.windrow.store.sql.transfer.MovedMarker;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** Migrates a file to this code's schema, under the write lock. If many processes open a file at once, one of them migrates it. */
public final class Migrations {
    /** The schema that this code writes. */
    public static final int CURRENT = 2;

    /** The script that makes the current schema in a new file. */
    private static final String WHOLE = "schema.sql";

    /** A script to the next schema, and the oldest code version that may use the file after it, although that code does not know the script. */
    record Script(String name, int minCompatible, Supplier<String> text) {}

    /** The scripts to the schemas from 2 on. */
    static final List<Script> SCRIPTS =
            List.of(new Script("002-told-events.sql", 2, () -> read("002-told-events.sql")));

    private static final Logger log = SafeLogger.of(Migrations.class);

    private Migrations() {}

    public static void apply(SqliteFile.Opened database, String location, long now) throws SQLException {
        apply(database, location, now, SCRIPTS);
    }

    /** Applies the scripts that were not applied yet. */
    public static void apply(SqliteFile.Opened database, String location, long now, List<Script> scripts)
            throws SQLException {
        int current = 1 + scripts.size();
        if (version(database, location) == current) {
            return;
        }
        database.execute(TransactionSql.BEGIN);
        boolean committed = false;
        try {
            int version = version(database, location);
            if (version < current) {
                if (version == 0) {
                    create(database, now);
                } else if (version == 1) {
                    requireFirst(database, location);
                }
                for (int next = version == 0 ? CURRENT + 1 : version + 1; next <= current; next++) {
                    Script script = scripts.get(next - 2);
                    run(database, script.text.get());
                    record(database, next, script.minCompatible, script.name, now);
                }
                log.info("Migrated {} from schema {} to {}", location, version, current);
            } else if (version > current) {
                refuse(database, location, version);
            }
            database.execute(TransactionSql.COMMIT);
            committed = true;
        } finally {
            if (!committed) {
                database.execute(TransactionSql.ROLLBACK);
            }
        }
    }

    /** True if a migration has been applied to the queue of a file. The file is opened as for an examination, so that nothing in it changes. */
    public static boolean areIn(SqliteFile file) {
        if (!Files.exists(file.path())) {
            return false;
        }
        file.checkReadable("opening " + file.location());
        LibraryGuard.check(file.realPath());
        try (SqliteFile.Opened database = file.openExaminer()) {
            return version(database, file.location()) != 0;
        } catch (SQLException e) {
            throw SqliteErrors.translate(e, "opening " + file.location());
        }
    }

    /**
     * Throws if this code cannot read a file in its present state. Nothing in the file changes.
     *
     * @throws IncompatibleStoreException if its schema is older or newer, or it was closed
     */
    public static void requireReadable(SqliteFile.Opened database, String location) throws SQLException {
        int version = version(database, location);
        if (version == 0) {
            throw new StoreUnavailableException("reading %s failed: no queue exists in it".formatted(location));
        }
        if (version < CURRENT) {
            throw new IncompatibleStoreException(
                    "%s has schema %d, and this Windrow reads schema %d. Nothing was changed. A worker of this version, or a command that changes something, migrates the file; if the file cannot be written, copy it to another folder first"
                            .formatted(location, version, CURRENT));
        }
        if (version > CURRENT) {
            refuse(database, location, version);
        }
    }

    /** Returns the schema of the file; 0 when it has none. */
    public static int version(SqliteFile.Opened database, String location) throws SQLException {
        String exists =
                database.query("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'windrow_schema'");
        if (exists.equals("0")) {
            return 0;
        }
        return Integer.parseInt(database.query("SELECT coalesce(max(version), 0) FROM windrow_schema"));
    }

    /** Returns the marker of a file that has a schema, or null. */
    public static @Nullable MovedMarker marker(SqliteFile.Opened database) throws SQLException {
        String text = database.query(CopySql.READ_MOVED_MARKER);
        return text.isEmpty() ? null : new MovedMarker(text);
    }

    public static void set(SqliteFile.Opened database, MovedMarker marker, long now) throws SQLException {
        try (PreparedStatement statement = database.prepare(CopySql.SET_MOVED_MARKER)) {
            statement.setString(1, marker.text());
            statement.setLong(2, now);
            statement.executeUpdate();
        }
    }

    /** Returns the schema of a file with a marker. The marker has a version number of its own. */
    public static int versionBehind(SqliteFile.Opened database) throws SQLException {
        return Integer.parseInt(database.query(
                "SELECT coalesce(max(version), 0) FROM windrow_schema WHERE version < " + MovedMarker.COMPARED));
    }

    /** Throws if the file has a marker, or a schema that needs newer code. A newer schema may allow older code. */
    private static void refuse(SqliteFile.Opened database, String location, int version) throws SQLException {
        MovedMarker marker = marker(database);
        if (marker != null) {
            throw marker.refusal(location);
        }
        if (minCompatible(database) > CURRENT) {
            throw tooNew(location, version);
        }
    }

    static IncompatibleStoreException tooNew(String location, int version) {
        return new IncompatibleStoreException(
                "%s has schema %d, which needs a newer Windrow: this one knows schema %d. Nothing was changed."
                        .formatted(location, version, CURRENT));
    }

    /** Returns the oldest code version that may use a file with a schema. */
    public static int minCompatible(SqliteFile.Opened database) throws SQLException {
        return Integer.parseInt(
                database.query("SELECT min_compatible FROM windrow_schema ORDER BY version DESC LIMIT 1"));
    }

    /** Throws if a file of version 1 is of an earlier or later snapshot than the one whose tables can be migrated. */
    private static void requireFirst(SqliteFile.Opened database, String location) throws SQLException {
        String expected = database.query("""
                SELECT (SELECT count(*) FROM sqlite_schema WHERE name IN ('windrow_throughput', 'windrow_jobs_failed_at')) = 2
                   AND NOT EXISTS (SELECT 1 FROM pragma_table_info('windrow_jobs') WHERE name = 'created_by')
                """);
        if (!expected.equals("1")) {
            throw new IncompatibleStoreException(
                    "%s has the tables of a snapshot that cannot be migrated. Nothing was changed. Finish the jobs with that snapshot, or name another file"
                            .formatted(location));
        }
    }

    private static void create(SqliteFile.Opened database, long now) throws SQLException {
        database.execute("""
                CREATE TABLE windrow_schema (
                  version        INTEGER PRIMARY KEY,
                  min_compatible INTEGER NOT NULL,  -- the oldest code version that may use the file
                  name           TEXT NOT NULL,
                  applied_at     INTEGER NOT NULL
                ) STRICT
                """);
        run(database, read(WHOLE));
        record(database, 1, 1, WHOLE, now);
        for (Script script : SCRIPTS) {
            record(database, 2 + SCRIPTS.indexOf(script), script.minCompatible, WHOLE, now);
        }
    }

    private static void run(SqliteFile.Opened database, String script) throws SQLException {
        for (String statement : Scripts.statements(script)) {
            database.execute(statement);
        }
    }

    private static void record(SqliteFile.Opened database, int version, int minCompatible, String name, long now)
            throws SQLException {
        database.execute(
                "INSERT INTO windrow_schema (version, min_compatible, name, applied_at) VALUES (%d, %d, '%s', %d)"
                        .formatted(version, minCompatible, name, now));
    }

    private static String read(String name) {
        String resource = "migrations/" + name;
        try (InputStream in = Migrations.class.getResourceAsStream(resource)) {
            return new String(Objects.requireNonNull(in, resource).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
