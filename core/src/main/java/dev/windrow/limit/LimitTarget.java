package dev.windrow.limit;

import dev.windrow.InvalidRequestException;
import dev.windrow.JobType;
import dev.windrow.validation.Bounds;

/**
 * All jobs of a queue, all jobs of a type, or all jobs with a concurrency key: what can be {@linkplain Limits paused, limited and slowed} as one, whether it has jobs yet or
 * not.
 *
 * @param kind what is named
 * @param name the queue's or the type's name, or the key
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

    /** Checks the name. */
    public LimitTarget {
        switch (kind) {
            case QUEUE -> Bounds.queue(name);
            case TYPE -> Bounds.type(name);
            case KEY -> Bounds.concurrencyKey(name);
        }
    }

    /**
     * All jobs of a queue.
     *
     * @throws InvalidRequestException if no queue can have this name
     */
    public static LimitTarget queue(String name) {
        return new LimitTarget(Kind.QUEUE, name);
    }

    /**
     * All jobs of a type.
     *
     * @throws InvalidRequestException if no type can have this name
     */
    public static LimitTarget type(String name) {
        return new LimitTarget(Kind.TYPE, name);
    }

    /** All jobs of a type. */
    public static LimitTarget type(JobType<?, ?> type) {
        return type(type.name());
    }

    /**
     * All jobs with a concurrency key.
     *
     * @throws InvalidRequestException if it is empty or longer than 200 characters
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
