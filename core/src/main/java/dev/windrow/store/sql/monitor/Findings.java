package dev.windrow.store.sql.monitor;

import dev.windrow.monitor.Diagnosis;
import java.util.ArrayList;
import java.util.List;

/** The findings of a check: their number, and the first few by name. Damaged tables may have millions. */
public final class Findings {
    private static final int NAMED = 5;

    private final List<String> named = new ArrayList<>();
    private final List<Diagnosis.Query> queries = new ArrayList<>();
    private final Runnable each;
    private long count;
    private String progress = "";

    /** Creates the findings of a check that runs to its end. */
    public Findings() {
        this(() -> {});
    }

    /**
     * Creates the findings of a check that may be stopped.
     *
     * @param each called before each finding is added; an exception of it ends the check
     */
    public Findings(Runnable each) {
        this.each = each;
    }

    /** Adds a finding. */
    public void add(String finding) {
        each.run();
        count++;
        if (named.size() < NAMED) {
            named.add(finding);
        }
    }

    /** Records the progress of the check, in case it is stopped later. */
    public void reached(String progress) {
        this.progress = " (" + progress + ")";
        each.run();
    }

    /** Returns the suffix for the text of a check that was stopped. */
    String progress() {
        return progress;
    }

    /** Adds the result of a query. */
    void answered(Diagnosis.Query query) {
        queries.add(query);
    }

    /** Returns the results of queries. */
    List<Diagnosis.Query> queries() {
        return queries;
    }

    /** True if nothing was found. */
    public boolean isEmpty() {
        return count == 0;
    }

    /** Returns the first few findings, and the number of the others. */
    @Override
    public String toString() {
        String more = count > NAMED ? "; and %,d more".formatted(count - NAMED) : "";
        return String.join("; ", named) + more;
    }
}
