package dev.windrow.cli.bench;

import dev.windrow.bench.Against.Ratios;
import dev.windrow.bench.BenchReport;
import dev.windrow.bench.BenchReport.Percentiles;
import dev.windrow.bench.BenchSettings;
import dev.windrow.cli.terminal.Ink;
import dev.windrow.cli.terminal.Table;
import dev.windrow.cli.terminal.TerminalText;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The results for readers. Measurements that were left out do not appear. */
final class BenchView {
    private static final int BAR = 24;
    /** Bytes below which a table or index is left out. */
    private static final int WORTH_A_LINE = 100_000;

    private final PrintStream out;
    private final Ink ink;
    private final int width;

    BenchView(PrintStream out, Ink ink, int width) {
        this.out = out;
        this.ink = ink;
        this.width = width;
    }

    void print(BenchSettings settings, BenchReport report) {
        out.println(ink.bold(String.format(
                Locale.ROOT,
                "%s, %,d jobs, %d slots, payloads of %,d bytes, durability %s, audited",
                report.database(),
                settings.jobs(),
                settings.slots(),
                settings.payloadBytes(),
                report.durability())));
        out.println("Medians of %d runs after one warm-up run; the rows of each database were checked."
                .formatted(report.runs()));
        printWholeJobs(report);
        printEnqueue(report.enqueue());
        printLatencies(report);
        printRawFlush(report.rawFlush());
        Table scale = new Table("WHAT", "RATIO>");
        BenchReport.Flatness flatness = report.claimFlatness();
        if (flatness.p50Ratio() != null) {
            scale.row(
                    String.format(
                            Locale.ROOT,
                            "claim with %,d finished jobs, time relative to 10,000",
                            flatness.finishedRows()),
                    ratio(flatness.p50Ratio()));
            String behindKey = String.format(Locale.ROOT, "claim with %,d ready jobs of a ", flatness.keyRows());
            scale.row(behindKey + "paused key, time relative to none", ratio(flatness.pausedKeyP50Ratio()));
            scale.row(behindKey + "full key, time relative to none", ratio(flatness.fullKeyP50Ratio()));
        }
        BenchReport.Shares processes = report.processes();
        if (processes.sumToOne() != null) {
            scale.row("2 worker processes, their jobs/s relative to one", ratio(processes.twoToOne()));
            scale.row(
                    "%d worker processes, their jobs/s relative to one".formatted(processes.count()),
                    ratio(processes.sumToOne()));
            scale.row(
                    "%d worker processes in their first run, relative to one in its first".formatted(processes.count()),
                    ratio(processes.coldSumToOne()));
            scale.row("smallest share of a process relative to the largest", ratio(processes.minToMaxShare()));
        }
        section("History and peer processes", scale);
        printScale(report.scale());
        printLeft(report.bloat());
        printHeld(report.longTransaction());
        printDependents(report.dependents());
    }

    /** Prints the ratios of this build to the one in a folder. */
    void print(String folder, int pairs, List<Ratios> all) {
        out.println(ink.bold("This build relative to %s, %d pairs".formatted(TerminalText.oneLine(folder), pairs)));
        Table table = new Table("WHAT", "MEDIAN>", "GEOMETRIC MEAN>", "BETTER");
        for (Ratios ratios : all) {
            table.row(
                    ratios.figure().name(),
                    ratio(ratios.median()),
                    ratio(ratios.geometricMean()),
                    ratios.figure().isRate() ? "above 1" : "below 1");
        }
        table.print(out, width, ink);
    }

    private void printDependents(BenchReport.Dependents dependents) {
        Table table = new Table("WHAT", "IS>");
        if (dependents.children() != null) {
            table.row(
                    "claim with %,d blocked jobs".formatted(dependents.blockedRows()),
                    ratio(dependents.claimP50Ratio()));
            table.row(
                    "release of %,d children, s".formatted(dependents.children()), ratio(dependents.releaseSeconds()));
            table.row("an enqueue during the release, median ms", millis(dependents.enqueueP50Millis()));
            table.row("an enqueue during the release, longest ms", millis(dependents.enqueueLongestMillis()));
            table.row("an enqueue before the release, median ms", millis(dependents.enqueueP50MillisBefore()));
        }
        section("Dependent jobs", table);
    }

    private void printLeft(BenchReport.Left bloat) {
        if (bloat.jobs() == null) {
            return;
        }
        Table table = new Table("TABLE", "MB>", "DEAD ROWS>", "AFTER VACUUM>");
        for (BenchReport.TableSize each : bloat.tables()) {
            if (each.bytes() >= WORTH_A_LINE) {
                table.row(each.name(), megabytes(each.bytes()), count(each.deadBefore()), count(each.deadAfter()));
            }
        }
        section(String.format(Locale.ROOT, "Tables after %,d finished jobs", bloat.jobs()), table);
        Table indexes = new Table("INDEX", "MB>");
        for (BenchReport.IndexSize each : bloat.indexes()) {
            if (each.bytes() >= WORTH_A_LINE) {
                indexes.row(each.name(), megabytes(each.bytes()));
            }
        }
        section("Indexes", indexes);
        out.printf(
                Locale.ROOT,
                "%n%s bytes a job. Updates that touched no index: %s of all, %s of renewals. Vacuumed %s.%n",
                rate(bloat.bytesPerJob()),
                ratio(bloat.updateHotShare()),
                ratio(bloat.renewalHotShare()),
                Boolean.TRUE.equals(bloat.vacuumedByServer()) ? "by the server" : "by hand");
    }

    private void printHeld(BenchReport.Held held) {
        Table table = new Table("WHAT", "OPEN>", "WITHOUT>");
        if (held.p50Ratio() != null) {
            table.row(
                    "claim of 100, last tenth relative to the first",
                    ratio(held.p50Ratio()),
                    ratio(held.p50RatioWithout()));
            table.row("the same, last tenth", millis(held.lastP50Millis()), millis(held.lastP50MillisWithout()));
            table.row("all claims and settlements, relative time", ratio(held.timeRatio()), "1.00");
            table.row(
                    "single enqueue after delayed jobs",
                    millis(held.enqueueP50Millis()),
                    millis(held.enqueueP50MillisWithout()));
        }
        section("Beside a long transaction", table);
    }

    private static String megabytes(long bytes) {
        return String.format(Locale.ROOT, "%,.1f", bytes / 1e6);
    }

    private static String count(long count) {
        return String.format(Locale.ROOT, "%,d", count);
    }

    private void printWholeJobs(BenchReport report) {
        BenchReport.BareLoopRates bare = report.bareLoop();
        Table table = new Table("WHAT", "JOBS/S>", "BARE LOOP>", "RATIO>", "");
        wholeJobs(table, "enqueue and drain at once", report.endToEnd(), bare.fusedJobsPerSecond());
        wholeJobs(table, "drain", report.drain(), bare.drainJobsPerSecond());
        section(
                bare.fusedJobsPerSecond() == null && bare.drainJobsPerSecond() == null
                        ? "Whole jobs"
                        : "Whole jobs, beside a bare loop that writes the same rows",
                table);
        Table cpu = new Table("WHAT", "PROCESS>", "WRITER>", "SLOTS>", "CALLERS>", "REST>");
        cpu(cpu, "enqueue and drain at once", report.endToEnd().cpuMicros());
        cpu(cpu, "drain", report.drain().cpuMicros());
        section("Processor time of a job", cpu);
    }

    private static void cpu(Table table, String what, BenchReport.CpuMicros cpu) {
        if (cpu.process() != null || cpu.writer() != null) {
            table.row(
                    what,
                    micros(cpu.process()),
                    micros(cpu.writer()),
                    micros(cpu.slots()),
                    micros(cpu.callers()),
                    micros(cpu.rest()));
        }
    }

    private void wholeJobs(Table table, String what, BenchReport.Compared engine, @Nullable Double bare) {
        if (bare != null || engine.jobsPerSecond() != null) {
            double ratio = engine.ratio() == null ? 0 : engine.ratio();
            table.row(
                    what,
                    rate(engine.jobsPerSecond()),
                    rate(bare),
                    ratio(engine.ratio()),
                    new Table.Inked(TerminalText.bar(Math.round(Math.min(1, ratio) * 1000), 1000, BAR), ink::accent));
        }
    }

    private void printEnqueue(BenchReport.EnqueueRates enqueue) {
        Table table = new Table("WHAT", "JOBS/S>", "");
        if (enqueue.bulk() != null) {
            double max = Math.max(Objects.requireNonNull(enqueue.async()), enqueue.bulk());
            rated(table, "one thread", enqueue.oneThread(), max);
            rated(table, "8 threads", enqueue.eightThreads(), max);
            rated(table, "64 threads", enqueue.sixtyFourThreads(), max);
            rated(table, "a thousand a call", enqueue.bulk(), max);
            rated(table, "asynchronous", enqueue.async(), max);
        }
        section("Enqueue alone, durable when it returns", table);
    }

    private void rated(Table table, String what, @Nullable Double rate, double max) {
        double value = rate == null ? 0 : rate;
        table.row(
                what,
                rate(rate),
                new Table.Inked(TerminalText.bar(Math.round(value), Math.round(max), BAR), ink::accent));
    }

    private void printLatencies(BenchReport report) {
        Table table = new Table("WHAT", "P50>", "P99>");
        if (report.commit().p50Millis() != null) {
            table.row("a single enqueue", millis(report.commit().p50Millis()), "");
        }
        started(table, "time to start, same process", report.startLatency().sameProcess());
        started(table, "time to start, other process", report.startLatency().otherProcess());
        section("One job at a time, with an idle worker", table);
        Table trips = new Table("WHAT", "MEAN>");
        if (report.commit().roundTrips() != null) {
            trips.row("a single enqueue", ratio(report.commit().roundTrips()));
            trips.row("claim and settlement of a job", ratio(report.commit().claimAndSettleRoundTrips()));
        }
        section("Round trips to the server, one job at a time", trips);
    }

    private void printRawFlush(BenchReport.RawFlush raw) {
        Table table = new Table("WHAT", "RAW>", "RATIO>");
        if (raw.perSecond() != null) {
            table.row("writes/s, and enqueue by one thread", rate(raw.perSecond()), ratio(raw.oneThreadRatio()));
        }
        if (raw.afterPauseP50Millis() != null) {
            table.row(
                    "after a pause, and time to start, same process",
                    millis(raw.afterPauseP50Millis()),
                    ratio(raw.startLatencyRatio()));
        }
        section(
                String.format(
                        Locale.ROOT, "Beside a raw write and flush of %,d bytes, as one enqueue has", raw.bytes()),
                table);
    }

    private static void started(Table table, String what, Percentiles percentiles) {
        if (percentiles.p50Millis() != null) {
            table.row(what, millis(percentiles.p50Millis()), millis(percentiles.p99Millis()));
        }
    }

    private void printScale(BenchReport.Scale scale) {
        Table table = new Table("WHAT", "RATIO>");
        if (scale.finishedRows() != null) {
            table.row("enqueue, 100 jobs", ratio(scale.enqueue()));
            table.row("claim, 100 jobs", ratio(scale.claim()));
            table.row("settle, 100 jobs", ratio(scale.settle()));
            table.row("stats", ratio(scale.statistics()));
            table.row("list, first page", ratio(scale.firstPage()));
            table.row("list, hundredth page", ratio(scale.hundredthPage()));
            table.row("show, a recent job", ratio(scale.show()));
            table.row("show, any job", ratio(scale.showAny()));
            section(
                    String.format(
                            Locale.ROOT,
                            "With %,d finished jobs, %,d each in three other states, %,d not claimable",
                            scale.finishedRows(),
                            scale.waitingRows(),
                            scale.otherRows()),
                    table);
            out.printf(
                    Locale.ROOT,
                    "%n%s bytes a job. A worker with a heap of %d MB drained the ready jobs, %s jobs/s; the log had at most %.0f MB.%n",
                    rate(scale.bytesPerJob()),
                    scale.heapMegabytes(),
                    rate(scale.drainJobsPerSecond()),
                    scale.logMegabytes());
        }
    }

    private void section(String title, Table table) {
        if (!table.isEmpty()) {
            out.println();
            out.println(ink.bold(title));
            table.print(out, width, ink);
        }
    }

    private static String rate(@Nullable Double rate) {
        return rate == null ? "·" : String.format(Locale.ROOT, "%,d", Math.round(rate));
    }

    private static String ratio(@Nullable Double ratio) {
        return ratio == null ? "·" : String.format(Locale.ROOT, "%.2f", ratio);
    }

    private static String micros(@Nullable Double micros) {
        return micros == null ? "·" : String.format(Locale.ROOT, "%.1f µs", micros);
    }

    private static String millis(@Nullable Double millis) {
        return millis == null ? "·" : String.format(Locale.ROOT, "%.2f ms", millis);
    }
}
