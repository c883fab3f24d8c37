package dev.windrow.cli.monitor;

import dev.windrow.Windrow;
import dev.windrow.cli.CliCommand;
import dev.windrow.cli.Main;
import dev.windrow.cli.terminal.Ink;
import dev.windrow.cli.terminal.Table;
import dev.windrow.cli.terminal.Times;
import dev.windrow.monitor.WorkerInfo;
import dev.windrow.wire.MonitorJson;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import picocli.CommandLine.Command;

/** {@code workers}: lists the live workers of all processes with their jobs. */
@Command(
        name = "workers",
        description = "Lists the live workers and the jobs that each runs.",
        footer = {"", "Examples:", "  windrow workers", "  windrow workers --json"})
public final class WorkersCommand extends CliCommand {
    public WorkersCommand(Main main) {
        super(main);
    }

    @Override
    public void run() {
        List<WorkerInfo> alive;
        try (Windrow windrow = target().openToRead()) {
            alive = windrow.monitor().workers().stream()
                    .filter(WorkerInfo::alive)
                    .toList();
        }
        if (json()) {
            out().println(MonitorJson.workers(alive));
        } else if (alive.isEmpty()) {
            out().println("no worker is alive");
        } else {
            print(alive);
        }
    }

    private static boolean hasMinimum(WorkerInfo worker) {
        return worker.minPriority() > Short.MIN_VALUE;
    }

    private void print(List<WorkerInfo> alive) {
        Instant now = Instant.now();
        Table table = new Table("WORKER", "PID>", "UP>", "HEARTBEAT", "QUEUES", "SLOTS", "RUNS");
        for (WorkerInfo worker : alive) {
            table.row(
                    worker.name(),
                    worker.pid(),
                    Times.length(Duration.between(worker.startedAt(), now)),
                    Times.relative(worker.heartbeatAt(), now),
                    String.join(" ", worker.queues())
                            + (hasMinimum(worker) ? " (priority %d or more)".formatted(worker.minPriority()) : ""),
                    slots(worker),
                    String.join(" ", ids(worker)));
        }
        table.print(out(), console().tableWidth(), Ink.of(console()));
    }

    /**
     * Returns the numbers of busy slots and of jobs that wait at the worker for a slot: {@code 8 of 8 busy, 47
     * claimed ahead}.
     */
    public static String slots(WorkerInfo worker) {
        String busy = "%d of %d busy".formatted(worker.busy(), worker.slots());
        return worker.claimedAhead() == 0
                ? busy
                : busy + ", %s claimed ahead".formatted(StatsView.number(worker.claimedAhead()));
    }

    private static List<String> ids(WorkerInfo worker) {
        return worker.running().stream().map(String::valueOf).toList();
    }
}
