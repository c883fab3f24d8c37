package dev.windrow.tests.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.windrow.JobInfo;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.payload.Json;
import dev.windrow.query.JobFilter;
import dev.windrow.sqlite.SqliteStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the guides show is compiled, and does what they say. */
@Timeout(180)
class GuidesDocTest {
    private static final String CODE = "tests/src/test/java/dev/windrow/tests/docs/GuidesSnippet.java";
    private static final List<String> GUIDES =
            List.of("getting-started.md", "payload-evolution.md", "tuning.md", "coming-from.md");
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    Path folder;

    @Test
    void theirJavaIsTheTextThatIsCompiled() {
        List<String> blocks = new ArrayList<>();
        for (String guide : GUIDES) {
            blocks.addAll(all("```java\n(.*?)```", "docs/guides/" + guide));
        }
        assertThat(blocks)
                .containsExactlyElementsOf(all("// region \\w+\n(.*?)\n *// endregion", CODE))
                .hasSize(13);
    }

    @Test
    void theComparisonShowsTheTextThatIsCompiled() {
        assertThat(all("```java\n(.*?)```", "docs/guides/api-compared.md"))
                .containsExactlyElementsOf(all(
                        "// region \\w+\n(.*?)\n *// endregion",
                        "examples/src/main/java/dev/windrow/examples/TwentyThings.java"))
                .hasSize(20);
    }

    @Test
    void everyTestThatHoldsAPromiseExists() throws IOException {
        Set<String> classes;
        try (Stream<Path> files = Files.walk(Docs.root())) {
            classes = files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".java"))
                    .map(name -> name.substring(0, name.length() - ".java".length()))
                    .collect(Collectors.toSet());
        }
        assertThat(all("`([A-Z]\\w+(?:Test|Contract))`", "docs/guides/reliability.md"))
                .hasSizeGreaterThan(30)
                .isSubsetOf(classes);
    }

    @Test
    void everyGuideIsInTheIndex() throws IOException {
        String index = Docs.read("docs/guides/README.md");
        try (Stream<Path> files = Files.list(Docs.root().resolve("docs/guides"))) {
            assertThat(files.map(file -> file.getFileName().toString()).filter(name -> !name.equals("README.md")))
                    .allSatisfy(name -> assertThat(index).contains("](" + name + ")"));
        }
    }

    @Test
    void theFirstTenMinutesWork() {
        assertThat(GuidesSnippet.start(folder.resolve("jobs.db").toString()))
                .containsExactly(new GuidesSnippet.Receipt("R-1"), JobState.COMPLETED);
    }

    @Test
    void aTypeWithoutInputRunsAndFailedJobsAreFound() throws InterruptedException {
        try (Windrow windrow = Windrow.open(SqliteStore.at(folder.resolve("jobs.db")));
                Worker worker = GuidesSnippet.ping(windrow)) {
            assertThat(worker.awaitIdle(PATIENCE)).isTrue();
            JobRef<GuidesSnippet.Receipt> job =
                    windrow.enqueue(GuidesSnippet.SEND_INVOICE, new GuidesSnippet.Invoice("Ada", 4200));
            windrow.job(job).fail("TEST:NO", "no");
            assertThat(GuidesSnippet.operate(windrow, job)).isEqualTo(1);
            assertThat(windrow.job(job).info().state()).isEqualTo(JobState.CANCELLED);
        }
    }

    @Test
    void aPayloadOfAnOldShapeUnderAFormerNameIsRead() {
        List<GuidesSnippet.Shipment> seen = new CopyOnWriteArrayList<>();
        try (Windrow windrow = Windrow.open(SqliteStore.at(folder.resolve("jobs.db")));
                Worker worker = windrow.worker()
                        .handleVoid(GuidesSnippet.SHIP, (shipment, job) -> seen.add(shipment))
                        .start()) {
            assertThat(worker.name()).isNotBlank();
            windrow.enqueue(JobType.raw("order.send"), new Json("{\"order\":\"A-1\",\"weight\":3}"));
            windrow.enqueue(GuidesSnippet.SHIP, new GuidesSnippet.Shipment("A-2", 7, "ship"));
            await().atMost(PATIENCE).until(() -> seen.size() == 2);
        }
        assertThat(seen)
                .containsExactlyInAnyOrder(
                        new GuidesSnippet.Shipment("A-1", 0, "post"), new GuidesSnippet.Shipment("A-2", 7, "ship"));
    }

    @Test
    void anOldTypeGoesOnWithANewOne() {
        try (Windrow windrow = Windrow.open(SqliteStore.at(folder.resolve("jobs.db")));
                Worker worker = GuidesSnippet.handleBoth(windrow).start()) {
            assertThat(worker.name()).isNotBlank();
            assertThat(windrow.awaitChain(
                            windrow.enqueue(GuidesSnippet.OLD_SHIP, "A-3"), GuidesSnippet.SHIP_TO, PATIENCE))
                    .isEqualTo("shipped to the address of A-3");
        }
    }

    @Test
    void whatIsTakenOverTwiceIsThereOnce() throws Exception {
        try (Windrow windrow = Windrow.open(SqliteStore.at(folder.resolve("jobs.db")));
                Connection old = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("old.db"));
                Statement statement = old.createStatement()) {
            statement.execute("CREATE TABLE jobs (id INTEGER, recipient TEXT, due INTEGER)");
            statement.execute("INSERT INTO jobs VALUES (1, 'ada', 4000000000000), (2, 'bob', 4000000000000)");
            for (int i = 0; i < 2; i++) {
                try (ResultSet rows = statement.executeQuery("SELECT * FROM jobs")) {
                    GuidesSnippet.takeOver(windrow, rows);
                }
            }
            assertThat(windrow.jobs(JobFilter.ALL)
                            .newestFirst()
                            .limit(10)
                            .page()
                            .jobs())
                    .hasSize(2)
                    .extracting(JobInfo::state)
                    .containsOnly(JobState.SCHEDULED);
        }
    }

    @Test
    void eachWorkerServesItsQueue() {
        List<String> done = new CopyOnWriteArrayList<>();
        GuidesSnippet.Doing doing = new GuidesSnippet.Doing() {
            @Override
            public void mail(GuidesSnippet.Mail mail) {
                done.add(mail.recipient());
            }

            @Override
            public void resize(String image) {
                done.add(image);
            }
        };
        try (Windrow windrow = Windrow.open(SqliteStore.at(folder.resolve("jobs.db")))) {
            assertThat(GuidesSnippet.workers(windrow, doing)).hasSize(2);
            windrow.enqueue(
                    GuidesSnippet.SEND.job(new GuidesSnippet.Mail("ada")).withQueue("mail"));
            windrow.enqueue(GuidesSnippet.RESIZE, "cat.jpg");
            await().atMost(PATIENCE).until(() -> done.size() == 2);
        }
        assertThat(done).containsExactlyInAnyOrder("ada", "cat.jpg");
    }

    private static List<String> all(String pattern, String path) {
        List<String> found = new ArrayList<>();
        Pattern.compile(pattern, Pattern.DOTALL)
                .matcher(Docs.read(path))
                .results()
                .forEach(match -> found.add(match.group(1).stripIndent().strip()));
        return found;
    }
}
