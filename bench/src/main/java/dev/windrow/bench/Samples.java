package dev.windrow.bench;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The values of one figure. */
final class Samples {
    private final List<Double> values = new ArrayList<>();

    void add(double value) {
        values.add(value);
    }

    void addIfKnown(@Nullable Double value) {
        if (value != null) {
            add(value);
        }
    }

    /** Returns the value that half of all do not exceed; null without values. */
    @Nullable Double median() {
        return percentile(50);
    }

    /** Returns the smallest value that this number of 100 do not exceed; null without values. */
    @Nullable Double percentile(int percent) {
        if (values.isEmpty()) {
            return null;
        }
        List<Double> sorted = values.stream().sorted().toList();
        int rank = (int) Math.ceil(percent / 100.0 * sorted.size());
        return sorted.get(Math.max(0, rank - 1));
    }
}
