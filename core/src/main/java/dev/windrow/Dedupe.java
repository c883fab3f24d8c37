package dev.windrow;

import com.google.errorprone.annotations.CheckReturnValue;
import dev.windrow.validation.Bounds;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The dedupe key of a new job: at most one job of a type holds a key at a time. Says how long the job holds it (the scope,
 * by default {@link #unfinished}), and what becomes of a job that is enqueued while another one holds its key (the
 * strategy, by default {@link #keep}). Immutable: each option returns another instance. Enforced by the database, so it
 * holds across threads, processes and machines.
 */
@CheckReturnValue
public final class Dedupe {
    private static final int MAX_KEY = 200;

    /** How long a job holds its key. */
    public enum Scope {
        /** Until a worker claims it for the first time, or it ends before. */
        UNTIL_STARTED,
        /** Until it has ended, whatever happens on the way there; if it goes on in a chain, until the last job of that has. */
        UNFINISHED,
        /** For a time from the enqueue on, whatever becomes of the job. */
        WINDOW,
        /** For ever: until the job is discarded. */
        ANY
    }

    /** What becomes of a job whose key another one holds. */
    public enum Strategy {
        /** Nothing is written; the holder stands for it. */
        KEEP,
        /** The holder takes over what is to be done, if it waits. */
        REPLACE,
        /** The same, and the holder waits from now on anew. */
        DEBOUNCE,
        /** It waits until the period since the last start is over; one such job is enough. */
        THROTTLE
    }

    private final String key;
    private final @Nullable Scope scope;
    private final @Nullable Duration window;
    private final Strategy strategy;
    private final @Nullable Duration period;

    private Dedupe(
            String key,
            @Nullable Scope scope,
            @Nullable Duration window,
            Strategy strategy,
            @Nullable Duration period) {
        this.key = key;
        this.scope = scope;
        this.window = window;
        this.strategy = strategy;
        this.period = period;
        check();
    }

    /** A key of 1 to 200 characters, held until the job has ended; duplicates are dropped. */
    public static Dedupe key(String key) {
        return new Dedupe(Bounds.text("dedupe key", key, MAX_KEY), null, null, Strategy.KEEP, null);
    }

    /** The job gives its key up when a worker claims it: who enqueues while it runs gets another job. */
    public Dedupe untilStarted() {
        return new Dedupe(key, Scope.UNTIL_STARTED, null, strategy, period);
    }

    /**
     * The job gives its key up when it has ended, in whatever way; retries and pauses in between are part of it. If it {@linkplain
     * JobContext#continueWith goes on}, the next job of its chain holds the key from then on, and so to the end of the chain.
     */
    public Dedupe unfinished() {
        return new Dedupe(key, Scope.UNFINISHED, null, strategy, period);
    }

    /** The job holds its key for this long from the enqueue on, 1 ms to 3650 days, whatever becomes of it. */
    public Dedupe within(Duration window) {
        return new Dedupe(key, Scope.WINDOW, Bounds.positive("dedupe window", window), strategy, period);
    }

    /** The job holds its key for ever, also when it has ended. Only discarding the job gives it up. */
    public Dedupe forEver() {
        return new Dedupe(key, Scope.ANY, null, strategy, period);
    }

    /** While another job holds the key, nothing is written. */
    public Dedupe keep() {
        return new Dedupe(key, scope, window, Strategy.KEEP, null);
    }

    /**
     * A holder that waits gets this job's payload, priority, time, attempts, time limit, retry policy, name, tags and trace
     * context, with a full budget of attempts; its queue, its parents, its key and the scope of that stay. One that runs,
     * or has ended, or that another job of its chain went on with, is kept as it is.
     */
    public Dedupe replace() {
        return new Dedupe(key, scope, window, Strategy.REPLACE, null);
    }

    /**
     * The first job waits this long, 1 ms to 3650 days, and each one that follows while it waits replaces it and has it wait
     * as long again: it runs when none has come for that long. By default until started, so that what comes while it runs
     * is another job; {@link #unfinished} is the other scope that is possible. What another job of its chain went on with is kept as it
     * is.
     */
    public Dedupe debounce(Duration quiet) {
        return new Dedupe(key, scope, window, Strategy.DEBOUNCE, Bounds.positive("debounce period", quiet));
    }

    /**
     * At most one job starts in this period, 1 ms to 3650 days: the first one at once. What comes while it waits is dropped:
     * it has not looked yet. What comes after its start, within the period, is one more job, due when the period is over.
     * It has its own scope.
     */
    public Dedupe throttle(Duration period) {
        return new Dedupe(key, scope, window, Strategy.THROTTLE, Bounds.positive("throttle period", period));
    }

    private void check() {
        if (strategy == Strategy.DEBOUNCE && (scope == Scope.WINDOW || scope == Scope.ANY)) {
            throw new InvalidRequestException(
                    "dedupe strategy debounce is not allowed with scope %s: until-started or unfinished"
                            .formatted(word(scope())));
        }
        if (strategy == Strategy.THROTTLE && scope != null) {
            throw new InvalidRequestException(
                    "dedupe strategy throttle is not allowed with scope %s: it has a scope of its own"
                            .formatted(word(scope)));
        }
    }

    private static String word(Scope scope) {
        return scope.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Whether it says itself when the job is due: then the job may not. */
    boolean setsTime() {
        return strategy == Strategy.DEBOUNCE || strategy == Strategy.THROTTLE;
    }

    /** The key. */
    public String key() {
        return key;
    }

    /** How long the job holds the key: what was chosen, else what goes with the strategy. */
    public Scope scope() {
        if (scope != null) {
            return scope;
        }
        return switch (strategy) {
            case KEEP, REPLACE -> Scope.UNFINISHED;
            case DEBOUNCE -> Scope.UNTIL_STARTED;
            case THROTTLE -> Scope.WINDOW;
        };
    }

    /** The window of scope {@code WINDOW}, or null. */
    public @Nullable Duration window() {
        return window;
    }

    /** What becomes of a job whose key another one holds. */
    public Strategy strategy() {
        return strategy;
    }

    /** The period of {@code DEBOUNCE} and {@code THROTTLE}, or null. */
    public @Nullable Duration period() {
        return period;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Dedupe that
                && key.equals(that.key)
                && scope == that.scope
                && Objects.equals(window, that.window)
                && strategy == that.strategy
                && Objects.equals(period, that.period);
    }

    @Override
    public int hashCode() {
        return Objects.hash(key, scope, window, strategy, period);
    }

    @Override
    public String toString() {
        return "%s (%s%s, %s%s)"
                .formatted(
                        key,
                        word(scope()),
                        window == null ? "" : " " + Durations.text(window),
                        strategy.name().toLowerCase(Locale.ROOT),
                        period == null ? "" : " " + Durations.text(period));
    }
}
