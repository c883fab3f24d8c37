package dev.windrow.tests.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.EventLevel;
import dev.windrow.JobState;
import dev.windrow.TimeSource;
import dev.windrow.sqlite.SqliteStore;
import dev.windrow.store.StoreEnvironment;
import dev.windrow.store.StoreHints;
import dev.windrow.store.StoreProvider;
import dev.windrow.store.job.LeaseToken;
import dev.windrow.store.job.WaitingClaim;
import dev.windrow.tests.Once;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compares docs/schema.md with a file that the store has created. */
@Once
class SchemaDocTest {
    @TempDir
    Path folder;

    private final String text = Docs.read("docs/schema.md");
    private String url;

    @BeforeEach
    void makeAFile() {
        Path file = folder.resolve("jobs.db");
        StoreProvider.open(
                        SqliteStore.at(file), new StoreEnvironment(TimeSource.system(), EventLevel.ALL, new NoHints()))
                .close();
        url = "jdbc:sqlite:" + file;
    }

    @Test
    void everyTableHasASectionThatNamesEveryColumn() throws SQLException {
        for (String table : names("table")) {
            String section = section(table);
            for (String column : query("SELECT name FROM pragma_table_info('" + table + "')")) {
                assertThat(section).as("the section of %s", table).contains("`" + column + "`");
            }
        }
    }

    @Test
    void thePageListsExactlyTheIndexesAndViews() throws SQLException {
        assertThat(firstCells("index")).containsExactlyInAnyOrderElementsOf(names("index"));
        assertThat(firstCells("view")).containsExactlyInAnyOrderElementsOf(names("view"));
    }

    @Test
    void theQueriesToPasteRun() throws SQLException {
        List<String> blocks = Pattern.compile("```sql\n(.*?)```", Pattern.DOTALL)
                .matcher(text)
                .results()
                .map(block -> block.group(1))
                .toList();
        assertThat(blocks).isNotEmpty();
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            for (String block : blocks) {
                for (String query : block.strip().split(";\n", -1)) {
                    try (ResultSet rows = statement.executeQuery(query)) {
                        assertThat(rows.getMetaData().getColumnCount()).isPositive();
                    }
                }
            }
        }
    }

    /** Returns the text below the heading that names the table, up to the next heading. */
    private String section(String table) {
        String[] sections = text.split("\n##+ ", -1);
        for (String section : sections) {
            String heading = section.lines().findFirst().orElse("");
            if (Pattern.compile("\\b" + table + "\\b").matcher(heading).find()) {
                return section;
            }
        }
        throw new AssertionError("no heading of docs/schema.md names " + table);
    }

    /** Returns the first cells of the rows below the table head "| index |" or "| view |". */
    private List<String> firstCells(String head) {
        String table = text.substring(text.indexOf("\n| " + head + " |") + 1);
        int end = table.indexOf("\n\n");
        return Pattern.compile("(?m)^\\| `(\\w+)`")
                .matcher(end < 0 ? table : table.substring(0, end))
                .results()
                .map((MatchResult row) -> row.group(1))
                .toList();
    }

    private List<String> names(String kind) throws SQLException {
        return query("SELECT name FROM sqlite_schema WHERE sql IS NOT NULL AND type = '" + kind + "'");
    }

    private List<String> query(String sql) throws SQLException {
        List<String> values = new ArrayList<>();
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                values.add(rows.getString(1));
            }
        }
        return values;
    }

    private static final class NoHints implements StoreHints {
        @Override
        public void ready(String queue, String type) {
            // No worker waits.
        }

        @Override
        public @Nullable WaitingClaim waitingClaim(String queue, String type) {
            return null;
        }

        @Override
        public void due(long atMillis) {
            // No worker waits.
        }

        @Override
        public void cancelRequested(LeaseToken hold) {
            // No worker waits.
        }

        @Override
        public void finished(long id, JobState state) {
            // No worker waits.
        }

        @Override
        public void waitEnds(long atMillis) {
            // No worker waits.
        }

        @Override
        public void scheduleDue(long atMillis) {
            // No worker waits.
        }

        @Override
        public void superseded(@Nullable LeaseToken hold) {
            // No worker waits.
        }
    }
}
