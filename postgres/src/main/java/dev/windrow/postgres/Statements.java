package dev.windrow.postgres;

import dev.windrow.store.SafeLogger;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;

/**
 * The prepared statements of one connection, each made once. Keyed by the constants of {@link Sql} and its like, so identity
 * is enough. Not safe for use by more than one thread at a time, like the connection.
 */
final class Statements implements AutoCloseable {
    private static final Logger log = SafeLogger.of(Statements.class);

    private final Connection connection;
    private final Tables tables;
    private final IdentityHashMap<String, Query> prepared = new IdentityHashMap<>();
    private final IdentityHashMap<String, Map<String, Query>> pairs = new IdentityHashMap<>();
    private final Before before;

    /** What is done before each use of a statement. */
    interface Before {
        void use() throws SQLException;
    }

    Statements(Connection connection, Tables tables) {
        this(connection, tables, () -> {});
    }

    Statements(Connection connection, Tables tables, Before before) {
        this.connection = connection;
        this.tables = tables;
        this.before = before;
    }

    Query get(String sql) throws SQLException {
        before.use();
        Query query = prepared.get(sql);
        if (query == null) {
            Tables.Text text = tables.text(sql);
            query = new Query(connection.prepareStatement(text.sql()), text.order());
            prepared.put(sql, query);
        }
        return query;
    }

    /**
     * Two statements that go to the server in one message and are run one after the other: each way there and back that is spared is a
     * good part of what a lone job waits for. The parameters of the second one are {@link Query#SECOND} higher.
     */
    Query together(String first, String second) throws SQLException {
        before.use();
        Map<String, Query> followers = pairs.computeIfAbsent(first, key -> new IdentityHashMap<>());
        Query query = followers.get(second);
        if (query == null) {
            Tables.Text one = tables.text(first);
            Tables.Text two = tables.text(second);
            List<Integer> order = new ArrayList<>(one.order());
            two.order().forEach(parameter -> order.add(parameter + Query.SECOND));
            query = new Query(connection.prepareStatement(one.sql() + ';' + two.sql()), order);
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

    private static void close(Collection<Query> queries) {
        for (Query query : queries) {
            try {
                query.close();
            } catch (SQLException e) {
                log.trace("Closing a statement: {}", e.getMessage());
            }
        }
    }
}
