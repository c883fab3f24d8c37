package dev.windrow.postgres.schema;

import dev.windrow.IncompatibleStoreException;
import dev.windrow.StoreUnavailableException;
import dev.windrow.postgres.connection.Database;
import dev.windrow.postgres.connection.PostgresErrors;
import dev.windrow.postgres.connection.PostgresStatements;
import dev.windrow.postgres.connection.Session;
import dev.windrow.postgres.connection.Tables;
import dev.windrow.postgres.connection.UnfitServers;
import dev.windrow.postgres.transfer.CopySql;
import dev.windrow.store.SafeLogger;
import dev.windrow.store.sql.connection.Scripts;
import dev.windrow.store.sql.transfer.MovedMarker;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The migrations of the tables to the schema of this code. Each script runs in a transaction, under an advisory lock. If many processes open a store
 * at once, one of them migrates it. The server rolls back the script of a process that dies. A script has no time limit. But it waits at most 500 ms
 * for the lock of a table, because other transactions on the table would wait behind it. Then it rolls back and starts again. A script that consists
 * of {@code CREATE INDEX CONCURRENTLY} only runs outside of a transaction. It blocks no other transaction.
 */
public final class Migrations {
    /** The schema that this code writes. */
    public static final int CURRENT = 2;

    /** The script that makes the current schema where there is none. */
    private static final Script WHOLE = new Script("schema.sql", 1, () -> read("schema.sql"));

    /** The oldest server version that is tested. */
    private static final int OLDEST_SERVER = 14;

    /** A script to a schema, and the oldest code version that may use the tables after it. That version does not know the script. */
    record Script(String name, int minCompatible, Supplier<String> text) {}

    /** The scripts to the schemas from 2 on. */
    static final List<Script> SCRIPTS =
            List.of(new Script("002-told-events.sql", 2, () -> read("002-told-events.sql")));

    /** The most times that a script starts again because it could not get a lock. Each try costs the lock timeout and one pause. */
    private static final int TRIES = 120;

    private static final String TRY_LOCK = "SELECT pg_try_advisory_xact_lock(?)";
    /**
     * The first statement of a script's transaction. Its lock timeout is shorter than the time that transactions behind it in the queue of the lock
     * have.
     */
    private static final String BEGIN = """
            SELECT set_config('lock_timeout', '500ms', true), set_config('statement_timeout', '0', true),
                   set_config('idle_in_transaction_session_timeout', '0', true),
                   CASE WHEN current_setting('transaction_timeout', true) IS NOT NULL THEN set_config('transaction_timeout', '0', true) END
            """;
    /** The pause between two tries. It runs in the server, so that it ends with the connection. */
    private static final String PAUSE = "SELECT pg_sleep(0.25)";

    /** A query that finds an index whose build did not finish. Such an index is of no use. */
    private static final String IS_INVALID =
            "SELECT 1 FROM pg_index WHERE indexrelid = to_regclass(?) AND NOT indisvalid";

    private static final Pattern CONCURRENTLY =
            Pattern.compile("(CREATE (?:UNIQUE )?INDEX CONCURRENTLY) (windrow_\\w+) (ON .*)", Pattern.DOTALL);
    private static final String SCHEMA = "SELECT 1 FROM pg_namespace WHERE nspname = ?";
    private static final String EXISTS = "SELECT to_regclass('windrow_schema') IS NOT NULL";
    private static final String VERSION = "SELECT coalesce(max(version), 0) FROM windrow_schema";
    /** True for tables of version 1 that can be migrated. Earlier and later snapshots had others. */
    private static final String IS_FIRST = """
            SELECT to_regclass('windrow_throughput') IS NOT NULL AND to_regclass('windrow_jobs_failed_at') IS NOT NULL
               AND NOT EXISTS (SELECT 1 FROM pg_attribute WHERE attrelid = to_regclass('windrow_inputs') AND attname = 'created_by')
            """;

    private static final String MIN_COMPATIBLE =
            "SELECT min_compatible FROM windrow_schema ORDER BY version DESC LIMIT 1";
    private static final String IDENTITY = "SELECT store FROM windrow_schema WHERE version = 1";

    /** The table of applied scripts. It holds the id of the store, by which a process notices a connection to another store. */
    static final String CREATE_SCHEMA_TABLE = """
            CREATE TABLE windrow_schema (
              version        integer PRIMARY KEY,
              min_compatible integer NOT NULL,  -- the oldest code version that may use the tables
              name           text NOT NULL,
              applied_at     bigint NOT NULL,
              store          uuid NOT NULL DEFAULT gen_random_uuid()
            )
            """;

    private static final Logger log = SafeLogger.of(Migrations.class);

    private Migrations() {}

    /** Reads the moved marker of a store that has a schema; null if the store has none. */
    public static @Nullable MovedMarker marker(PostgresStatements statements) throws SQLException {
        return statements.get(CopySql.READ_MOVED_MARKER).find(row -> new MovedMarker(row.getString(1)));
    }

    public static void set(PostgresStatements statements, MovedMarker marker) throws SQLException {
        statements.get(CopySql.SET_MOVED_MARKER).set(1, marker.text()).run();
    }

    /** Applies the scripts that are missing. Returns the identity of the store. */
    public static String apply(Session session, Database database, String location) throws SQLException {
        Tables tables = database.tables();
        requireServer(session.connection(), location);
        if (version(session.connection(), tables) < CURRENT) {
            migrate(session, database, location, SCRIPTS);
        }
        MovedMarker marker = marker(session.statements());
        if (marker != null) {
            throw marker.refusal(location);
        }
        Connection connection = session.connection();
        if (minCompatible(connection, tables) > CURRENT) {
            throw tooNew(location, version(connection, tables));
        }
        String identity = Objects.requireNonNull(one(connection, tables.inSchema(IDENTITY)));
        session.commit();
        return identity;
    }

    private static void requireServer(Connection connection, String location) throws SQLException {
        UnfitServers.require(connection, location);
        int version = connection.getMetaData().getDatabaseMajorVersion();
        if (version < OLDEST_SERVER) {
            throw new IncompatibleStoreException(
                    "%s is served by PostgreSQL %d, but Windrow needs PostgreSQL %d or newer: upgrade the server"
                            .formatted(location, version, OLDEST_SERVER));
        }
    }

    /** Applies the scripts of this list that were not applied yet. */
    static void migrate(Session session, Database database, String location, List<Script> scripts) throws SQLException {
        int from = version(session.connection(), database.tables());
        boolean any = false;
        int tries = 0;
        boolean told = false;
        session.answersWithin(0);
        try {
            while (true) {
                session.rollback();
                Connection connection = session.connection();
                execute(connection, BEGIN);
                boolean mine = tryLock(connection, database.tables());
                int version = version(connection, database.tables());
                if (version > scripts.size()) {
                    break;
                }
                if (mine
                        && version == 1
                        && !"t".equals(one(connection, database.tables().inSchema(IS_FIRST)))) {
                    throw new IncompatibleStoreException(
                            "%s has the tables of a snapshot that cannot be migrated. Nothing was changed. Finish the jobs with that snapshot, or name another schema"
                                    .formatted(location));
                }
                if (mine
                        && run(
                                session,
                                database,
                                location,
                                version,
                                version == 0 ? WHOLE : scripts.get(version - 1),
                                tries)) {
                    any = true;
                    tries = 0;
                    continue;
                }
                tries += mine ? 1 : 0;
                if (!mine && !told) {
                    told = true;
                    log.info(
                            "Another process is migrating {}, which has schema {}: this process waits until it has finished",
                            location,
                            version);
                }
                pause(session, location);
            }
        } finally {
            session.rollback();
            session.answersInTime();
        }
        if (any) {
            log.info("Migrated {} from schema {} to {}", location, from, 1 + scripts.size());
        }
    }

    /** Applies one script. Returns false if it could not get a lock; then it has changed nothing. */
    private static boolean run(
            Session session, Database database, String location, int version, Script script, int tries)
            throws SQLException {
        try {
            apply(session.connection(), database, version, script);
            session.commit();
            return true;
        } catch (SQLException e) {
            session.rollback();
            if (!PostgresErrors.isLocked(e) || tries >= TRIES) {
                throw e;
            }
            if (tries == 0) {
                log.info(
                        "{}: the migration {} waits for other transactions on its tables and will be retried: {}",
                        location,
                        script.name,
                        PostgresErrors.message(e));
            }
            return false;
        }
    }

    private static boolean tryLock(Connection connection, Tables tables) throws SQLException {
        try (PreparedStatement lock = connection.prepareStatement(TRY_LOCK)) {
            lock.setLong(1, lock(tables));
            try (ResultSet row = lock.executeQuery()) {
                return row.next() && row.getBoolean(1);
            }
        }
    }

    /** Waits because another process migrates the store, or other transactions use the tables. */
    private static void pause(Session session, String location) throws SQLException {
        if (Thread.currentThread().isInterrupted()) {
            throw new StoreUnavailableException(
                    "opening " + location + " was interrupted while it waited to migrate it");
        }
        session.rollback();
        execute(session.connection(), PAUSE);
    }

    /** Applies a script to the tables of a version, 0 for none, in the open transaction, which has the advisory lock. */
    private static void apply(Connection connection, Database database, int version, Script script)
            throws SQLException {
        Tables tables = database.tables();
        List<String> statements = Scripts.statements(script.text.get());
        if (version == 0 && !schemaExists(connection, tables.schema())) {
            // The name is validated, because a statement cannot take it as a parameter.
            execute(connection, "CREATE SCHEMA \"" + tables.schema() + '"');
        }
        // An index is created in the schema of its table. The script names the schema of neither.
        execute(connection, "SET LOCAL search_path TO \"" + tables.schema() + '"');
        if (version == 0) {
            execute(connection, tables.unqualified(CREATE_SCHEMA_TABLE));
        }
        List<Matcher> indexes = statements.stream()
                .map(statement -> CONCURRENTLY.matcher(
                        statement.replaceAll("(?m)^--.*\n", "").strip()))
                .filter(Matcher::matches)
                .toList();
        if (indexes.isEmpty()) {
            for (String statement : statements) {
                execute(connection, tables.unqualified(statement));
            }
        } else if (indexes.size() == statements.size()) {
            build(database, indexes);
        } else {
            throw new IllegalStateException(script.name
                    + " creates indexes concurrently and has other statements: put them in separate scripts");
        }
        if (version > 0) {
            record(connection, tables, version + 1, script.minCompatible, script.name);
            return;
        }
        record(connection, tables, 1, script.minCompatible, script.name);
        for (Script contained : SCRIPTS) {
            record(connection, tables, 2 + SCRIPTS.indexOf(contained), contained.minCompatible, script.name);
        }
    }

    private static void record(Connection connection, Tables tables, int version, int minCompatible, String name)
            throws SQLException {
        execute(connection, tables.unqualified("""
                        INSERT INTO windrow_schema (version, min_compatible, name, applied_at)
                        VALUES (%d, %d, '%s', (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
                        """.formatted(version, minCompatible, name)));
    }

    /**
     * Builds indexes outside of a transaction, on another connection than the one with the advisory lock. First drops an index whose build a dead
     * process did not finish.
     */
    private static void build(Database database, List<Matcher> indexes) throws SQLException {
        Tables tables = database.tables();
        try (Session session = database.borrowPatient()) {
            Connection connection = session.connection();
            connection.setAutoCommit(true);
            try {
                for (Matcher index : indexes) {
                    String name = tables.inSchema(index.group(2));
                    if (isInvalid(connection, name)) {
                        execute(connection, "DROP INDEX CONCURRENTLY " + name);
                    }
                    execute(
                            connection,
                            index.group(1) + " IF NOT EXISTS " + tables.unqualified(index.group(2)) + ' '
                                    + tables.inSchema(index.group(3)));
                }
            } finally {
                connection.setAutoCommit(false);
            }
        }
    }

    private static boolean isInvalid(Connection connection, String index) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(IS_INVALID)) {
            query.setString(1, index);
            try (ResultSet row = query.executeQuery()) {
                return row.next();
            }
        }
    }

    private static boolean schemaExists(Connection connection, String schema) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(SCHEMA)) {
            query.setString(1, schema);
            try (ResultSet row = query.executeQuery()) {
                return row.next();
            }
        }
    }

    /** Returns the number of the advisory lock of a store's migrations. The following numbers are for other work that one process does at a time. */
    public static long lock(Tables tables) {
        return 0x77696e64_00000000L | (tables.channel().hashCode() & 0xffff_ffffL);
    }

    /** Reads the schema version of the tables; 0 if there are no tables. */
    public static int version(Connection connection, Tables tables) throws SQLException {
        if (!"t".equals(one(connection, tables.inSchema(EXISTS)))) {
            return 0;
        }
        return Integer.parseInt(Objects.requireNonNull(one(connection, tables.inSchema(VERSION))));
    }

    /** Reads the oldest code version that may use the tables. */
    public static int minCompatible(Connection connection, Tables tables) throws SQLException {
        return Integer.parseInt(Objects.requireNonNull(one(connection, tables.inSchema(MIN_COMPATIBLE))));
    }

    static IncompatibleStoreException tooNew(String location, int version) {
        return new IncompatibleStoreException(
                "%s has schema %d, which needs a newer Windrow: this one knows schema %d. Nothing was changed."
                        .formatted(location, version, CURRENT));
    }

    private static @Nullable String one(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            return row.next() ? row.getString(1) : null;
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static String read(String name) {
        String resource = "migrations/" + name;
        try (InputStream in = Migrations.class.getResourceAsStream(resource)) {
            return new String(Objects.requireNonNull(in, resource).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the exception of a start that finds no tables. */
    static StoreUnavailableException notThere(String location) {
        return new StoreUnavailableException("no queue exists in " + location);
    }
}
