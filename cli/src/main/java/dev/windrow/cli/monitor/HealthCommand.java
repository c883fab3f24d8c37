package dev.windrow.cli.monitor;

import dev.windrow.Windrow;
import dev.windrow.WindrowException;
import dev.windrow.cli.CliCommand;
import dev.windrow.cli.FailedException;
import dev.windrow.cli.Main;
import dev.windrow.cli.Secrets;
import dev.windrow.cli.database.Target;
import dev.windrow.cli.terminal.Ink;
import dev.windrow.cli.terminal.TerminalText;
import dev.windrow.cli.terminal.Times;
import dev.windrow.cli.terminal.Values;
import dev.windrow.cli.worker.LeftJobs;
import dev.windrow.monitor.DiagnoseOptions;
import dev.windrow.monitor.Diagnosis;
import dev.windrow.monitor.Statistics;
import dev.windrow.monitor.WorkerInfo;
import dev.windrow.wire.MonitorJson;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code health}: a quick check for probes. Migrates nothing, repairs nothing, and reads little. */
@Command(
        name = "health",
        description = "Checks for probes that the store and its workers are healthy.",
        footer = {
            "",
            "Reads little and changes nothing. The checks: the store can be reached, its",
            "schema fits, workers are alive, they serve the queues, jobs do not wait long.",
            "Exit status: 0 healthy, 1 not healthy.",
            "",
            "Examples:",
            "  windrow health",
            "  windrow health --require-worker --max-lag 5m --queue mail"
        })
public final class HealthCommand extends CliCommand {
    /** The number of queues that a line names. */
    private static final int NAMED = 5;

    private static final List<String> NAMES = List.of("store", "schema", "workers", "queues", "lag");

    @Option(
            names = "--require-worker",
            description = "Not healthy unless a worker is alive, and one for each queue with ready jobs.")
    private boolean requireWorker;

    @Option(
            names = "--max-lag",
            paramLabel = "DURATION",
            description =
                    "Not healthy if a ready job has waited longer than this, such as 5m. 0s to 3650d, default none.")
    private @Nullable String maxLag;

    @Option(
            names = "--queue",
            paramLabel = "NAME",
            description = "Check only this queue's workers and lag. Repeatable.")
    private List<String> queues = new ArrayList<>();

    private final List<Diagnosis.Check> checks = new ArrayList<>();
    private List<Statistics.Unserved> unserved = List.of();

    public HealthCommand(Main main) {
        super(main);
    }

    @Override
    public void run() {
        Duration max = maxLag == null ? null : Values.duration("--max-lag", maxLag, "0s", "3650d");
        Set<String> asked = new LinkedHashSet<>();
        queues.forEach(queue -> asked.add(Values.queue("--queue", queue)));
        Target target = target();
        examine(target, max, asked);
        List<String> failed = checks.stream()
                .filter(check -> !check.isOk())
                .map(Diagnosis.Check::name)
                .toList();
        print(target, failed.isEmpty());
        if (!failed.isEmpty()) {
            out().flush();
            String why = checks.stream()
                    .filter(check -> !check.isOk())
                    .map(Diagnosis.Check::detail)
                    .findFirst()
                    .orElse("");
            throw new FailedException("%s is not healthy (%s): %s; run 'windrow doctor' for details"
                    .formatted(target.name(), String.join(", ", failed), why));
        }
    }

    /** Runs the checks. Each needs the one before it. */
    private void examine(Target target, @Nullable Duration max, Set<String> asked) {
        try {
            String missing = target.missing();
            if (missing != null) {
                fail(missing);
                return;
            }
            add(true, "it can be reached");
            Diagnosis.Check schema = Windrow.diagnose(
                            target.store(), DiagnoseOptions.ALL.withoutIndexes().withChecks(Set.of("schema")))
                    .checks()
                    .get(0);
            if (!schema.isOk()) {
                fail(schema.detail());
                return;
            }
            add(true, schema.detail());
            try (Windrow windrow = target.openToRead()) {
                workers(windrow.monitor().workers(), asked);
                Statistics statistics = windrow.monitor().statistics();
                queues(statistics, asked);
                lag(statistics, max, asked);
            }
        } catch (WindrowException | FailedException e) {
            fail(String.valueOf(e.getMessage()));
        }
    }

    private void workers(List<WorkerInfo> all, Set<String> asked) {
        long alive = all.stream()
                .filter(WorkerInfo::alive)
                .filter(worker -> asked.isEmpty() || worker.queues().stream().anyMatch(asked::contains))
                .count();
        add(
                alive > 0 || !requireWorker,
                (alive == 0 ? "no worker is alive" : alive == 1 ? "1 worker is alive" : alive + " workers are alive")
                        + (asked.isEmpty() ? "" : " for " + String.join(", ", asked)));
    }

    private void queues(Statistics statistics, Set<String> asked) {
        Set<String> paused = statistics.queues().stream()
                .filter(Statistics.OfQueue::paused)
                .map(Statistics.OfQueue::queue)
                .collect(Collectors.toSet());
        unserved = statistics.unserved().stream()
                .filter(queue -> !paused.contains(queue.queue()))
                .filter(queue -> asked.isEmpty() || asked.contains(queue.queue()))
                .toList();
        add(
                unserved.isEmpty() || !requireWorker,
                unserved.isEmpty()
                        ? "a live worker serves each queue with ready jobs that is not paused"
                                + (asked.isEmpty() ? "" : ", of " + String.join(", ", asked))
                        : unserved.stream()
                                .limit(NAMED)
                                .map(queue -> LeftJobs.unserved(queue.queue(), queue.count()))
                                .collect(Collectors.joining("; ", "", unserved.size() > NAMED ? "; ..." : "")));
    }

    private void lag(Statistics statistics, @Nullable Duration max, Set<String> asked) {
        Statistics.OfQueue last = statistics.queues().stream()
                .filter(queue -> queue.lagMillis() != null && !queue.paused())
                .filter(queue -> asked.isEmpty() || asked.contains(queue.queue()))
                .max(Comparator.comparingLong(HealthCommand::lag))
                .orElse(null);
        Duration lag = last == null ? Duration.ZERO : Duration.ofMillis(lag(last));
        add(
                max == null || lag.compareTo(max) <= 0,
                last == null
                        ? "no job is waiting"
                        : "a job of queue %s has been ready for %s%s"
                                .formatted(last.queue(), Times.length(lag), max == null ? "" : "; allowed: " + maxLag));
    }

    private static long lag(Statistics.OfQueue queue) {
        Long lag = queue.lagMillis();
        return lag == null ? 0 : lag;
    }

    private void add(boolean ok, String detail) {
        String name = NAMES.get(checks.size());
        checks.add(new Diagnosis.Check(name, ok ? Diagnosis.Result.OK : Diagnosis.Result.FAILED, detail));
    }

    /** Adds a failed check. The checks after it cannot run. */
    private void fail(String why) {
        add(false, Secrets.hidden(why));
        while (checks.size() < NAMES.size()) {
            add(false, "not checked");
        }
    }

    private void print(Target target, boolean ok) {
        if (json()) {
            out().println(MonitorJson.health(checks, unserved));
            return;
        }
        Ink ink = Ink.of(console());
        for (Diagnosis.Check check : checks) {
            String result = check.isOk() ? ink.good("ok    ") : ink.bad("failed");
            out().println(result + "  " + TerminalText.padRight(check.name(), 7) + "  "
                    + TerminalText.oneLine(check.detail()));
        }
        out().println();
        out().println(ink.bold(target.name() + (ok ? " is healthy" : " is not healthy")));
    }
}
