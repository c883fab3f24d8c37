package dev.windrow.store.sql.connection;

import java.util.ArrayList;
import java.util.List;

/** The scripts that create and change a schema. */
public final class Scripts {
    private Scripts() {}

    /** Returns the statements of a script. A statement ends with a semicolon at the end of a line. Comment lines must not end with one. */
    public static List<String> statements(String script) {
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
}
