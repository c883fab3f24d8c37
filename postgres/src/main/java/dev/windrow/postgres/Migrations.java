package dev.windrow.postgres;

import dev.windrow.IncompatibleStoreException;
import dev.windrow.StoreUnavailableException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the tables to this code's schema, in one transaction under an advisory lock: of many processes that open a store at once, one does
 * it, and one that dies leaves nothing behind.
 */
final class Migrations {
    /** The schema that this code writes. */
    static final int CURRENT = 7;

    /** The oldest server that is tested. */
    private static final int OLDEST_SERVER = 14;

    /** A script, and the oldest code that may use the tables after it: code that does not know the script. */
    private record Script(String name, int minCompatible) {}

    private static final List<Script> SCRIPTS = List.of(
            new Script("001-queue.sql", 1),
            new Script("002-governance.sql", 2),
            new Script("003-workflows.sql", 3),
            new Script("004-schedules.sql", 4),
            new Script("005-steps.sql", 5),
            new Script("006-observe.sql", 6),
            new Script("007-longest.sql", 7));

    private static final String LOCK = "SELECT pg_advisory_xact_lock(?)";
    private static final String SCHEMA = "SELECT 1 FROM pg_namespace WHERE nspname = ?";
    private static final String EXISTS = "SELECT to_regclass('windrow_schema') IS NOT NULL";
    private static final String VERSION = "SELECT coalesce(max(version), 0) FROM windrow_schema";
    private static final String MIN_COMPATIBLE =
            "SELECT min_compatible FROM windrow_schema ORDER BY version DESC LIMIT 1";
    private static final String IDENTITY = "SELECT store FROM windrow_schema WHERE version = 1";

    /** The store's own number names it, so that a connection to another one can be told apart. */
    static final String CREATE_SCHEMA_TABLE = """
            CREATE TABLE windrow_schema (
              version        integer PRIMARY KEY,
              min_compatible integer NOT NULL,  -- the oldest code version that may use the tables
              name           text NOT NULL,
              applied_at     bigint NOT NULL,
              store          uuid NOT NULL DEFAULT gen_random_uuid()
            )
            """;

    private static final Logger log = LoggerFactory.getLogger(Migrations.class);

    private Migrations() {}

    /** Applies what is missing; answers the store's identity. */
    static String apply(Session session, Tables tables, String location) throws SQLException {
        requireServer(session.connection(), location);
        if (version(session.connection(), tables) < CURRENT) {
            session.rollback();
            boolean done = false;
            try {
                migrate(session.connection(), tables, location);
                session.commit();
                done = true;
            } finally {
                if (!done) {
                    session.rollback();
                }
            }
        }
        Mark mark = Mark.of(session.statements());
        if (mark != null) {
            throw mark.refusal(location);
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
        int version = connection.getMetaData().getDatabaseMajorVersion();
        if (version < OLDEST_SERVER) {
            throw new IncompatibleStoreException("%s is served by PostgreSQL %d: this needs %d or newer"
                    .formatted(location, version, OLDEST_SERVER));
        }
    }

    private static void migrate(Connection connection, Tables tables, String location) throws SQLException {
        try (PreparedStatement wait = connection.prepareStatement(LOCK)) {
            wait.setLong(1, lock(tables));
            wait.execute();
        }
        if (!schemaExists(connection, tables.schema())) {
            // A validated identifier: a name cannot be a parameter.
            execute(connection, "CREATE SCHEMA \"" + tables.schema() + '"');
        }
        // An index is made where its table is; the script names neither's schema.
        execute(connection, "SET LOCAL search_path TO \"" + tables.schema() + '"');
        int version = version(connection, tables);
        for (int next = version + 1; next <= CURRENT; next++) {
            if (next == 1) {
                execute(connection, tables.unqualified(CREATE_SCHEMA_TABLE));
            }
            Script script = SCRIPTS.get(next - 1);
            for (String statement : statements(read(script.name))) {
                execute(connection, tables.unqualified(statement));
            }
            execute(connection, tables.unqualified("""
                            INSERT INTO windrow_schema (version, min_compatible, name, applied_at)
                            VALUES (%d, %d, '%s', (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
                            """.formatted(next, script.minCompatible, script.name)));
        }
        if (version < CURRENT) {
            log.info("Migrated {} from schema {} to {}", location, version, CURRENT);
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

    /** The number of the advisory lock of a store's migrations; the next ones are for what else one process does at a time. */
    static long lock(Tables tables) {
        return 0x77696e64_00000000L | (tables.channel().hashCode() & 0xffff_ffffL);
    }

    /** The schema of the tables; 0 when there are none. */
    static int version(Connection connection, Tables tables) throws SQLException {
        if (!"t".equals(one(connection, tables.inSchema(EXISTS)))) {
            return 0;
        }
        return Integer.parseInt(Objects.requireNonNull(one(connection, tables.inSchema(VERSION))));
    }

    /** The oldest code that may use the tables. */
    static int minCompatible(Connection connection, Tables tables) throws SQLException {
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

    /** A statement ends with a semicolon at the end of a line; comments do not hold one there. */
    static List<String> statements(String script) {
        List<String> statements = new ArrayList<>();
        StringBuilder statement = new StringBuilder();
        for (String line : script.split("\n", -1)) {
            statement.append(line).append('\n');
            if (line.stripTrailing().endsWith(";") && !line.stripLeading().startsWith("--")) {
                statements.add(statement.toString());
                statement.setLength(0);
            }
        }
        return statements;
    }

    private static String read(String name) {
        String resource = "migrations/" + name;
        try (InputStream in = Migrations.class.getResourceAsStream(resource)) {
            return new String(Objects.requireNonNull(in, resource).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What a start that cannot have its tables says. */
    static StoreUnavailableException notThere(String location) {
        return new StoreUnavailableException("there is no queue in " + location);
    }
}
