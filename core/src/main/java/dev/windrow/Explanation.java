package dev.windrow;

import dev.windrow.limit.LimitTarget;
import dev.windrow.limit.Limits;
import dev.windrow.limit.Rate;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The reasons why a job does not run, or what it is doing, at the moment of the read. Read by {@link JobHandle#explain}. Times are by the store's clock.
 * Immutable.
 *
 * @param id the job
 * @param state its state
 * @param reasons the reasons, the most important one first; at least one
 */
public record Explanation(long id, JobState state, List<Reason> reasons) {
    /** The largest number of parents or holders of a key that a reason names. */
    public static final int MAX_JOBS = 20;

    /** The largest number of jobs that {@link Ready} counts. */
    public static final int MAX_BEFORE = 10_000;

    /** Copies the list. */
    public Explanation {
        reasons = List.copyOf(reasons);
    }

    /** Returns a sentence for each reason, with a command that helps if there is one. */
    public List<String> sentences() {
        return reasons.stream().map(reason -> reason.text(id)).toList();
    }

    /** Returns the state and the sentences, such as {@code PENDING: no live worker serves queue 'images' (windrow work --queue images)}. */
    public String text() {
        return state + ": " + String.join("; ", sentences());
    }

    /** The kinds of reasons. Each has its record. */
    public enum Kind {
        /** {@link Paused}. */
        PAUSED,
        /** {@link QueueNotServed}. */
        QUEUE_NOT_SERVED,
        /** {@link TypeNotHandled}. */
        TYPE_NOT_HANDLED,
        /** {@link PriorityNotTaken}. */
        PRIORITY_NOT_TAKEN,
        /** {@link LimitReached}. */
        LIMIT_REACHED,
        /** {@link RateReached}. */
        RATE_REACHED,
        /** {@link KeyHeld}. */
        KEY_HELD,
        /** {@link Due}. */
        DUE,
        /** {@link WaitsForRetry}. */
        WAITS_FOR_RETRY,
        /** {@link WaitsForParents}. */
        WAITS_FOR_PARENTS,
        /** {@link WaitsForEvent}. */
        WAITS_FOR_EVENT,
        /** {@link Ready}. */
        READY,
        /** {@link Running}. */
        RUNNING,
        /** {@link Ended}. */
        ENDED
    }

    /** One reason, with its data. */
    public sealed interface Reason {
        /** Returns the kind of the reason. */
        Kind kind();

        /**
         * Returns a sentence for humans, with a command that helps if there is one.
         *
         * @param job the job, for the command
         */
        String text(long job);
    }

    /**
     * The queue, the type or the concurrency key of the job is paused.
     *
     * @param target the queue, the type or the key
     * @param pause the actor, the time and the reason of the pause
     */
    public record Paused(LimitTarget target, Limits.Pause pause) implements Reason {
        @Override
        public Kind kind() {
            return Kind.PAUSED;
        }

        @Override
        public String text(long job) {
            return "%s is paused by %s since %s%s (windrow resume %s)"
                    .formatted(
                            named(target),
                            pause.by(),
                            pause.at(),
                            pause.reason() == null ? "" : ": " + pause.reason(),
                            argument(target));
        }
    }

    /**
     * No live worker serves the queue of the job.
     *
     * @param queue the queue
     */
    public record QueueNotServed(String queue) implements Reason {
        @Override
        public Kind kind() {
            return Kind.QUEUE_NOT_SERVED;
        }

        @Override
        public String text(long job) {
            return "no live worker serves queue '%s' (windrow work --queue %s)".formatted(queue, word(queue));
        }
    }

    /**
     * No live worker handles the type of the job. If live workers serve its queue, only those are considered.
     *
     * @param type the type
     * @param similar a type that a live worker handles and whose name differs only by case, or null
     */
    public record TypeNotHandled(String type, @Nullable String similar) implements Reason {
        @Override
        public Kind kind() {
            return Kind.TYPE_NOT_HANDLED;
        }

        @Override
        public String text(long job) {
            return "no live worker of its queue handles type '%s' (%s)"
                    .formatted(
                            type,
                            similar == null
                                    ? "start a worker with a handler of it"
                                    : "a live worker handles '%s'".formatted(similar));
        }
    }

    /**
     * Live workers serve the queue and handle the type, but none takes the priority of the job.
     *
     * @param priority the priority
     * @param minimum the lowest priority that these workers take
     */
    public record PriorityNotTaken(int priority, int minimum) implements Reason {
        @Override
        public Kind kind() {
            return Kind.PRIORITY_NOT_TAKEN;
        }

        @Override
        public String text(long job) {
            return "no live worker takes priority %d: minimum %d (windrow work --min-priority %d)"
                    .formatted(priority, minimum, priority);
        }
    }

    /**
     * As many jobs of the queue or the type run as its limit allows.
     *
     * @param target the queue or the type
     * @param limit the largest number of running jobs
     * @param running the number of running jobs. At most 10 000 or the limit are counted
     */
    public record LimitReached(LimitTarget target, int limit, long running) implements Reason {
        @Override
        public Kind kind() {
            return Kind.LIMIT_REACHED;
        }

        @Override
        public String text(long job) {
            return "%s is at its limit: %,d running, at most %,d (windrow limit %s --running N)"
                    .formatted(named(target), running, limit, argument(target));
        }
    }

    /**
     * The rate of the queue, the type or the concurrency key allows no start yet.
     *
     * @param target the queue, the type or the key
     * @param rate the rate
     * @param opensAt the time of the next start that the rate allows; other jobs may be first
     */
    public record RateReached(LimitTarget target, Rate rate, Instant opensAt) implements Reason {
        @Override
        public Kind kind() {
            return Kind.RATE_REACHED;
        }

        @Override
        public String text(long job) {
            return "%s has the rate %s, which allows the next start at %s (windrow limit %s --rate N/s)"
                    .formatted(named(target), rate.text(), opensAt, argument(target));
        }
    }

    /**
     * The job waits for a permit of its concurrency key.
     *
     * @param key the concurrency key
     * @param limit the largest number of jobs of the key with a permit; null if only a rate or a worker that grants permits delays the job
     * @param holders the jobs with a permit, at most {@link #MAX_JOBS}
     */
    public record KeyHeld(String key, @Nullable Integer limit, List<Holder> holders) implements Reason {
        /** Copies the list. */
        public KeyHeld {
            holders = List.copyOf(holders);
        }

        @Override
        public Kind kind() {
            return Kind.KEY_HELD;
        }

        @Override
        public String text(long job) {
            return holders.isEmpty()
                    ? "waits for a permit of concurrency key '%s'".formatted(key)
                    : "concurrency key '%s' is held by %s%s (windrow explain %d)"
                            .formatted(
                                    key,
                                    holders.stream()
                                            .map(holder -> "job %d %s".formatted(holder.id(), holder.state()))
                                            .collect(Collectors.joining(", ")),
                                    holders.size() < MAX_JOBS ? "" : ", ...",
                                    holders.get(0).id());
        }
    }

    /**
     * A job with a permit of a concurrency key.
     *
     * @param id the job
     * @param state its state
     */
    public record Holder(long id, JobState state) {}

    /**
     * The job is due later. If it is due already, the next live worker makes it ready.
     *
     * @param at the time
     */
    public record Due(Instant at) implements Reason {
        @Override
        public Kind kind() {
            return Kind.DUE;
        }

        @Override
        public String text(long job) {
            return "due at %s (windrow trigger %d)".formatted(at, job);
        }
    }

    /**
     * The last attempt failed, and the next one is due later.
     *
     * @param attempt the number of the next attempt in the job's run
     * @param maxAttempts the maximum number of attempts in a run
     * @param at the time of the next attempt
     * @param errorCode the error code of the last attempt
     */
    public record WaitsForRetry(int attempt, int maxAttempts, Instant at, String errorCode) implements Reason {
        @Override
        public Kind kind() {
            return Kind.WAITS_FOR_RETRY;
        }

        @Override
        public String text(long job) {
            return "attempt %d of %d is due at %s, the last one failed with %s (windrow trigger %d)"
                    .formatted(attempt, maxAttempts, at, errorCode, job);
        }
    }

    /**
     * The job waits for the end of other jobs.
     *
     * @param open the number of these jobs
     * @param parents these jobs in declared order, at most {@link #MAX_JOBS}
     */
    public record WaitsForParents(int open, List<JobInfo.Dependency> parents) implements Reason {
        /** Copies the list. */
        public WaitsForParents {
            parents = List.copyOf(parents);
        }

        @Override
        public Kind kind() {
            return Kind.WAITS_FOR_PARENTS;
        }

        @Override
        public String text(long job) {
            return "waits for %s%s%s"
                    .formatted(
                            parents.stream()
                                    .map(parent -> "job %d %s".formatted(parent.id(), parent.state()))
                                    .collect(Collectors.joining(", ")),
                            open > parents.size() ? " and %,d more".formatted(open - parents.size()) : "",
                            parents.stream()
                                    .filter(parent ->
                                            parent.state() == JobState.FAILED || parent.state() == JobState.CANCELLED)
                                    .findFirst()
                                    .map(parent -> " (windrow retry %d)".formatted(parent.id()))
                                    .orElse(""));
        }
    }

    /**
     * The job waits for an event, or for its external completion.
     *
     * @param event the event that its handler awaits; null for external completion
     * @param until the time at which the wait times out
     */
    public record WaitsForEvent(@Nullable String event, Instant until) implements Reason {
        @Override
        public Kind kind() {
            return Kind.WAITS_FOR_EVENT;
        }

        @Override
        public String text(long job) {
            return event == null
                    ? "waits for external completion until %s (windrow complete %d)".formatted(until, job)
                    : "waits for event '%s' until %s (windrow signal %d %s)".formatted(event, until, job, word(event));
        }
    }

    /**
     * Nothing is in the way of the job. A worker with a free slot takes it after the jobs before it.
     *
     * @param before the approximate number of ready jobs of its queue that are claimed first; {@link #MAX_BEFORE} means as many or more
     */
    public record Ready(int before) implements Reason {
        @Override
        public Kind kind() {
            return Kind.READY;
        }

        @Override
        public String text(long job) {
            return before == 0
                    ? "ready; no job before it"
                    : "ready; %,d%s %s before it"
                            .formatted(before, before < MAX_BEFORE ? "" : " or more", before == 1 ? "job" : "jobs");
        }
    }

    /**
     * A worker has the job.
     *
     * @param worker the name of the worker
     * @param since the start of the handler; before that the time of the claim
     * @param heartbeat the last renewal of the lease
     * @param leaseUntil the time until which no other worker takes the job back
     * @param progress what the worker does with it
     */
    public record Running(String worker, Instant since, Instant heartbeat, Instant leaseUntil, Progress progress)
            implements Reason {
        /** The ways in which a worker has a job. */
        public enum Progress {
            /** The worker has claimed the job, and a slot will start it. */
            CLAIMED,
            /** The handler runs. */
            STARTED,
            /** The handler ignores its interrupt. */
            STUCK,
            /** The worker has not renewed the lease in time. Another worker takes the job back. */
            DEAD
        }

        @Override
        public Kind kind() {
            return Kind.RUNNING;
        }

        @Override
        public String text(long job) {
            return "%s worker %s since %s, last heartbeat %s, lease until %s%s"
                    .formatted(
                            progress == Progress.CLAIMED ? "claimed by" : "runs on",
                            worker,
                            since,
                            heartbeat,
                            leaseUntil,
                            switch (progress) {
                                case CLAIMED -> "; it waits for a slot";
                                case STARTED -> "";
                                case STUCK -> "; its handler ignores the interrupt (jstack shows where it hangs)";
                                case DEAD -> "; the worker is dead, another one takes the job back (windrow workers)";
                            });
        }
    }

    /**
     * The job has ended.
     *
     * @param at the time of its end
     * @param errorCode the error code of its last failed attempt, or null
     */
    public record Ended(Instant at, @Nullable String errorCode) implements Reason {
        @Override
        public Kind kind() {
            return Kind.ENDED;
        }

        @Override
        public String text(long job) {
            return "ended at %s%s".formatted(at, errorCode == null ? "" : ", error code " + errorCode);
        }
    }

    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_.:/@%+,][A-Za-z0-9_.:/@%+,-]*");

    private static String named(LimitTarget target) {
        return "%s '%s'"
                .formatted(
                        target.kind() == LimitTarget.Kind.KEY
                                ? "concurrency key"
                                : target.kind().name().toLowerCase(Locale.ROOT),
                        target.name());
    }

    /** Returns the words by which commands name a target. */
    private static String argument(LimitTarget target) {
        return switch (target.kind()) {
                    case QUEUE -> "";
                    case TYPE -> "--type ";
                    case KEY -> "--key ";
                }
                + word(target.name());
    }

    /** Returns a text as one word of a shell. */
    private static String word(String text) {
        return PLAIN.matcher(text).matches() ? text : "'" + text.replace("'", "'\\''") + "'";
    }
}
