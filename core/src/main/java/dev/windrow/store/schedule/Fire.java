package dev.windrow.store.schedule;

import dev.windrow.store.Command;
import java.util.List;

/**
 * Does what is due by schedules, all or nothing: makes jobs, ready at once, with the due time as their scheduled time and {@code {"schedule":
 * name, "due": time}} in their {@code ENQUEUED} events; records the outcome of each due time, and sets the next one. A schedule that is not
 * as it was read is left out ({@link DueRuns}), and so is a due time for which a job was made before. Of a schedule with {@link
 * dev.windrow.schedule.Overlap#SKIP} whose last job goes on, or that would make a second one, the due times get no job.
 *
 * @param allDueRuns what is due
 */
public record Fire(List<DueRuns> allDueRuns) implements Command<FireResult> {
    /** Copies the list. */
    public Fire {
        allDueRuns = List.copyOf(allDueRuns);
    }

    /** The number of jobs that it makes at most. */
    public int jobs() {
        return allDueRuns.stream()
                .mapToInt(dueRuns -> dueRuns.dueMillis().size())
                .sum();
    }

    @Override
    public Phase phase() {
        return Phase.SCHEDULE;
    }

    @Override
    public String what() {
        return "running " + allDueRuns.size() + " schedules";
    }

    @Override
    public int weight() {
        return Math.max(1, allDueRuns.size() + jobs());
    }
}
