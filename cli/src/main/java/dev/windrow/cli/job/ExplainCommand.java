package dev.windrow.cli.job;

import dev.windrow.Explanation;
import dev.windrow.JobRef;
import dev.windrow.Windrow;
import dev.windrow.cli.CliCommand;
import dev.windrow.cli.Main;
import dev.windrow.cli.terminal.Fields;
import dev.windrow.cli.terminal.Ink;
import dev.windrow.cli.terminal.TerminalText;
import dev.windrow.limit.LimitTarget;
import dev.windrow.payload.Json;
import java.util.Locale;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code explain}: prints why a job does not run, or what it is doing. */
@Command(
        name = "explain",
        description = "Explains why a job does not run, or what it is doing.",
        footer = {"", "Examples:", "  windrow explain 17", "  windrow explain --type document.index --key document-17"})
public final class ExplainCommand extends CliCommand {
    @Mixin
    private JobArguments named = new JobArguments();

    public ExplainCommand(Main main) {
        super(main);
    }

    @Override
    public void run() {
        Function<Windrow, JobRef<Json>> job = named.check().job();
        Explanation explanation;
        try (Windrow windrow = target().openToRead()) {
            explanation = windrow.job(job.apply(windrow)).explain();
        }
        if (json()) {
            out().println(new Fields()
                    .id("id", explanation.id())
                    .put("state", explanation.state())
                    .put(
                            "reasons",
                            explanation.reasons().stream()
                                    .map(reason -> fields(explanation.id(), reason))
                                    .toList()));
            return;
        }
        Ink ink = Ink.of(console());
        out().println(ink.bold("Job " + explanation.id()) + "  "
                + ink.state(explanation.state(), explanation.state().name()));
        explanation.sentences().forEach(sentence -> out().println("  " + TerminalText.oneLine(sentence)));
    }

    private static Fields fields(long job, Explanation.Reason reason) {
        Fields fields = new Fields().put("reason", reason.kind()).put("text", reason.text(job));
        if (reason instanceof Explanation.Paused paused) {
            return target(fields, paused.target())
                    .put("pausedAt", paused.pause().at())
                    .put("pausedBy", paused.pause().by())
                    .put("pauseReason", paused.pause().reason());
        } else if (reason instanceof Explanation.QueueNotServed unserved) {
            return fields.put("queue", unserved.queue());
        } else if (reason instanceof Explanation.TypeNotHandled unhandled) {
            return fields.put("type", unhandled.type()).put("similar", unhandled.similar());
        } else if (reason instanceof Explanation.PriorityNotTaken taken) {
            return fields.put("priority", taken.priority()).put("minPriority", taken.minimum());
        } else if (reason instanceof Explanation.LimitReached limit) {
            return target(fields, limit.target())
                    .put("maxRunning", limit.limit())
                    .put("running", limit.running());
        } else if (reason instanceof Explanation.RateReached rate) {
            return target(fields, rate.target())
                    .put("rate", rate.rate().text())
                    .put("burst", rate.rate().burst())
                    .put("opensAt", rate.opensAt());
        } else if (reason instanceof Explanation.KeyHeld held) {
            return fields.put("key", held.key())
                    .put("maxRunning", held.limit())
                    .put(
                            "holders",
                            held.holders().stream()
                                    .map(holder ->
                                            new Fields().id("id", holder.id()).put("state", holder.state()))
                                    .toList());
        } else if (reason instanceof Explanation.Due due) {
            return fields.put("at", due.at());
        } else if (reason instanceof Explanation.WaitsForRetry retry) {
            return fields.put("attempt", retry.attempt())
                    .put("maxAttempts", retry.maxAttempts())
                    .put("at", retry.at())
                    .put("errorCode", retry.errorCode());
        } else if (reason instanceof Explanation.WaitsForParents waits) {
            return fields.put("open", waits.open())
                    .put(
                            "parents",
                            waits.parents().stream().map(JobFields::parent).toList());
        } else if (reason instanceof Explanation.WaitsForEvent waits) {
            return fields.put("event", waits.event()).put("until", waits.until());
        } else if (reason instanceof Explanation.Ready ready) {
            return fields.put("before", ready.before());
        } else if (reason instanceof Explanation.Running running) {
            return fields.put("worker", running.worker())
                    .put("since", running.since())
                    .put("heartbeatAt", running.heartbeat())
                    .put("leaseUntil", running.leaseUntil())
                    .put("progress", running.progress());
        }
        Explanation.Ended ended = (Explanation.Ended) reason;
        return fields.put("at", ended.at()).put("errorCode", ended.errorCode());
    }

    private static Fields target(Fields fields, LimitTarget target) {
        for (LimitTarget.Kind kind : LimitTarget.Kind.values()) {
            fields.put(kind.name().toLowerCase(Locale.ROOT), target.kind() == kind ? target.name() : null);
        }
        return fields;
    }
}
