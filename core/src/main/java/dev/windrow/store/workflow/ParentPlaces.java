package dev.windrow.store.workflow;

import dev.windrow.InvalidRequestException;
import dev.windrow.JobState;
import dev.windrow.store.job.EnqueuedJob;
import dev.windrow.store.job.JobRow;
import dev.windrow.workflow.Parent;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The dependencies between the jobs of one call, and an order in which each job comes after its parents. In place of an id a job of the call is named
 * by -1 - its place, from 0. Immutable.
 */
public final class ParentPlaces {
    private final int[] order;
    private final int[] levels;

    private ParentPlaces(int[] order, int[] levels) {
        this.order = order;
        this.levels = levels;
    }

    /** Returns the number that is used in place of the id of the job at this place. */
    public static long named(int place) {
        return -1L - place;
    }

    /** True if some of the rows wait for others of them. */
    public static boolean areNamed(List<JobRow> rows) {
        for (JobRow row : rows) {
            for (Parent parent : row.parents()) {
                if (parent.id() < 0) {
                    return true;
                }
            }
        }
        return false;
    }

    /**
     * Checks the rows of a call.
     *
     * @throws InvalidRequestException if a place is not of this call, or jobs wait for each other in a cycle
     */
    public static ParentPlaces of(List<JobRow> rows) {
        return of(rows.stream().map(JobRow::parents).toList(), place -> {
            JobRow row = rows.get(place);
            return describe(place, row.type(), row.name());
        });
    }

    /** Returns how messages name the job at a place. */
    public static String describe(int place, String type, @Nullable String name) {
        return "job %d (%s%s)".formatted(place, type, name == null ? "" : " '" + name + "'");
    }

    /**
     * Checks the parents of each job of a call.
     *
     * @param names returns how messages name the job at a place
     * @throws InvalidRequestException if a place is not of this call, or jobs wait for each other in a cycle
     */
    public static ParentPlaces of(List<? extends Collection<Parent>> parents, IntFunction<String> names) {
        int jobs = parents.size();
        List<List<Integer>> children = new ArrayList<>(jobs);
        for (int i = 0; i < jobs; i++) {
            children.add(new ArrayList<>(0));
        }
        int[] open = new int[jobs];
        for (int child = 0; child < jobs; child++) {
            for (Parent parent : parents.get(child)) {
                if (parent.id() >= 0) {
                    continue;
                }
                long place = -1L - parent.id();
                if (place >= jobs) {
                    throw new InvalidRequestException("%s depends on place %d of its call, which has %d jobs: 0 to %d"
                            .formatted(names.apply(child), place, jobs, jobs - 1));
                }
                children.get((int) place).add(child);
                open[child]++;
            }
        }
        int[] order = new int[jobs];
        int[] levels = new int[jobs];
        int ordered = 0;
        // Jobs that are in a good order already keep it.
        PriorityQueue<Integer> free = new PriorityQueue<>();
        for (int i = 0; i < jobs; i++) {
            if (open[i] == 0) {
                free.add(i);
            }
        }
        while (!free.isEmpty()) {
            int place = free.remove();
            order[ordered++] = place;
            for (int child : children.get(place)) {
                levels[child] = Math.max(levels[child], levels[place] + 1);
                if (--open[child] == 0) {
                    free.add(child);
                }
            }
        }
        if (ordered < jobs) {
            throw cycle(parents, open, names);
        }
        return new ParentPlaces(order, levels);
    }

    /**
     * Returns the error for a cycle. It begins at a job that cannot come after all its parents, and moves from parent to parent. Each of them is in
     * the same situation, so that one is met again.
     */
    private static InvalidRequestException cycle(
            List<? extends Collection<Parent>> parents, int[] open, IntFunction<String> names) {
        int place = 0;
        while (open[place] == 0) {
            place++;
        }
        List<Integer> path = new ArrayList<>();
        BitSet seen = new BitSet();
        while (!seen.get(place)) {
            seen.set(place);
            path.add(place);
            for (Parent parent : parents.get(place)) {
                if (parent.id() < 0 && open[(int) (-1L - parent.id())] > 0) {
                    place = (int) (-1L - parent.id());
                    break;
                }
            }
        }
        List<Integer> cycle = new ArrayList<>(path.subList(path.indexOf(place), path.size()));
        cycle.add(place);
        return new InvalidRequestException("jobs wait for each other in a cycle, and none of them would ever run: "
                + cycle.stream().map(names::apply).collect(Collectors.joining(" waits for ")));
    }

    /** Returns the places, each after the places of its parents, as near to the order of the call as that allows. */
    public List<Integer> order() {
        List<Integer> places = new ArrayList<>(order.length);
        for (int place : order) {
            places.add(place);
        }
        return places;
    }

    /** Returns the same in groups: first the jobs that wait for no job of the call, then the jobs that wait only for the first group, and so on. */
    public List<List<Integer>> levels() {
        List<List<Integer>> parts = new ArrayList<>();
        for (int place : order) {
            while (parts.size() <= levels[place]) {
                parts.add(new ArrayList<>());
            }
            parts.get(levels[place]).add(place);
        }
        return parts;
    }

    /**
     * Returns a row whose parents of the call are written: ids replace their places.
     *
     * @param written the results for them, by place
     * @param states the states of all parents by id, including existing jobs that take the place of new ones; a parent that does not exist is left
     *     out
     */
    public static JobRow resolved(JobRow row, IntFunction<EnqueuedJob> written, Map<Long, JobState> states) {
        if (row.parents().isEmpty()) {
            return row;
        }
        List<Parent> parents = new ArrayList<>(row.parents().size());
        for (Parent parent : row.parents()) {
            Parent resolved = parent.id() >= 0
                    ? parent
                    : new Parent(written.apply((int) (-1L - parent.id())).id(), parent.onFailure(), parent.chain());
            if (states.containsKey(resolved.id())) {
                parents.add(resolved);
            }
        }
        return row.withParents(parents);
    }
}
