package dev.windrow.store;

import dev.windrow.JobState;
import dev.windrow.Retention;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * How jobs are found that may go. {@code FAILED} and {@code CANCELLED} ones have indexes of their own. There is none that {@code COMPLETED}
 * ones enter: each lane is walked in the order of ids, which is nearly that in which jobs were created, up to the first whole chunk that was
 * created too late to have ended long ago.
 */
public final class ExpirySearch {
    /** Rows of one step: several times what a process takes of ids at once, within which they are not in the order of time. */
    public static final int CHUNK = 2000;

    /** Steps of one page that find nothing. */
    private static final int STEPS = 10;

    private ExpirySearch() {}

    /**
     * What is looked at of a job.
     *
     * @param id the job
     * @param lane its lane
     * @param state its state
     * @param finishedAtMillis when it ended; null if it has not
     * @param createdAtMillis when it was enqueued; 0 if that was not asked for
     * @param root the first job of its chain, or itself
     * @param index its place in the chain; 0 if that was not asked for
     */
    public record Row(
            long id,
            long lane,
            JobState state,
            @Nullable Long finishedAtMillis,
            long createdAtMillis,
            long root,
            long index) {}

    /**
     * What a store answers, all of it from one snapshot or one transaction.
     *
     * @param <E> what it throws
     */
    public interface Source<E extends Exception> extends Needs<E> {
        /** All lanes, and their types. */
        SortedMap<Long, String> lanes() throws E;

        /** The next jobs that have ended in this state, in the order of ids; of {@code COMPLETED}: those of the lane, in whatever state. */
        List<Row> next(JobState state, long lane, long after, int limit) throws E;

        /** All jobs of the chains that begin with these, as far as they are chains, with their places. */
        List<Row> chains(Collection<Long> roots) throws E;
    }

    /**
     * Who needs whom.
     *
     * @param <E> what it throws
     */
    public interface Needs<E extends Exception> {
        /** Those of these jobs that others need, which are not among these. */
        Set<Long> needed(Collection<Long> jobs) throws E;
    }

    /**
     * A page of jobs that may go.
     *
     * @param now the store's clock
     */
    public static <E extends Exception> Expiry.Found find(Source<E> source, Expiry.Search search, long now) throws E {
        SortedMap<Long, String> lanes = source.lanes();
        Expiry.Place from = search.from();
        Expiry.Place place =
                from == null ? first(search, lanes, new Expiry.Place(now, JobState.FAILED, 0, Long.MIN_VALUE)) : from;
        for (int step = 0; step < STEPS && place != null; step++) {
            List<Row> rows = source.next(place.state(), place.lane(), place.after(), CHUNK);
            Expiry.Place next = rows.size() < CHUNK || areNew(rows, search.rules(), lanes, place)
                    ? following(search, lanes, place)
                    : new Expiry.Place(
                            place.nowMillis(),
                            place.state(),
                            place.lane(),
                            rows.get(rows.size() - 1).id());
            List<Expiry.Unit> units = units(source, search, lanes, place, rows);
            if (!units.isEmpty()) {
                Set<Long> kept = kept(source, units);
                int jobs = jobs(units);
                units.removeIf(unit -> kept.contains(unit.root()));
                return new Expiry.Found(List.copyOf(units), jobs - jobs(units), next);
            }
            place = next;
        }
        return new Expiry.Found(List.of(), 0, place);
    }

    private static int jobs(List<Expiry.Unit> units) {
        return units.stream().mapToInt(unit -> unit.jobs().size()).sum();
    }

    /** This place, or the next one behind it where there may be something to find. */
    private static Expiry.@Nullable Place first(
            Expiry.Search search, SortedMap<Long, String> lanes, Expiry.Place place) {
        if (place.state() == JobState.COMPLETED) {
            for (Map.Entry<Long, String> lane : lanes.tailMap(place.lane()).entrySet()) {
                if ((search.type() == null || search.type().equals(lane.getValue()))
                        && search.rules().keep(JobState.COMPLETED, lane.getValue()) != null) {
                    return new Expiry.Place(place.nowMillis(), JobState.COMPLETED, lane.getKey(), place.after());
                }
            }
            return null;
        }
        boolean some = lanes.values().stream()
                .filter(type -> search.type() == null || search.type().equals(type))
                .anyMatch(type -> search.rules().keep(place.state(), type) != null);
        return some ? place : following(search, lanes, place);
    }

    private static Expiry.@Nullable Place following(
            Expiry.Search search, SortedMap<Long, String> lanes, Expiry.Place place) {
        JobState state = place.state() == JobState.FAILED ? JobState.CANCELLED : JobState.COMPLETED;
        long lane = place.state() == JobState.COMPLETED ? place.lane() + 1 : 0;
        return first(search, lanes, new Expiry.Place(place.nowMillis(), state, lane, Long.MIN_VALUE));
    }

    /**
     * Tells whether all of these were enqueued so late that none can have ended long ago, and so were those behind them. A job from the future was
     * enqueued while the clock was ahead, and tells nothing of those behind it.
     */
    private static boolean areNew(List<Row> rows, Retention rules, SortedMap<Long, String> lanes, Expiry.Place place) {
        long newest = Long.MIN_VALUE;
        for (Map.Entry<Long, String> lane : lanes.entrySet()) {
            if (place.state() != JobState.COMPLETED || lane.getKey() == place.lane()) {
                newest = Math.max(newest, cutoff(rules, place, place.state(), lane.getValue()));
            }
        }
        long latest = newest;
        return rows.stream()
                .allMatch(row -> row.createdAtMillis() > latest && row.createdAtMillis() <= place.nowMillis());
    }

    /** What has ended then or before is old: nothing, where all is kept for ever. */
    private static long cutoff(Retention rules, Expiry.Place place, JobState state, String type) {
        var keep = rules.keep(state, type);
        return keep == null ? Long.MIN_VALUE : place.nowMillis() - keep.toMillis();
    }

    private static boolean isOld(Row row, Retention rules, SortedMap<Long, String> lanes, Expiry.Place place) {
        String type = lanes.get(row.lane());
        Long finishedAt = row.finishedAtMillis();
        return type != null
                && finishedAt != null
                && row.state().isFinished()
                && finishedAt <= cutoff(rules, place, row.state(), type);
    }

    private static <E extends Exception> List<Expiry.Unit> units(
            Source<E> source, Expiry.Search search, SortedMap<Long, String> lanes, Expiry.Place place, List<Row> rows)
            throws E {
        Map<Long, List<Row>> found = new LinkedHashMap<>();
        // Children are younger than their parents, as a rule: so they go first.
        for (int i = rows.size() - 1; i >= 0; i--) {
            Row row = rows.get(i);
            if (row.state() == place.state()
                    && isOld(row, search.rules(), lanes, place)
                    && (search.type() == null || search.type().equals(lanes.get(row.lane())))) {
                found.computeIfAbsent(row.root(), root -> new ArrayList<>()).add(row);
            }
        }
        if (found.isEmpty()) {
            return new ArrayList<>();
        }
        Map<Long, List<Row>> chains = new HashMap<>();
        for (Row row : source.chains(found.keySet())) {
            chains.computeIfAbsent(row.root(), root -> new ArrayList<>()).add(row);
        }
        List<Expiry.Unit> units = new ArrayList<>();
        found.forEach((root, jobs) -> {
            List<Row> all = new ArrayList<>(chains.getOrDefault(root, jobs));
            if (all.stream().allMatch(row -> isOld(row, search.rules(), lanes, place))) {
                // Not by id: of several processes an older one may have got the greater ids.
                all.sort(Comparator.comparingLong(Row::index));
                units.add(new Expiry.Unit(
                        root, all.stream().map(ExpirySearch::job).toList()));
            }
        });
        return units;
    }

    private static Expiry.Job job(Row row) {
        return new Expiry.Job(row.id(), row.state(), Objects.requireNonNull(row.finishedAtMillis()));
    }

    /**
     * The roots of those units that must stay because others need one of their jobs: not others that go with them, unless these stay
     * themselves.
     */
    public static <E extends Exception> Set<Long> kept(Needs<E> source, List<Expiry.Unit> units) throws E {
        Map<Long, Long> roots = new TreeMap<>();
        units.forEach(unit -> unit.jobs().forEach(job -> roots.put(job.id(), unit.root())));
        Set<Long> kept = new LinkedHashSet<>();
        while (!roots.isEmpty()) {
            Set<Long> needed = source.needed(roots.keySet());
            if (needed.isEmpty()) {
                return kept;
            }
            for (long job : needed) {
                Long root = roots.get(job);
                if (root != null) {
                    kept.add(root);
                }
            }
            roots.values().removeIf(kept::contains);
        }
        return kept;
    }
}
