package dev.windrow.tests.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.EventKind;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.sqlite.SqliteStore;
import dev.windrow.store.Transition;
import dev.windrow.store.job.Change.Verb;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.Report;
import dev.windrow.store.job.Report.Progress;
import dev.windrow.testkit.ManualTime;
import dev.windrow.tests.Once;
import dev.windrow.tests.stores.StoreKind;
import dev.windrow.tests.stores.Target;
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
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Compares docs/schema.md with a file that the store has created. */
@Once
class SchemaDocTest {
    private static final String DOC = "docs/schema.md";

    @TempDir
    Path folder;

    private final String text = Docs.read(DOC);
    private String url;

    @BeforeEach
    void makeAFile() {
        Path file = folder.resolve("jobs.db");
        new StoreDriver(SqliteStore.at(file), new ManualTime()).close();
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
        List<String> blocks = Docs.blocks("sql", DOC);
        assertThat(blocks).isNotEmpty();
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            for (String block : blocks) {
                for (String query : block.split(";\n", -1)) {
                    try (ResultSet rows = statement.executeQuery(query)) {
                        assertThat(rows.getMetaData().getColumnCount()).isPositive();
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void theQueryForAHistoryShowsTheEventsOfOneMillisecondInTheirOrder(StoreKind kind) throws SQLException {
        String query = Docs.blocks("sql", DOC).stream()
                .flatMap(block -> Stream.of(block.split(";\n", -1)))
                .filter(each -> each.contains("windrow_event_view"))
                .findFirst()
                .orElseThrow();
        try (Target target = kind.newTarget(folder);
                StoreDriver store = new StoreDriver(target.newStore(), new ManualTime())) {
            ClaimedJob job = store.running(NewRow.job());
            store.settle(job, Transition.FAIL);
            store.change(Verb.RETRY, job.id());
            ClaimedJob again = store.claimOne();
            Progress progress = new Progress(store.time().millis(), 0.5, "half", true);
            StoreDriver.answer(
                    store.store().submitAndWait(new Report(again.leaseToken(), "w", progress, List.of(), null)));
            store.complete(again);
            List<EventKind> events = new ArrayList<>();
            try (Connection connection = target.connect();
                    Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery(query.replace("job_id = 1", "job_id = " + job.id()))) {
                while (rows.next()) {
                    events.add(EventKind.valueOf(rows.getString("event")));
                }
            }
            assertThat(events)
                    .isEqualTo(store.events(job.id()))
                    .containsExactly(
                            EventKind.ENQUEUED,
                            EventKind.CLAIMED,
                            EventKind.STARTED,
                            EventKind.FAILED,
                            EventKind.RETRIED,
                            EventKind.CLAIMED,
                            EventKind.STARTED,
                            EventKind.HEARTBEAT,
                            EventKind.SUCCEEDED);
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
}
