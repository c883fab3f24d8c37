package dev.windrow.cli.monitor;

import dev.windrow.cli.CliCommand;
import dev.windrow.cli.FailedException;
import dev.windrow.cli.Main;
import dev.windrow.cli.terminal.Fields;
import dev.windrow.cli.terminal.Ink;
import dev.windrow.cli.terminal.Progress;
import dev.windrow.cli.terminal.Table;
import dev.windrow.cli.terminal.TerminalText;
import dev.windrow.cli.terminal.Times;
import dev.windrow.monitor.Diagnosis;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code doctor}: whether the store is whole, its parts agree, and jobs get on. Changes nothing. */
@Command(
        name = "doctor",
        description = "Examine the store: is it whole, do its parts agree, do jobs get on? Changes nothing.",
        footer = {
            "",
            "Takes about a second of the database's time, however many jobs there are: a",
            "check that would read for longer is stopped, and says so in a note. --full",
            "reads everything, which takes minutes on a large file, while workers go on.",
            "With -v it also prints how each query by which jobs move, are found and are",
            "counted finds its rows, and how long it takes if it only reads.",
            "Exit status: 0 no check has failed (there may be notes), 1 a check has failed.",
            "",
            "Examples:",
            "  windrow doctor",
            "  windrow doctor --full --db jobs.db"
        })
public final class DoctorCommand extends CliCommand {
    /** What is left of a second is for what takes a moment whatever the time. */
    private static final Duration BUDGET = Duration.ofMillis(900);

    private static final Pattern CONDITION = Pattern.compile("Index Cond: \\((.*)\\)");

    @Option(names = "--full", description = "Read everything, however long that takes.")
    private boolean full;

    @Option(
            names = "--quick",
            description = "Do not compare indexes with their tables, which takes most of the time on a large file.")
    private boolean quick;

    public DoctorCommand(Main main) {
        super(main);
    }

    @Override
    public void run() {
        Diagnosis diagnosis;
        try (Progress progress = new Progress(console(), verbose())) {
            diagnosis =
                    target().diagnose(quick, full ? null : BUDGET, check -> progress.step("checking " + check, " ..."));
        }
        if (json()) {
            out().println(new Fields()
                    .put("ok", diagnosis.isOk())
                    .put(
                            "checks",
                            diagnosis.checks().stream()
                                    .map(DoctorCommand::fields)
                                    .toList())
                    .put(
                            "queries",
                            diagnosis.queries().stream()
                                    .map(DoctorCommand::fields)
                                    .toList())
                    .put("millis", millis(diagnosis.took())));
        } else {
            print(diagnosis);
        }
        List<String> failed = diagnosis.failed();
        if (!failed.isEmpty()) {
            out().flush();
            throw new FailedException(
                    "%s of %s failed: %s; what was found and what to do is on stdout; nothing was changed"
                            .formatted(
                                    failed.size() == 1 ? "1 check" : failed.size() + " checks",
                                    target().name(),
                                    String.join(", ", failed)));
        }
    }

    private static Fields fields(Diagnosis.Check check) {
        return new Fields()
                .put("name", check.name())
                .put("ok", check.isOk())
                .put("note", check.result() == Diagnosis.Result.NOTE)
                .put("finished", check.finished())
                .put("detail", check.detail())
                .put("remedy", check.remedy());
    }

    private static Fields fields(Diagnosis.Query query) {
        return new Fields()
                .put("name", query.name())
                .put("plan", query.plan())
                .put("millis", query.time() == null ? null : millis(query.time()))
                .put("note", query.note());
    }

    /** With three digits behind the point: most queries take less than one. */
    private static double millis(Duration time) {
        return Math.round(time.toNanos() / 1e3) / 1e3;
    }

    private void print(Diagnosis diagnosis) {
        Ink ink = Ink.of(console());
        int width = diagnosis.checks().stream()
                .mapToInt(check -> check.name().length())
                .max()
                .orElse(0);
        for (Diagnosis.Check check : diagnosis.checks()) {
            String result = TerminalText.padRight(
                    switch (check.result()) {
                        case OK -> "ok";
                        case NOTE -> "note";
                        case FAILED -> "failed";
                    },
                    6);
            String inked = switch (check.result()) {
                case OK -> ink.good(result);
                case NOTE -> ink.notable(result);
                case FAILED -> ink.bad(result);
            };
            // Not cut to the terminal: here the words are what was asked for.
            out().println(inked + "  " + TerminalText.padRight(check.name(), width) + "  "
                    + TerminalText.oneLine(check.detail()));
            if (check.remedy() != null) {
                out().println(" ".repeat(6 + 2 + width + 2) + ink.dim("what to do: " + check.remedy()));
            }
        }
        if (verbose()) {
            print(diagnosis.queries(), ink);
        }
        out().println();
        out().println(ink.bold("%s: %s, %s, in %s"
                .formatted(
                        target().name(),
                        TerminalText.count(diagnosis.checks().size(), "check"),
                        summary(diagnosis),
                        Times.length(diagnosis.took()))));
    }

    /** Nothing that was not finished is said to be ok. */
    private static String summary(Diagnosis diagnosis) {
        int failed = diagnosis.failed().size();
        long unfinished =
                diagnosis.checks().stream().filter(check -> !check.finished()).count();
        long notes = diagnosis.checks().stream()
                .filter(check -> check.finished() && check.result() == Diagnosis.Result.NOTE)
                .count();
        StringBuilder summary =
                new StringBuilder(failed > 0 ? failed + " failed" : unfinished > 0 ? "none failed" : "all ok");
        if (unfinished > 0) {
            summary.append(", ").append(unfinished).append(" not finished (--full finishes them)");
        }
        if (notes > 0) {
            summary.append(notes == 1 ? ", 1 note" : ", " + notes + " notes");
        }
        return summary.toString();
    }

    private void print(List<Diagnosis.Query> queries, Ink ink) {
        if (queries.isEmpty()) {
            return;
        }
        Table table = new Table("query", "ms>", "plan");
        for (Diagnosis.Query query : queries) {
            String time = query.time() == null ? "-" : String.format(Locale.ROOT, "%.3f", millis(query.time()));
            String plan = rows(query.plan());
            table.row(
                    query.name(),
                    time,
                    query.note() == null ? plan : plan.isEmpty() ? query.note() : "(" + query.note() + ") " + plan);
        }
        out().println();
        table.print(out(), Integer.MAX_VALUE, ink);
    }

    /**
     * How a plan finds its rows, on one line: where which index is searched by what, or what is read whole. How rows are put together then is
     * left out; {@code --json} has it.
     */
    static String rows(String plan) {
        List<String> steps = new ArrayList<>();
        for (String line : plan.split("\n", -1)) {
            String step = line.strip().replaceFirst("^-> *", "").replaceFirst("^\\w.*?: +->", "");
            Matcher condition = CONDITION.matcher(step);
            if (condition.matches() && !steps.isEmpty()) {
                int last = steps.size() - 1;
                steps.set(last, steps.get(last) + " (" + condition.group(1) + ")");
            } else if (step.startsWith("SEARCH ")
                    || (step.startsWith("SCAN ") && !step.endsWith(" CONSTANT ROW"))
                    || step.matches(".*\\b(Index|Seq|Bitmap Index|Index Only) Scan\\b.*")) {
                steps.add(step);
            }
        }
        return String.join("; ", new LinkedHashSet<>(steps));
    }
}
