package dev.windrow.store.processes;

import dev.windrow.monitor.Statistics;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The queues and types that the live workers take together, and the ready jobs that none of them takes. It uses the registry and the counters, so
 * that the cost does not grow with the number of jobs. Not safe for use by several threads.
 */
public final class LiveWorkers {
    private record Work(List<String> queues, List<String> types, int minPriority) {}

    /** The lowest priority that the workers of a queue take, by type. */
    private final Map<String, Map<String, Integer>> typesByQueue = new HashMap<>();

    private final Set<String> types = new HashSet<>();
    /** Distinct combinations only, because many workers are alike. */
    private final Set<Work> added = new HashSet<>();

    private final Map<String, Long> unserved = new TreeMap<>();
    private final Map<String, Long> unhandled = new TreeMap<>();

    /** Creates a set without workers. */
    public LiveWorkers() {}

    /** Adds a live worker. */
    public void add(List<String> itsQueues, List<String> itsTypes, int minPriority) {
        if (added.add(new Work(itsQueues, itsTypes, minPriority))) {
            types.addAll(itsTypes);
            for (String queue : itsQueues) {
                Map<String, Integer> there = typesByQueue.computeIfAbsent(queue, key -> new HashMap<>());
                itsTypes.forEach(type -> there.merge(type, minPriority, Math::min));
            }
        }
    }

    /** Adds ready jobs of a queue and a type, after all workers. */
    public void ready(String queue, String type, long count) {
        if (!serve(queue)) {
            unserved.merge(queue, count, Long::sum);
        }
        if (!handle(queue, type)) {
            unhandled.merge(type, count, Long::sum);
        }
    }

    /** True if a live worker serves this queue. */
    public boolean serve(String queue) {
        return typesByQueue.containsKey(queue);
    }

    /** True if a live worker handles this type: one that serves the queue, or any if none serves the queue. */
    public boolean handle(String queue, String type) {
        Map<String, Integer> there = typesByQueue.get(queue);
        return there == null ? types.contains(type) : there.containsKey(type);
    }

    /** Returns the lowest priority that the live workers of this queue and type take; null if there is no such worker. */
    public @Nullable Integer minimum(String queue, String type) {
        return typesByQueue.getOrDefault(queue, Map.of()).get(type);
    }

    /** Returns a handled type whose name differs from this one only by case, or null. */
    public @Nullable String similar(String type) {
        return types.stream()
                .filter(handled -> handled.equalsIgnoreCase(type) && !handled.equals(type))
                .min(Comparator.naturalOrder())
                .orElse(null);
    }

    /** Returns the queues of ready jobs that no live worker serves, the queue with the most jobs first. */
    public List<Statistics.Unserved> unserved() {
        return unserved.entrySet().stream()
                .map(entry -> new Statistics.Unserved(entry.getKey(), entry.getValue()))
                .sorted(Comparator.comparingLong(Statistics.Unserved::count).reversed())
                .toList();
    }

    /** Returns the types of ready jobs that no live worker handles, the type with the most jobs first. */
    public List<Statistics.Unhandled> unhandled() {
        return unhandled.entrySet().stream()
                .map(entry -> new Statistics.Unhandled(entry.getKey(), entry.getValue(), similar(entry.getKey())))
                .sorted(Comparator.comparingLong(Statistics.Unhandled::count).reversed())
                .toList();
    }
}
