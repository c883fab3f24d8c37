package dev.windrow.cli;

import dev.windrow.Diagnosis;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code doctor}: whether the store is whole, its parts agree, and jobs get on. Changes nothing. */
@Command(
        name = "doctor",
        description = "Examine the store: is it whole, do its parts agree, do jobs get on? Changes nothing.",
        footer = {
            "",
            "Reads everything, which takes minutes on a large file, while workers go on.",
            "Exit status: 0 all is well (there may be notes), 1 a check has failed.",
            "",
            "Examples:",
            "  windrow doctor",
            "  windrow doctor --quick --db jobs.db"
        })
final class DoctorCommand extends CliCommand {
    @Option(
            names = "--quick",
            description = "Do not compare indexes with their tables, which takes most of the time on a large file.")
    private boolean quick;

    DoctorCommand(Main main) {
        super(main);
    }

    @Override
    void run() {
        Diagnosis diagnosis;
        try (Progress progress = new Progress()) {
            diagnosis = target().diagnose(quick, progress::begins);
        }
        if (json()) {
            out().println(new Fields()
                    .put("ok", diagnosis.isOk())
                    .put(
                            "checks",
                            diagnosis.checks().stream()
                                    .map(DoctorCommand::fields)
                                    .toList()));
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
                .put("detail", check.detail())
                .put("remedy", check.isOk() ? null : Remedies.of(check.name()));
    }

    private void print(Diagnosis diagnosis) {
        Ink ink = Ink.of(console());
        int width = diagnosis.checks().stream()
                .mapToInt(check -> check.name().length())
                .max()
                .orElse(0);
        for (Diagnosis.Check check : diagnosis.checks()) {
            String result = Texts.padRight(
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
            out().println(inked + "  " + Texts.padRight(check.name(), width) + "  " + Texts.oneLine(check.detail()));
            if (!check.isOk()) {
                out().println(" ".repeat(6 + 2 + width + 2) + ink.dim("what to do: " + Remedies.of(check.name())));
            }
        }
        long notes = diagnosis.checks().stream()
                .filter(check -> check.result() == Diagnosis.Result.NOTE)
                .count();
        int failed = diagnosis.failed().size();
        out().println();
        out().println(ink.bold("%s: %d checks, %s%s"
                .formatted(
                        target().name(),
                        diagnosis.checks().size(),
                        failed == 0 ? "all ok" : failed + " failed",
                        notes == 0 ? "" : notes == 1 ? ", 1 note" : ", " + notes + " notes")));
    }

    /** Which check is under way: on a terminal one line that changes, with --verbose a line each, else nothing. */
    private final class Progress implements AutoCloseable {
        private final boolean line = console().errIsTerminal() && !verbose();

        void begins(String check) {
            if (line) {
                err().print("\r\u001b[Kchecking " + check + " ...");
                err().flush();
            } else if (verbose()) {
                err().println("windrow: checking " + check);
            }
        }

        @Override
        public void close() {
            if (line) {
                err().print("\r\u001b[K");
                err().flush();
            }
        }
    }
}
