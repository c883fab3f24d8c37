package dev.windrow.tests.cli.query;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.tests.cli.Cli.Result;
import dev.windrow.tests.cli.CommandTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Commands that only look: they migrate nothing. */
class LookTest extends CommandTest {
    private static final List<List<String>> LOOKING = List.of(
            List.of("list"),
            List.of("show", "1"),
            List.of("explain", "1"),
            List.of("metadata", "1"),
            List.of("stats"),
            List.of("workers"),
            List.of("audit"),
            List.of("retention"),
            List.of("schedule", "list"),
            List.of("export", "--output", "all.jsonl"));

    private String table() {
        return (target.isFile() ? "" : target.schema() + ".") + "windrow_schema";
    }

    private List<String> versions() throws SQLException {
        return target.rows("SELECT max(version) FROM " + table());
    }

    @Test
    void anOlderSchemaIsRefusedAndStaysUnchanged() throws Exception {
        cli.json("enqueue", "t", "--json");
        try (Connection connection = target.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("UPDATE %s SET version = -version".formatted(table()));
        }
        List<String> before = versions();
        for (List<String> words : LOOKING) {
            List<String> all = new ArrayList<>(words);
            all.add("--json");
            Result result = cli.run(all.toArray(String[]::new));
            assertThat(result.status()).as("%s: %s", all, result.err()).isEqualTo(1);
            assertThat(result.out()).as("%s", all).isEmpty();
            assertThat(result.err())
                    .as("%s", all)
                    .contains("has schema " + before.get(0), "a command that changes something");
        }
        assertThat(versions()).isEqualTo(before);
    }
}
