package dev.windrow.postgres.connection;

import dev.windrow.postgres.writer.SharedSql;
import dev.windrow.store.SafeLogger;
import dev.windrow.store.sql.connection.Statement;
import dev.windrow.store.sql.connection.Statements;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** The prepared statements of a connection to a server. */
public final class PostgresStatements implements Statements, AutoCloseable {
    private static final Logger log = SafeLogger.of(PostgresStatements.class);

    private final Connection connection;
    private final Tables tables;
    private final IdentityHashMap<String, PostgresQuery> prepared = new IdentityHashMap<>();
    /** The prepared messages of several statements. */
    private final Map<List<String>, PostgresQuery> messages = new HashMap<>();

    private final Before before;
    /** An action before the next use of a single statement; null if there is none. */
    private @Nullable Before opening;

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

    /**
     * Sets an action before the next use of a single statement, which drops it. A message of several statements does not run it.
     *
     * @param action the action; null for none
     */
    public void openBy(@Nullable Before action) {
        opening = action;
    }

    @Override
    public PostgresQuery get(String sql) throws SQLException {
        Before first = opening;
        if (first != null) {
            opening = null;
            first.use();
        }
        before.use();
        PostgresQuery query = prepared.get(sql);
        if (query == null) {
            Tables.Text text = tables.text(sql);
            query = new PostgresQuery(prepare(text.sql()), text.order());
            prepared.put(sql, query);
        }
        return query;
    }

    @Override
    public PostgresQuery get(Statement statement) throws SQLException {
        return get(SharedSql.text(statement));
    }

    /**
     * Returns statements that go to the server in one message and are run one after the other. Each saved round trip is a large part of the time that
     * a lone job waits. The parameters of each further statement are {@link PostgresQuery#NEXT} higher. If one fails, the server skips the later
     * ones.
     */
    public PostgresQuery together(List<String> sqls) throws SQLException {
        before.use();
        PostgresQuery query = messages.get(sqls);
        if (query == null) {
            List<String> texts = new ArrayList<>();
            List<Integer> order = new ArrayList<>();
            for (int i = 0; i < sqls.size(); i++) {
                int offset = i * PostgresQuery.NEXT;
                Tables.Text text = tables.text(sqls.get(i));
                texts.add(text.sql());
                text.order().forEach(parameter -> order.add(parameter + offset));
            }
            query = new PostgresQuery(prepare(String.join(";", texts)), order);
            messages.put(List.copyOf(sqls), query);
        }
        return query;
    }

    /**
     * Prepares statements that run to their end. By the fetch size of a URL or a {@code DataSource}, the server would stop after so many rows of a
     * query. It drops the other rows at the commit. A query that takes ids or notifies then does so for the first rows only.
     */
    private PreparedStatement prepare(String sql) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        statement.setFetchSize(0);
        return statement;
    }

    @Override
    public void close() {
        close(messages.values());
        messages.clear();
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
