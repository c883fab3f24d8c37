package dev.windrow.tests.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.windrow.JobChain;
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

/** The code in the guides compiles and behaves as described. */
@Timeout(180)
class GuidesDocTest {
    private static final String CODE = "tests/src/test/java/dev/windrow/tests/docs/GuidesSnippet.java";
    private static final String APP = "tests/src/test/java/dev/windrow/tests/readme/App.java";
    private static final List<String> PAGES = List.of(
            "docs/getting-started.md",
            "docs/how-to/shutdown.md",
            "docs/how-to/health-checks.md",
            "docs/how-to/payload-evolution.md",
            "docs/how-to/tuning.md",
            "docs/how-to/batch-handlers.md",
            "docs/comparisons/coming-from.md");
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    Path folder;

    @Test
    void snippetsAreCompiledCode() {
        List<String> blocks = new ArrayList<>();
        PAGES.forEach(page -> blocks.addAll(Docs.blocks("java", page)));
        assertThat(blocks.remove(0)).as("the program").isEqualTo(program());
        assertThat(blocks)
                .containsExactlyInAnyOrderElementsOf(Docs.regions(CODE))
                .hasSize(17);
    }

    @Test
    void comparisonSnippetsAreCompiledCode() {
        assertThat(Docs.blocks("java", "docs/comparisons/api.md"))
                .isEqualTo(Docs.regions("examples/src/main/java/dev/windrow/examples/TwentyThings.java"))
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
        assertThat(Pattern.compile("`([A-Z]\\w+(?:Test|Contract))`")
                        .matcher(Docs.read("docs/reliability.md"))
                        .results()
                        .map(name -> name.group(1)))
                .hasSizeGreaterThan(30)
                .isSubsetOf(classes);
    }

    @Test
    void everyPageIsInTheIndex() throws IOException {
        String index = Docs.read("docs/README.md");
        for (String folder : List.of("", "how-to/", "comparisons/")) {
            try (Stream<Path> files = Files.list(Docs.root().resolve("docs/" + folder))) {
                assertThat(files.map(file -> file.getFileName().toString())
                                .filter(name -> name.endsWith(".md"))
                                .filter(name -> !name.equals("README.md")))
                        .allSatisfy(name -> assertThat(index).contains("](" + folder + name));
            }
        }
    }

    @Test
    void healthHasNoTroublesInANewQueue() {
        try (Windrow windrow = Windrow.open(SqliteStore.at(folder.resolve("jobs.db")))) {
            assertThat(GuidesSnippet.troubles(windrow)).isEmpty();
        }
    }

    /** The program without its package. */
    private static String program() {
        return Docs.read(APP).split("\n\n", 2)[1].strip();
    }

    @Test
    void theFirstTenMinutesWork() throws InterruptedException {
        assertThat(GuidesSnippet.start(folder.resolve("jobs.db").toString()))
                .containsExactly(
                        new GuidesSnippet.Receipt("R-1"),
                        JobState.COMPLETED,
                        1L,
                        true,
                        List.of(JobState.COMPLETED, JobState.CANCELLED));
        try (Windrow windrow = Windrow.open(SqliteStore.at(folder.resolve("jobs.db")))) {
            assertThat(windrow.jobs(JobFilter.inState(JobState.COMPLETED)).count())
                    .as("the invoice, the ping and the retried job")
                    .isEqualTo(3);
        }
    }

    @Test
    void anOldPayloadUnderAFormerTypeNameIsRead() {
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
    void anOldTypeContinuesWithANewOne() {
        try (Windrow windrow = Windrow.open(SqliteStore.at(folder.resolve("jobs.db")));
                Worker worker = GuidesSnippet.handleBoth(windrow).start()) {
            assertThat(worker.name()).isNotBlank();
            JobChain<String, String> moved = JobChain.of(GuidesSnippet.OLD_SHIP, GuidesSnippet.SHIP_TO);
            assertThat(windrow.awaitChain(windrow.enqueue(moved, "A-3"), PATIENCE))
                    .isEqualTo("shipped to the address of A-3");
        }
    }

    @Test
    void jobsImportedTwiceExistOnce() throws Exception {
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
    void aBatchIsWrittenInOneCallAndOneRefusedPointFailsAlone() {
        List<List<GuidesSnippet.Point>> writes = new CopyOnWriteArrayList<>();
        GuidesSnippet.Warehouse warehouse = points -> {
            writes.add(points);
            return points.stream().filter(point -> point.value() < 0).collect(Collectors.toSet());
        };
        try (Windrow windrow = Windrow.open(SqliteStore.at(folder.resolve("jobs.db")))) {
            List<JobRef<?>> jobs = List.copyOf(windrow.enqueueAll(List.of(
                    GuidesSnippet.WRITE.job(new GuidesSnippet.Point("a", 1)),
                    GuidesSnippet.WRITE.job(new GuidesSnippet.Point("b", -1)))));
            try (Worker worker = GuidesSnippet.batches(windrow, warehouse)) {
                assertThat(worker.name()).isNotBlank();
                await().atMost(PATIENCE)
                        .until(() -> windrow.jobs(JobFilter.failed()).count() == 1);
                await().atMost(PATIENCE)
                        .until(() -> windrow.job(jobs.get(0)).info().state() == JobState.COMPLETED);
            }
        }
        assertThat(writes).hasSize(1);
        assertThat(writes.get(0)).hasSize(2);
    }

    @Test
    void eachWorkerServesItsQueue() {
        List<String> done = new CopyOnWriteArrayList<>();
        try (Windrow windrow = Windrow.open(SqliteStore.at(folder.resolve("jobs.db")))) {
            assertThat(GuidesSnippet.workers(windrow, mail -> done.add(mail.recipient()), done::add))
                    .hasSize(2);
            windrow.enqueue(GuidesSnippet.SEND, new GuidesSnippet.Mail("ada"));
            windrow.enqueue(GuidesSnippet.RESIZE, "cat.jpg");
            await().atMost(PATIENCE).until(() -> done.size() == 2);
        }
        assertThat(done).containsExactlyInAnyOrder("ada", "cat.jpg");
    }
}
