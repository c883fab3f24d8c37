package dev.windrow.tests.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.tests.cli.Cli.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** {@code windrow bench} from outside, so small that its figures mean nothing. */
class BenchTest {
    private static final List<String> FIGURES = List.of(
            "/bareLoop/fusedJobsPerSecond",
            "/bareLoop/drainJobsPerSecond",
            "/endToEnd/jobsPerSecond",
            "/endToEnd/ratio",
            "/drain/jobsPerSecond",
            "/drain/ratio",
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
            "/claimFlatness/p50Ratio",
            "/claimFlatness/finishedRows",
            "/processes/count",
            "/processes/sumToOne",
            "/processes/minToMaxShare",
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
    void everyFigureIsThereAndNothingStaysBehind() throws IOException {
        Result result = cli.with("WINDROW_DB", folder.resolve("mine.db").toString())
                .run("bench", "--json", "--jobs", "40", "--slots", "2", "--payload-bytes", "20", "--rows", "500");
        assertThat(result.status()).as(result.err()).isZero();
        JsonNode report = result.json();
        assertThat(report.propertyNames())
                .containsExactly(
                        "durability",
                        "audited",
                        "bareLoop",
                        "endToEnd",
                        "drain",
                        "enqueue",
                        "startLatency",
                        "commit",
                        "claimFlatness",
                        "processes",
                        "scale",
                        "warmUp",
                        "runs");
        assertThat(FIGURES).allSatisfy(figure -> {
            assertThat(report.at(figure).isNumber()).as(figure).isTrue();
            assertThat(report.at(figure).asDouble()).as(figure).isNotNegative();
        });
        assertThat(report.get("durability").asString()).isEqualTo("FULL");
        assertThat(report.get("audited").asBoolean()).isTrue();
        assertThat(report.at("/claimFlatness/finishedRows").asInt()).isEqualTo(500);
        assertThat(report.at("/processes/count").asInt()).isEqualTo(4);
        assertThat(report.get("runs").asInt()).isEqualTo(3);
        assertThat(result.err()).contains("measuring: latencies");
        assertThat(temp).isEmptyDirectory();
        assertThat(folder.resolve("mine.db")).doesNotExist();
    }

    @Test
    void whatIsLeftOutIsNull() {
        JsonNode report =
                cli.json("bench", "--json", "--jobs", "40", "--durability", "normal", "--only", "drain,bareLoop");
        assertThat(report.get("durability").asString()).isEqualTo("NORMAL");
        List<String> measured = List.of(
                "/bareLoop/fusedJobsPerSecond",
                "/bareLoop/drainJobsPerSecond",
                "/drain/jobsPerSecond",
                "/drain/ratio",
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
    void whatSizeCostsIsMeasuredWhereItIsAskedFor() throws IOException {
        JsonNode report = cli.json("bench", "--json", "--rows", "2000", "--only", "scale");
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
    void peopleGetATableOfWhatWasMeasured() {
        Result result = cli.run("bench", "--jobs", "40", "--only", "endToEnd,commit");
        assertThat(result.status()).as(result.err()).isZero();
        assertThat(result.out())
                .contains("40 jobs, 8 slots", "BARE LOOP", "RATIO", "enqueue and drain at once", "a lone enqueue")
                .doesNotContain("64 threads", "processes");
    }

    @Test
    void aWrongValueOfAnyOptionMeasuresNothing() {
        String[][] wrong = {
            {"--jobs", "0"},
            {"--slots", "1001"},
            {"--payload-bytes", "1"},
            {"--durability", "OFF"},
            {"--rows", "many"},
            {"--only", "drain,speed"},
            {"--db", "mine.db"}
        };
        for (String[] option : wrong) {
            Result result = cli.run("bench", option[0], option[1]);
            assertThat(result.status()).as(option[0]).isEqualTo(2);
            assertThat(result.err()).contains(option[0]).doesNotContain("measuring");
            assertThat(result.out()).isEmpty();
        }
        assertThat(folder.resolve("mine.db")).doesNotExist();
    }
}
