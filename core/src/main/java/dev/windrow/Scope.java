package dev.windrow;

/**
 * All jobs of a queue, all jobs of a type, or all jobs with a concurrency key: what can be {@linkplain Control paused, limited and slowed} as one, whether it has jobs yet or
 * not.
 *
 * @param kind what is named
 * @param name the queue's or the type's name, or the key
 */
public record Scope(Kind kind, String name) {
    /** What a scope names. */
    public enum Kind {
        /** A queue: its jobs of all types. */
        QUEUE,
        /** A type: its jobs in all queues. */
        TYPE,
        /** A {@linkplain ConcurrencyKey concurrency key}: its jobs of all types in all queues. */
        KEY
    }

    /** Checks the name. */
    public Scope {
        switch (kind) {
            case QUEUE -> Limits.queue(name);
            case TYPE -> Limits.type(name);
            case KEY -> Limits.concurrencyKey(name);
        }
    }

    /**
     * All jobs of a queue.
     *
     * @throws InvalidRequestException if no queue can have this name
     */
    public static Scope queue(String name) {
        return new Scope(Kind.QUEUE, name);
    }

    /**
     * All jobs of a type.
     *
     * @throws InvalidRequestException if no type can have this name
     */
    public static Scope type(String name) {
        return new Scope(Kind.TYPE, name);
    }

    /** All jobs of a type. */
    public static Scope type(JobType<?, ?> type) {
        return type(type.name());
    }

    /**
     * All jobs with a concurrency key.
     *
     * @throws InvalidRequestException if it is empty or longer than 200 characters
     */
    public static Scope key(String key) {
        return new Scope(Kind.KEY, key);
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
