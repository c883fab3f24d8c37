package dev.windrow.store.workflow;

import static java.util.stream.Collectors.joining;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * The search for jobs that wait for each other. It takes time proportional to the number of their dependencies. Not safe for use by more than one
 * thread at a time.
 */
public final class WaitCycles {
    /** The most jobs of a cycle that are named. */
    private static final int NAMED = 10;

    private final Map<Long, Set<Long>> parents = new LinkedHashMap<>();
    private final Map<Long, List<Long>> children = new HashMap<>();

    /** Creates a set without jobs. */
    public WaitCycles() {}

    /** Adds that job {@code child} waits for job {@code parent}. */
    public void waits(long child, long parent) {
        if (parents.computeIfAbsent(child, job -> new LinkedHashSet<>()).add(parent)) {
            children.computeIfAbsent(parent, job -> new ArrayList<>()).add(child);
        }
    }

    /**
     * Returns cycles without a job in common, at least one in each set of jobs that wait for each other. Each job of a cycle waits for the next one,
     * and the last one for the first.
     */
    public List<List<Long>> find() {
        releaseAll();
        List<List<Long>> cycles = new ArrayList<>();
        Set<Long> seen = new HashSet<>();
        for (long start : parents.keySet()) {
            Map<Long, Integer> places = new HashMap<>();
            List<Long> path = new ArrayList<>();
            long job = start;
            while (seen.add(job)) {
                places.put(job, path.size());
                path.add(job);
                // Each remaining job waits for a remaining one.
                job = left(job).iterator().next();
            }
            Integer first = places.get(job);
            if (first != null) {
                cycles.add(List.copyOf(path.subList(first, path.size())));
            }
        }
        return cycles;
    }

    /** Returns a sentence about each of the cycles. */
    public List<String> describe() {
        return find().stream()
                .map(cycle -> "%,d blocked jobs wait for each other forever: cancel one of them: %s%s"
                        .formatted(
                                cycle.size(),
                                cycle.stream().limit(NAMED).map(String::valueOf).collect(joining(", ")),
                                cycle.size() > NAMED ? " and others" : ""))
                .toList();
    }

    private Set<Long> left(long child) {
        return Objects.requireNonNull(parents.get(child));
    }

    /**
     * Removes all jobs that wait for nothing, and then the jobs that waited only for those. Only jobs in a cycle, and jobs that wait for such,
     * remain.
     */
    private void releaseAll() {
        ArrayDeque<Long> free = new ArrayDeque<>();
        children.keySet().stream().filter(job -> !parents.containsKey(job)).forEach(free::add);
        while (!free.isEmpty()) {
            long job = free.remove();
            for (long child : children.getOrDefault(job, List.of())) {
                Set<Long> left = left(child);
                left.remove(job);
                if (left.isEmpty()) {
                    parents.remove(child);
                    free.add(child);
                }
            }
        }
    }
}
