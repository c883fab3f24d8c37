package dev.windrow.dashboard;

import dev.windrow.JobState;
import dev.windrow.limit.LimitTarget;
import dev.windrow.limit.Limits;
import dev.windrow.monitor.Statistics;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Statistics with a part of the queues and the types, because a store may have any number of them. A name that was asked for comes first, then names
 * with a pause or a limit, then those with ready or running jobs. The retries of each type are left out.
 */
final class StatisticsPart implements Statistics {
    /**
     * The queues or types that were asked for.
     *
     * @param first the first ones
     * @param names their names, and names with a pause or a limit that have no job
     * @param all the number of all
     */
    private record Part<T>(List<T> first, Set<String> names, int all) {}

    private final Statistics all;
    private final Part<OfQueue> queues;
    private final Part<OfType> types;
    private final List<Limits> limits;
    private final int keys;

    /**
     * Takes queues and types.
     *
     * @param limits all pauses and limits
     * @param find a text in the names of the queues and types, in either case; all have the empty text
     * @param most the largest number of queues, of types, and of keys with a limit
     */
    StatisticsPart(Statistics all, List<Limits> limits, String find, int most) {
        this.all = all;
        Map<LimitTarget.Kind, Set<String>> limited = limits.stream()
                .map(Limits::target)
                .collect(Collectors.groupingBy(
                        LimitTarget::kind,
                        Collectors.mapping(LimitTarget::name, Collectors.toCollection(TreeSet::new))));
        queues = part(
                all.queues(),
                OfQueue::queue,
                OfQueue::states,
                limited.getOrDefault(LimitTarget.Kind.QUEUE, Set.of()),
                find,
                most);
        types = part(
                all.types(),
                OfType::type,
                OfType::states,
                limited.getOrDefault(LimitTarget.Kind.TYPE, Set.of()),
                find,
                most);
        List<String> ofKeys = List.copyOf(limited.getOrDefault(LimitTarget.Kind.KEY, Set.of()));
        Set<String> firstKeys = Set.copyOf(ofKeys.subList(0, Math.min(most, ofKeys.size())));
        keys = ofKeys.size();
        this.limits = limits.stream()
                .filter(limit -> {
                    String name = limit.target().name();
                    return switch (limit.target().kind()) {
                        case QUEUE -> queues.names.contains(name);
                        case TYPE -> types.names.contains(name);
                        case KEY -> firstKeys.contains(name);
                    };
                })
                .toList();
    }

    private static <T> Part<T> part(
            List<T> all,
            Function<T, String> name,
            Function<T, Map<JobState, Long>> states,
            Set<String> limited,
            String find,
            int most) {
        Predicate<String> fits = contains(find);
        List<T> found = all.stream().filter(one -> fits.test(name.apply(one))).toList();
        Comparator<T> order = Comparator.<T, Boolean>comparing(
                        one -> name.apply(one).equals(find))
                .thenComparing(one -> limited.contains(name.apply(one)))
                .thenComparing(one -> isActive(states.apply(one)))
                .reversed();
        List<T> first = found.size() <= most
                ? found
                : found.stream().sorted(order).limit(most).toList();
        Set<String> withoutJobs = limited.stream().filter(fits).collect(Collectors.toCollection(TreeSet::new));
        all.forEach(one -> withoutJobs.remove(name.apply(one)));
        return new Part<>(
                first,
                Stream.concat(first.stream().map(name), withoutJobs.stream().limit(most))
                        .collect(Collectors.toSet()),
                found.size() + withoutJobs.size());
    }

    private static Predicate<String> contains(String find) {
        String text = find.toLowerCase(Locale.ROOT);
        return text.isEmpty()
                ? name -> true
                : name -> name.toLowerCase(Locale.ROOT).contains(text);
    }

    private static boolean isActive(Map<JobState, Long> states) {
        return states.getOrDefault(JobState.PENDING, 0L) + states.getOrDefault(JobState.RUNNING, 0L) > 0;
    }

    /** Returns the number of queues that were asked for. */
    int queuesInAll() {
        return queues.all;
    }

    /** Returns the number of types that were asked for. */
    int typesInAll() {
        return types.all;
    }

    /** Returns the number of keys with a pause or a limit. */
    int keysInAll() {
        return keys;
    }

    /** Returns the pauses and limits of these queues and types, of others without jobs, and of the first keys. */
    List<Limits> limits() {
        return limits;
    }

    @Override
    public Map<JobState, Long> states() {
        return all.states();
    }

    @Override
    public List<OfType> types() {
        return types.first;
    }

    @Override
    public List<OfQueue> queues() {
        return queues.first;
    }

    @Override
    public List<Running> oldestRunning() {
        return all.oldestRunning();
    }

    @Override
    public @Nullable Instant runningSince() {
        return all.runningSince();
    }

    @Override
    public List<Retries> retries() {
        return List.of();
    }

    @Override
    public List<Retries> liveRetries() {
        return List.of();
    }

    @Override
    public @Nullable Instant trendSince() {
        return all.trendSince();
    }

    @Override
    public List<Failures> failures() {
        return all.failures();
    }

    @Override
    public List<Unserved> unserved() {
        return all.unserved().stream()
                .filter(queue -> queues.names.contains(queue.queue()))
                .toList();
    }

    @Override
    public List<Unhandled> unhandled() {
        return all.unhandled().stream()
                .filter(type -> types.names.contains(type.type()))
                .toList();
    }

    @Override
    public Waits waits() {
        return all.waits();
    }

    @Override
    public ScheduleCounts schedules() {
        return all.schedules();
    }

    @Override
    public List<Stuck> stuck() {
        return all.stuck();
    }
}
