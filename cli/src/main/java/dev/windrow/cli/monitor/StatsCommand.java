package dev.windrow.cli.monitor;

import dev.windrow.Windrow;
import dev.windrow.cli.CliCommand;
import dev.windrow.cli.Main;
import dev.windrow.cli.UsageException;
import dev.windrow.cli.terminal.Ink;
import dev.windrow.cli.terminal.Live;
import dev.windrow.cli.terminal.Times;
import dev.windrow.cli.terminal.Values;
import dev.windrow.limit.Limits;
import dev.windrow.monitor.Statistics;
import dev.windrow.monitor.Throughput;
import dev.windrow.monitor.ThroughputFilter;
import dev.windrow.wire.MonitorJson;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
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
        footer = {
            "",
            "Examples:",
            "  windrow stats",
            "  windrow stats --since 1d --type mail.send",
            "  windrow stats --watch --every 5s"
        })
public final class StatsCommand extends CliCommand {
    @Option(
            names = "--since",
            paramLabel = "DURATION",
            description = "Period of the wait and run times. 1m to 7d, default 1h.")
    private @Nullable String since;

    @Option(
            names = "--type",
            paramLabel = "TYPE",
            description = "Throughput, wait and run times of this type only. Default all types.")
    private @Nullable String type;

    @Option(
            names = "--queue",
            paramLabel = "NAME",
            description = "Throughput, wait and run times of this queue only. Default all queues.")
    private @Nullable String queue;

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
        ThroughputFilter filter = filter();
        Duration often = every == null ? Duration.ofSeconds(2) : Values.duration("--every", every, "500ms", "1h");
        try (Windrow windrow = target().openToRead()) {
            if (watch) {
                new Live(console(), often)
                        .run((width, height, ink) -> lines(windrow, window, filter, width, height, ink));
                return;
            }
            Statistics statistics = windrow.monitor().statistics();
            Throughput throughput = windrow.monitor().throughput(window, filter);
            List<Limits> controls = windrow.limits();
            if (json()) {
                out().println(MonitorJson.statistics(
                        statistics,
                        throughput,
                        controls,
                        windrow.retention().rules(),
                        windrow.retention().lastRun()));
            } else {
                new StatsView(out(), Ink.of(console()), console().tableWidth(), Instant.now(), filter)
                        .print(statistics, throughput, controls);
            }
        }
    }

    private ThroughputFilter filter() {
        ThroughputFilter filter = ThroughputFilter.ALL;
        filter = type == null ? filter : filter.withType(Values.type("--type", type));
        return queue == null ? filter : filter.withQueue(Values.queue("--queue", queue));
    }

    /** Returns the current lines. The last line counts the lines that do not fit. */
    private static List<String> lines(
            Windrow windrow, Duration window, ThroughputFilter filter, int width, int height, Ink ink) {
        Statistics statistics = windrow.monitor().statistics();
        Throughput throughput = windrow.monitor().throughput(window, filter);
        List<Limits> controls = windrow.limits();
        Instant now = Instant.now();
        List<String> lines = new ArrayList<>();
        lines.add(ink.dim(Times.dateAndTime(now) + " UTC"));
        lines.addAll(
                Live.lines(out -> new StatsView(out, ink, width, now, filter).print(statistics, throughput, controls)));
        if (lines.size() > height) {
            int shown = Math.max(1, height - 1);
            int missing = lines.size() - shown;
            lines.subList(shown, lines.size()).clear();
            lines.add(ink.dim("... %d more lines do not fit".formatted(missing)));
        }
        return lines;
    }
}
