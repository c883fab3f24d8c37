package dev.windrow.tests.stores;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** Makes each writing statement on a schema fail on command, with the code of a PostgreSQL server for a full disk. */
public final class FullServer {
    private final Target target;

    private FullServer(Target target) {
        this.target = target;
    }

    /** Prepares the existing tables. No statement fails yet. */
    public static FullServer at(Target target) throws SQLException {
        FullServer server = new FullServer(target);
        server.execute("""
                CREATE TABLE disk (is_full boolean);
                CREATE FUNCTION fail_if_full() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                  IF EXISTS (SELECT 1 FROM disk) THEN
                    RAISE EXCEPTION 'could not extend file "base/1/2": No space left on device' USING ERRCODE = 'disk_full';
                  END IF;
                  RETURN NULL;
                END $$;
                ALTER FUNCTION fail_if_full() SET search_path FROM CURRENT;
                """);
        for (String table : target.rows("""
                SELECT relname FROM pg_class
                 WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND relname LIKE 'windrow%'
                """)) {
            server.execute("CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE OR DELETE ON " + table
                    + " FOR EACH STATEMENT EXECUTE FUNCTION fail_if_full()");
        }
        return server;
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = target.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    public void fill() throws SQLException {
        execute("INSERT INTO disk VALUES (true)");
    }

    public void free() throws SQLException {
        execute("DELETE FROM disk");
    }
}
