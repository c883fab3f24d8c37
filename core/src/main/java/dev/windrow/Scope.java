package dev.windrow;

/**
 * All jobs of a queue, or all jobs of a type: what can be {@linkplain Control paused, limited and slowed} as one, whether it has jobs yet or
 * not.
 *
 * @param kind what is named
 * @param name the queue's or the type's name
 */
public record Scope(Kind kind, String name) {
    /** What a scope names. */
    public enum Kind {
        /** A queue: its jobs of all types. */
        QUEUE,
        /** A type: its jobs in all queues. */
        TYPE
    }

    /** Checks the name. */
    public Scope {
        if (kind == Kind.QUEUE) {
            Limits.queue(name);
        } else {
            Limits.type(name);
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

    @Override
    public String toString() {
        return (kind == Kind.QUEUE ? "queue " : "type ") + name;
    }
}
