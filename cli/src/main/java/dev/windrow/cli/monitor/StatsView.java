package dev.windrow.cli.monitor;

import dev.windrow.Durations;
import dev.windrow.JobState;
import dev.windrow.cli.limit.LimitsView;
import dev.windrow.cli.terminal.Ink;
import dev.windrow.cli.terminal.Table;
import dev.windrow.cli.terminal.TerminalText;
import dev.windrow.cli.terminal.Times;
import dev.windrow.limit.Limits;
import dev.windrow.monitor.Statistics;
import dev.windrow.monitor.Throughput;
import dev.windrow.monitor.ThroughputFilter;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The numbers of a store for readers. Parts without numbers are left out. */
public final class StatsView {
    private static final int BAR = 24;
    private static final int SHORT_BAR = 10;
    /** The width from which more columns fit. */
    private static final int WIDE = 110;
    /** The width of the other columns of the times. */
    private static final int TIMES = 66;

    private static final int WIDE_TIMES = 100;
    private static final int LEAST_NAME = 12;
    /** The index of the column that late attempts share. */
    private static final int LATER = 4;

    private final PrintStream out;
    private final Ink ink;
    private final int width;
    private final Instant now;
    private final ThroughputFilter filter;

    StatsView(PrintStream out, Ink ink, int width, Instant now, ThroughputFilter filter) {
        this.out = out;
        this.ink = ink;
        this.width = width;
        this.now = now;
        this.filter = filter;
    }

    void print(Statistics s, Throughput throughput, List<Limits> controls) {
        printStates(s.states());
        printThroughput(throughput);
        section(
                "Wait and run times of the attempts" + selected() + " that ended in the last "
                        + Durations.text(throughput.window()),
                times(throughput, width, Integer.MAX_VALUE));
        Table types = new Table(headings("TYPE"));
        s.types().forEach(t -> types.row(cells(t.type(), t.states())));
        section("By type", types);
        Table queues = new Table(headings("QUEUE", "LAG>", ""));
        s.queues().forEach(q -> queues.row(cells(q.queue(), q.states(), lag(q), q.paused() ? "paused" : "")));
        section("By queue", queues);
        Table said = new Table("QUEUE, TYPE OR KEY", "", "RUNNING AT ONCE>", "RATE", "");
        controls.forEach(control -> said.row(
                control.target(),
                control.isPaused() ? "paused" : "",
                control.maxRunning() == null ? "·" : "at most " + number(control.maxRunning()),
                control.rate() == null ? "·" : control.rate().text(),
                LimitsView.pause(control)));
        section("Paused and limited", said);
        Table running = new Table("ID>", "TYPE", "RUNS FOR>", "HEARTBEAT", "WORKER");
        s.oldestRunning()
                .forEach(r -> running.row(
                        r.id(),
                        r.type(),
                        Times.length(Duration.between(r.startedAt(), now)),
                        Times.relative(r.heartbeatAt(), now),
                        r.worker()));
        section("Running, oldest heartbeat first", running);
        section("Attempts after the first", retries(s.retries()));
        section("Unfinished jobs after a failed attempt, by their next or running attempt", retries(s.liveRetries()));
        section("Why jobs failed", failures(s.failures(), width, ink, now));
        Table unserved = new Table("QUEUE", "COUNT>");
        s.unserved().forEach(u -> unserved.row(u.queue(), number(u.count())));
        section("Ready jobs in queues that no live worker serves", unserved);
        Table unhandled = new Table("TYPE", "COUNT>", "NOTE");
        s.unhandled()
                .forEach(u -> unhandled.row(
                        u.type(),
                        number(u.count()),
                        u.similar() == null ? "" : "a live worker handles '%s'".formatted(u.similar())));
        section("Ready jobs of types that no live worker handles", unhandled);
        Instant next = s.waits().nextAt();
        if (next != null) {
            out.println();
            out.println(ink.bold("Waiting for external completion"));
            out.println("  %s, the first one times out at %s UTC"
                    .formatted(number(s.waits().count()), Times.dateAndTime(next)));
        }
        printSchedules(s.schedules());
        Table stuck = new Table("SLOTS>", "WORKER");
        s.stuck().forEach(w -> stuck.row(number(w.slots()), w.worker()));
        section("Stuck handlers, which ignore their interrupt", stuck);
    }

    private void printStates(Map<JobState, Long> states) {
        long max = states.values().stream().mapToLong(Long::longValue).max().orElse(0);
        long all = states.values().stream().mapToLong(Long::longValue).sum();
        out.println(ink.bold(number(all) + (all == 1 ? " job" : " jobs")));
        for (JobState state : JobState.values()) {
            long count = states.getOrDefault(state, 0L);
            out.println(("  " + TerminalText.padRight(state.name(), 10) + TerminalText.padLeft(number(count), 12) + "  "
                            + ink.state(state, TerminalText.bar(count, max, BAR)))
                    .stripTrailing());
        }
    }

    private void printSchedules(Statistics.ScheduleCounts schedules) {
        if (schedules.count() > 0) {
            Long overdue = schedules.overdueMillis();
            out.println();
            out.println(ink.bold("Schedules"));
            out.println("  %s, %s paused%s"
                    .formatted(
                            number(schedules.count()),
                            number(schedules.paused()),
                            overdue == null ? "" : ", overdue by up to " + Times.length(Duration.ofMillis(overdue))));
        }
    }

    private void printThroughput(Throughput throughput) {
        Throughput.Ends all = throughput.all();
        if (sum(all.hours()) == 0 && sum(all.minutes()) == 0) {
            return;
        }
        out.println();
        out.println(ink.bold("Attempts" + selected() + " that ended"));
        pictures(all, width, ink).forEach(out::println);
    }

    /** Names the type and the queue of the filter; empty without a filter. */
    private String selected() {
        return (filter.type() == null ? "" : " of type " + filter.type())
                + (filter.queue() == null ? "" : " in queue " + filter.queue());
    }

    /** Returns the last hour and the last day, each as sums and as a picture. */
    static List<String> pictures(Throughput.Ends all, int width, Ink ink) {
        List<String> lines = new ArrayList<>();
        lines.add(picture("last hour", "minute", all.minutes(), width, ink));
        lines.add(picture("last day", "hour", all.hours(), width, ink));
        return lines;
    }

    private static String picture(String span, String step, List<Throughput.Point> points, int width, Ink ink) {
        List<Long> values =
                points.stream().map(point -> point.succeeded() + point.failed()).toList();
        long failed = points.stream().mapToLong(Throughput.Point::failed).sum();
        String text = "  " + TerminalText.padRight(span, 10)
                + TerminalText.padLeft(number(sum(points) - failed), 11) + " succeeded"
                + TerminalText.padLeft(number(failed), 9) + " failed  ";
        int room = width - text.length() - 2;
        // If not all values fit, the newest are shown.
        List<Long> seen = values.subList(Math.max(0, values.size() - Math.max(8, room)), values.size());
        String max = "  most in one %s: %s"
                .formatted(
                        step,
                        number(seen.stream().mapToLong(Long::longValue).max().orElse(0)));
        return text
                + ink.accent("▕" + TerminalText.sparkline(seen) + "▏")
                + (room - seen.size() >= max.length() ? ink.dim(max) : "");
    }

    private static long sum(List<Throughput.Point> points) {
        return points.stream()
                .mapToLong(point -> point.succeeded() + point.failed())
                .sum();
    }

    /** Returns the percentiles by type, and more of them on a wide terminal. */
    static Table times(Throughput throughput, int width, int max) {
        boolean wide = width >= WIDE;
        List<String> headings = new ArrayList<>(List.of("TYPE", "ENDED>", "FAILED>"));
        for (String what : List.of("WAIT", "RUN")) {
            if (wide) {
                headings.add(what + " MEAN>");
            }
            headings.add(what + " P50>");
            if (wide) {
                headings.add("P90>");
            }
            headings.addAll(List.of("P95>", "P99>"));
        }
        Table table = new Table(headings.toArray(String[]::new));
        throughput.types().stream()
                .filter(type -> type.ends().ran().count() > 0)
                .sorted(Comparator.comparingLong(
                                (Throughput.OfType type) -> type.ends().ran().count())
                        .reversed()
                        .thenComparing(Throughput.OfType::type))
                .limit(max)
                .forEach(type -> {
                    List<Object> cells = new ArrayList<>();
                    cells.add(
                            TerminalText.clip(type.type(), Math.max(LEAST_NAME, width - (wide ? WIDE_TIMES : TIMES))));
                    cells.add(number(type.ends().ran().count()));
                    cells.add(count(type.ends().failed()));
                    for (Throughput.Times times :
                            List.of(type.ends().waited(), type.ends().ran())) {
                        if (wide) {
                            cells.add(length(times.meanMillis()));
                        }
                        cells.add(length(times.p50Millis()));
                        if (wide) {
                            cells.add(length(times.p90Millis()));
                        }
                        cells.add(length(times.p95Millis()));
                        cells.add(length(times.p99Millis()));
                    }
                    table.row(cells.toArray());
                });
        return table;
    }

    static String length(@Nullable Long millis) {
        return millis == null ? "·" : Times.length(Duration.ofMillis(millis));
    }

    private static Table retries(List<Statistics.Retries> all) {
        Map<String, long[]> types = new TreeMap<>();
        for (Statistics.Retries retries : all) {
            long[] counts = types.computeIfAbsent(retries.type(), key -> new long[LATER + 1]);
            counts[Math.min(retries.attempt() - 2, LATER)] += retries.count();
        }
        Table table = new Table("TYPE", "2ND>", "3RD>", "4TH>", "5TH>", "LATER>");
        types.forEach((type, counts) -> {
            List<Object> cells = new ArrayList<>(List.of(type));
            for (long n : counts) {
                cells.add(count(n));
            }
            table.row(cells.toArray());
        });
        return table;
    }

    /** Returns the 20 most frequent error codes of FAILED jobs: with their last hours on a wide terminal, else with bars. */
    static Table failures(List<Statistics.Failures> all, int width, Ink ink, Instant now) {
        boolean wide = width >= WIDE;
        long max = all.stream().mapToLong(Statistics.Failures::count).max().orElse(0);
        Table failures =
                new Table("ERROR CODE", "COUNT>", "FIRST", "LAST", "FOR EXAMPLE>", wide ? "LAST 24 HOURS" : "");
        all.stream()
                .limit(20)
                .forEach(f -> failures.row(
                        f.errorCode(),
                        number(f.count()),
                        Times.relative(f.firstAt(), now),
                        Times.relative(f.lastAt(), now),
                        f.sampleJob() == null ? "·" : f.sampleJob(),
                        new Table.Inked(
                                wide ? trend(f.trend()) : TerminalText.bar(f.count(), max, SHORT_BAR), ink::bad)));
        return failures;
    }

    /** Returns a picture of the hours, the current one last, with a dot for each hour that was not read. */
    private static String trend(List<Statistics.Hour> hours) {
        List<Long> read = hours.stream()
                .map(Statistics.Hour::count)
                .filter(Objects::nonNull)
                .toList();
        return "▕" + "·".repeat(hours.size() - read.size()) + TerminalText.sparkline(read) + "▏";
    }

    /** Returns the waiting time of the oldest ready job of a queue. */
    private static String lag(Statistics.OfQueue queue) {
        return queue.lagMillis() == null ? "·" : Times.length(Duration.ofMillis(queue.lagMillis()));
    }

    private static String[] headings(String what, String... more) {
        List<String> headings = new ArrayList<>();
        headings.add(what);
        headings.addAll(List.of("BLOCKED>", "SCHED.>", "PENDING>", "RUNNING>", "COMPLETED>", "FAILED>", "CANC.>"));
        headings.addAll(List.of(more));
        return headings.toArray(String[]::new);
    }

    private static Object[] cells(String what, Map<JobState, Long> states, String... more) {
        List<Object> cells = new ArrayList<>();
        cells.add(what);
        for (JobState state : JobState.values()) {
            long count = states.getOrDefault(state, 0L);
            cells.add(count(count));
        }
        cells.addAll(List.of(more));
        return cells.toArray();
    }

    private void section(String title, Table table) {
        if (!table.isEmpty()) {
            out.println();
            out.println(ink.bold(title));
            table.print(out, width, ink);
        }
    }

    static String count(long n) {
        return n == 0 ? "·" : number(n);
    }

    public static String number(long n) {
        return String.format(Locale.ROOT, "%,d", n);
    }
}
