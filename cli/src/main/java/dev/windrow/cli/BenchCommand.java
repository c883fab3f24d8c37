package dev.windrow.cli;

import dev.windrow.bench.Bench;
import dev.windrow.bench.BenchException;
import dev.windrow.bench.BenchReport;
import dev.windrow.bench.BenchReport.Compared;
import dev.windrow.bench.BenchReport.Percentiles;
import dev.windrow.bench.BenchReport.Scale;
import dev.windrow.bench.BenchSettings;
import dev.windrow.bench.Section;
import dev.windrow.sqlite.Durability;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bench}: how fast the engine is here, beside a bare loop that writes the same rows. */
@Command(
        name = "bench",
        description = "Measure the engine beside a bare loop that writes the same rows.",
        footer = {
            "",
            "Takes about three minutes, and half a gigabyte in the temp directory,",
            "where it makes files of its own and removes them. Takes no --db.",
            "What each figure means: docs/benchmarks.md."
        })
final class BenchCommand extends CliCommand {
    private static final int MOST_JOBS = 10_000_000;
    private static final int MOST_SLOTS = 1000;
    private static final int MOST_BYTES = 1_048_576;
    private static final int MOST_ROWS = 100_000_000;

    @Option(names = "--jobs", paramLabel = "N", description = "Jobs of a run, 1 to 10000000; 100000 otherwise.")
    private String jobs = "100000";

    @Option(names = "--slots", paramLabel = "N", description = "Slots of each worker, 1 to 1000; 8 otherwise.")
    private String slots = "8";

    @Option(
            names = "--payload-bytes",
            paramLabel = "N",
            description = "Length of each payload, 2 to 1048576; 100 otherwise.")
    private String payloadBytes = "100";

    @Option(
            names = "--durability",
            paramLabel = "FULL|NORMAL",
            description = "What each commit survives; FULL otherwise.")
    private String durability = "FULL";

    @Option(
            names = "--rows",
            paramLabel = "N",
            description =
                    "Finished jobs behind which claims, and the verbs of scale, are measured, 1 to 100000000; 1000000 otherwise.")
    private String rows = "1000000";

    @Option(
            names = "--only",
            paramLabel = "NAMES",
            description = "Of bareLoop, endToEnd, drain, enqueue, startLatency, commit, claimFlatness, processes,"
                    + " scale, those to measure, with commas in between; all but scale otherwise.")
    private @Nullable String only;

    BenchCommand(Main main) {
        super(main);
    }

    @Override
    void run() throws InterruptedException {
        if (targetIsNamed()) {
            throw new UsageException("bench takes no --db: it measures on files of its own and removes them");
        }
        BenchSettings settings = new BenchSettings(
                Values.integer("--jobs", jobs, 1, MOST_JOBS),
                Values.integer("--slots", slots, 1, MOST_SLOTS),
                Values.integer("--payload-bytes", payloadBytes, 2, MOST_BYTES),
                durability(),
                Values.integer("--rows", rows, 1, MOST_ROWS),
                sections());
        BenchReport report;
        try (Progress progress = new Progress()) {
            report = new Bench(settings, progress).run();
        } catch (BenchException e) {
            throw new FailedException(String.valueOf(e.getMessage()), e);
        }
        if (json()) {
            out().println(fields(report));
        } else {
            new BenchView(out(), Ink.of(console()), console().width()).print(settings, report);
        }
    }

    private Durability durability() {
        for (Durability each : Durability.values()) {
            if (each.name().equalsIgnoreCase(durability)) {
                return each;
            }
        }
        throw Values.notAllowed("--durability", durability, "FULL, NORMAL");
    }

    private Set<Section> sections() {
        if (only == null) {
            return Section.usual();
        }
        Set<Section> sections = EnumSet.noneOf(Section.class);
        for (String name : only.split(",", -1)) {
            sections.add(Arrays.stream(Section.values())
                    .filter(section -> section.key().equals(name))
                    .findFirst()
                    .orElseThrow(() -> Values.notAllowed(
                            "--only",
                            name,
                            Arrays.stream(Section.values()).map(Section::key).collect(Collectors.joining(", ")))));
        }
        return sections;
    }

    private static Fields fields(BenchReport r) {
        return new Fields()
                .put("durability", r.durability().name())
                .put("audited", true)
                .put(
                        "bareLoop",
                        new Fields()
                                .put("fusedJobsPerSecond", rate(r.bareLoop().fusedJobsPerSecond()))
                                .put("drainJobsPerSecond", rate(r.bareLoop().drainJobsPerSecond())))
                .put("endToEnd", fields(r.endToEnd()))
                .put("drain", fields(r.drain()))
                .put(
                        "enqueue",
                        new Fields()
                                .put("oneThread", rate(r.enqueue().oneThread()))
                                .put("eightThreads", rate(r.enqueue().eightThreads()))
                                .put("sixtyFourThreads", rate(r.enqueue().sixtyFourThreads()))
                                .put("bulk", rate(r.enqueue().bulk()))
                                .put("async", rate(r.enqueue().async())))
                .put(
                        "startLatency",
                        new Fields()
                                .put("sameProcess", fields(r.startLatency().sameProcess()))
                                .put("otherProcess", fields(r.startLatency().otherProcess())))
                .put("commit", new Fields().put("p50Millis", rounded(r.commitP50Millis())))
                .put(
                        "claimFlatness",
                        new Fields()
                                .put("p50Ratio", rounded(r.claimFlatness().p50Ratio()))
                                .put("finishedRows", r.claimFlatness().finishedRows()))
                .put(
                        "processes",
                        new Fields()
                                .put("count", r.processes().count())
                                .put("sumToOne", rounded(r.processes().sumToOne()))
                                .put("minToMaxShare", rounded(r.processes().minToMaxShare())))
                .put("scale", fields(r.scale()))
                .put(
                        "warmUp",
                        new Fields()
                                .put("fusedJobsPerSecond", rate(r.warmUp().fusedJobsPerSecond()))
                                .put("endToEndJobsPerSecond", rate(r.warmUp().endToEndJobsPerSecond()))
                                .put("drainJobsPerSecond", rate(r.warmUp().drainJobsPerSecond())))
                .put("runs", r.runs());
    }

    private static Fields fields(Scale scale) {
        return new Fields()
                .put("finishedRows", scale.finishedRows())
                .put("waitingRows", scale.waitingRows())
                .put("otherRows", scale.otherRows())
                .put("seededPerSecond", rate(scale.seededPerSecond()))
                .put("bytesPerJob", rate(scale.bytesPerJob()))
                .put(
                        "p50Ratios",
                        new Fields()
                                .put("enqueue", rounded(scale.enqueue()))
                                .put("claim", rounded(scale.claim()))
                                .put("settle", rounded(scale.settle()))
                                .put("stats", rounded(scale.statistics()))
                                .put("listFirstPage", rounded(scale.firstPage()))
                                .put("listHundredthPage", rounded(scale.hundredthPage()))
                                .put("show", rounded(scale.show()))
                                .put("showAny", rounded(scale.showAny())))
                .put(
                        "smallWorker",
                        new Fields()
                                .put("heapMegabytes", scale.heapMegabytes())
                                .put("jobsPerSecond", rate(scale.drainJobsPerSecond()))
                                .put("logMegabytes", rounded(scale.logMegabytes())));
    }

    private static Fields fields(Compared compared) {
        return new Fields()
                .put("jobsPerSecond", rate(compared.jobsPerSecond()))
                .put("ratio", rounded(compared.ratio()));
    }

    private static Fields fields(Percentiles percentiles) {
        return new Fields()
                .put("p50Millis", rounded(percentiles.p50Millis()))
                .put("p99Millis", rounded(percentiles.p99Millis()));
    }

    private static @Nullable Long rate(@Nullable Double jobsPerSecond) {
        return jobsPerSecond == null ? null : Long.valueOf(Math.round(jobsPerSecond));
    }

    /** To thousandths: more would only look exact. */
    private static @Nullable Double rounded(@Nullable Double value) {
        return value == null ? null : Double.valueOf(Math.round(value * 1000) / 1000.0);
    }

    /** What is under way: on a terminal one line that changes, else a line each. */
    private final class Progress implements Consumer<String>, AutoCloseable {
        private final boolean line = console().errIsTerminal() && !verbose();

        @Override
        public void accept(String what) {
            if (line) {
                err().print("\r\u001b[Kmeasuring: " + what + " ...");
                err().flush();
            } else {
                err().println("windrow: measuring: " + what);
            }
        }

        @Override
        public void close() {
            if (line) {
                err().print("\r\u001b[K");
                err().flush();
            }
        }
    }
}
