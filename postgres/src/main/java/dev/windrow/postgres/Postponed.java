package dev.windrow.postgres;

import dev.windrow.store.sql.Submission;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Operations that wait for their next try, because another transaction holds what they need: in the order in which they are tried. Those of one job stay in
 * their order and are tried together. Not safe for use by more than one thread at a time.
 */
final class Postponed {
    private final ArrayDeque<Submission<?>> operations = new ArrayDeque<>();

    void add(Submission<?> operation) {
        operations.add(operation);
    }

    Collection<Submission<?>> submissions() {
        return operations;
    }

    boolean isEmpty() {
        return operations.isEmpty();
    }

    /** The first operation of each job. */
    Map<Long, Submission<?>> first() {
        Map<Long, Submission<?>> first = new HashMap<>();
        for (Submission<?> operation : operations) {
            if (operation.command().attemptOf() != null) {
                first.putIfAbsent(operation.command().attemptOf(), operation);
            }
        }
        return first;
    }

    /** Nanoseconds until the next one is due. */
    long untilNext(long now) {
        long wait = Long.MAX_VALUE;
        for (Submission<?> operation : operations) {
            wait = Math.min(wait, operation.isDelayedAt(now) ? operation.notBefore() - now : 0);
        }
        return wait;
    }

    /**
     * Returns those that are due, so many at most: all operations of one job count as one.
     *
     * @param all whether all count as due
     */
    List<Submission<?>> next(int most, int mostWeight, long now, boolean all) {
        List<Submission<?>> next = new ArrayList<>();
        Set<Long> jobs = new HashSet<>();
        Set<Long> left = new HashSet<>();
        int count = 0;
        int weight = 0;
        for (Iterator<Submission<?>> each = operations.iterator(); each.hasNext(); ) {
            Submission<?> operation = each.next();
            Long job = operation.command().attemptOf();
            boolean follows = job != null && jobs.contains(job);
            boolean fits = count == 0 || (count < most && weight + operation.weight() <= mostWeight);
            if (follows || (fits && (all || !operation.isDelayedAt(now)) && (job == null || !left.contains(job)))) {
                if (operation.isEnded()) {
                    each.remove();
                } else {
                    next.add(operation);
                    weight += operation.weight();
                    count += follows ? 0 : 1;
                    if (job != null) {
                        jobs.add(job);
                    }
                }
            } else if (job != null) {
                left.add(job);
            }
        }
        return next;
    }

    /** Takes these out. */
    void remove(List<Submission<?>> some) {
        operations.removeAll(new HashSet<>(some));
    }

    /** Takes out those that were submitted before this time, by {@link System#nanoTime}. */
    List<Submission<?>> takeSince(long limit) {
        List<Submission<?>> late = operations.stream()
                .filter(operation -> operation.since() - limit < 0)
                .toList();
        operations.removeAll(new HashSet<>(late));
        return late;
    }
}
