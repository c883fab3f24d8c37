package dev.windrow.cli.monitor;

import dev.windrow.JobState;
import dev.windrow.cli.terminal.Ink;
import dev.windrow.cli.terminal.Live;
import dev.windrow.cli.terminal.Table;
import dev.windrow.cli.terminal.TerminalText;
import dev.windrow.cli.terminal.Times;
import dev.windrow.monitor.Statistics;
import dev.windrow.monitor.Throughput;
import dev.windrow.monitor.WorkerInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One screen with the state of a store. If not all rows fit, each part loses rows at its end, alternately, so that
 * each part shows its most important rows.
 *
 * @param target the store
 * @param now the time of the reading
 * @param statistics its counts
 * @param throughput the attempts that ended in the last hour and the last day
 * @param workers the workers in the registry
 * @param problem the reason why the store could not be read since; null if it could
 */
record TopView(
        String target,
        Instant now,
        Statistics statistics,
        Throughput throughput,
        List<WorkerInfo> workers,
        @Nullable String problem) {
    private static final int LEAST_NAME = 10;
    private static final int OTHER_COLUMNS = 62;

    /** Rows below a title and headings. */
    private record Part(String title, List<String> lines) {
        /** Title, headings and one row. */
        static final int LEAST = 3;

        int rows() {
            return lines.size() - 1;
        }
    }

    /** Returns the same view with the reason why no newer one could be read. */
    TopView stale(String why) {
        return new TopView(
                /* target= */ target,
                /* now= */ now,
                /* statistics= */ statistics,
                /* throughput= */ throughput,
                /* workers= */ workers,
                /* problem= */ why);
    }

    /** Returns as many lines as fit. */
    List<String> lines(int width, int height, Ink ink) {
        List<String> lines = new ArrayList<>(head(width, ink));
        List<Part> parts = new ArrayList<>();
        add(parts, "Types", types(width), width, ink);
        add(parts, "Running, oldest heartbeat first", running(), width, ink);
        add(parts, "Why jobs failed", StatsView.failures(statistics.failures(), width, ink, now), width, ink);
        add(parts, "Queues", queues(), width, ink);
        add(parts, "Workers", workersTable(), width, ink);
        int[] rows = share(parts, (long) height - lines.size());
        for (int i = 0; i < parts.size(); i++) {
            Part part = parts.get(i);
            if (rows[i] > 0) {
                String some = rows[i] < part.rows() ? " (%d of %d)".formatted(rows[i], part.rows()) : "";
                lines.add("");
                lines.add(ink.bold(part.title) + ink.dim(some));
                lines.addAll(part.lines.subList(0, rows[i] + 1));
            }
        }
        return lines.size() > height ? lines.subList(0, height) : lines;
    }

    private static void add(List<Part> parts, String title, Table table, int width, Ink ink) {
        if (!table.isEmpty()) {
            parts.add(new Part(title, Live.lines(out -> table.print(out, width, ink))));
        }
    }

    /** Returns the number of rows of each part: first one row each while they fit, then one more each, alternately. */
    private static int[] share(List<Part> parts, long room) {
        int[] rows = new int[parts.size()];
        long left = room;
        for (int i = 0; i < rows.length; i++) {
            // Each has an empty line before it.
            if (left >= Part.LEAST + 1) {
                rows[i] = 1;
                left -= Part.LEAST + 1;
            }
        }
        boolean more = true;
        while (left > 0 && more) {
            more = false;
            for (int i = 0; i < rows.length && left > 0; i++) {
                if (rows[i] > 0 && rows[i] < parts.get(i).rows()) {
                    rows[i]++;
                    left--;
                    more = true;
                }
            }
        }
        return rows;
    }

    private List<String> head(int width, Ink ink) {
        String time = Times.dateAndTime(now) + " UTC";
        String name = "windrow top  "
                + TerminalText.clipStart(TerminalText.oneLine(target), Math.max(8, width - 15 - time.length()));
        List<String> lines = new ArrayList<>();
        lines.add(ink.bold(TerminalText.padRight(name, width - time.length() - 1)) + " " + ink.dim(time));
        if (problem != null) {
            lines.add(ink.bad(
                    TerminalText.clip("outdated: cannot read the store: " + TerminalText.oneLine(problem), width)));
        }
        lines.addAll(states(width, ink));
        lines.addAll(StatsView.pictures(throughput.all(), width, ink));
        lines.add("  now: %s succeeded, %s failed"
                .formatted(
                        rate(throughput.all(), Throughput.Point::succeeded),
                        rate(throughput.all(), Throughput.Point::failed)));
        String schedules = schedules();
        if (!schedules.isEmpty()) {
            lines.add(
                    statistics.schedules().overdueMillis() == null ? "  " + schedules : "  " + ink.notable(schedules));
        }
        statistics
                .stuck()
                .forEach(stuck -> lines.add(ink.bad(TerminalText.clip(
                        "  %s: %s".formatted(stuck.worker(), TerminalText.count(stuck.slots(), "stuck handler")),
                        width))));
        if (!statistics.unserved().isEmpty()) {
            lines.add(left(
                    "in queues that no live worker serves",
                    statistics.unserved().stream()
                            .mapToLong(Statistics.Unserved::count)
                            .sum(),
                    statistics.unserved().stream()
                            .map(Statistics.Unserved::queue)
                            .toList(),
                    width,
                    ink));
        }
        if (!statistics.unhandled().isEmpty()) {
            lines.add(left(
                    "of types that no live worker handles",
                    statistics.unhandled().stream()
                            .mapToLong(Statistics.Unhandled::count)
                            .sum(),
                    statistics.unhandled().stream()
                            .map(Statistics.Unhandled::type)
                            .toList(),
                    width,
                    ink));
        }
        return lines;
    }

    private static String left(String of, long jobs, List<String> names, int width, Ink ink) {
        return ink.notable(TerminalText.clip(
                "  %s %s: %s".formatted(TerminalText.count(jobs, "ready job"), of, String.join(" ", names)), width));
    }

    /** Returns each state with its count, on as many lines as needed. */
    private List<String> states(int width, Ink ink) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        int length = 0;
        for (JobState state : JobState.values()) {
            String text =
                    state.name() + " " + StatsView.number(statistics.states().getOrDefault(state, 0L));
            if (length > 0 && length + text.length() + 2 > width) {
                lines.add(line.toString());
                line.setLength(0);
                length = 0;
            }
            line.append("  ").append(ink.state(state, text));
            length += text.length() + 2;
        }
        lines.add(line.toString());
        return lines;
    }

    private String schedules() {
        Statistics.ScheduleCounts schedules = statistics.schedules();
        if (schedules.count() == 0) {
            return "";
        }
        Long overdue = schedules.overdueMillis();
        return "%s, %s paused%s"
                .formatted(
                        TerminalText.count(schedules.count(), "schedule"),
                        StatsView.number(schedules.paused()),
                        overdue == null ? "" : ", overdue by up to " + Times.length(Duration.ofMillis(overdue)));
    }

    private interface Count {
        long of(Throughput.Point point);
    }

    /** Returns the rate over the last whole minute and the present part of this one. */
    private String rate(Throughput.Ends ends, Count count) {
        List<Throughput.Point> minutes = ends.minutes();
        Throughput.Point present = minutes.get(minutes.size() - 1);
        double seconds = 60 + Math.max(0, Duration.between(present.from(), now).toMillis()) / 1000.0;
        double perSecond = (count.of(present) + count.of(minutes.get(minutes.size() - 2))) / seconds;
        if (perSecond == 0) {
            return "0/s";
        }
        return perSecond < 0.95
                ? String.format(Locale.ROOT, "%.1f/min", perSecond * 60)
                : perSecond < 100
                        ? String.format(Locale.ROOT, "%.1f/s", perSecond)
                        : StatsView.number(Math.round(perSecond)) + "/s";
    }

    /** Returns the types, the busiest first. */
    private Table types(int width) {
        Map<String, Throughput.Ends> ends = new HashMap<>();
        throughput.types().forEach(type -> ends.put(type.type(), type.ends()));
        Table table = new Table("TYPE", "READY>", "RUNNING>", "FAILED>", "RATE>", "ERRORS>", "WAIT P95>", "RUN P95>");
        statistics.types().stream()
                .sorted(Comparator.comparingLong((Statistics.OfType type) -> ended(ends.get(type.type())))
                        .thenComparingLong(type -> count(type, JobState.RUNNING) + count(type, JobState.PENDING))
                        .reversed()
                        .thenComparing(Statistics.OfType::type))
                .forEach(type -> {
                    Throughput.Ends of = ends.get(type.type());
                    table.row(
                            TerminalText.clip(type.type(), Math.max(LEAST_NAME, width - OTHER_COLUMNS)),
                            StatsView.count(count(type, JobState.PENDING)),
                            StatsView.count(count(type, JobState.RUNNING)),
                            StatsView.count(count(type, JobState.FAILED)),
                            of == null ? "·" : rate(of, Throughput.Point::succeeded),
                            of == null ? "·" : rate(of, Throughput.Point::failed),
                            of == null ? "·" : StatsView.length(of.waited().p95Millis()),
                            of == null ? "·" : StatsView.length(of.ran().p95Millis()));
                });
        return table;
    }

    private static long ended(Throughput.@Nullable Ends ends) {
        return ends == null ? 0 : ends.succeeded() + ends.failed();
    }

    private static long count(Statistics.OfType type, JobState state) {
        return type.states().getOrDefault(state, 0L);
    }

    private Table running() {
        Table table = new Table("ID>", "TYPE", "RUNS FOR>", "HEARTBEAT", "WORKER");
        statistics
                .oldestRunning()
                .forEach(job -> table.row(
                        job.id(),
                        job.type(),
                        Times.length(Duration.between(job.startedAt(), now)),
                        Times.relative(job.heartbeatAt(), now),
                        job.worker()));
        return table;
    }

    private Table queues() {
        Table table = new Table("QUEUE", "READY>", "RUNNING>", "LATER>", "BLOCKED>", "LAG>", "");
        statistics.queues().stream()
                .sorted(Comparator.comparingLong(
                                (Statistics.OfQueue queue) -> queue.lagMillis() == null ? -1 : queue.lagMillis())
                        .reversed()
                        .thenComparing(Statistics.OfQueue::queue))
                .forEach(queue -> table.row(
                        queue.queue(),
                        StatsView.count(queue.states().getOrDefault(JobState.PENDING, 0L)),
                        StatsView.count(queue.states().getOrDefault(JobState.RUNNING, 0L)),
                        StatsView.count(queue.states().getOrDefault(JobState.SCHEDULED, 0L)),
                        StatsView.count(queue.states().getOrDefault(JobState.BLOCKED, 0L)),
                        StatsView.length(queue.lagMillis()),
                        queue.paused() ? "paused" : ""));
        return table;
    }

    private Table workersTable() {
        Table table = new Table("WORKER", "PID>", "UP>", "HEARTBEAT", "SLOTS", "QUEUES");
        workers.stream()
                .filter(WorkerInfo::alive)
                .forEach(worker -> table.row(
                        worker.name(),
                        worker.pid(),
                        Times.length(Duration.between(worker.startedAt(), now)),
                        Times.relative(worker.heartbeatAt(), now),
                        WorkersCommand.slots(worker),
                        String.join(" ", worker.queues())));
        return table;
    }
}
