package dev.windrow.postgres.writer;

import dev.windrow.store.sql.writer.Submission;
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
 * The submissions that wait for their next try, because another transaction has locked rows that they need. They are in the order in which they are
 * tried. Submissions of one job stay in their order and are tried together. Not safe for use by more than one thread at a time.
 */
final class Postponed {
    private final ArrayDeque<Submission<?>> submissions = new ArrayDeque<>();

    void add(Submission<?> submission) {
        submissions.add(submission);
    }

    Collection<Submission<?>> submissions() {
        return submissions;
    }

    boolean isEmpty() {
        return submissions.isEmpty();
    }

    /** Returns the first submission of each job. */
    Map<Long, Submission<?>> first() {
        Map<Long, Submission<?>> first = new HashMap<>();
        for (Submission<?> submission : submissions) {
            if (submission.command().attemptOf() != null) {
                first.putIfAbsent(submission.command().attemptOf(), submission);
            }
        }
        return first;
    }

    /** Returns the nanoseconds until the next submission is due. */
    long untilNext(long now) {
        long wait = Long.MAX_VALUE;
        for (Submission<?> submission : submissions) {
            wait = Math.min(wait, submission.isDelayedAt(now) ? submission.notBefore() - now : 0);
        }
        return wait;
    }

    /**
     * Returns the submissions that are due, at most so many. All submissions of one job count as one.
     *
     * @param all true if all submissions count as due
     */
    List<Submission<?>> next(int max, int maxWeight, long now, boolean all) {
        List<Submission<?>> next = new ArrayList<>();
        Set<Long> jobs = new HashSet<>();
        Set<Long> left = new HashSet<>();
        int count = 0;
        int weight = 0;
        for (Iterator<Submission<?>> each = submissions.iterator(); each.hasNext(); ) {
            Submission<?> submission = each.next();
            Long job = submission.command().attemptOf();
            boolean follows = job != null && jobs.contains(job);
            boolean fits = count == 0 || (count < max && weight + submission.weight() <= maxWeight);
            if (follows || (fits && (all || !submission.isDelayedAt(now)) && (job == null || !left.contains(job)))) {
                if (submission.isEnded()) {
                    each.remove();
                } else {
                    next.add(submission);
                    weight += submission.weight();
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

    /** Removes these submissions. */
    void remove(List<Submission<?>> some) {
        submissions.removeAll(new HashSet<>(some));
    }

    /** Removes and returns the submissions that were made before this time, by {@link System#nanoTime}. */
    List<Submission<?>> takeSince(long limit) {
        List<Submission<?>> late = submissions.stream()
                .filter(submission -> submission.since() - limit < 0)
                .toList();
        submissions.removeAll(new HashSet<>(late));
        return late;
    }
}
