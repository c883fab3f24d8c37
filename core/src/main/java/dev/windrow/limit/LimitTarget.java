package dev.windrow.limit;

import dev.windrow.InvalidRequestException;
import dev.windrow.JobType;
import dev.windrow.validation.Bounds;

/**
 * The target of {@linkplain Limits a pause and limits}: all jobs of a queue, all jobs of a type, or all jobs with a concurrency key. The target need
 * not have jobs yet.
 *
 * @param kind the kind of the target
 * @param name the name of the queue or the type, or the key
 */
public record LimitTarget(Kind kind, String name) {
    /** The kinds of targets. */
    public enum Kind {
        /** A queue: its jobs of all types. */
        QUEUE,
        /** A type: its jobs in all queues. */
        TYPE,
        /** A {@linkplain ConcurrencyKey concurrency key}: its jobs of all types in all queues. */
        KEY
    }

    /**
     * Checks the name.
     *
     * @throws InvalidRequestException if the name is not allowed for this kind
     */
    public LimitTarget {
        switch (kind) {
            case QUEUE -> Bounds.queue(name);
            case TYPE -> Bounds.type(name);
            case KEY -> Bounds.concurrencyKey(name);
        }
    }

    /**
     * Returns the target of all jobs of a queue.
     *
     * @throws InvalidRequestException if the name is not allowed for a queue
     */
    public static LimitTarget queue(String name) {
        return new LimitTarget(Kind.QUEUE, name);
    }

    /**
     * Returns the target of all jobs of a type.
     *
     * @throws InvalidRequestException if the name is not allowed for a type
     */
    public static LimitTarget type(String name) {
        return new LimitTarget(Kind.TYPE, name);
    }

    /** Returns the target of all jobs of a type, under its name and not its aliases. */
    public static LimitTarget type(JobType<?, ?> type) {
        return type(type.name());
    }

    /**
     * Returns the target of all jobs with a concurrency key.
     *
     * @throws InvalidRequestException if the key is empty or longer than 200 characters
     */
    public static LimitTarget key(String key) {
        return new LimitTarget(Kind.KEY, key);
    }

    @Override
    public String toString() {
        return switch (kind) {
                    case QUEUE -> "queue ";
                    case TYPE -> "type ";
                    case KEY -> "key ";
                }
                + name;
    }
}
