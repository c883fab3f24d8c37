package dev.windrow.cli.schedule;

import dev.windrow.Durations;
import dev.windrow.RetryPolicy;
import dev.windrow.cli.terminal.Console;
import dev.windrow.cli.terminal.Ink;
import dev.windrow.cli.terminal.Table;
import dev.windrow.cli.terminal.TerminalText;
import dev.windrow.cli.terminal.Times;
import dev.windrow.limit.ConcurrencyKey;
import dev.windrow.limit.Limits;
import dev.windrow.schedule.ScheduleInfo;
import dev.windrow.schedule.ScheduleRun;
import dev.windrow.wire.Redactor;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The output of schedules: as text. */
final class ScheduleView {
    private final Console console;
    private final Ink ink;
    private final Instant now = Instant.now();

    ScheduleView(Console console) {
        this.console = console;
        this.ink = Ink.of(console);
    }

    private static String lower(Enum<?> choice) {
        return choice.name().toLowerCase(Locale.ROOT);
    }

    /** Returns one schedule as a line. */
    static String line(ScheduleInfo schedule) {
        Instant next = schedule.nextRun();
        return "schedule %s runs %s, %s"
                .formatted(
                        schedule.name(),
                        timing(schedule),
                        schedule.isPaused()
                                ? "paused " + pause(schedule)
                                : next == null ? "no further run" : "next at " + Times.dateAndTime(next) + " UTC");
    }

    private static String timing(ScheduleInfo schedule) {
        Duration every = schedule.every();
        return every == null
                ? "at '%s' %s".formatted(schedule.cron(), schedule.zone())
                : "every " + Durations.text(every);
    }

    private static String pause(ScheduleInfo schedule) {
        Limits.Pause pause = schedule.pause();
        return pause == null
                ? ""
                : "by " + pause.by() + (pause.reason() == null ? "" : ": " + TerminalText.oneLine(pause.reason()));
    }

    void list(List<ScheduleInfo> schedules) {
        Table table = new Table("NAME", "NEXT (UTC)", "LAST", "LAST JOB>", "TYPE", "WHEN");
        for (ScheduleInfo schedule : schedules) {
            Instant next = schedule.nextRun();
            table.row(
                    schedule.name(),
                    schedule.isPaused()
                            ? "paused"
                            : schedule.problem() != null ? "unreadable" : next == null ? "·" : Times.dateAndTime(next),
                    schedule.lastRun() == null ? "·" : Times.relative(schedule.lastRun(), now),
                    schedule.lastJob() == null ? "·" : schedule.lastJob(),
                    schedule.type(),
                    timing(schedule));
        }
        if (table.isEmpty()) {
            console.out().println("no schedules");
        } else {
            table.print(console.out(), console.tableWidth(), ink);
        }
    }

    void show(ScheduleInfo schedule, List<ScheduleRun> runs, Redactor redactor) {
        console.out().println(ink.bold("Schedule " + schedule.name()) + "  " + timing(schedule));
        line("enqueues", "%s in queue %s".formatted(schedule.type(), schedule.queue()));
        line(
                "payload",
                schedule.payload() == null
                        ? null
                        : TerminalText.oneLine(redactor.redact(schedule.type(), schedule.payload())
                                .text()));
        RetryPolicy retry = schedule.retryPolicy();
        line("retries", retry == null ? null : retry.text());
        line("key", key(schedule.concurrencyKey()));
        line("starts", schedule.startsAt() == null ? null : Times.dateAndTime(schedule.startsAt()) + " UTC");
        line("misfire", lower(schedule.misfire()));
        line("overlap", lower(schedule.overlap()));
        line("problem", schedule.problem());
        line("paused", schedule.isPaused() ? pause(schedule) : null);
        for (Instant next : schedule.nextRuns()) {
            line("next", "%s UTC  %s".formatted(Times.dateAndTime(next), Times.relative(next, now)));
        }
        line("last job", schedule.lastJob() == null ? null : schedule.lastJob().toString());
        if (!runs.isEmpty()) {
            console.out().println();
            Table table = new Table("DUE (UTC)", "UNTIL", "RUNS>", "OUTCOME", "JOB>", "LATE");
            for (ScheduleRun run : runs) {
                table.row(
                        Times.dateAndTime(run.due()),
                        run.until().equals(run.due()) ? "" : Times.dateAndTime(run.until()),
                        run.runs() == null ? "many" : run.runs(),
                        run.outcome(),
                        run.job() == null ? "·" : run.job(),
                        Times.length(Duration.between(run.until(), run.at())));
            }
            table.print(console.out(), console.tableWidth(), ink);
        }
    }

    private static @Nullable String key(@Nullable ConcurrencyKey key) {
        if (key == null) {
            return null;
        }
        String limit = key.inSequence()
                ? ", in sequence"
                : key.maxRunning() == null ? "" : ", at most %d at once".formatted(key.maxRunning());
        return TerminalText.oneLine(key.key()) + limit;
    }

    private void line(String what, @Nullable String text) {
        if (text != null) {
            console.out().println("  " + TerminalText.padRight(what, 9) + text);
        }
    }
}
