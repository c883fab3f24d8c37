package dev.windrow.postgres.connection;

import dev.windrow.postgres.writer.SharedSql;
import dev.windrow.store.SafeLogger;
import dev.windrow.store.sql.connection.Statement;
import dev.windrow.store.sql.connection.Statements;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;

/** The prepared statements of a connection to a server. */
public final class PostgresStatements implements Statements, AutoCloseable {
    private static final Logger log = SafeLogger.of(PostgresStatements.class);

    private final Connection connection;
    private final Tables tables;
    private final IdentityHashMap<String, PostgresQuery> prepared = new IdentityHashMap<>();
    private final IdentityHashMap<String, Map<String, PostgresQuery>> pairs = new IdentityHashMap<>();
    private final Before before;

    /** An action before each use of a statement. */
    public interface Before {
        void use() throws SQLException;
    }

    public PostgresStatements(Connection connection, Tables tables) {
        this(connection, tables, () -> {});
    }

    public PostgresStatements(Connection connection, Tables tables, Before before) {
        this.connection = connection;
        this.tables = tables;
        this.before = before;
    }

    @Override
    public PostgresQuery get(String sql) throws SQLException {
        before.use();
        PostgresQuery query = prepared.get(sql);
        if (query == null) {
            Tables.Text text = tables.text(sql);
            query = new PostgresQuery(connection.prepareStatement(text.sql()), text.order());
            prepared.put(sql, query);
        }
        return query;
    }

    @Override
    public PostgresQuery get(Statement statement) throws SQLException {
        return get(SharedSql.text(statement));
    }

    /**
     * Returns two statements that go to the server in one message and are run one after the other. Each saved round trip is a large part of the time
     * that a lone job waits. The parameters of the second statement are {@link PostgresQuery#SECOND} higher.
     */
    public PostgresQuery together(String first, String second) throws SQLException {
        before.use();
        Map<String, PostgresQuery> followers = pairs.computeIfAbsent(first, key -> new IdentityHashMap<>());
        PostgresQuery query = followers.get(second);
        if (query == null) {
            Tables.Text one = tables.text(first);
            Tables.Text two = tables.text(second);
            List<Integer> order = new ArrayList<>(one.order());
            two.order().forEach(parameter -> order.add(parameter + PostgresQuery.SECOND));
            query = new PostgresQuery(connection.prepareStatement(one.sql() + ';' + two.sql()), order);
            followers.put(second, query);
        }
        return query;
    }

    @Override
    public void close() {
        pairs.values().forEach(followers -> close(followers.values()));
        pairs.clear();
        close(prepared.values());
        prepared.clear();
    }

    private static void close(Collection<PostgresQuery> queries) {
        for (PostgresQuery query : queries) {
            try {
                query.close();
            } catch (SQLException e) {
                log.trace("Closing a statement: {}", e.getMessage());
            }
        }
    }
}
