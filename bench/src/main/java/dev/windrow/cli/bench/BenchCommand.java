package dev.windrow.cli.bench;

import dev.windrow.bench.Against;
import dev.windrow.bench.Against.Ratios;
import dev.windrow.bench.Bench;
import dev.windrow.bench.BenchException;
import dev.windrow.bench.BenchReport;
import dev.windrow.bench.BenchReport.Compared;
import dev.windrow.bench.BenchReport.Dependents;
import dev.windrow.bench.BenchReport.Held;
import dev.windrow.bench.BenchReport.Left;
import dev.windrow.bench.BenchReport.Percentiles;
import dev.windrow.bench.BenchReport.Scale;
import dev.windrow.bench.BenchSettings;
import dev.windrow.bench.Section;
import dev.windrow.cli.CliCommand;
import dev.windrow.cli.FailedException;
import dev.windrow.cli.Main;
import dev.windrow.cli.UsageException;
import dev.windrow.cli.database.PostgresTarget;
import dev.windrow.cli.terminal.Ink;
import dev.windrow.cli.terminal.StatusLine;
import dev.windrow.cli.terminal.Values;
import dev.windrow.sqlite.Durability;
import dev.windrow.wire.JsonObject;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bench}: measures the speed of the engine on this machine, beside a bare loop that writes the same rows. */
@Command(
        name = "bench",
        description = BenchProvider.DESCRIPTION,
        footer = {
            "",
            "Takes about three minutes, and half a gigabyte in the temp directory, where it",
            "creates its own files and deletes them. With the URL of a PostgreSQL database as",
            "--db it measures there, in its own schemas. docs/benchmarks.md explains the",
            "figures.",
            "",
            "Examples:",
            "  windrow bench",
            "  windrow bench --only commit,startLatency --jobs 10000",
            "  windrow bench --against ../before --only endToEnd,drain"
        })
final class BenchCommand extends CliCommand {
    private static final String POSTGRES = "jdbc:postgresql:";
    private static final int MAX_JOBS = 10_000_000;
    private static final int MAX_SLOTS = 1000;
    private static final int MAX_BYTES = 1_048_576;
    private static final int MAX_ROWS = 100_000_000;
    private static final int MAX_PAIRS = 1000;

    @Option(names = "--jobs", paramLabel = "N", description = "Jobs of a run. 1 to 10000000, default 100000.")
    private String jobs = "100000";

    @Option(names = "--slots", paramLabel = "N", description = "Slots of each worker. 1 to 1000, default 8.")
    private String slots = "8";

    @Option(
            names = "--payload-bytes",
            paramLabel = "N",
            description = "Length of each payload in bytes. 2 to 1048576, default 100.")
    private String payloadBytes = "100";

    @Option(
            names = "--durability",
            paramLabel = "FULL|NORMAL",
            description =
                    "What a commit to a file survives: power loss (FULL) or a process's end (NORMAL), default FULL.")
    private @Nullable String durability;

    @Option(
            names = "--rows",
            paramLabel = "N",
            description = "Finished jobs for claimFlatness and scale. 1 to 100000000, default 1000000.")
    private String rows = "1000000";

    @Option(
            names = "--only",
            paramLabel = "NAMES",
            description =
                    "The measurements, separated by commas: bareLoop, endToEnd, drain, enqueue, startLatency, commit,"
                            + " claimFlatness, processes, scale, bloat, longTransaction, dependents; default all but the last four.")
    private @Nullable String only;

    @Option(
            names = "--against",
            paramLabel = "DIR",
            description =
                    "Run this build and that of another checkout in turn, and print ratios. DIR has been built with the"
                            + " profile bench, or has windrow.jar and windrow-bench.jar.")
    private @Nullable String against;

    @Option(
            names = "--pairs",
            paramLabel = "N",
            description = "How often both builds run. With --against alone. 1 to 1000, default 3.")
    private @Nullable String pairs;

    private BenchCommand(Main main) {
        super(main);
    }

    /** The service by which the command line finds this command. */
    public static final class Provider implements BenchProvider {
        @Override
        public CommandLine commandLine(Main main) {
            return new CommandLine(new BenchCommand(main));
        }
    }

    @Override
    public void run() throws InterruptedException {
        String url = url();
        BenchSettings settings = new BenchSettings(
                /* jobs= */ Values.integer("--jobs", jobs, 1, MAX_JOBS),
                /* slots= */ Values.integer("--slots", slots, 1, MAX_SLOTS),
                /* payloadBytes= */ Values.integer("--payload-bytes", payloadBytes, 2, MAX_BYTES),
                /* durability= */ durability(url != null),
                /* rows= */ Values.integer("--rows", rows, 1, MAX_ROWS),
                /* sections= */ sections(url != null),
                /* url= */ url);
        if (against != null) {
            compare(against, settings);
            return;
        }
        if (pairs != null) {
            throw new UsageException("--pairs is for --against: name another build with --against");
        }
        BenchReport report;
        try (Progress progress = new Progress()) {
            report = new Bench(settings, progress).run();
        } catch (BenchException e) {
            throw new FailedException(String.valueOf(e.getMessage()), e);
        }
        if (json()) {
            out().println(fields(report));
        } else {
            new BenchView(out(), Ink.of(console()), console().tableWidth()).print(settings, report);
        }
    }

    private void compare(String folder, BenchSettings settings) throws InterruptedException {
        int count = pairs == null ? 3 : Values.integer("--pairs", pairs, 1, MAX_PAIRS);
        String jars = Against.jars(console().path(Values.path("--against", folder, "the path of a folder")));
        if (jars == null) {
            throw Values.notAllowed(
                    "--against",
                    folder,
                    "a checkout built with 'mvn verify -Pbench', or a folder with windrow.jar and windrow-bench.jar");
        }
        List<Ratios> ratios;
        try (Progress progress = new Progress()) {
            ratios = new Against(jars, words(settings), count, progress).run();
        } catch (BenchException e) {
            throw new FailedException(String.valueOf(e.getMessage()), e);
        }
        if (json()) {
            out().println(new JsonObject()
                    .put("against", folder)
                    .put("pairs", count)
                    .list("figures", ratios, BenchCommand::fields));
        } else {
            new BenchView(out(), Ink.of(console()), console().tableWidth()).print(folder, count, ratios);
        }
    }

    /** Returns the command that both builds run. */
    private List<String> words(BenchSettings settings) {
        List<String> words = new ArrayList<>(List.of("--json", "bench"));
        if (namedTarget() != null) {
            words.addAll(List.of("--db", namedTarget()));
        } else {
            words.addAll(List.of("--durability", settings.durability().name()));
        }
        words.addAll(List.of("--jobs", String.valueOf(settings.jobs())));
        words.addAll(List.of("--slots", String.valueOf(settings.slots())));
        words.addAll(List.of("--payload-bytes", String.valueOf(settings.payloadBytes())));
        words.add("--only");
        words.add(settings.sections().stream().sorted().map(Section::key).collect(Collectors.joining(",")));
        return words;
    }

    private static JsonObject fields(Ratios ratios) {
        return new JsonObject()
                .put("name", ratios.figure().name())
                .put("moreIsBetter", ratios.figure().isRate())
                .put("median", rounded(ratios.median()))
                .put("geometricMean", rounded(ratios.geometricMean()))
                .put(
                        "ratios",
                        ratios.ratios().stream().map(BenchCommand::rounded).toList());
    }

    /** Returns the URL of the server, with the password, which may come from the environment; null for files. */
    private @Nullable String url() {
        String named = namedTarget();
        if (named == null) {
            return null;
        }
        if (!named.toLowerCase(Locale.ROOT).startsWith(POSTGRES)) {
            throw new UsageException(
                    "'bench' takes no file as --db: it measures on its own files and deletes them, or on"
                            + " the PostgreSQL server of a URL that begins with " + POSTGRES);
        }
        return PostgresTarget.whole("--db", named, config(), warning -> err().println("windrow: " + warning));
    }

    private Durability durability(boolean onServer) {
        if (durability == null) {
            return Durability.FULL;
        }
        if (onServer) {
            throw new UsageException("--durability is for files: on a server, the settings of the server decide");
        }
        for (Durability each : Durability.values()) {
            if (each.name().equalsIgnoreCase(durability)) {
                return each;
            }
        }
        throw Values.notAllowed("--durability", durability, "FULL, NORMAL");
    }

    private Set<Section> sections(boolean onServer) {
        if (only == null && against != null) {
            return Section.comparable();
        }
        if (only == null) {
            return onServer ? Section.usualOnServer() : Section.usual();
        }
        Set<Section> sections = EnumSet.noneOf(Section.class);
        for (String name : only.split(",", -1)) {
            sections.add(Arrays.stream(Section.values())
                    .filter(section -> section.key().equals(name))
                    .findFirst()
                    .orElseThrow(() -> Values.notAllowed("--only", name, keys(EnumSet.allOf(Section.class)))));
        }
        for (Section section : sections) {
            if (against != null && !Section.comparable().contains(section)) {
                throw new UsageException("--only %s has no figure that --against compares; allowed: %s"
                        .formatted(section.key(), keys(Section.comparable())));
            }
            if (onServer && section.isOfFilesAlone()) {
                throw new UsageException(
                        "--only %s is measured on files only: leave out --db".formatted(section.key()));
            }
            if (!onServer && section.isOfServersAlone()) {
                throw new UsageException(
                        "--only %s is measured on servers only: name one with --db".formatted(section.key()));
            }
        }
        return sections;
    }

    private static String keys(Set<Section> sections) {
        return sections.stream().map(Section::key).collect(Collectors.joining(", "));
    }

    private static JsonObject fields(BenchReport r) {
        return new JsonObject()
                .put("database", r.database())
                .put("durability", r.durability().name())
                .put("audited", true)
                .put(
                        "bareLoop",
                        new JsonObject()
                                .put("fusedJobsPerSecond", rate(r.bareLoop().fusedJobsPerSecond()))
                                .put("drainJobsPerSecond", rate(r.bareLoop().drainJobsPerSecond())))
                .put("endToEnd", fields(r.endToEnd()))
                .put("drain", fields(r.drain()))
                .put(
                        "enqueue",
                        new JsonObject()
                                .put("oneThread", rate(r.enqueue().oneThread()))
                                .put("eightThreads", rate(r.enqueue().eightThreads()))
                                .put("sixtyFourThreads", rate(r.enqueue().sixtyFourThreads()))
                                .put("bulk", rate(r.enqueue().bulk()))
                                .put("async", rate(r.enqueue().async())))
                .put(
                        "startLatency",
                        new JsonObject()
                                .put("sameProcess", fields(r.startLatency().sameProcess()))
                                .put("otherProcess", fields(r.startLatency().otherProcess())))
                .put(
                        "commit",
                        new JsonObject()
                                .put("p50Millis", rounded(r.commit().p50Millis()))
                                .put("roundTrips", rounded(r.commit().roundTrips()))
                                .put(
                                        "claimAndSettleRoundTrips",
                                        rounded(r.commit().claimAndSettleRoundTrips())))
                .put(
                        "rawFlush",
                        new JsonObject()
                                .put("bytes", r.rawFlush().bytes())
                                .put("perSecond", rate(r.rawFlush().perSecond()))
                                .put("afterPauseP50Millis", rounded(r.rawFlush().afterPauseP50Millis()))
                                .put("oneThreadRatio", rounded(r.rawFlush().oneThreadRatio()))
                                .put("startLatencyRatio", rounded(r.rawFlush().startLatencyRatio())))
                .put(
                        "claimFlatness",
                        new JsonObject()
                                .put("p50Ratio", rounded(r.claimFlatness().p50Ratio()))
                                .put("finishedRows", r.claimFlatness().finishedRows())
                                .put(
                                        "pausedKeyP50Ratio",
                                        rounded(r.claimFlatness().pausedKeyP50Ratio()))
                                .put(
                                        "fullKeyP50Ratio",
                                        rounded(r.claimFlatness().fullKeyP50Ratio()))
                                .put("keyRows", r.claimFlatness().keyRows()))
                .put(
                        "processes",
                        new JsonObject()
                                .put("count", r.processes().count())
                                .put("sumToOne", rounded(r.processes().sumToOne()))
                                .put("minToMaxShare", rounded(r.processes().minToMaxShare()))
                                .put("twoToOne", rounded(r.processes().twoToOne()))
                                .put("coldSumToOne", rounded(r.processes().coldSumToOne())))
                .put("scale", fields(r.scale()))
                .put("bloat", fields(r.bloat()))
                .put("longTransaction", fields(r.longTransaction()))
                .put("dependents", fields(r.dependents()))
                .put(
                        "warmUp",
                        new JsonObject()
                                .put("fusedJobsPerSecond", rate(r.warmUp().fusedJobsPerSecond()))
                                .put("endToEndJobsPerSecond", rate(r.warmUp().endToEndJobsPerSecond()))
                                .put("drainJobsPerSecond", rate(r.warmUp().drainJobsPerSecond())))
                .put("runs", r.runs());
    }

    private static JsonObject fields(Scale scale) {
        return new JsonObject()
                .put("finishedRows", scale.finishedRows())
                .put("waitingRows", scale.waitingRows())
                .put("otherRows", scale.otherRows())
                .put("seededPerSecond", rate(scale.seededPerSecond()))
                .put("bytesPerJob", rate(scale.bytesPerJob()))
                .put(
                        "p50Ratios",
                        new JsonObject()
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
                        new JsonObject()
                                .put("heapMegabytes", scale.heapMegabytes())
                                .put("jobsPerSecond", rate(scale.drainJobsPerSecond()))
                                .put("logMegabytes", rounded(scale.logMegabytes())));
    }

    private static JsonObject fields(Left bloat) {
        return new JsonObject()
                .put("jobs", bloat.jobs())
                .put("bytesPerJob", rate(bloat.bytesPerJob()))
                .put("renewalHotShare", rounded(bloat.renewalHotShare()))
                .put("updateHotShare", rounded(bloat.updateHotShare()))
                .put("vacuumedByServer", bloat.vacuumedByServer())
                .put(
                        "tables",
                        bloat.tables().stream()
                                .map(table -> new JsonObject()
                                        .put("name", table.name())
                                        .put("bytes", table.bytes())
                                        .put("deadBefore", table.deadBefore())
                                        .put("deadAfter", table.deadAfter()))
                                .toList())
                .put(
                        "indexes",
                        bloat.indexes().stream()
                                .map(index -> new JsonObject()
                                        .put("table", index.table())
                                        .put("name", index.name())
                                        .put("bytes", index.bytes()))
                                .toList());
    }

    private static JsonObject fields(Held held) {
        return new JsonObject()
                .put("p50Ratio", rounded(held.p50Ratio()))
                .put("p50RatioWithout", rounded(held.p50RatioWithout()))
                .put("lastP50Millis", rounded(held.lastP50Millis()))
                .put("lastP50MillisWithout", rounded(held.lastP50MillisWithout()))
                .put("timeRatio", rounded(held.timeRatio()))
                .put("enqueueP50Millis", rounded(held.enqueueP50Millis()))
                .put("enqueueP50MillisWithout", rounded(held.enqueueP50MillisWithout()));
    }

    private static JsonObject fields(Dependents dependents) {
        return new JsonObject()
                .put("blockedRows", dependents.blockedRows())
                .put("claimP50Ratio", rounded(dependents.claimP50Ratio()))
                .put("children", dependents.children())
                .put("releaseSeconds", rounded(dependents.releaseSeconds()))
                .put("enqueueP50Millis", rounded(dependents.enqueueP50Millis()))
                .put("enqueueLongestMillis", rounded(dependents.enqueueLongestMillis()))
                .put("enqueueP50MillisBefore", rounded(dependents.enqueueP50MillisBefore()));
    }

    private static JsonObject fields(Compared compared) {
        return new JsonObject()
                .put("jobsPerSecond", rate(compared.jobsPerSecond()))
                .put("ratio", rounded(compared.ratio()))
                .put(
                        "cpuMicros",
                        new JsonObject()
                                .put("process", rounded(compared.cpuMicros().process()))
                                .put("writer", rounded(compared.cpuMicros().writer()))
                                .put("slots", rounded(compared.cpuMicros().slots()))
                                .put("callers", rounded(compared.cpuMicros().callers()))
                                .put("rest", rounded(compared.cpuMicros().rest())));
    }

    private static JsonObject fields(Percentiles percentiles) {
        return new JsonObject()
                .put("p50Millis", rounded(percentiles.p50Millis()))
                .put("p99Millis", rounded(percentiles.p99Millis()));
    }

    private static @Nullable Long rate(@Nullable Double jobsPerSecond) {
        return jobsPerSecond == null ? null : Long.valueOf(Math.round(jobsPerSecond));
    }

    /** Rounds to thousandths, because more digits would only look exact. */
    private static @Nullable Double rounded(@Nullable Double value) {
        return value == null ? null : Double.valueOf(Math.round(value * 1000) / 1000.0);
    }

    /** The current measurement: on a terminal one line that changes, else a line each. */
    private final class Progress implements Consumer<String>, AutoCloseable {
        private final boolean line = console().errIsTerminal() && !verbose();

        @Override
        public void accept(String what) {
            if (line) {
                new StatusLine(err()).show("measuring: " + what + " ...");
            } else {
                err().println("windrow: measuring: " + what);
            }
        }

        @Override
        public void close() {
            if (line) {
                new StatusLine(err()).clear();
            }
        }
    }
}
