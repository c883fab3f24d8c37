package dev.windrow.cli.demo;

import dev.windrow.JobInfo;
import dev.windrow.JobState;
import dev.windrow.Windrow;
import dev.windrow.cli.Program;
import dev.windrow.cli.database.Target;
import dev.windrow.cli.terminal.Ink;
import dev.windrow.cli.terminal.TerminalText;
import dev.windrow.cli.terminal.Times;
import dev.windrow.query.JobFilter;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The demo's report for readers, with commands to explore its database. */
final class DemoView {
    private static final int BAR = 32;

    private final PrintStream out;
    private final Ink ink;
    private final Windrow windrow;
    private final Target target;

    DemoView(PrintStream out, Ink ink, Windrow windrow, Target target) {
        this.out = out;
        this.ink = ink;
        this.windrow = windrow;
        this.target = target;
    }

    void print(Path folder, DemoOutcome done) {
        Tally tally = done.tally();
        out.println(ink.bold("The files below " + TerminalText.oneLine(folder.toString())));
        out.println();
        fact(
                "files",
                number(tally.files()),
                "%s completed, %s failed".formatted(number(tally.completed()), number(tally.failed())));
        fact("lines", number(tally.lines()), "");
        fact("words", number(tally.words()), "");
        fact("bytes", number(tally.bytes()), "");
        fact(
                "jobs/s",
                number(Math.round(done.jobsPerSecond())),
                "%s jobs in %s, each durable before it counts as done"
                        .formatted(number(tally.files() + 2), Times.length(done.took())));
        printTopWords(tally);
        printFailures(done);
        printHints(done);
    }

    private void fact(String what, String value, String remark) {
        out.println(("  " + TerminalText.padRight(what, 8) + TerminalText.padLeft(value, 14) + "   " + ink.dim(remark))
                .stripTrailing());
    }

    private void printTopWords(Tally tally) {
        if (tally.topWords().isEmpty()) {
            return;
        }
        out.println();
        out.println(ink.bold("Most frequent words")
                + (tally.missing() == 0
                        ? ""
                        : ink.dim("  (each count may be up to %s too low)".formatted(number(tally.missing())))));
        long max = tally.topWords().values().iterator().next();
        for (Map.Entry<String, Long> each : tally.topWords().entrySet()) {
            out.println("  %s %s  %s"
                    .formatted(
                            TerminalText.padRight(TerminalText.clip(TerminalText.oneLine(each.getKey()), 20), 20),
                            TerminalText.padLeft(number(each.getValue()), 12),
                            ink.accent(TerminalText.bar(each.getValue(), max, BAR))));
        }
    }

    private void printFailures(DemoOutcome done) {
        Map<String, Long> failures = done.tally().failures();
        if (failures.isEmpty()) {
            return;
        }
        out.println();
        out.println(ink.bold("Why files failed"));
        long max = failures.values().iterator().next();
        failures.forEach((code, count) -> {
            out.println("  %s %s  %s"
                    .formatted(
                            TerminalText.padRight(code, 25),
                            TerminalText.padLeft(number(count), 7),
                            ink.bad(TerminalText.bar(count, max, BAR))));
            for (JobInfo example : examples(done, code)) {
                out.println(ink.dim("    such as job %d, %s"
                        .formatted(example.id(), TerminalText.clipStart(String.valueOf(example.name()), 50))));
            }
        });
    }

    /**
     * Returns the newest failure with this code, if it belongs to this run. Found by the code, because a search by
     * the tag would take long.
     */
    private List<JobInfo> examples(DemoOutcome done, String code) {
        JobFilter filter = JobFilter.inState(JobState.FAILED)
                .withType(DemoTypes.FILE.name())
                .withErrorCode(code);
        return windrow.jobs(filter).newestFirst().limit(1).page().jobs().stream()
                .filter(job -> job.tags().contains(DemoScan.fileTag(done.scanJob())))
                .toList();
    }

    private void printHints(DemoOutcome done) {
        String db = Program.quoted(target.option());
        out.println();
        out.println(ink.bold("Look around") + ink.dim("  (the database stays)"));
        hint("stats --db " + db);
        hint("list --db " + db + (done.tally().failed() > 0 ? " --state FAILED" : ""));
        hint("show " + done.scanned().reportJob() + " --db " + db);
        hint("serve --db " + db + ink.dim("  (prints the URL of the dashboard)"));
        out.println("  " + target.query("id, type, state, name, run_ms"));
    }

    private void hint(String words) {
        out.println("  " + Program.name() + " " + words);
    }

    private static String number(long n) {
        return String.format(Locale.ROOT, "%,d", n);
    }
}
