package dev.windrow.postgres.monitor;

import dev.windrow.postgres.connection.Tables;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;

/** The server's plans of statements whose parameters have no values. */
public final class Plans {
    /** A number that makes each name new in its session, because a failed statement stays prepared there. */
    private static final AtomicLong NUMBER = new AtomicLong();

    private static final Pattern PARAMETER = Pattern.compile("\\$([0-9]+)");

    private Plans() {}

    /**
     * Returns the query plan of a statement, line by line. The statement is prepared in the server. Its parameters have no values, and the server
     * infers their types. With nulls in their place, conditions would never hold, and the plan would not show them. Only under {@code plan_cache_mode
     * = force_generic_plan} does the planner ignore the nulls of EXECUTE.
     */
    public static List<String> plan(Connection connection, Tables tables, String sql) throws SQLException {
        List<String> lines = new ArrayList<>();
        String name = "windrow_examined_" + NUMBER.incrementAndGet();
        List<Integer> parameters = parameters(sql);
        // In one message, because there are many statements, and the server may be far away.
        String messages = "PREPARE %s AS %s; EXPLAIN (COSTS OFF) EXECUTE %s%s; DEALLOCATE %s"
                .formatted(name, tables.inSchema(consecutive(sql, parameters)).strip(), name, nulls(parameters), name);
        try (Statement statement = connection.createStatement()) {
            boolean answers = statement.execute(messages);
            while (!answers && statement.getUpdateCount() != -1) {
                answers = statement.getMoreResults();
            }
            try (ResultSet rows = statement.getResultSet()) {
                while (rows.next()) {
                    lines.add(rows.getString(1));
                }
            }
        }
        return lines;
    }

    /** Returns the numbers of the parameters in use, in order. */
    private static List<Integer> parameters(String sql) {
        return PARAMETER
                .matcher(sql)
                .results()
                .map(found -> Integer.valueOf(found.group(1)))
                .distinct()
                .sorted()
                .toList();
    }

    /** Renumbers the parameters without gaps, because the server cannot infer the type of a parameter that does not occur. */
    private static String consecutive(String sql, List<Integer> parameters) {
        return PARAMETER
                .matcher(sql)
                .replaceAll(found -> "\\$" + (parameters.indexOf(Integer.valueOf(found.group(1))) + 1));
    }

    private static String nulls(List<Integer> parameters) {
        return parameters.isEmpty()
                ? ""
                : "(" + String.join(", ", Collections.nCopies(parameters.size(), "NULL")) + ")";
    }
}
