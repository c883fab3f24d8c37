package dev.windrow.cli.demo;

import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Counts words in bounded memory. A count is exact until there are more different words than are kept. From then on
 * the rarest words are forgotten. Then a count may be too low by up to {@link #missing()}, and is never too high.
 */
public final class TopWords {
    private static final Comparator<Map.Entry<String, Long>> MOST_FREQUENT =
            Map.Entry.<String, Long>comparingByValue().reversed().thenComparing(Map.Entry.comparingByKey());

    private final Map<String, long[]> counts = new HashMap<>();
    private final int capacity;
    private long missing;

    public TopWords(int capacity) {
        this.capacity = capacity;
    }

    public void add(String word) {
        add(word, 1);
    }

    /** Adds the words of another counter and its missing count. */
    public void addAll(Map<String, Long> others, long missingThere) {
        others.forEach(this::add);
        missing += missingThere;
    }

    private void add(String word, long count) {
        counts.computeIfAbsent(word, first -> new long[1])[0] += count;
        if (counts.size() > 2 * capacity) {
            keep(capacity);
        }
    }

    private void keep(int max) {
        Map<String, Long> kept = first(max);
        counts.keySet().removeAll(kept.keySet());
        missing += counts.values().stream().mapToLong(count -> count[0]).max().orElse(0);
        counts.clear();
        kept.forEach((word, count) -> counts.put(word, new long[] {count}));
    }

    /** Returns the most frequent words, then in alphabetical order, and forgets the others. */
    public Map<String, Long> top(int max) {
        if (counts.size() > max) {
            keep(max);
        }
        return first(max);
    }

    private Map<String, Long> first(int max) {
        Map<String, Long> first = new LinkedHashMap<>();
        counts.entrySet().stream()
                .map(each -> Map.entry(each.getKey(), each.getValue()[0]))
                .sorted(MOST_FREQUENT)
                .limit(max)
                .forEach(each -> first.put(each.getKey(), each.getValue()));
        return first;
    }

    /** The amount by which a count may be too low. */
    public long missing() {
        return missing;
    }
}
