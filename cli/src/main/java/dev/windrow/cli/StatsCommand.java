package dev.windrow.cli;

import dev.windrow.Control;
import dev.windrow.JobState;
import dev.windrow.Statistics;
import dev.windrow.engine.Windrow;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;

/** {@code stats}: how many jobs stand where, what runs longest, what is retried, what fails, what is kept. */
@Command(name = "stats", description = "How the store stands: counts, the oldest running jobs, retries, failures.")
final class StatsCommand extends CliCommand {
    StatsCommand(Main main) {
        super(main);
    }

    @Override
    void run() {
        Statistics statistics;
        List<Control> controls;
        try (Windrow windrow = target().openExisting()) {
            statistics = windrow.statistics();
            controls = windrow.controls();
        }
        if (json()) {
            out().println(fields(statistics, controls));
        } else {
            new StatsView(out(), Ink.of(console()), console().width(), Instant.now()).print(statistics, controls);
        }
    }

    private static Fields fields(Statistics s, List<Control> controls) {
        return new Fields()
                .put("states", states(s.states()))
                .put(
                        "types",
                        s.types().stream()
                                .map(t -> new Fields().put("type", t.type()).put("states", states(t.states())))
                                .toList())
                .put(
                        "queues",
                        s.queues().stream()
                                .map(q -> new Fields()
                                        .put("queue", q.queue())
                                        .put("paused", q.paused())
                                        .put("states", states(q.states()))
                                        .put("lagMillis", q.lagMillis()))
                                .toList())
                .put(
                        "oldestRunning",
                        s.oldestRunning().stream()
                                .map(r -> new Fields()
                                        .id("id", r.id())
                                        .put("type", r.type())
                                        .put("worker", r.worker())
                                        .put("startedAt", r.startedAt())
                                        .put("heartbeatAt", r.heartbeatAt()))
                                .toList())
                .put(
                        "retries",
                        s.retries().stream()
                                .map(r -> new Fields()
                                        .put("type", r.type())
                                        .put("attempt", r.attempt())
                                        .put("count", r.count()))
                                .toList())
                .put(
                        "failures",
                        s.failures().stream()
                                .map(f -> new Fields()
                                        .put("errorCode", f.errorCode())
                                        .put("count", f.count()))
                                .toList())
                .put(
                        "unhandled",
                        s.unhandled().stream()
                                .map(u -> new Fields().put("type", u.type()).put("count", u.count()))
                                .toList())
                .put(
                        "waiting",
                        new Fields()
                                .put("count", s.waits().count())
                                .put("nextAt", s.waits().nextAt()))
                .put(
                        "schedules",
                        new Fields()
                                .put("count", s.schedules().count())
                                .put("paused", s.schedules().paused())
                                .put("overdueMillis", s.schedules().overdueMillis()))
                .put(
                        "stuck",
                        s.stuck().stream()
                                .map(w -> new Fields().put("worker", w.worker()).put("slots", w.slots()))
                                .toList())
                .put("controls", controls.stream().map(ControlView::fields).toList())
                .put("retention", retention());
    }

    private static Fields states(Map<JobState, Long> counts) {
        Fields fields = new Fields();
        for (JobState state : JobState.values()) {
            fields.put(state.name(), counts.getOrDefault(state, 0L));
        }
        return fields;
    }

    /** How long ended jobs are kept; null: until somebody removes them. */
    private static Fields retention() {
        Fields fields = new Fields();
        for (JobState state : JobState.values()) {
            if (state.isFinished()) {
                fields.put(state.name(), null);
            }
        }
        return fields;
    }
}
