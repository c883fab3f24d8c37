package dev.windrow.bench;

import dev.windrow.wire.JsonScan;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;

/**
 * Compares this build with another one: both run the same measurements in turn, each time in a process of its own. So
 * they meet the same conditions of the machine, and neither profits from the compiled code of the run before.
 */
public final class Against {
    private static final String MAIN = "dev.windrow.cli.Main";
    private static final String JAR = "windrow.jar";
    private static final String BENCH_JAR = "windrow-bench.jar";
    /** The options of this JVM that the others get: heap, collector, compiler; not archives of classes of one build. */
    private static final Pattern PASSED_ON =
            Pattern.compile("-X(m|s(?!hare)|X:(?!SharedArchive|ArchiveClasses|AOT)).*|--enable-native-access=.*");

    private static final List<Figure> FIGURES = List.of(
            new Figure("endToEnd.jobsPerSecond", true),
            new Figure("endToEnd.cpuMicros.process", false),
            new Figure("endToEnd.cpuMicros.writer", false),
            new Figure("endToEnd.cpuMicros.slots", false),
            new Figure("endToEnd.cpuMicros.callers", false),
            new Figure("drain.jobsPerSecond", true),
            new Figure("drain.cpuMicros.process", false),
            new Figure("drain.cpuMicros.writer", false),
            new Figure("drain.cpuMicros.slots", false),
            new Figure("enqueue.oneThread", true),
            new Figure("enqueue.eightThreads", true),
            new Figure("enqueue.sixtyFourThreads", true),
            new Figure("enqueue.bulk", true),
            new Figure("enqueue.async", true),
            new Figure("startLatency.sameProcess.p50Millis", false),
            new Figure("startLatency.otherProcess.p50Millis", false),
            new Figure("commit.p50Millis", false));

    private final String otherJars;
    private final List<String> words;
    private final int pairs;
    private final Consumer<String> progress;
    private volatile @Nullable Process running;

    /**
     * Creates a comparison.
     *
     * @param otherJars the class path of the other build, from {@link #jars}
     * @param words the command that both run; it prints one JSON object
     * @param pairs how often both run
     * @param progress called with a short description of each step
     */
    public Against(String otherJars, List<String> words, int pairs, Consumer<String> progress) {
        this.otherJars = otherJars;
        this.words = List.copyOf(words);
        this.pairs = pairs;
        this.progress = progress;
    }

    /**
     * A figure of both builds.
     *
     * @param name its place in the JSON object, keys separated by dots
     * @param isRate true if more is better
     */
    public record Figure(String name, boolean isRate) {}

    /**
     * The ratios of a figure, this build by the other one.
     *
     * @param figure the figure
     * @param ratios of each pair that has the figure
     */
    public record Ratios(Figure figure, List<Double> ratios) {
        /** Copies the list. */
        public Ratios {
            ratios = List.copyOf(ratios);
        }

        /** Returns the ratio in the middle, of an even number the geometric mean of both; null without ratios. */
        public @Nullable Double median() {
            List<Double> sorted = ratios.stream().sorted().toList();
            int size = sorted.size();
            return size == 0 ? null : geometricMean(sorted.subList((size - 1) / 2, size / 2 + 1));
        }

        /** Returns the geometric mean, in which a half and a double cancel each other; null without ratios. */
        public @Nullable Double geometricMean() {
            return ratios.isEmpty() ? null : geometricMean(ratios);
        }

        private static Double geometricMean(List<Double> some) {
            return Math.exp(some.stream().mapToDouble(Math::log).average().orElseThrow());
        }
    }

    /**
     * Returns the class path of the build in a folder; null if the folder has none. The folder is a checkout whose jars
     * were built, or has both jars itself.
     */
    public static @Nullable String jars(Path folder) {
        for (String[] each : new String[][] {{"cli/target/" + JAR, "bench/target/" + BENCH_JAR}, {JAR, BENCH_JAR}}) {
            Path jar = folder.resolve(each[0]);
            Path bench = folder.resolve(each[1]);
            if (Files.isReadable(jar) && Files.isReadable(bench)) {
                return jar.toAbsolutePath() + File.pathSeparator + bench.toAbsolutePath();
            }
        }
        return null;
    }

    /**
     * Runs all pairs. The build that begins changes from pair to pair.
     *
     * @throws BenchException if a run fails
     * @throws InterruptedException if the thread is interrupted
     */
    public List<Ratios> run() throws InterruptedException {
        List<Map<String, Double>> these = new ArrayList<>();
        List<Map<String, Double>> those = new ArrayList<>();
        Runtime.getRuntime().addShutdownHook(new Thread(this::endRunning, "windrow-bench-against"));
        try (Scratch scratch = new Scratch()) {
            for (int pair = 0; pair < pairs; pair++) {
                boolean thisFirst = pair % 2 == 0;
                if (thisFirst) {
                    these.add(measure("this build", System.getProperty("java.class.path"), pair, scratch));
                }
                those.add(measure("the other build", otherJars, pair, scratch));
                if (!thisFirst) {
                    these.add(measure("this build", System.getProperty("java.class.path"), pair, scratch));
                }
            }
        } catch (IOException e) {
            throw new BenchException("measuring failed: " + e.getMessage(), e);
        } finally {
            endRunning();
        }
        return compare(these, those);
    }

    /** Returns the ratios of all figures that a pair has. A figure that is zero has no ratio. */
    static List<Ratios> compare(List<Map<String, Double>> these, List<Map<String, Double>> those) {
        List<Ratios> all = new ArrayList<>();
        for (Figure figure : FIGURES) {
            List<Double> ratios = new ArrayList<>();
            for (int pair = 0; pair < these.size(); pair++) {
                Double mine = these.get(pair).get(figure.name);
                Double other = those.get(pair).get(figure.name);
                if (mine != null && other != null && mine > 0 && other > 0) {
                    ratios.add(mine / other);
                }
            }
            if (!ratios.isEmpty()) {
                all.add(new Ratios(figure, ratios));
            }
        }
        return all;
    }

    /** Returns the numbers of a JSON object by their place, keys separated by dots. */
    static Map<String, Double> numbers(String json) {
        Map<String, Double> numbers = new HashMap<>();
        try (JsonParser parser = JsonScan.STRICT.createParser(ObjectReadContext.empty(), json)) {
            for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                if (token.isNumeric()) {
                    String pointer = parser.streamReadContext().pathAsPointer().toString();
                    numbers.put(pointer.substring(1).replace('/', '.'), parser.getDoubleValue());
                }
            }
        } catch (JacksonException e) {
            throw new BenchException("a build printed no JSON: " + e.getOriginalMessage(), e);
        }
        return numbers;
    }

    private Map<String, Double> measure(String build, String classPath, int pair, Scratch scratch)
            throws IOException, InterruptedException {
        progress.accept("pair %d of %d, %s".formatted(pair + 1, pairs, build));
        Path log = Files.createTempFile(scratch.folder(), "build-", ".log");
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(option -> PASSED_ON.matcher(option).matches())
                .forEach(command::add);
        // On the same disk, and removed with the scratch folder even if the process is killed.
        command.add("-Djava.io.tmpdir=" + scratch.folder());
        command.addAll(List.of("-cp", classPath, MAIN));
        command.addAll(words);
        Process process =
                new ProcessBuilder(command).redirectError(log.toFile()).start();
        running = process;
        process.getOutputStream().close();
        String json = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int status = process.waitFor();
        if (status != 0) {
            throw new BenchException("%s failed with exit status %d, class path %s:%n%s"
                    .formatted(build, status, classPath, Files.readString(log).strip()));
        }
        return numbers(json);
    }

    private void endRunning() {
        Process process = running;
        if (process != null) {
            process.destroy();
        }
    }
}
