package dev.windrow.cli.transfer;

import dev.windrow.cli.FailedException;
import dev.windrow.cli.terminal.TerminalText;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The SQLite file of another system. It is opened read-only and read in one snapshot, so that it may be in use. */
final class ForeignFile implements AutoCloseable {
    /** The tables and views of the file. */
    private static final String TABLES = """
            SELECT name FROM sqlite_master
            WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name
            """;

    /** The columns of a table, in their order; none if the table does not exist. */
    private static final String COLUMNS = "SELECT name FROM pragma_table_info(?) ORDER BY cid";

    private final String name;
    private final Connection connection;

    private ForeignFile(String name, Connection connection) {
        this.name = name;
        this.connection = connection;
    }

    /** Opens an existing file. Java's file classes do not open it, because the queue in {@code --db} may be the same file. */
    static ForeignFile open(Path path, String text) {
        String name = TerminalText.oneLine(text);
        if (!Files.isRegularFile(path)) {
            throw new FailedException("cannot import from %s: %s"
                    .formatted(name, Files.exists(path) ? "it is not a file" : "the file does not exist"));
        }
        Properties readOnly = new Properties();
        readOnly.setProperty("open_mode", "1");
        readOnly.setProperty("busy_timeout", "10000");
        try {
            Connection connection = DriverManager.getConnection(
                    "jdbc:sqlite:" + path.toAbsolutePath().toUri(), readOnly);
            connection.setAutoCommit(false);
            return new ForeignFile(name, connection);
        } catch (SQLException e) {
            throw unreadable(name, e);
        }
    }

    private static FailedException unreadable(String name, SQLException e) {
        return new FailedException(
                "cannot read %s as a SQLite file: %s"
                        .formatted(name, TerminalText.oneLine(String.valueOf(e.getMessage()))),
                e);
    }

    String name() {
        return name;
    }

    /** Returns the columns of a table, by their names in lower case. */
    List<String> columns(String table) {
        List<String> columns = new ArrayList<>();
        each(COLUMNS, row -> columns.add(row.name("name")), table);
        return columns;
    }

    /** Throws if the table or one of the columns is missing. */
    void require(String system, String table, List<String> expected) {
        List<String> missing = new ArrayList<>(expected);
        List<String> found = columns(table);
        missing.removeAll(found);
        if (!missing.isEmpty()) {
            List<String> tables = new ArrayList<>();
            each(TABLES, row -> tables.add(row.name("name")));
            throw new FailedException("%s cannot be imported as %s: expected table %s with columns %s; found %s"
                    .formatted(
                            name,
                            system,
                            table,
                            String.join(", ", expected),
                            !found.isEmpty()
                                    ? "the table without " + String.join(", ", missing)
                                    : "%d tables%s"
                                            .formatted(
                                                    tables.size(),
                                                    tables.isEmpty()
                                                            ? ""
                                                            : " such as "
                                                                    + String.join(
                                                                            ", ",
                                                                            tables.subList(
                                                                                    0, Math.min(5, tables.size()))))));
        }
    }

    /** Reads rows one by one. */
    void each(String sql, Consumer<Row> use, String... parameters) {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setString(i + 1, parameters[i]);
            }
            try (ResultSet rows = statement.executeQuery()) {
                int columns = rows.getMetaData().getColumnCount();
                while (rows.next()) {
                    Map<String, @Nullable Object> values = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
                    for (int i = 1; i <= columns; i++) {
                        values.put(rows.getMetaData().getColumnName(i), rows.getObject(i));
                    }
                    use.accept(new Row(values));
                }
            }
        } catch (SQLException e) {
            throw unreadable(name, e);
        }
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException e) {
            throw unreadable(name, e);
        }
    }
}
