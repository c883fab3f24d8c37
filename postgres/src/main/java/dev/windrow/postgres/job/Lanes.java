package dev.windrow.postgres.job;

import dev.windrow.postgres.writer.Names;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.function.Predicate;

/**
 * The known lanes of a claim, as ascending runs of numbers with no other lane in between. Lanes get their numbers one after the other, under a lock
 * that is held until the commit. So a lane that is not known yet has a higher number than all known lanes.
 *
 * @param count the number of lanes
 */
public record Lanes(int count, List<Run> runs) {
    /** The lanes from the first to the last number. */
    record Run(int first, int last) {}

    /**
     * Returns the lanes that a worker serves.
     *
     * @param known all lanes, read by one query
     */
    public static Lanes of(NavigableMap<Integer, Names.Lane> known, Predicate<Names.Lane> served) {
        List<Run> runs = new ArrayList<>();
        int count = 0;
        Integer first = null;
        int last = 0;
        for (Map.Entry<Integer, Names.Lane> lane : known.entrySet()) {
            if (served.test(lane.getValue())) {
                first = first == null ? lane.getKey() : first;
                last = lane.getKey();
                count++;
            } else if (first != null) {
                runs.add(new Run(first, last));
                first = null;
            }
        }
        if (first != null) {
            runs.add(new Run(first, last));
        }
        return new Lanes(count, runs);
    }

    public boolean contains(int lane) {
        int at = Collections.binarySearch(runs, new Run(lane, lane), (run, one) -> {
            if (one.first < run.first) {
                return 1;
            }
            return one.first > run.last ? -1 : 0;
        });
        return at >= 0;
    }
}
