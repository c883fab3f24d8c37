package dev.windrow.monitor;

import com.google.errorprone.annotations.CheckReturnValue;
import dev.windrow.InvalidRequestException;
import java.time.Duration;
import java.util.Collection;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The options of a diagnosis of a store. Immutable. */
@CheckReturnValue
public final class DiagnoseOptions {
    /** The options for all checks, without a time limit. */
    public static final DiagnoseOptions ALL = new DiagnoseOptions(false, null, Set.of(), check -> {});

    private final boolean quick;
    private final @Nullable Duration budget;
    private final Set<String> checks;
    private final Consumer<String> progress;

    private DiagnoseOptions(boolean quick, @Nullable Duration budget, Set<String> checks, Consumer<String> progress) {
        this.quick = quick;
        this.budget = budget;
        this.checks = checks;
        this.progress = progress;
    }

    /**
     * Returns the options without the comparison of each index with its table. This comparison makes the check of the database's own structure slow.
     */
    public DiagnoseOptions withoutIndexes() {
        return new DiagnoseOptions(true, budget, checks, progress);
    }

    /**
     * Returns the options with a time limit for all checks. A check that would read for longer than its share is stopped, and has a note unless it
     * has found a problem. Short checks are always made.
     *
     * @param budget 0 or more, default no limit. With 0 no check that reads everything is begun
     * @throws InvalidRequestException if the budget is negative
     */
    public DiagnoseOptions withBudget(Duration budget) {
        if (budget.isNegative()) {
            throw new InvalidRequestException("budget %s of a diagnosis is not allowed: 0 or more".formatted(budget));
        }
        return new DiagnoseOptions(quick, budget, checks, progress);
    }

    /** Returns the options for these checks only, such as {@code schema}; default: all. */
    public DiagnoseOptions withChecks(Collection<String> names) {
        return new DiagnoseOptions(quick, budget, Set.copyOf(names), progress);
    }

    /** Returns the options with a callback that gets the name of each check when it begins. A thread of the store calls it. */
    public DiagnoseOptions withProgress(Consumer<String> progress) {
        return new DiagnoseOptions(quick, budget, checks, progress);
    }

    /** True if the indexes are not compared. */
    public boolean isQuick() {
        return quick;
    }

    /** Returns the time limit for all checks; null: no limit. */
    public @Nullable Duration budget() {
        return budget;
    }

    /** Returns the names of the checks; empty: all. */
    public Set<String> checks() {
        return checks;
    }

    /** Returns the callback that gets the names of checks. */
    public Consumer<String> progress() {
        return progress;
    }
}
