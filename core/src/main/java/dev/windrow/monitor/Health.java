package dev.windrow.monitor;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The health of the background tasks of this process: its loops, its workers, and the tasks of its store. Immutable.
 *
 * @param tasks the background tasks, each with its problem if it has one
 */
public record Health(List<Task> tasks) {
    /**
     * A background task.
     *
     * @param name the name of the task: the name of its thread, if it has one
     * @param problem the reason why the task makes no progress, for humans; null if it has no problem
     * @param sinceProgress the time since the task began its present work, or since it began to fail; zero when it waits for work
     */
    public record Task(String name, @Nullable String problem, Duration sinceProgress) {
        /** Refuses null. */
        public Task {
            Objects.requireNonNull(name, "name");
            Objects.requireNonNull(sinceProgress, "sinceProgress");
        }

        /** True if the task has no problem. */
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
