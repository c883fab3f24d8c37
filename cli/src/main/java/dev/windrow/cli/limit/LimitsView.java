package dev.windrow.cli.limit;

import dev.windrow.cli.terminal.TerminalText;
import dev.windrow.limit.Limits;
import dev.windrow.limit.Rate;

/** The output of the pause and the limits of a queue, a type or a key: as text. */
public final class LimitsView {
    private LimitsView() {}

    static String limits(Limits control) {
        Rate rate = control.rate();
        String running = control.maxRunning() == null ? "any number" : "at most " + control.maxRunning();
        return running + " at once" + (rate == null ? "" : ", rate %s (burst %d)".formatted(rate.text(), rate.burst()));
    }

    public static String pause(Limits control) {
        Limits.Pause pause = control.pause();
        return pause == null
                ? ""
                : "by " + pause.by() + (pause.reason() == null ? "" : ": " + TerminalText.oneLine(pause.reason()));
    }
}
