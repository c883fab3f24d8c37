package dev.windrow.monitor;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The health of the background tasks of this process: its loops, its workers, and the tasks of its store. Immutable.
 *
 * @param tasks each background task with what is wrong with it, if anything
 */
public record Health(List<Task> tasks) {
    /**
     * Something that goes on in the background.
     *
     * @param name what it is called; the name of its thread where it has one
     * @param problem what keeps it from going on, for people; null when it is well
     * @param sinceProgress how long it has been at what it does now, or has failed; zero when it waits for work
     */
    public record Task(String name, @Nullable String problem, Duration sinceProgress) {
        /** Refuses a background task without a name. */
        public Task {
            Objects.requireNonNull(name, "name");
            Objects.requireNonNull(sinceProgress, "sinceProgress");
        }

        /** Whether nothing is wrong with it. */
        public boolean isOk() {
            return problem == null;
        }
    }

    /** Copies the list. */
    public Health {
        tasks = List.copyOf(tasks);
    }

    /** True if all background tasks make progress. */
    public boolean isOk() {
        return tasks.stream().allMatch(Task::isOk);
    }
}
