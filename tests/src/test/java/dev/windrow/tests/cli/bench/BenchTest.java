package dev.windrow.tests.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.tests.Once;
import dev.windrow.tests.cli.Cli;
import dev.windrow.tests.cli.Cli.Result;
import dev.windrow.testserver.PostgresServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** {@code windrow bench} from outside, so small that its figures mean nothing. With the profile "bench" alone. */
@Once
class BenchTest {
    private static final List<String> FIGURES = List.of(
            "/bareLoop/fusedJobsPerSecond",
            "/bareLoop/drainJobsPerSecond",
            "/endToEnd/jobsPerSecond",
            "/endToEnd/ratio",
            "/endToEnd/cpuMicros/process",
            "/endToEnd/cpuMicros/writer",
            "/endToEnd/cpuMicros/slots",
            "/endToEnd/cpuMicros/callers",
            "/endToEnd/cpuMicros/rest",
            "/drain/jobsPerSecond",
            "/drain/ratio",
            "/drain/cpuMicros/process",
            "/drain/cpuMicros/writer",
            "/drain/cpuMicros/slots",
            "/drain/cpuMicros/callers",
            "/drain/cpuMicros/rest",
            "/enqueue/oneThread",
            "/enqueue/eightThreads",
            "/enqueue/sixtyFourThreads",
            "/enqueue/bulk",
            "/enqueue/async",
            "/startLatency/sameProcess/p50Millis",
            "/startLatency/sameProcess/p99Millis",
            "/startLatency/otherProcess/p50Millis",
            "/startLatency/otherProcess/p99Millis",
            "/commit/p50Millis",
            "/rawFlush/bytes",
            "/rawFlush/perSecond",
            "/rawFlush/afterPauseP50Millis",
            "/rawFlush/oneThreadRatio",
            "/rawFlush/startLatencyRatio",
            "/claimFlatness/p50Ratio",
            "/claimFlatness/finishedRows",
            "/claimFlatness/pausedKeyP50Ratio",
            "/claimFlatness/fullKeyP50Ratio",
            "/claimFlatness/keyRows",
            "/processes/count",
            "/processes/sumToOne",
            "/processes/minToMaxShare",
            "/processes/twoToOne",
            "/processes/coldSumToOne",
            "/warmUp/fusedJobsPerSecond",
            "/warmUp/endToEndJobsPerSecond",
            "/warmUp/drainJobsPerSecond");

    private static final List<String> SCALE = List.of(
            "/scale/finishedRows",
            "/scale/waitingRows",
            "/scale/otherRows",
            "/scale/seededPerSecond",
            "/scale/bytesPerJob",
            "/scale/p50Ratios/enqueue",
            "/scale/p50Ratios/claim",
            "/scale/p50Ratios/settle",
            "/scale/p50Ratios/stats",
            "/scale/p50Ratios/listFirstPage",
            "/scale/p50Ratios/listHundredthPage",
            "/scale/p50Ratios/show",
            "/scale/p50Ratios/showAny",
            "/scale/smallWorker/heapMegabytes",
            "/scale/smallWorker/jobsPerSecond",
            "/scale/smallWorker/logMegabytes");

    private static final List<String> LONG_TRANSACTION = List.of(
            "/longTransaction/p50Ratio",
            "/longTransaction/p50RatioWithout",
            "/longTransaction/lastP50Millis",
            "/longTransaction/lastP50MillisWithout",
            "/longTransaction/timeRatio",
            "/longTransaction/enqueueP50Millis",
            "/longTransaction/enqueueP50MillisWithout");

    @TempDir
    private Path folder;

    private Cli cli;
    private Path temp;

    @BeforeEach
    void setUp() throws IOException {
        temp = Files.createDirectory(folder.resolve("temp"));
        cli = new Cli(folder).with("JAVA_TOOL_OPTIONS", "-Djava.io.tmpdir=" + temp);
    }

    @Test
    void everyFigureIsMeasuredAndNothingIsLeftBehind() throws IOException {
        Result result = cli.with("WINDROW_DB", folder.resolve("mine.db").toString())
                .process("bench", "--json", "--jobs", "40", "--slots", "2", "--payload-bytes", "20", "--rows", "500");
        assertThat(result.status()).as(result.err()).isZero();
        JsonNode report = result.json();
        assertThat(report.propertyNames())
                .containsExactly(
                        "database",
                        "durability",
                        "audited",
                        "bareLoop",
                        "endToEnd",
                        "drain",
                        "enqueue",
                        "startLatency",
                        "commit",
                        "rawFlush",
                        "claimFlatness",
                        "processes",
                        "scale",
                        "bloat",
                        "longTransaction",
                        "dependents",
                        "warmUp",
                        "runs");
        assertThat(FIGURES).allSatisfy(figure -> {
            assertThat(report.at(figure).isNumber()).as(figure).isTrue();
            assertThat(report.at(figure).asDouble()).as(figure).isNotNegative();
        });
        assertThat(report.get("database").asString()).startsWith("SQLite 3.");
        assertThat(report.get("durability").asString()).isEqualTo("FULL");
        assertThat(report.get("audited").asBoolean()).isTrue();
        assertThat(report.at("/rawFlush/bytes").asInt()).isGreaterThan(4096);
        assertThat(report.at("/claimFlatness/finishedRows").asInt()).isEqualTo(500);
        assertThat(report.at("/processes/count").asInt()).isEqualTo(4);
        assertThat(report.get("runs").asInt()).isEqualTo(3);
        assertThat(result.err()).contains("measuring: latencies");
        assertThat(temp).isEmptyDirectory();
        assertThat(folder.resolve("mine.db")).doesNotExist();
    }

    @Test
    @Tag("soak")
    void onAServerEveryFigureWithoutABareLoopIsMeasuredAndNothingIsLeftBehind() throws Exception {
        try (PostgresServer server = PostgresServer.start("fsync=on")) {
            List<String> words = new ArrayList<>(List.of("--db", server.url(), "bench", "--json"));
            words.addAll(List.of("--jobs", "40", "--slots", "2", "--rows", "500"));
            Result result = cli.process(words.toArray(String[]::new));
            assertThat(result.status()).as(result.err()).isZero();
            JsonNode report = result.json();
            assertThat(FIGURES).allSatisfy(figure -> {
                boolean ofTheLoop = figure.startsWith("/bareLoop")
                        || figure.startsWith("/rawFlush")
                        || figure.endsWith("/ratio")
                        || figure.contains("fused");
                assertThat(report.at(figure).isMissingNode()).as(figure).isFalse();
                assertThat(report.at(figure).isNull()).as(figure).isEqualTo(ofTheLoop);
            });
            assertThat(report.get("database").asString()).isEqualTo("PostgreSQL " + server.version());
            assertThat(report.get("durability").asString()).isEqualTo("FULL");
            assertThat(report.at("/claimFlatness/finishedRows").asInt()).isEqualTo(500);
            assertThat(schemas(server)).isEmpty();
            assertThat(temp).isEmptyDirectory();
        }
    }

    @Test
    @Tag("soak")
    void theSizeOfFinishedJobsIsMeasuredOnRequest() throws Exception {
        PostgresServer server = PostgresServer.shared();
        JsonNode report =
                cli.json("bench", "--db", server.url(), "--json", "--jobs", "300", "--only", "bloat,longTransaction");
        assertThat(report.at("/bloat/jobs").asInt()).isEqualTo(300);
        assertThat(report.at("/bloat/bytesPerJob").asDouble()).isPositive();
        assertThat(report.at("/bloat/renewalHotShare").asDouble()).isBetween(0.0, 1.0);
        assertThat(report.at("/bloat/updateHotShare").asDouble()).isBetween(0.0, 1.0);
        assertThat(report.at("/bloat/vacuumedByServer").isBoolean()).isTrue();
        assertThat(report.at("/bloat/tables").valueStream())
                .extracting(table -> table.get("name").asString())
                .contains("windrow_jobs", "windrow_inputs", "windrow_events");
        assertThat(report.at("/bloat/indexes").valueStream())
                .extracting(index -> index.get("name").asString())
                .contains("windrow_jobs_claim");
        assertThat(LONG_TRANSACTION)
                .allSatisfy(figure ->
                        assertThat(report.at(figure).asDouble()).as(figure).isPositive());
    }

    @Test
    @Tag("soak")
    void theCostOfWaitingJobsIsMeasuredOnRequest() throws Exception {
        for (String[] target :
                new String[][] {{}, {"--db", PostgresServer.shared().url()}}) {
            List<String> words = new ArrayList<>(List.of("bench"));
            words.addAll(List.of(target));
            words.addAll(List.of("--json", "--jobs", "3000", "--only", "dependents"));
            JsonNode report = cli.json(words.toArray(String[]::new));
            assertThat(report.at("/dependents/blockedRows").asInt()).isEqualTo(3000);
            assertThat(report.at("/dependents/children").asInt()).isEqualTo(1500);
            for (String figure :
                    List.of("claimP50Ratio", "releaseSeconds", "enqueueP50Millis", "enqueueLongestMillis")) {
                assertThat(report.at("/dependents/" + figure).asDouble())
                        .as(figure)
                        .isPositive();
            }
        }
    }

    @Test
    void helpAndCompletionListTheBenchOptions() {
        for (String[] words : new String[][] {{"help", "bench"}, {"bench", "--help"}, {"completion", "bash"}}) {
            Result result = cli.run(words);
            assertThat(result.status()).as(result.err()).isZero();
            assertThat(result.out()).contains("--jobs", "--payload-bytes", "--only");
        }
    }

    private static List<String> schemas(PostgresServer server) throws SQLException {
        try (Connection connection = server.dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows =
                        statement.executeQuery("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'windrow%'")) {
            List<String> names = new ArrayList<>();
            while (rows.next()) {
                names.add(rows.getString(1));
            }
            return names;
        }
    }

    @Test
    void measurementsOfOneKindOfDatabaseAreRefusedOnTheOther() {
        String[][] wrong = {
            {"--db", "jdbc:postgresql://localhost:1/none", "--durability", "NORMAL"},
            {"--db", "jdbc:postgresql://localhost:1/none", "--only", "drain,scale"},
            {"--db", "jdbc:postgresql://localhost:1/none", "--only", "bareLoop"},
            {"--only", "bloat"},
            {"--only", "longTransaction"},
            {"--against", ".", "--only", "drain,scale"},
            {"--against", ".", "--pairs", "0"}
        };
        for (String[] options : wrong) {
            List<String> words = new ArrayList<>(List.of("bench"));
            words.addAll(List.of(options));
            Result result = cli.run(words.toArray(String[]::new));
            assertThat(result.status()).as(words.toString()).isEqualTo(2);
            assertThat(result.err()).contains(options[options.length - 2]).doesNotContain("measuring");
            assertThat(result.out()).isEmpty();
        }
    }

    @Test
    void omittedFiguresAreNull() {
        JsonNode report =
                cli.json("bench", "--json", "--jobs", "40", "--durability", "normal", "--only", "drain,bareLoop");
        assertThat(report.get("durability").asString()).isEqualTo("NORMAL");
        List<String> measured = List.of(
                "/bareLoop/fusedJobsPerSecond",
                "/bareLoop/drainJobsPerSecond",
                "/drain/jobsPerSecond",
                "/drain/ratio",
                "/drain/cpuMicros/process",
                "/drain/cpuMicros/writer",
                "/drain/cpuMicros/slots",
                "/drain/cpuMicros/callers",
                "/drain/cpuMicros/rest",
                "/warmUp/fusedJobsPerSecond",
                "/warmUp/drainJobsPerSecond");
        assertThat(FIGURES).allSatisfy(figure -> {
            assertThat(report.at(figure).isMissingNode()).as(figure).isFalse();
            assertThat(report.at(figure).isNull()).as(figure).isEqualTo(!measured.contains(figure));
        });
        assertThat(SCALE)
                .allSatisfy(figure ->
                        assertThat(report.at(figure).isNull()).as(figure).isTrue());
    }

    @Test
    void twoBuildsAreComparedInTurnAndNothingIsLeftBehind() throws IOException {
        assertThat(cli.process("help", "bench").status()).isZero(); // both jars are there after it
        Path kept = Path.of(System.getProperty("windrow.root"), "target", "launcher");
        String jars =
                kept.resolve(Files.readString(kept.resolve("current")).strip()).toString();
        String[] words = {"bench", "--against", jars, "--pairs", "2", "--jobs", "20", "--only", "commit,drain", "--json"
        };
        Result result = cli.process(words);
        assertThat(result.status()).as(result.err()).isZero();
        JsonNode report = result.json();
        assertThat(report.get("against").asString()).isEqualTo(jars);
        assertThat(report.get("pairs").asInt()).isEqualTo(2);
        assertThat(report.at("/figures").valueStream())
                .extracting(figure -> figure.get("name").asString())
                .contains("drain.jobsPerSecond", "commit.p50Millis")
                .noneMatch(name -> name.startsWith("endToEnd") || name.startsWith("enqueue"));
        assertThat(report.at("/figures/0/moreIsBetter").asBoolean()).isTrue();
        assertThat(report.at("/figures/0/ratios").size()).isEqualTo(2);
        assertThat(report.at("/figures/0/geometricMean").asDouble()).isPositive();
        assertThat(result.err())
                .containsSubsequence(
                        "1 of 2, this build", "1 of 2, the other", "2 of 2, the other", "2 of 2, this build");
        assertThat(temp).isEmptyDirectory();
    }

    @Test
    void aBuildThatFailsIsAnErrorWithItsOutput() throws IOException {
        Path jars = Files.createDirectory(folder.resolve("jars"));
        Files.createFile(jars.resolve("windrow.jar"));
        Files.createFile(jars.resolve("windrow-bench.jar"));
        Result result = cli.run("bench", "--against", "jars", "--jobs", "5", "--pairs", "1", "--only", "commit");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err()).contains("the other build failed", "windrow-bench.jar", "dev.windrow.cli.Main");
        assertThat(result.out()).isEmpty();
    }

    @Test
    void withoutFlushesOfItsOwnAFileHasNoLimitOfFlushes() {
        JsonNode report = cli.json("bench", "--json", "--jobs", "5", "--durability", "NORMAL", "--only", "commit");
        assertThat(report.at("/commit/p50Millis").asDouble()).isPositive();
        assertThat(report.at("/commit/roundTrips").isNull()).isTrue();
        assertThat(report.at("/commit/claimAndSettleRoundTrips").isNull()).isTrue();
        assertThat(report.at("/rawFlush").valueStream()).isNotEmpty().allMatch(JsonNode::isNull);
    }

    @Test
    void roundTripsToAServerAreCounted() {
        String url = PostgresServer.shared().url();
        JsonNode report = cli.json("bench", "--db", url, "--json", "--jobs", "40", "--only", "commit");
        assertThat(report.at("/commit/p50Millis").asDouble()).isPositive();
        assertThat(report.at("/commit/roundTrips").asDouble()).isBetween(1.0, 2.0);
        assertThat(report.at("/commit/claimAndSettleRoundTrips").asDouble()).isBetween(4.0, 6.0);
        assertThat(cli.run("bench", "--db", url, "--jobs", "5", "--only", "commit")
                        .out())
                .contains("Round trips to the server", "claim and settlement of a job");
    }

    @Test
    @Tag("soak")
    void theCostOfSizeIsMeasuredOnRequest() throws IOException {
        Result result = cli.process("bench", "--json", "--rows", "2000", "--only", "scale");
        assertThat(result.status()).as(result.err()).isZero();
        JsonNode report = result.json();
        assertThat(SCALE).allSatisfy(figure -> {
            assertThat(report.at(figure).isNumber()).as(figure).isTrue();
            assertThat(report.at(figure).asDouble()).as(figure).isPositive();
        });
        assertThat(report.at("/scale/finishedRows").asInt()).isEqualTo(2000);
        assertThat(report.at("/scale/waitingRows").asInt()).isEqualTo(200);
        assertThat(report.at("/scale/otherRows").asInt()).isEqualTo(200);
        assertThat(FIGURES)
                .allSatisfy(figure ->
                        assertThat(report.at(figure).isNull()).as(figure).isTrue());
        assertThat(temp).isEmptyDirectory();
    }

    @Test
    void withoutJsonTheFiguresAreATable() {
        Result result = cli.run("bench", "--jobs", "40", "--only", "endToEnd,commit");
        assertThat(result.status()).as(result.err()).isZero();
        assertThat(result.out())
                .contains("40 jobs, 8 slots", "BARE LOOP", "RATIO", "enqueue and drain at once", "a single enqueue")
                .contains(
                        "Processor time of a job", "SLOTS", "CALLERS", "REST", " µs", "Beside a raw write and flush of")
                .doesNotContain("64 threads", "processes", "Round trips");
    }

    @Test
    void aWrongValueOfAnyOptionMeasuresNothing() {
        String[][] wrong = {
            {"--jobs", "0", "--jobs: '0' is not allowed; allowed: 1 to 10000000"},
            {"--slots", "1001", "--slots: '1001' is not allowed; allowed: 1 to 1000"},
            {"--slots", "x", "--slots: 'x' is not allowed; allowed: 1 to 1000"},
            {"--payload-bytes", "1", "--payload-bytes: '1' is not allowed; allowed: 2 to 1048576"},
            {"--durability", "OFF", "--durability: 'OFF' is not allowed; allowed: FULL, NORMAL"},
            {"--rows", "many", "--rows: 'many' is not allowed; allowed: 1 to 100000000"},
            {"--rows", "-1", "--rows: '-1' is not allowed; allowed: 1 to 100000000"},
            {"--only", "drain,speed", "--only: 'speed' is not allowed; allowed: bareLoop, endToEnd,"},
            {"--only", "drain,", "--only: '' is not allowed; allowed: bareLoop, endToEnd,"},
            {"--against", "nowhere", "--against: 'nowhere' is not allowed; allowed: a checkout built with"},
            {"--against", "", "--against: '' is not allowed; allowed: the path of a folder"},
            {"--pairs", "2", "--pairs is for --against"},
            {"--db", "mine.db", "'bench' takes no file as --db"}
        };
        for (String[] option : wrong) {
            Result result = cli.run("bench", option[0], option[1]);
            assertThat(result.status()).as(option[0]).isEqualTo(2);
            assertThat(result.err()).contains(option[0], option[2]).doesNotContain("measuring", "\tat ");
            assertThat(result.out()).isEmpty();
        }
        assertThat(folder.resolve("mine.db")).doesNotExist();
    }
}
