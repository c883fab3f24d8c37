package dev.windrow.store;

import dev.windrow.JobState;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * How jobs go that were found to be old, inside a transaction that others wait for: what is still as it was found, and needed by nobody, as long
 * as there is time.
 *
 * <p>A job may have tens of thousands of edges. They go before it, some in each transaction, and the job with the last of them. Two kinds can go
 * early, since what they lead to has ended for good: edges to children that are {@code COMPLETED}, and those of a {@code COMPLETED} job to its parents. If
 * the job stays after all, because somebody began to depend on it meanwhile, it has lost nothing but some of its history. The edges of a {@code
 * FAILED} or {@code CANCELLED} job to its parents go with it: somebody may retry it until then, and wants the results of its parents.
 *
 * @param <E> what the store throws
 */
public final class ExpiryBatch<E extends Exception> {
    /** Units that are looked at together; between two such parts a transaction may have had enough. */
    private static final int PART = 64;
    /** How many edges go together, at most. */
    public static final int EDGES = 250;

    /** What {@link Source#forgetChildren} answers of a job that a child needs. */
    public static final int NEEDED = -1;

    /**
     * How many edges a job has, each up to {@link #EDGES} and one more.
     *
     * @param children to its children
     * @param parents to its parents
     */
    public record Edges(int children, int parents) {}

    /**
     * What a store does, all of it in one transaction.
     *
     * @param <E> what it throws
     */
    public interface Source<E extends Exception> extends ExpirySearch.Needs<E> {
        /** Those of these jobs that exist, each with whether it is as it was found; no other transaction changes them from now on. */
        Map<Long, Boolean> present(List<Expiry.Job> jobs) throws E;

        /** The edges of these jobs; of jobs without any nothing. */
        Map<Long, Edges> edges(Collection<Long> jobs, int most) throws E;

        /**
         * Deletes edges of a job to children, as far as these are {@code COMPLETED} and not among those besides; answers how many, at most as many
         * as it may, or {@link #NEEDED} if there is a child that is not {@code COMPLETED}.
         */
        int forgetChildren(long job, Collection<Long> besides, int most) throws E;

        /** Deletes edges of a {@code COMPLETED} job to its parents; answers how many, at most as many as it may. */
        int forgetParents(long job, int most) throws E;

        /** Deletes these jobs, with all that belongs to them. */
        void delete(List<Expiry.Job> jobs) throws E;
    }

    private final Source<E> source;
    private final Expiry.Batch batch;
    private final long begin = System.nanoTime();

    private final Map<JobState, Long> deleted = new EnumMap<>(JobState.class);
    private List<Expiry.Unit> left;
    private int kept;
    private boolean began;

    /** A batch that has not begun; the time that it has begins now. */
    public ExpiryBatch(Source<E> source, Expiry.Batch batch) {
        this.source = source;
        this.batch = batch;
        this.left = batch.units();
    }

    /** How many jobs were deleted, by their states. */
    public Map<JobState, Long> deleted() {
        return deleted;
    }

    /**
     * What is to be answered.
     *
     * @param files the files of blobs of what was deleted
     * @param parts whether blobs of it are left to be swept
     * @param audit the pass's entry in the audit
     */
    public Expiry.Done done(List<String> files, boolean parts, @Nullable Long audit) {
        return new Expiry.Done(
                Map.copyOf(deleted),
                List.copyOf(left),
                kept,
                List.copyOf(files),
                parts,
                audit,
                System.nanoTime() - begin,
                0);
    }

    /** Deletes what may go, until there is nothing left or the time is over. */
    public void run() throws E {
        while (!left.isEmpty() && hasTime()) {
            if (!part(left.subList(0, Math.min(PART, left.size())))) {
                return;
            }
        }
    }

    /** Something is done in any case, so that a pass gets on. */
    private boolean hasTime() {
        return !began || System.nanoTime() - begin < batch.budgetNanos();
    }

    /** Deals with the first of these; answers whether there may be time for more. */
    private boolean part(List<Expiry.Unit> units) throws E {
        Map<Long, Boolean> present = source.present(
                units.stream().flatMap(unit -> unit.jobs().stream()).toList());
        Set<Long> unchanged = present.entrySet().stream()
                .filter(Map.Entry::getValue)
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
        Map<Long, Edges> edges = source.edges(unchanged, EDGES);
        List<Expiry.Unit> going = new ArrayList<>();
        int taken = 0;
        int sum = 0;
        for (Expiry.Unit unit : units) {
            if (unit.jobs().stream().allMatch(job -> unchanged.contains(job.id()))) {
                int weight = weight(unit, edges);
                if (sum > 0 && sum + weight > EDGES) {
                    break;
                }
                sum += weight;
                if (sum > EDGES) {
                    delete(going);
                    left = left.subList(taken, left.size());
                    return alone(unit);
                }
                going.add(unit);
            } else {
                // Those that are gone were deleted by another process, and nothing keeps them.
                kept += (int) unit.jobs().stream()
                        .filter(job -> present.containsKey(job.id()))
                        .count();
            }
            taken++;
        }
        delete(going);
        began = true;
        left = left.subList(taken, left.size());
        return true;
    }

    /** Deals with the first unit that is left, which has many edges; answers whether there may be time for more. */
    private boolean alone(Expiry.Unit unit) throws E {
        switch (lighten(unit)) {
            case LATER -> {
                return false;
            }
            case NEEDED -> kept += unit.jobs().size();
            case LIGHT -> delete(List.of(unit));
        }
        left = left.subList(1, left.size());
        return true;
    }

    private static int weight(Expiry.Unit unit, Map<Long, Edges> edges) {
        int sum = 0;
        for (Expiry.Job job : unit.jobs()) {
            Edges of = edges.get(job.id());
            sum += of == null ? 0 : of.children + of.parents;
        }
        return sum;
    }

    private enum Lightened {
        /** It may go itself. */
        LIGHT,
        /** It stays. */
        NEEDED,
        /** The time is over. */
        LATER
    }

    /** Deletes the edges of a unit that may go before it. */
    private Lightened lighten(Expiry.Unit unit) throws E {
        Set<Long> ids = unit.jobs().stream().map(Expiry.Job::id).collect(Collectors.toSet());
        for (Expiry.Job job : unit.jobs()) {
            int gone = EDGES;
            while (gone == EDGES) {
                if (!hasTime()) {
                    return Lightened.LATER;
                }
                gone = source.forgetChildren(job.id(), ids, EDGES);
                began |= gone > 0;
                if (gone == NEEDED) {
                    return Lightened.NEEDED;
                }
            }
        }
        for (Expiry.Job job : unit.jobs()) {
            int gone = job.state() == JobState.COMPLETED ? EDGES : 0;
            while (gone == EDGES) {
                if (!hasTime()) {
                    return Lightened.LATER;
                }
                gone = source.forgetParents(job.id(), EDGES);
                began |= gone > 0;
            }
        }
        return Lightened.LIGHT;
    }

    private void delete(List<Expiry.Unit> units) throws E {
        if (units.isEmpty()) {
            return;
        }
        began = true;
        Set<Long> needed = ExpirySearch.kept(source, units);
        List<Expiry.Job> jobs = new ArrayList<>();
        for (Expiry.Unit unit : units) {
            if (needed.contains(unit.root())) {
                kept += unit.jobs().size();
            } else {
                jobs.addAll(unit.jobs());
            }
        }
        if (!jobs.isEmpty()) {
            source.delete(jobs);
            jobs.forEach(job -> deleted.merge(job.state(), 1L, Long::sum));
        }
    }
}
