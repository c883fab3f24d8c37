package dev.windrow.cli;

import dev.windrow.JobFilter;
import dev.windrow.JobPage;
import dev.windrow.JobState;
import dev.windrow.Statistics;
import dev.windrow.WindrowException;
import dev.windrow.engine.Windrow;
import dev.windrow.engine.Worker;
import java.util.ArrayList;
import java.util.List;

/**
 * Ready jobs that a worker leaves when it starts, and that no other live worker takes. The worker itself may not be in the registry yet, and is counted all the
 * same.
 *
 * @param windrow where the jobs are
 * @param worker has just started
 */
record LeftJobs(Windrow windrow, Worker worker) {
    private static final int NAMED = 5;
    private static final int COUNTED = 1000;

    /** One line for each queue and each type, and one for commands that this worker may not run. */
    List<String> lines(boolean allowExec) {
        List<String> lines = new ArrayList<>();
        try {
            if (!allowExec) {
                addExecs(lines);
            }
            Statistics statistics = windrow.statistics();
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
                            .map(type -> unhandled(type.type(), type.count()))
                            .toList());
        } catch (WindrowException e) {
            // A worker works without these lines.
            lines.add("the jobs that no live worker takes could not be counted: " + e.getMessage());
        }
        return lines;
    }

    static String unserved(String queue, long count) {
        return "no live worker serves queue '%s' (%s)".formatted(queue, Texts.count(count, "ready job"));
    }

    private static String unhandled(String type, long count) {
        return "no live worker handles type '%s' (%s)".formatted(type, Texts.count(count, "ready job"));
    }

    private static void add(List<String> lines, String what, List<String> all) {
        lines.addAll(all.subList(0, Math.min(NAMED, all.size())));
        if (all.size() > NAMED) {
            lines.add("... and %s more; 'windrow stats' names them".formatted(Texts.count(all.size() - NAMED, what)));
        }
    }

    private void addExecs(List<String> lines) {
        int count = 0;
        boolean more = false;
        for (String queue : worker.queues()) {
            JobPage page = windrow.list(
                    JobFilter.inState(JobState.PENDING)
                            .withType(ExecRequest.TYPE)
                            .withQueue(queue),
                    null,
                    COUNTED);
            count += page.jobs().size();
            more |= page.next() != null;
        }
        if (count > 0) {
            boolean one = count == 1 && !more;
            lines.add("%s%s %s; this worker leaves %s, since it was started without --allow-exec"
                    .formatted(
                            more ? "at least " : "",
                            Texts.count(count, "exec job"),
                            one ? "waits" : "wait",
                            one ? "it" : "them"));
        }
    }
}
