package dev.windrow.store.sql.monitor;

import dev.windrow.monitor.Diagnosis;
import java.util.ArrayList;
import java.util.List;

/** Counts what a check finds and keeps the first few to name: of damaged tables there may be millions. */
public final class Findings {
    private static final int NAMED = 5;

    private final List<String> named = new ArrayList<>();
    private final List<Diagnosis.Query> queries = new ArrayList<>();
    private final Runnable each;
    private long count;
    private String progress = "";

    /** Findings of a check that runs to its end. */
    public Findings() {
        this(() -> {});
    }

    /**
     * Of a check that may be stopped.
     *
     * @param each called before each finding is added; what it throws ends the check
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

    /** Notes how far the check has come, for the case that it is stopped from now on. */
    public void reached(String progress) {
        this.progress = " (" + progress + ")";
        each.run();
    }

    /** The end of what a check says that was stopped. */
    String progress() {
        return progress;
    }

    /** Adds the answer to a query. */
    void answered(Diagnosis.Query query) {
        queries.add(query);
    }

    /** The queries that were answered. */
    List<Diagnosis.Query> queries() {
        return queries;
    }

    /** True if nothing was found. */
    public boolean isEmpty() {
        return count == 0;
    }

    /** The first few, and how many more there are. */
    @Override
    public String toString() {
        String more = count > NAMED ? "; and %,d more".formatted(count - NAMED) : "";
        return String.join("; ", named) + more;
    }
}
