package dev.windrow;

import com.google.errorprone.annotations.CheckReturnValue;
import dev.windrow.validation.Bounds;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The dedupe key of a new job: at most one job of a type holds a key at a time. Immutable: each option returns another instance. The database
 * enforces the rule, so it holds across threads, processes and machines.
 *
 * <p>The <i>scope</i> is how long the job holds the key; default {@link #unfinished}. The <i>strategy</i> is the effect on a job that is enqueued
 * while another one holds its key; default {@link #keep}. {@link #debounce} and {@link #throttle} have scopes of their own.
 */
@CheckReturnValue
public final class Dedupe {
    /** The time for which a job holds its key. */
    public enum Scope {
        /** The job holds the key until a worker claims it for the first time, or until it ends before that. */
        UNTIL_STARTED,
        /**
         * The job holds the key until it has ended. If it continues in a chain, its chain holds the key until the last job of the chain has ended.
         */
        UNFINISHED,
        /** The job holds the key for a time after its enqueue, in any state. */
        WINDOW,
        /** The job holds the key forever. If it is deleted without having completed, the key is free. */
        ANY
    }

    /** The effects on a new job whose key another job holds. */
    public enum Strategy {
        /** Nothing is written. The holder represents the new job. */
        KEEP,
        /** A waiting holder takes over the payload and the options of the new job. */
        REPLACE,
        /** The same as {@link #REPLACE}, and the wait of the holder begins again. */
        DEBOUNCE,
        /** The new job waits until the period after the last start is over. At most one job waits so. */
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

    /**
     * Returns a key of 1 to 200 characters, which the job holds until it has ended. Enqueues of duplicates write nothing.
     *
     * @throws InvalidRequestException if the key is not allowed
     */
    public static Dedupe key(String key) {
        return new Dedupe(Bounds.dedupeKey(key), null, null, Strategy.KEEP, null);
    }

    /**
     * Returns this key with scope {@code UNTIL_STARTED}: the job gives the key up when a worker claims it. An enqueue during its run writes another
     * job.
     *
     * @throws InvalidRequestException if the strategy is {@link #throttle}
     */
    public Dedupe untilStarted() {
        return new Dedupe(key, Scope.UNTIL_STARTED, null, strategy, period);
    }

    /**
     * Returns this key with scope {@code UNFINISHED}: the job gives the key up when it has ended, in any state. It holds the key during retries and
     * pauses. If the job {@linkplain JobContext#continueWith continues its chain}, the next job holds the key, and so on until the end of the chain.
     *
     * @throws InvalidRequestException if the strategy is {@link #throttle}
     */
    public Dedupe unfinished() {
        return new Dedupe(key, Scope.UNFINISHED, null, strategy, period);
    }

    /**
     * Returns this key with scope {@code WINDOW}: the job holds the key for this time after its enqueue, in any state.
     *
     * @param window 1 ms to 3650 days
     * @throws InvalidRequestException if the window is out of range, or the strategy is {@link #debounce} or {@link #throttle}
     */
    public Dedupe within(Duration window) {
        return new Dedupe(key, Scope.WINDOW, Bounds.positive("dedupe window", window), strategy, period);
    }

    /**
     * Returns this key with scope {@code ANY}: the job holds the key forever, also after its end. Only a
     * {@linkplain JobHandle#delete deletion} of a job that is not {@code COMPLETED} gives the key up.
     *
     * @throws InvalidRequestException if the strategy is {@link #debounce} or {@link #throttle}
     */
    public Dedupe forEver() {
        return new Dedupe(key, Scope.ANY, null, strategy, period);
    }

    /** Returns this key with strategy {@code KEEP}: while another job holds the key, nothing is written. */
    public Dedupe keep() {
        return new Dedupe(key, scope, window, Strategy.KEEP, null);
    }

    /**
     * Returns this key with strategy {@code REPLACE}. A waiting holder gets the payload, priority, time, maximum number of attempts, time limit and
     * retry policy of the new job. It also gets the name, tags, trace context and concurrency key of the new job. None of the holder's attempts
     * counts any more. Its queue, its parents, its dedupe key and the scope stay. A holder that runs or has ended, or that is a later job of a chain,
     * is unchanged.
     */
    public Dedupe replace() {
        return new Dedupe(key, scope, window, Strategy.REPLACE, null);
    }

    /**
     * Returns this key with strategy {@code DEBOUNCE}: the job runs when no enqueue with its key has come for this time. The first job waits this
     * long. Each enqueue during the wait replaces the job like {@link #replace}, and the wait begins again. A later job of a chain is unchanged.
     *
     * <p>The default scope is {@link #untilStarted}, so that an enqueue during the run writes another job. The only other allowed scope is
     * {@link #unfinished}.
     *
     * @param quiet 1 ms to 3650 days
     * @throws InvalidRequestException if the time is out of range, or the scope is not allowed
     */
    public Dedupe debounce(Duration quiet) {
        return new Dedupe(key, scope, window, Strategy.DEBOUNCE, Bounds.positive("debounce period", quiet));
    }

    /**
     * Returns this key with strategy {@code THROTTLE}: at most one job starts in this period. The first job is due at once. An enqueue while it waits
     * writes nothing, because the waiting job has not read the present data yet. The first enqueue after its start, within the period, writes one
     * more job, which is due when the period is over. The strategy has a scope of its own.
     *
     * @param period 1 ms to 3650 days
     * @throws InvalidRequestException if the period is out of range, or a scope was chosen
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

    /** True if the strategy sets the time at which the job is due. Then the job has no delay and no run-at. */
    boolean setsTime() {
        return strategy == Strategy.DEBOUNCE || strategy == Strategy.THROTTLE;
    }

    /** Returns the key. */
    public String key() {
        return key;
    }

    /** Returns how long the job holds the key: the chosen scope, or the default of the strategy. */
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

    /** Returns the window of scope {@code WINDOW}, or null. */
    public @Nullable Duration window() {
        return window;
    }

    /** Returns the effect on a new job whose key another job holds. */
    public Strategy strategy() {
        return strategy;
    }

    /** Returns the period of {@code DEBOUNCE} and {@code THROTTLE}, or null. */
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
