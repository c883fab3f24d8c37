package dev.windrow.cli.worker;

import dev.windrow.JobState;
import dev.windrow.Windrow;
import dev.windrow.WindrowException;
import dev.windrow.Worker;
import dev.windrow.cli.terminal.TerminalText;
import dev.windrow.monitor.Statistics;
import dev.windrow.query.JobFilter;
import dev.windrow.query.JobPage;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The ready jobs that a worker, after its start, does not take, and that no other live worker takes.
 *
 * @param windrow the queue
 * @param worker the worker, which has just started
 */
public record LeftJobs(Windrow windrow, Worker worker) {
    private static final int NAMED = 5;
    private static final int COUNTED = 1000;
    private static final int LOOKS = 100;
    private static final long LOOK_MILLIS = 10;

    /**
     * Returns a line for each such queue and type, and one for commands that this worker may not run.
     *
     * @param stop ends the wait for the worker's entry in the registry, by which other processes know its queues and
     * types
     */
    List<String> lines(Future<?> stop) throws InterruptedException {
        List<String> lines = new ArrayList<>();
        try {
            awaitEntry(stop);
            boolean allowExec = worker.types().contains(ExecRequest.TYPE);
            if (!allowExec) {
                addExecs(lines);
            }
            Statistics statistics = windrow.monitor().statistics();
            add(
                    lines,
                    "queue",
                    statistics.unserved().stream()
                            .filter(queue -> !worker.queues().contains(queue.queue()))
                            .map(queue -> unserved(queue.queue(), queue.count()))
                            .toList());
            add(
                    lines,
                    "type",
                    statistics.unhandled().stream()
                            .filter(type -> !worker.types().contains(type.type())
                                    && (allowExec || !type.type().equals(ExecRequest.TYPE)))
                            .map(LeftJobs::unhandled)
                            .toList());
        } catch (WindrowException e) {
            // The worker runs without these lines.
            lines.add("cannot count the jobs that no live worker takes: " + e.getMessage());
        }
        return lines;
    }

    /**
     * Waits for the worker's entry, which is written soon after the start. Without it the statistics do not know this
     * worker's queues and types.
     */
    private void awaitEntry(Future<?> stop) throws InterruptedException {
        for (int looks = 0; looks < LOOKS && !stop.isDone(); looks++) {
            if (windrow.monitor().workers().stream()
                    .anyMatch(entry -> entry.name().equals(worker.name())
                            && entry.pid() == ProcessHandle.current().pid())) {
                return;
            }
            try {
                stop.get(LOOK_MILLIS, TimeUnit.MILLISECONDS);
            } catch (TimeoutException | ExecutionException e) {
                // The next poll, or the end.
            }
        }
    }

    public static String unserved(String queue, long count) {
        return "no live worker serves queue '%s' (%s)".formatted(queue, TerminalText.count(count, "ready job"));
    }

    private static String unhandled(Statistics.Unhandled type) {
        return "no live worker handles type '%s' (%s)%s"
                .formatted(
                        type.type(),
                        TerminalText.count(type.count(), "ready job"),
                        type.similar() == null ? "" : "; a live worker handles '%s'".formatted(type.similar()));
    }

    private static void add(List<String> lines, String what, List<String> all) {
        lines.addAll(all.subList(0, Math.min(NAMED, all.size())));
        if (all.size() > NAMED) {
            lines.add("... and %s more; 'windrow stats' lists them"
                    .formatted(TerminalText.count(all.size() - NAMED, what)));
        }
    }

    private void addExecs(List<String> lines) {
        int count = 0;
        boolean more = false;
        for (String queue : worker.queues()) {
            JobPage page = windrow.jobs(JobFilter.inState(JobState.PENDING)
                            .withType(ExecRequest.TYPE)
                            .withQueue(queue))
                    .newestFirst()
                    .limit(COUNTED)
                    .page();
            count += page.jobs().size();
            more |= page.next() != null;
        }
        if (count > 0) {
            boolean one = count == 1 && !more;
            lines.add("%s%s %s; this worker does not run %s: it was started without --allow-exec"
                    .formatted(
                            more ? "at least " : "",
                            TerminalText.count(count, "exec job"),
                            one ? "waits" : "wait",
                            one ? "it" : "them"));
        }
    }
}
