package dev.windrow.bench;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Values of one figure. */
final class Samples {
    private final List<Double> values = new ArrayList<>();

    void add(double value) {
        values.add(value);
    }

    /** The value that half of all do not exceed; null when there is none. */
    @Nullable Double median() {
        return percentile(50);
    }

    /** The smallest value that so many of 100 do not exceed; null when there is none. */
    @Nullable Double percentile(int percent) {
        if (values.isEmpty()) {
            return null;
        }
        List<Double> sorted = values.stream().sorted().toList();
        int rank = (int) Math.ceil(percent / 100.0 * sorted.size());
        return sorted.get(Math.max(0, rank - 1));
    }
}
