package dev.windrow.store.schedule;

import dev.windrow.store.Command;
import java.util.List;

/**
 * Writes the due runs of schedules, all or nothing. It enqueues jobs that are ready at once, with the due time as their scheduled time and {@code
 * {"schedule": name, "due": time}} in their {@code ENQUEUED} events. It records the outcome of each due time, and sets the next one. It skips a
 * schedule that has changed since it was read ({@link DueRuns}), and a due time for which a job was made before. With {@link
 * dev.windrow.schedule.Overlap#SKIP} due times get no job while the last job of the schedule has not ended, and only the first of several
 * due times gets one.
 *
 * @param allDueRuns the due runs
 */
public record Fire(List<DueRuns> allDueRuns) implements Command<FireResult> {
    /** Copies the list. */
    public Fire {
        allDueRuns = List.copyOf(allDueRuns);
    }

    /** Returns the number of jobs that it makes at most. */
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
