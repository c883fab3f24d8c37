package dev.windrow.cli.limit;

import dev.windrow.cli.terminal.Fields;
import dev.windrow.cli.terminal.TerminalText;
import dev.windrow.limit.LimitTarget;
import dev.windrow.limit.Limits;
import dev.windrow.limit.Rate;

/** The output of the pause and the limits of a queue, a type or a key: as JSON and as text. */
public final class LimitsView {
    private LimitsView() {}

    public static Fields fields(Limits control) {
        LimitTarget scope = control.target();
        Limits.Pause pause = control.pause();
        Rate rate = control.rate();
        return new Fields()
                .put("queue", scope.kind() == LimitTarget.Kind.QUEUE ? scope.name() : null)
                .put("type", scope.kind() == LimitTarget.Kind.TYPE ? scope.name() : null)
                .put("key", scope.kind() == LimitTarget.Kind.KEY ? scope.name() : null)
                .put("paused", control.isPaused())
                .put("pausedAt", pause == null ? null : pause.at())
                .put("pausedBy", pause == null ? null : pause.by())
                .put("reason", pause == null ? null : pause.reason())
                .put("maxRunning", control.maxRunning())
                .put("rate", rate == null ? null : rate.text())
                .put("burst", rate == null ? null : rate.burst());
    }

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
