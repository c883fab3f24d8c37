package dev.windrow.store.sql.monitor;

import dev.windrow.StoreUnavailableException;
import dev.windrow.monitor.Diagnosis;
import dev.windrow.store.SafeLogger;
import dev.windrow.store.monitor.DiagnoseRequest;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * A run through the checks of a store, in their order, within the budget. The schema comes first, because other checks depend on it. For one use, by
 * one thread.
 */
public final class Examination {
    private static final String SCHEMA = "schema";

    private static final String SCHEMA_REMEDY =
            "older than this program: a worker, or any command that changes something, migrates it; newer: use the newer program; closed, or a copy that is not finished: see 'copy' in docs/cli.md; no schema: name another file or database";

    // The remedy of a check that could not be made because of the schema. Its own remedy would be useless, because its
    // result is unknown.
    private static final String AFTER_SCHEMA = "fix 'schema' first; then run the diagnosis again";

    private static final String UNCHECKED_REMEDY =
            "remove the cause (missing permissions; for damage see 'integrity'); then run the diagnosis again";

    private static final Logger log = SafeLogger.of(Examination.class);

    private final DiagnoseRequest request;
    private final String location;
    private final BooleanSupplier closed;
    private final CheckBudget budget;
    private final List<Diagnosis.Check> checks = new ArrayList<>();
    private final List<Diagnosis.Query> queries = new ArrayList<>();
    /** The reason for which the tables cannot be read, or null. */
    private @Nullable String unreadable;
    /** True if the database does not exist. */
    private boolean foreign;

    /** The end of the present check because no time is left. */
    private static final class OutOfTime extends RuntimeException {
        private static final long serialVersionUID = 1;

        OutOfTime() {
            super("no time is left", null, false, false);
        }
    }

    /**
     * Begins now.
     *
     * @param location the location of the store, for messages
     * @param closed true from the time when the examination must end
     */
    public Examination(DiagnoseRequest request, String location, BooleanSupplier closed) {
        this.request = request;
        this.location = location;
        this.closed = closed;
        this.budget = new CheckBudget(request.time(), request.budget());
    }

    /** Returns the request. */
    public DiagnoseRequest request() {
        return request;
    }

    /** Returns the budget. */
    public CheckBudget budget() {
        return budget;
    }

    /** True if the examination must end at once. */
    public boolean isEnded() {
        return closed.getAsBoolean() || Thread.currentThread().isInterrupted();
    }

    /** Ends the present check if its time is over. */
    public void requireTime() {
        if (budget.isOver()) {
            throw new OutOfTime();
        }
    }

    private void goOn() {
        if (isEnded()) {
            throw new StoreUnavailableException("examining " + location + " was interrupted");
        }
    }

    /**
     * Makes the requested checks.
     *
     * @throws StoreUnavailableException if the examination was ended; tested between checks
     */
    public <D extends Examined> Diagnosis run(D store, List<Check<? super D>> all) {
        if (request.wants(SCHEMA)) {
            make(store, new Check<>(SCHEMA, Check.Reach.ENVIRONMENT, SCHEMA_REMEDY, this::schema), 1);
        }
        int longOnes = (int) all.stream()
                .filter(check -> check.reach().isLong() && request.wants(check.name()))
                .count();
        for (Check<? super D> check : foreign ? List.<Check<? super D>>of() : all) {
            if (!request.wants(check.name())) {
                continue;
            }
            if (unreadable != null && check.reach().needsSchema()) {
                add(check.name(), Finding.failed("not checked: " + unreadable).remedy(AFTER_SCHEMA), null);
            } else {
                make(store, check, check.reach().isLong() ? longOnes-- : 1);
            }
        }
        return new Diagnosis(checks, queries, budget.spent());
    }

    private Finding schema(Examined store, Findings findings) throws SQLException {
        unreadable = "the schema could not be read";
        Examined.Schema schema;
        try {
            schema = store.schema();
        } catch (SQLException e) {
            Finding finding = store.foreign(e);
            foreign = finding != null;
            if (finding == null) {
                throw e;
            }
            return finding;
        }
        unreadable = schema.problem(location);
        if (unreadable != null) {
            return Finding.failed(unreadable);
        }
        return schema.version() == schema.current()
                ? Finding.ok("schema %d, which is current".formatted(schema.version()))
                : Finding.note("schema %d, newer than this program's %d and compatible with it"
                        .formatted(schema.version(), schema.current()));
    }

    /** Makes a check. The content of a damaged store may cause any exception in any code. Such an exception is a failed check, too. */
    private <D extends Examined> void make(D store, Check<? super D> check, int sharers) {
        boolean isLong = check.reach().isLong();
        if (isLong) {
            budget.beginShare(sharers);
        } else {
            budget.begin();
        }
        // The database delivers findings one by one, and may take long for each. So both conditions are tested at each
        // finding.
        Findings findings = new Findings(() -> {
            goOn();
            requireTime();
        });
        goOn();
        request.begins().accept(check.name());
        Finding finding;
        try {
            finding = isLong && budget.isOver()
                    ? Finding.unfinished(findings, budget.unfinished(false))
                    : check.look().look(store, findings);
        } catch (SQLException | IOException | RuntimeException e) {
            goOn();
            log.debug("The check {} of {} could not be made", check.name(), location, e);
            finding = budget.isLimited() && isStopped(store, e)
                    ? Finding.unfinished(findings, budget.unfinished(true) + findings.progress())
                    : unchecked(check.name(), e);
        } finally {
            budget.end();
        }
        queries.addAll(findings.queries());
        add(check.name(), finding, check.remedy());
    }

    static boolean isStopped(Examined store, Exception e) {
        return e instanceof OutOfTime || store.isStopped(e);
    }

    private static Finding unchecked(String check, Exception e) {
        Finding finding = Finding.failed("could not be checked: " + e.getMessage());
        return check.equals(Check.INTEGRITY) ? finding : finding.remedy(UNCHECKED_REMEDY);
    }

    private void add(String name, Finding finding, @Nullable String usual) {
        String remedy = finding.remedy() == null ? usual : finding.remedy();
        boolean failed = finding.result() == Diagnosis.Result.FAILED;
        checks.add(new Diagnosis.Check(
                name, finding.result(), finding.detail(), finding.finished(), failed ? remedy : null));
    }
}
