package dev.windrow.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.windrow.bench.Against.Ratios;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AgainstTest {
    private static final String RATE = "drain.jobsPerSecond";

    @Test
    void numbersAreFoundByTheirPlace() {
        assertThat(
                        Against.numbers(
                                "{\"database\":\"x\",\"drain\":{\"jobsPerSecond\":5,\"ratio\":null,\"cpuMicros\":{\"writer\":1.5}}}"))
                .containsOnly(Map.entry(RATE, 5.0), Map.entry("drain.cpuMicros.writer", 1.5));
        assertThatThrownBy(() -> Against.numbers("{\"drain\":"))
                .isInstanceOf(BenchException.class)
                .hasMessageContaining("no JSON");
    }

    @Test
    void aRatioIsThisBuildByTheOtherOneOfTheSamePair() {
        List<Map<String, Double>> these = List.of(Map.of(RATE, 2.0), Map.of(RATE, 10.0), Map.of(RATE, 3.0));
        List<Map<String, Double>> those = List.of(Map.of(RATE, 1.0), Map.of(RATE, 20.0), Map.of(RATE, 3.0));
        Ratios ratios = Against.compare(these, those).get(0);
        assertThat(ratios.figure().name()).isEqualTo(RATE);
        assertThat(ratios.figure().isRate()).isTrue();
        assertThat(ratios.ratios()).containsExactly(2.0, 0.5, 1.0);
        assertThat(ratios.median()).isCloseTo(1.0, within(1e-9));
        assertThat(ratios.geometricMean()).isCloseTo(1.0, within(1e-9));
    }

    @Test
    void theMedianOfAnEvenNumberLiesBetweenTheTwoInTheMiddle() {
        Ratios ratios = new Ratios(new Against.Figure(RATE, true), List.of(9.0, 0.5, 2.0, 0.1));
        assertThat(ratios.median()).isCloseTo(1.0, within(1e-9));
        assertThat(ratios.geometricMean()).isCloseTo(Math.pow(0.9, 0.25), within(1e-9));
    }

    @Test
    void aPairWithoutAFigureHasNoRatioAndAFigureWithoutAPairIsLeftOut() {
        List<Map<String, Double>> these = List.of(Map.of(RATE, 2.0, "commit.p50Millis", 1.0), Map.of(RATE, 4.0));
        List<Map<String, Double>> those = List.of(Map.of(RATE, 0.0), Map.of(RATE, 1.0, "endToEnd.jobsPerSecond", 1.0));
        List<Ratios> all = Against.compare(these, those);
        assertThat(all).hasSize(1);
        assertThat(all.get(0).ratios()).containsExactly(4.0);
    }

    @Test
    void aCheckoutOrAFolderOfJarsIsABuild(@TempDir Path folder) throws Exception {
        assertThat(Against.jars(folder)).isNull();
        Files.createFile(folder.resolve("windrow.jar"));
        assertThat(Against.jars(folder)).isNull();
        Files.createFile(folder.resolve("windrow-bench.jar"));
        assertThat(Against.jars(folder))
                .isEqualTo(folder.resolve("windrow.jar") + File.pathSeparator + folder.resolve("windrow-bench.jar"));
        for (String module : List.of("cli", "bench")) {
            Files.createDirectories(folder.resolve(module).resolve("target"));
        }
        Files.createFile(folder.resolve("cli/target/windrow.jar"));
        Files.createFile(folder.resolve("bench/target/windrow-bench.jar"));
        assertThat(Against.jars(folder)).startsWith(folder.resolve("cli").toString());
    }
}
