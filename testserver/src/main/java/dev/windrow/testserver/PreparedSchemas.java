package dev.windrow.testserver;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import javax.sql.DataSource;

/**
 * Schemas with the empty tables of a store, each lent to one test at a time. A schema that a test returns is emptied and lent again, with its open
 * connections. New tables and new connections cost the server 0.2 s of processor time for each test, emptied ones a few milliseconds.
 *
 * <p>A test that changes the tables themselves may use one too: a schema with changed tables is not lent again. A test whose connections may outlive
 * it, in other processes for example, takes {@link PostgresServer#newSchema() a new name}.
 *
 * <p>On a server that runs longer than this JVM, the schemas are dropped when the JVM ends.
 *
 * <p>Every method may be called by many threads.
 */
public final class PreparedSchemas {
    /** The most connections, for a test that opens two or three stores, of up to 14 connections each. */
    private static final int CONNECTIONS = 45;

    /** The query for a hash of everything in a schema's tables, except rows, that a test can change. */
    private static final String SHAPE = """
            SELECT coalesce(sum(hashtextextended(each, 0)), 0)::text FROM (
              SELECT concat(c.relname, c.relkind, c.relpersistence, c.reloptions, c.relreplident) AS each
                FROM pg_class c WHERE c.relnamespace = '%1$s'::regnamespace
              UNION ALL
              SELECT concat(a.attrelid, a.attname, a.atttypid, a.attnotnull)
                FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid WHERE c.relnamespace = '%1$s'::regnamespace
              UNION ALL
              SELECT concat(i.indexrelid, i.indisvalid, i.indisready) FROM pg_index i
                JOIN pg_class c ON c.oid = i.indrelid WHERE c.relnamespace = '%1$s'::regnamespace
              UNION ALL
              SELECT concat(o.conname, o.convalidated) FROM pg_constraint o WHERE o.connamespace = '%1$s'::regnamespace
              UNION ALL
              SELECT concat(t.tgname, t.tgenabled) FROM pg_trigger t
                JOIN pg_class c ON c.oid = t.tgrelid WHERE c.relnamespace = '%1$s'::regnamespace) AS shape
            """;

    /** The script that stores the initial rows of the tables in a schema of their own. */
    private static final String KEEP = """
            DO $$
            DECLARE
              each text;
              filled boolean;
            BEGIN
              CREATE SCHEMA %1$s_kept;
              FOR each IN SELECT relname FROM pg_class WHERE relnamespace = '%1$s'::regnamespace AND relkind = 'r' LOOP
                EXECUTE format('SELECT EXISTS (SELECT FROM %1$s.%%I)', each) INTO filled;
                IF filled THEN
                  EXECUTE format('CREATE TABLE %1$s_kept.%%I AS TABLE %1$s.%%I', each, each);
                END IF;
              END LOOP;
            END $$
            """;

    /**
     * The script that restores the initial rows. Long tables are truncated, because deleted rows would stay for later tests. Analyzed tables are
     * truncated, too, because the planner would treat them as empty.
     */
    private static final String EMPTY = """
            DO $$
            DECLARE
              each record;
              long text;
            BEGIN
              SELECT string_agg(format('%1$s.%%I', relname), ', ') INTO long FROM pg_class
                WHERE relnamespace = '%1$s'::regnamespace AND relkind = 'r' AND (pg_relation_size(oid) > 65536 OR reltuples >= 0);
              IF long IS NOT NULL THEN
                EXECUTE 'TRUNCATE ' || long;
              END IF;
              FOR each IN SELECT relname FROM pg_class
                WHERE relnamespace = '%1$s'::regnamespace AND relkind = 'r' AND pg_relation_size(oid) > 0 LOOP
                EXECUTE format('DELETE FROM %1$s.%%I', each.relname);
              END LOOP;
              FOR each IN SELECT relname FROM pg_class WHERE relnamespace = '%1$s_kept'::regnamespace AND relkind = 'r' LOOP
                EXECUTE format('INSERT INTO %1$s.%%I OVERRIDING SYSTEM VALUE TABLE %1$s_kept.%%I', each.relname, each.relname);
              END LOOP;
              FOR each IN SELECT sequencename FROM pg_sequences WHERE schemaname = '%1$s' AND last_value IS NOT NULL LOOP
                EXECUTE format('ALTER SEQUENCE %1$s.%%I RESTART', each.sequencename);
              END LOOP;
            END $$
            """;

    private final BiConsumer<DataSource, String> maker;
    private final ConcurrentLinkedDeque<Lent> idle = new ConcurrentLinkedDeque<>();

    /**
     * Creates a pool without schemas.
     *
     * @param maker makes the tables, given the connections and the name of a schema that does not exist; leaves no transaction open
     */
    public PreparedSchemas(BiConsumer<DataSource, String> maker) {
        this.maker = maker;
    }

    /** Lends a schema of the {@linkplain PostgresServer#shared() shared server}, whose tables are new or emptied. */
    public Lent lend() {
        Lent managed = idle.pollFirst();
        return managed != null ? managed : make();
    }

    private Lent make() {
        PostgresServer server = PostgresServer.shared();
        HikariConfig config = new HikariConfig();
        config.setDataSource(server.dataSource());
        config.setMaximumPoolSize(CONNECTIONS);
        config.setMinimumIdle(0);
        config.setIdleTimeout(TimeUnit.MINUTES.toMillis(1));
        config.setConnectionTimeout(TimeUnit.SECONDS.toMillis(30));
        HikariDataSource source = new HikariDataSource(config);
        String name = server.newSchema();
        if (server.folder().isEmpty()) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> drop(server, name), "drop-" + name));
        }
        maker.accept(source, name);
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(KEEP.formatted(name));
            return new Lent(name, source, shape(statement, name));
        } catch (SQLException e) {
            throw new IllegalStateException("the schema " + name + " cannot be prepared", e);
        }
    }

    /** Drops the schema on a connection of its own, because the pool may be closed, or in use. */
    private static void drop(PostgresServer server, String name) {
        try (Connection connection = server.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("SET lock_timeout = '10s'");
            statement.execute("DROP SCHEMA IF EXISTS %1$s, %1$s_kept CASCADE".formatted(name));
        } catch (SQLException e) {
            System.getLogger(PreparedSchemas.class.getName())
                    .log(System.Logger.Level.WARNING, "The schema " + name + " stays on the server", e);
        }
    }

    private static String shape(Statement statement, String name) throws SQLException {
        try (ResultSet row = statement.executeQuery(SHAPE.formatted(name))) {
            row.next();
            return row.getString(1);
        }
    }

    /** A schema that is lent to a test; closing it returns it. */
    public final class Lent implements AutoCloseable {
        private final String name;
        private final HikariDataSource source;
        private final String shape;

        private Lent(String name, HikariDataSource source, String shape) {
            this.name = name;
            this.source = source;
            this.shape = shape;
        }

        /** Returns its name, which needs no quotes. */
        public String name() {
            return name;
        }

        /** Returns a pool of connections to its database. */
        public DataSource source() {
            return source;
        }

        /** Returns the schema to the pool. Called once, when every store on it is closed. */
        @Override
        public void close() {
            try (Connection connection = source.getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute("SET lock_timeout = '10s'");
                statement.execute(EMPTY.formatted(name));
                statement.execute("RESET lock_timeout");
                if (shape.equals(shape(statement, name))) {
                    idle.addFirst(this);
                    return;
                }
            } catch (SQLException e) {
                // The tables have changed, or a test has left a lock on them. So the next test gets another schema.
                System.getLogger(PreparedSchemas.class.getName())
                        .log(System.Logger.Level.DEBUG, "The schema " + name + " is not lent again", e);
            }
            source.close();
        }
    }
}
