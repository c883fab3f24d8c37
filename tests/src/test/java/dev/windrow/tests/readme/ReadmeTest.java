package dev.windrow.tests.readme;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobHistory;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.payload.TypeRef;
import dev.windrow.query.JobFilter;
import dev.windrow.sqlite.SqliteStore;
import dev.windrow.tests.docs.Docs;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What README.md shows is compiled, and does what it says. */
@Timeout(60)
class ReadmeTest {
    private static final String JAVA = "tests/src/test/java/dev/windrow/tests/readme/ReadmeSnippet.java";
    private static final String KOTLIN = "tests/src/test/kotlin/dev/windrow/tests/readme/ReadmeSnippet.kt";

    @TempDir
    Path folder;

    @Test
    void itsJavaIsTheTextThatIsCompiled() {
        assertThat(blocks("java")).isEqualTo(regions(JAVA)).hasSize(6);
    }

    @Test
    void itsKotlinIsTheTextThatIsCompiled() {
        assertThat(blocks("kotlin")).isEqualTo(regions(KOTLIN)).hasSize(1);
    }

    @Test
    void itsJavaRuns() {
        Path file = folder.resolve("jobs.db");
        assertThat(ReadmeSnippet.run(file)).isEqualTo(new ReadmeSnippet.Thumbnail("200-cat.jpg"));
        try (Windrow windrow = Windrow.open(SqliteStore.at(file))) {
            assertThat(windrow.jobs(JobFilter.inState(JobState.SCHEDULED))
                            .newestFirst()
                            .limit(10)
                            .page()
                            .jobs())
                    .hasSize(1);
        }
    }

    @Test
    void itsHandlerReports() {
        JobType<List<String>, ReadmeSnippet.Report> read =
                JobType.of("read", new TypeRef<List<String>>() {}, new TypeRef<ReadmeSnippet.Report>() {});
        try (Windrow windrow = Windrow.open(SqliteStore.at(folder.resolve("jobs.db")));
                Worker worker =
                        windrow.worker().handle(read, ReadmeSnippet::read).start()) {
            JobRef<ReadmeSnippet.Report> job = windrow.enqueue(read, List.of("a", "", "c"));
            assertThat(windrow.await(job, Duration.ofSeconds(30))).isEqualTo(new ReadmeSnippet.Report(3, 1));
            JobHistory history = windrow.job(job).history();
            assertThat(history.log()).extracting(JobHistory.LogLine::message).containsExactly("line 1 is blank");
            assertThat(String.valueOf(history.job().progress())).contains("1.0", "line 2");
            assertThat(worker.name()).isNotEmpty();
            assertThat(ReadmeSnippet.troubles(windrow)).isEmpty();
        }
    }

    @Test
    void itsKotlinRuns() {
        assertThat(KotlinSnippet.INSTANCE.greet(folder.resolve("jobs.db")))
                .isEqualTo(new KotlinSnippet.Greeting("Hello, Ada"));
    }

    @Test
    void kotlinCanUseATypeWithoutInputAndResult() {
        assertThat(KotlinSnippet.INSTANCE.tick(folder.resolve("jobs.db"))).isNull();
    }

    @Test
    void kotlinCanUseATransaction() {
        try (Windrow windrow = Windrow.open(SqliteStore.at(folder.resolve("jobs.db")))) {
            assertThat(windrow.job(KotlinSnippet.INSTANCE.greetInTransaction(windrow))
                            .history()
                            .job()
                            .state())
                    .isEqualTo(JobState.PENDING);
        }
    }

    @Test
    void aKotlinClassThatCannotBeReadIsNamedWithTheRemedy() throws InterruptedException {
        try (Windrow windrow = Windrow.open(SqliteStore.at(folder.resolve("jobs.db")));
                Worker worker = windrow.worker()
                        .handleVoid(KotlinSnippet.INSTANCE.getPLAIN(), (plain, job) -> {})
                        .start()) {
            JobRef<Void> job = windrow.enqueue(KotlinSnippet.INSTANCE.getPLAIN(), new KotlinSnippet.Plain("Ada"));
            assertThat(worker.awaitIdle(Duration.ofSeconds(30))).isTrue();
            assertThat(windrow.job(job).info().errorDetail()).contains("KotlinSnippet$Plain", "@JvmRecord");
        }
    }

    @Test
    void itsTransactionCommitsBoth() throws SQLException {
        Path file = folder.resolve("jobs.db");
        try (Windrow windrow = Windrow.open(SqliteStore.at(file));
                Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE orders (customer TEXT)");
            ReadmeSnippet.order(windrow, "ada");
            assertThat(windrow.jobs(JobFilter.ALL)
                            .newestFirst()
                            .limit(10)
                            .page()
                            .jobs())
                    .hasSize(1);
            try (ResultSet row = statement.executeQuery("SELECT customer FROM orders")) {
                assertThat(row.next()).isTrue();
                assertThat(row.getString(1)).isEqualTo("ada");
            }
        }
    }

    private static List<String> blocks(String language) {
        return Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL)
                .matcher(Docs.read("README.md"))
                .results()
                .map(block -> block.group(1).strip())
                .toList();
    }

    private static List<String> regions(String path) {
        List<String> regions = new ArrayList<>();
        Pattern.compile("// region \\w+\n(.*?)\n *// endregion", Pattern.DOTALL)
                .matcher(Docs.read(path))
                .results()
                .forEach(region -> regions.add(region.group(1).stripIndent().strip()));
        return regions;
    }
}
