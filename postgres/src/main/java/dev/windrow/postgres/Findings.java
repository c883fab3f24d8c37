package dev.windrow.postgres;

import java.util.ArrayList;
import java.util.List;

/** Counts what a check finds and keeps the first few to name: of damaged tables there may be millions. */
final class Findings {
    private static final int NAMED = 5;

    private final List<String> named = new ArrayList<>();
    private long count;

    void add(String finding) {
        count++;
        if (named.size() < NAMED) {
            named.add(finding);
        }
    }

    boolean isEmpty() {
        return count == 0;
    }

    /** The first few, and how many more there are. */
    @Override
    public String toString() {
        String more = count > NAMED ? "; and %,d more".formatted(count - NAMED) : "";
        return String.join("; ", named) + more;
    }
}
