package dev.windrow.store.sql;

import java.util.ArrayList;
import java.util.List;

/** Counts what a check finds and keeps the first few to name: of damaged tables there may be millions. */
public final class Findings {
    private static final int NAMED = 5;

    private final List<String> named = new ArrayList<>();
    private final Runnable each;
    private long count;

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
