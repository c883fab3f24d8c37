package dev.windrow.cli.limit;

import dev.windrow.cli.terminal.Console;
import dev.windrow.cli.terminal.Ink;
import dev.windrow.cli.terminal.Table;
import dev.windrow.cli.terminal.TerminalText;
import dev.windrow.limit.KeyInfo;
import dev.windrow.limit.KeyList;
import dev.windrow.limit.Limits;
import dev.windrow.limit.Rate;
import java.util.stream.Collectors;

/** The output of the pause and the limits of a queue, a type or a key: as text. */
public final class LimitsView {
    private LimitsView() {}

    static String limits(Limits control) {
        Rate rate = control.rate();
        String running = control.maxRunning() == null ? "any number" : "at most " + control.maxRunning();
        return running + " at once" + (rate == null ? "" : ", rate %s (burst %d)".formatted(rate.text(), rate.burst()));
    }

    /** Prints a list of concurrency keys. */
    static void keys(Console console, KeyList list) {
        if (list.keys().isEmpty()) {
            console.out().println("no key has waiting jobs, a pause or a limit");
            return;
        }
        Ink ink = Ink.of(console);
        Table table = new Table("KEY", "WAITING>", "PERMITS>", "RATE", "HELD BY", "PAUSED");
        for (KeyInfo key : list.keys()) {
            Rate rate = key.limits().rate();
            table.row(
                    TerminalText.oneLine(key.key()),
                    counted(key.waiting()),
                    counted(key.held()) + (key.permits() == null ? "" : " of " + key.permits()),
                    rate == null ? "" : rate.text(),
                    holders(key),
                    pause(key.limits()));
        }
        table.print(console.out(), console.tableWidth(), ink);
        if (list.found() > list.keys().size() || list.atLeast()) {
            console.out()
                    .println(ink.dim("%d of %s%d keys"
                            .formatted(list.keys().size(), list.atLeast() ? "at least " : "", list.found())));
        }
    }

    private static String counted(int jobs) {
        return jobs < KeyInfo.MAX_COUNTED ? Integer.toString(jobs) : jobs + "+";
    }

    private static String holders(KeyInfo key) {
        String first =
                key.holders().stream().map(holder -> Long.toString(holder.id())).collect(Collectors.joining(", "));
        return key.held() > key.holders().size() ? first + ", ..." : first;
    }

    public static String pause(Limits control) {
        Limits.Pause pause = control.pause();
        return pause == null
                ? ""
                : "by " + pause.by() + (pause.reason() == null ? "" : ": " + TerminalText.oneLine(pause.reason()));
    }
}
