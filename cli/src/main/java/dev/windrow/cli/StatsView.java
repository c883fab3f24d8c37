package dev.windrow.cli;

import dev.windrow.Control;
import dev.windrow.JobState;
import dev.windrow.Statistics;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The numbers of a store for people. Questions that have no answer yet are left out. */
final class StatsView {
    private static final int BAR = 24;

    private final PrintStream out;
    private final Ink ink;
    private final int width;
    private final Instant now;

    StatsView(PrintStream out, Ink ink, int width, Instant now) {
        this.out = out;
        this.ink = ink;
        this.width = width;
        this.now = now;
    }

    void print(Statistics s, List<Control> controls) {
        printStates(s.states());
        Table types = new Table(headings("TYPE"));
        s.types().forEach(t -> types.row(cells(t.type(), t.states())));
        section("By type", types);
        Table queues = new Table(headings("QUEUE", "LAG>", ""));
        s.queues().forEach(q -> queues.row(cells(q.queue(), q.states(), lag(q), q.paused() ? "paused" : "")));
        section("By queue", queues);
        Table said = new Table("QUEUE OR TYPE", "", "RUNNING AT ONCE>", "RATE", "");
        controls.forEach(control -> said.row(
                control.scope(),
                control.isPaused() ? "paused" : "",
                control.maxRunning() == null ? "·" : "at most " + number(control.maxRunning()),
                control.rate() == null ? "·" : control.rate().text(),
                ControlView.pause(control)));
        section("Paused and limited", said);
        Table running = new Table("ID>", "TYPE", "RUNS FOR>", "HEARTBEAT", "WORKER");
        s.oldestRunning()
                .forEach(r -> running.row(
                        r.id(),
                        r.type(),
                        Times.length(Duration.between(r.startedAt(), now)),
                        Times.relative(r.heartbeatAt(), now),
                        r.worker()));
        section("Running longest", running);
        Table retries = new Table("TYPE", "ATTEMPT>", "COUNT>");
        s.retries().forEach(r -> retries.row(r.type(), r.attempt(), number(r.count())));
        section("Attempts beyond the first", retries);
        printFailures(s);
        Table unhandled = new Table("TYPE", "COUNT>");
        s.unhandled().forEach(u -> unhandled.row(u.type(), number(u.count())));
        section("Ready, but no live worker handles the type", unhandled);
        Instant next = s.waits().nextAt();
        if (next != null) {
            out.println();
            out.println(ink.bold("Waiting for somebody outside"));
            out.println(
                    "  %s, the first until %s UTC".formatted(number(s.waits().count()), Times.dateAndTime(next)));
        }
        printSchedules(s.schedules());
        Table stuck = new Table("SLOTS>", "WORKER");
        s.stuck().forEach(w -> stuck.row(number(w.slots()), w.worker()));
        section("Handlers that do not end though they were told to", stuck);
    }

    private void printStates(Map<JobState, Long> states) {
        long most = states.values().stream().mapToLong(Long::longValue).max().orElse(0);
        long all = states.values().stream().mapToLong(Long::longValue).sum();
        out.println(ink.bold(number(all) + (all == 1 ? " job" : " jobs")));
        for (JobState state : JobState.values()) {
            long count = states.getOrDefault(state, 0L);
            out.println(("  " + Texts.padRight(state.name(), 10) + Texts.padLeft(number(count), 12) + "  "
                            + ink.state(state, Texts.bar(count, most, BAR)))
                    .stripTrailing());
        }
    }

    private void printSchedules(Statistics.Schedules schedules) {
        if (schedules.count() > 0) {
            Long overdue = schedules.overdueMillis();
            out.println();
            out.println(ink.bold("Schedules"));
            out.println("  %s, %s paused%s"
                    .formatted(
                            number(schedules.count()),
                            number(schedules.paused()),
                            overdue == null
                                    ? ""
                                    : ", the most overdue by " + Times.length(Duration.ofMillis(overdue))));
        }
    }

    private void printFailures(Statistics s) {
        long most = s.failures().stream()
                .mapToLong(Statistics.Failures::count)
                .max()
                .orElse(0);
        Table failures = new Table("ERROR CODE", "COUNT>", "");
        s.failures()
                .forEach(f -> failures.row(
                        f.errorCode(), number(f.count()), new Table.Inked(Texts.bar(f.count(), most, BAR), ink::bad)));
        section("Why jobs failed", failures);
    }

    /** How long the oldest ready job of a queue has waited. */
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
            cells.add(count == 0 ? "·" : number(count));
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

    private static String number(long n) {
        return String.format(Locale.ROOT, "%,d", n);
    }
}
