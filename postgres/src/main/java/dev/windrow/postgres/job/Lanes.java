package dev.windrow.postgres.job;

import dev.windrow.postgres.writer.Names;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.function.Predicate;

/**
 * The known lanes that a claim is for. Ascending runs of numbers: no other lane is in between. Lanes get their numbers one after the other, under a lock that is held until the commit,
 * so that a lane that is not known yet has a higher number than all that are.
 *
 * @param count the number of lanes
 */
public record Lanes(int count, List<Run> runs) {
    /** The lanes from the first to the last number. */
    record Run(int first, int last) {}

    /**
     * The lanes that a worker serves.
     *
     * @param known all lanes that were read at once
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
