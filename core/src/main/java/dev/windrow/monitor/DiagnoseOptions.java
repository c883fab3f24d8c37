package dev.windrow.monitor;

import com.google.errorprone.annotations.CheckReturnValue;
import dev.windrow.InvalidRequestException;
import java.time.Duration;
import java.util.Collection;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Options of the examination of a store. Immutable. */
@CheckReturnValue
public final class DiagnoseOptions {
    /** All checks, however long they take. */
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

    /** Returns the options without the comparison of each index with its table, which makes the check of the database's own structure slow. */
    public DiagnoseOptions withoutIndexes() {
        return new DiagnoseOptions(true, budget, checks, progress);
    }

    /**
     * Returns the options with a time for all checks, whatever the size of the store: a check that would read for longer than its share is stopped and has a note, unless it has found
     * something. Checks that take a moment are always made.
     *
     * @param budget 0 or more; with 0 no check that reads everything is begun; default: as long as it takes
     * @throws InvalidRequestException if it is negative
     */
    public DiagnoseOptions withBudget(Duration budget) {
        if (budget.isNegative()) {
            throw new InvalidRequestException("budget %s of a diagnosis is not allowed: 0 or more".formatted(budget));
        }
        return new DiagnoseOptions(quick, budget, checks, progress);
    }

    /** Returns the options for these checks alone, such as {@code schema}; default: all. */
    public DiagnoseOptions withChecks(Collection<String> names) {
        return new DiagnoseOptions(quick, budget, Set.copyOf(names), progress);
    }

    /** Returns the options with a receiver of the name of each check that begins, called on a thread of the store. */
    public DiagnoseOptions withProgress(Consumer<String> progress) {
        return new DiagnoseOptions(quick, budget, checks, progress);
    }

    /** True if indexes are not compared. */
    public boolean isQuick() {
        return quick;
    }

    /** Returns the time for all checks; null: as long as it takes. */
    public @Nullable Duration budget() {
        return budget;
    }

    /** Returns the names of the checks; empty: all. */
    public Set<String> checks() {
        return checks;
    }

    /** Returns the receiver of the names of checks. */
    public Consumer<String> progress() {
        return progress;
    }
}
