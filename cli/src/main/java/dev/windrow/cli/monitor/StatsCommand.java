package dev.windrow.cli.monitor;

import dev.windrow.Durations;
import dev.windrow.JobState;
import dev.windrow.Windrow;
import dev.windrow.cli.CliCommand;
import dev.windrow.cli.Main;
import dev.windrow.cli.UsageException;
import dev.windrow.cli.limit.LimitsView;
import dev.windrow.cli.retention.RetentionCommand;
import dev.windrow.cli.terminal.Fields;
import dev.windrow.cli.terminal.Ink;
import dev.windrow.cli.terminal.Live;
import dev.windrow.cli.terminal.Times;
import dev.windrow.cli.terminal.Values;
import dev.windrow.limit.Limits;
import dev.windrow.monitor.Statistics;
import dev.windrow.monitor.Throughput;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code stats}: the numbers of a store: counts by state, throughput, times, oldest running jobs, retries, failures,
 * limits and retention.
 */
@Command(
        name = "stats",
        description = "Shows counts, throughput, times, retries and failures.",
        footer = {"", "Examples:", "  windrow stats", "  windrow stats --since 1d", "  windrow stats --watch --every 5s"
        })
public final class StatsCommand extends CliCommand {
    @Option(
            names = "--since",
            paramLabel = "DURATION",
            description = "Period of the wait and run times. 1m to 7d, default 1h.")
    private @Nullable String since;

    @Option(names = "--watch", description = "Repeat, in place on a terminal, until q or Ctrl-C.")
    private boolean watch;

    @Option(
            names = "--every",
            paramLabel = "DURATION",
            description = "With --watch: the interval. 500ms to 1h, default 2s.")
    private @Nullable String every;

    public StatsCommand(Main main) {
        super(main);
    }

    @Override
    public void run() throws Exception {
        Duration window = since == null ? Duration.ofHours(1) : Values.duration("--since", since, "1m", "7d");
        if (watch && json()) {
            throw new UsageException(
                    "--watch does not go with --json, which prints exactly one value; run 'windrow stats --json' again instead");
        }
        if (every != null && !watch) {
            throw new UsageException("--every needs --watch");
        }
        Duration often = every == null ? Duration.ofSeconds(2) : Values.duration("--every", every, "500ms", "1h");
        try (Windrow windrow = target().openToRead()) {
            if (watch) {
                new Live(console(), often).run((width, height, ink) -> lines(windrow, window, width, height, ink));
                return;
            }
            Statistics statistics = windrow.monitor().statistics();
            Throughput throughput = windrow.monitor().throughput(window);
            List<Limits> controls = windrow.limits();
            if (json()) {
                out().println(fields(statistics, throughput, controls)
                        .put(
                                "retention",
                                RetentionCommand.summary(
                                        windrow.retention().rules(),
                                        windrow.retention().lastRun())));
            } else {
                new StatsView(out(), Ink.of(console()), console().tableWidth(), Instant.now())
                        .print(statistics, throughput, controls);
            }
        }
    }

    /** Returns the current lines. The last line counts the lines that do not fit. */
    private static List<String> lines(Windrow windrow, Duration window, int width, int height, Ink ink) {
        Statistics statistics = windrow.monitor().statistics();
        Throughput throughput = windrow.monitor().throughput(window);
        List<Limits> controls = windrow.limits();
        Instant now = Instant.now();
        List<String> lines = new ArrayList<>();
        lines.add(ink.dim(Times.dateAndTime(now) + " UTC"));
        lines.addAll(Live.lines(out -> new StatsView(out, ink, width, now).print(statistics, throughput, controls)));
        if (lines.size() > height) {
            int shown = Math.max(1, height - 1);
            int missing = lines.size() - shown;
            lines.subList(shown, lines.size()).clear();
            lines.add(ink.dim("... %d more lines do not fit".formatted(missing)));
        }
        return lines;
    }

    private static Fields fields(Statistics s, Throughput throughput, List<Limits> controls) {
        return new Fields()
                .put("states", states(s.states()))
                .put(
                        "types",
                        s.types().stream()
                                .map(t -> new Fields().put("type", t.type()).put("states", states(t.states())))
                                .toList())
                .put(
                        "queues",
                        s.queues().stream()
                                .map(q -> new Fields()
                                        .put("queue", q.queue())
                                        .put("paused", q.paused())
                                        .put("states", states(q.states()))
                                        .put("lagMillis", q.lagMillis()))
                                .toList())
                .put(
                        "oldestRunning",
                        s.oldestRunning().stream()
                                .map(r -> new Fields()
                                        .id("id", r.id())
                                        .put("type", r.type())
                                        .put("worker", r.worker())
                                        .put("startedAt", r.startedAt())
                                        .put("heartbeatAt", r.heartbeatAt()))
                                .toList())
                .put("runningSince", s.runningSince())
                .put("retries", retries(s.retries()))
                .put("liveRetries", retries(s.liveRetries()))
                .put(
                        "failures",
                        s.failures().stream()
                                .map(f -> new Fields()
                                        .put("errorCode", f.errorCode())
                                        .put("count", f.count())
                                        .put("firstAt", f.firstAt())
                                        .put("lastAt", f.lastAt())
                                        .put("sampleJob", f.sampleJob() == null ? null : String.valueOf(f.sampleJob())))
                                .toList())
                .put("unserved", unserved(s.unserved()))
                .put(
                        "unhandled",
                        s.unhandled().stream()
                                .map(u -> new Fields()
                                        .put("type", u.type())
                                        .put("count", u.count())
                                        .put("similar", u.similar()))
                                .toList())
                .put(
                        "waiting",
                        new Fields()
                                .put("count", s.waits().count())
                                .put("nextAt", s.waits().nextAt()))
                .put(
                        "schedules",
                        new Fields()
                                .put("count", s.schedules().count())
                                .put("paused", s.schedules().paused())
                                .put("overdueMillis", s.schedules().overdueMillis()))
                .put(
                        "stuck",
                        s.stuck().stream()
                                .map(w -> new Fields().put("worker", w.worker()).put("slots", w.slots()))
                                .toList())
                .put("window", Durations.text(throughput.window()))
                .put(
                        "times",
                        throughput.types().stream()
                                .filter(type -> type.ends().ran().count() > 0)
                                .map(type -> times(new Fields().put("type", type.type()), type.ends()))
                                .toList())
                .put("timesInAll", times(new Fields(), throughput.all()))
                .put(
                        "throughput",
                        points(throughput.all())
                                .put(
                                        "types",
                                        throughput.types().stream()
                                                .map(type -> points(type.ends()).put("type", type.type()))
                                                .toList()))
                .put("limits", controls.stream().map(LimitsView::fields).toList());
    }

    private static List<Fields> retries(List<Statistics.Retries> retries) {
        return retries.stream()
                .map(r -> new Fields()
                        .put("type", r.type())
                        .put("attempt", r.attempt())
                        .put("count", r.count()))
                .toList();
    }

    public static List<Fields> unserved(List<Statistics.Unserved> queues) {
        return queues.stream()
                .map(queue -> new Fields().put("queue", queue.queue()).put("count", queue.count()))
                .toList();
    }

    private static Fields times(Fields fields, Throughput.Ends ends) {
        fields.put("count", ends.ran().count())
                .put("succeeded", ends.succeeded())
                .put("failed", ends.failed());
        percentiles(fields, "wait", ends.waited());
        percentiles(fields, "run", ends.ran());
        return fields;
    }

    private static void percentiles(Fields fields, String what, Throughput.Times times) {
        fields.put(what + "MeanMillis", times.meanMillis())
                .put(what + "P50Millis", times.p50Millis())
                .put(what + "P90Millis", times.p90Millis())
                .put(what + "P95Millis", times.p95Millis())
                .put(what + "P99Millis", times.p99Millis());
    }

    private static Fields points(Throughput.Ends ends) {
        return new Fields().put("minutes", points(ends.minutes())).put("hours", points(ends.hours()));
    }

    private static List<Fields> points(List<Throughput.Point> points) {
        return points.stream()
                .map(point -> new Fields()
                        .put("at", point.from())
                        .put("succeeded", point.succeeded())
                        .put("failed", point.failed()))
                .toList();
    }

    private static Fields states(Map<JobState, Long> counts) {
        Fields fields = new Fields();
        for (JobState state : JobState.values()) {
            fields.put(state.name(), counts.getOrDefault(state, 0L));
        }
        return fields;
    }
}
