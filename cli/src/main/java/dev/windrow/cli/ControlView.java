package dev.windrow.cli;

import dev.windrow.Control;
import dev.windrow.Rate;
import dev.windrow.Scope;

/** What is said of a queue, a type or a key, for machines and for people. */
final class ControlView {
    private ControlView() {}

    static Fields fields(Control control) {
        Scope scope = control.scope();
        Control.Pause pause = control.pause();
        Rate rate = control.rate();
        return new Fields()
                .put("queue", scope.kind() == Scope.Kind.QUEUE ? scope.name() : null)
                .put("type", scope.kind() == Scope.Kind.TYPE ? scope.name() : null)
                .put("key", scope.kind() == Scope.Kind.KEY ? scope.name() : null)
                .put("paused", control.isPaused())
                .put("pausedAt", pause == null ? null : pause.at())
                .put("pausedBy", pause == null ? null : pause.by())
                .put("reason", pause == null ? null : pause.reason())
                .put("maxRunning", control.maxRunning())
                .put("rate", rate == null ? null : rate.text())
                .put("burst", rate == null ? null : rate.burst());
    }

    static String limits(Control control) {
        Rate rate = control.rate();
        String running = control.maxRunning() == null ? "any number" : "at most " + control.maxRunning();
        return running + " at once"
                + (rate == null ? "" : ", %s may start (%d at once after a lull)".formatted(rate.text(), rate.burst()));
    }

    static String pause(Control control) {
        Control.Pause pause = control.pause();
        return pause == null
                ? ""
                : "by " + pause.by() + (pause.reason() == null ? "" : ": " + Texts.oneLine(pause.reason()));
    }
}
