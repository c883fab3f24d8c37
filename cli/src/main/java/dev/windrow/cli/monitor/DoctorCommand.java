package dev.windrow.cli.monitor;

import dev.windrow.cli.CliCommand;
import dev.windrow.cli.FailedException;
import dev.windrow.cli.Main;
import dev.windrow.cli.terminal.Ink;
import dev.windrow.cli.terminal.Progress;
import dev.windrow.cli.terminal.Table;
import dev.windrow.cli.terminal.TerminalText;
import dev.windrow.cli.terminal.Times;
import dev.windrow.monitor.Diagnosis;
import dev.windrow.wire.MonitorJson;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code doctor}: checks that the store is intact, that its parts agree, and that jobs make progress. Changes
 * nothing.
 */
@Command(
        name = "doctor",
        description = "Checks that the store is intact and that jobs make progress.",
        footer = {
            "",
            "Changes nothing. Takes about a second of the database's time, for any number of",
            "jobs: a check that would take longer is stopped and has a note. --full reads",
            "everything while workers continue, which takes minutes on a large file.",
            "With -v it also prints the query plans of the statements that workers, lists",
            "and statistics use, and how long queries without writes take.",
            "Exit status: 0 no check failed (there may be notes), 1 a check failed.",
            "",
            "Examples:",
            "  windrow doctor",
            "  windrow doctor --full --db jobs.db"
        })
public final class DoctorCommand extends CliCommand {
    /** The time for the long checks. The rest of a second is for the short ones, which always run. */
    private static final Duration BUDGET = Duration.ofMillis(900);

    private static final Pattern CONDITION = Pattern.compile("Index Cond: \\((.*)\\)");

    @Option(names = "--full", description = "Read everything, without a time limit.")
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
            out().println(MonitorJson.diagnosis(diagnosis));
        } else {
            print(diagnosis);
        }
        List<String> failed = diagnosis.failed();
        if (!failed.isEmpty()) {
            out().flush();
            throw new FailedException(
                    "%s of %s failed: %s; see stdout for the findings and what to do; nothing was changed"
                            .formatted(
                                    failed.size() == 1 ? "1 check" : failed.size() + " checks",
                                    target().name(),
                                    String.join(", ", failed)));
        }
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
            // Not cut to the width of the terminal: here the text is the result.
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

    /** Returns the summary, which never calls an unfinished check ok. */
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
            String time = query.time() == null
                    ? "-"
                    : String.format(Locale.ROOT, "%.3f", query.time().toNanos() / 1e6);
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
     * Returns the steps of a plan that find rows, on one line: the index searches with their conditions, and the full
     * scans. The steps that combine rows are left out; {@code --json} has them.
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
