package dev.windrow.store.sql.retention;

import dev.windrow.JobState;
import dev.windrow.store.retention.Expiry;
import dev.windrow.store.sql.connection.Query;
import dev.windrow.store.sql.connection.Rows;
import dev.windrow.store.sql.connection.Statement;
import dev.windrow.store.sql.connection.Statements;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The search for jobs that may be deleted. {@code FAILED} and {@code CANCELLED} jobs have indexes of their own. {@code COMPLETED} jobs have none. So
 * each lane is read in the order of ids, which is nearly the order of creation. The read ends at the first whole chunk of jobs that were created too
 * late to have ended long ago.
 */
final class ExpirySearch {
    /** The most steps of one page that find nothing. */
    private static final int STEPS = 10;

    /**
     * A job as the search reads it.
     *
     * @param id the job
     * @param lane its lane
     * @param state its state
     * @param finishedAtMillis when it ended; null if it has not ended
     * @param createdAtMillis when it was enqueued; 0 if that was not read
     * @param root the first job of its chain, or itself
     * @param index its index in the chain; 0 if that was not read
     */
    private record Row(
            long id,
            long lane,
            JobState state,
            @Nullable Long finishedAtMillis,
            long createdAtMillis,
            long root,
            long index) {}

    private final Statements statements;
    private final Expiry.Search search;
    /** The clock by which the found jobs are old. */
    private final long nowMillis;
    /** All lanes, and their types. */
    private final TreeMap<Long, String> lanes = new TreeMap<>();

    private ExpirySearch(Statements statements, Expiry.Search search, long nowMillis) throws SQLException {
        this.statements = statements;
        this.search = search;
        this.nowMillis = nowMillis;
        statements.get(Statement.READ_LANES).list(row -> lanes.put(row.getLong(1), row.getString(3)));
    }

    /** Returns a page of jobs that may be deleted. */
    static Expiry.Found find(Statements statements, Expiry.Search search, long now) throws SQLException {
        Expiry.Place from = search.from();
        ExpirySearch run = new ExpirySearch(statements, search, from == null ? now : from.nowMillis());
        return run.page(from == null ? run.first(JobState.FAILED, 0) : from);
    }

    private Expiry.Found page(Expiry.@Nullable Place from) throws SQLException {
        Expiry.Place place = from;
        for (int step = 0; step < STEPS && place != null; step++) {
            List<Row> rows = rows(place);
            Expiry.Place next = rows.size() < Expiry.CHUNK || areNew(rows, place)
                    ? following(place)
                    : place(
                            place.state(),
                            place.lane(),
                            rows.get(rows.size() - 1).id());
            List<Expiry.Unit> units = units(rows, place.state());
            if (!units.isEmpty()) {
                Set<Long> kept = kept(statements, units);
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

    // ---- positions -------------------------------------------------------------------------------------------------

    private Expiry.Place place(JobState state, long lane, long after) {
        return new Expiry.Place(nowMillis, state, lane, after);
    }

    /** Returns the first position from this state and lane on where a rule may delete jobs; null at the end. */
    private Expiry.@Nullable Place first(JobState state, long lane) {
        if (state == JobState.COMPLETED) {
            return lanes.tailMap(lane).entrySet().stream()
                    .filter(each -> isMeant(each.getValue()) && search.rules().keep(state, each.getValue()) != null)
                    .findFirst()
                    .map(each -> place(state, each.getKey(), Long.MIN_VALUE))
                    .orElse(null);
        }
        Expiry.Place place = place(state, 0, Long.MIN_VALUE);
        boolean some = lanes.values().stream()
                .anyMatch(type -> isMeant(type) && search.rules().keep(state, type) != null);
        return some ? place : following(place);
    }

    private Expiry.@Nullable Place following(Expiry.Place place) {
        return switch (place.state()) {
            case FAILED -> first(JobState.CANCELLED, 0);
            case CANCELLED -> first(JobState.COMPLETED, 0);
            default -> first(JobState.COMPLETED, place.lane() + 1);
        };
    }

    private boolean isMeant(@Nullable String type) {
        return search.type() == null || search.type().equals(type);
    }

    /**
     * True if all of these were enqueued so late that none can have ended long ago. Then the jobs after them were, too. A job with a time of creation
     * in the future was enqueued while the clock was ahead, and proves nothing about the jobs after it.
     */
    private boolean areNew(List<Row> rows, Expiry.Place place) {
        long latest = place.state() == JobState.COMPLETED
                ? cutoff(place.state(), lanes.get(place.lane()))
                : lanes.values().stream()
                        .mapToLong(type -> cutoff(place.state(), type))
                        .max()
                        .orElse(Long.MIN_VALUE);
        return rows.stream().allMatch(row -> row.createdAtMillis > latest && row.createdAtMillis <= nowMillis);
    }

    // ---- ages --------------------------------------------------------------------------------------------------

    /** Returns the time up to which ended jobs are old. No job is old if all are kept forever. */
    private long cutoff(JobState state, @Nullable String type) {
        Duration keep = type == null ? null : search.rules().keep(state, type);
        return keep == null ? Long.MIN_VALUE : nowMillis - keep.toMillis();
    }

    private boolean isOld(Row row) {
        Long finishedAt = row.finishedAtMillis;
        return finishedAt != null && row.state.isFinished() && finishedAt <= cutoff(row.state, lanes.get(row.lane));
    }

    // ---- jobs --------------------------------------------------------------------------------------------------

    /**
     * Reads the next jobs that have ended in the state of a position, in the order of ids. For {@code COMPLETED} it reads the jobs of the lane, in
     * any state.
     */
    private List<Row> rows(Expiry.Place place) throws SQLException {
        Query query = statements
                .get(
                        switch (place.state()) {
                            case FAILED -> Statement.NEXT_FAILED;
                            case CANCELLED -> Statement.NEXT_CANCELLED;
                            default -> Statement.NEXT_OF_LANE;
                        })
                .set(1, place.after())
                .set(2, Expiry.CHUNK);
        if (place.state() == JobState.COMPLETED) {
            query.set(3, place.lane());
        }
        return query.list(row -> {
            Long chain = Rows.longOrNull(row, 6);
            return new Row(
                    /* id= */ row.getLong(1),
                    /* lane= */ row.getLong(2),
                    /* state= */ JobState.valueOf(row.getString(3)),
                    /* finishedAtMillis= */ Rows.longOrNull(row, 4),
                    /* createdAtMillis= */ row.getLong(5),
                    /* root= */ chain == null ? row.getLong(1) : chain,
                    /* index= */ 0);
        });
    }

    private List<Expiry.Unit> units(List<Row> rows, JobState state) throws SQLException {
        Map<Long, List<Row>> found = new LinkedHashMap<>();
        // Children are usually younger than their parents, and are deleted first.
        for (int i = rows.size() - 1; i >= 0; i--) {
            Row row = rows.get(i);
            if (row.state == state && isOld(row) && isMeant(lanes.get(row.lane))) {
                found.computeIfAbsent(row.root, root -> new ArrayList<>()).add(row);
            }
        }
        if (found.isEmpty()) {
            return new ArrayList<>();
        }
        Map<Long, List<Row>> chains = chains(found.keySet());
        List<Expiry.Unit> units = new ArrayList<>();
        found.forEach((root, jobs) -> {
            List<Row> all = new ArrayList<>(chains.getOrDefault(root, jobs));
            if (all.stream().allMatch(this::isOld)) {
                // Not by id: with several processes an older job may have a greater id.
                all.sort(Comparator.comparingLong(Row::index));
                units.add(new Expiry.Unit(
                        root, all.stream().map(ExpirySearch::job).toList()));
            }
        });
        return units;
    }

    private static Expiry.Job job(Row row) {
        return new Expiry.Job(row.id, row.state, Objects.requireNonNull(row.finishedAtMillis));
    }

    /** Reads all jobs of the chains that begin with these jobs. Single jobs are absent. */
    private Map<Long, List<Row>> chains(Collection<Long> roots) throws SQLException {
        Map<Long, List<Row>> chains = new HashMap<>();
        statements
                .get(Statement.CHAINS)
                .ids(1, roots)
                .list(row -> new Row(
                        /* id= */ row.getLong(2),
                        /* lane= */ row.getLong(3),
                        /* state= */ JobState.valueOf(row.getString(4)),
                        /* finishedAtMillis= */ Rows.longOrNull(row, 5),
                        /* createdAtMillis= */ 0,
                        /* root= */ row.getLong(1),
                        /* index= */ row.getLong(6)))
                .forEach(row -> chains.computeIfAbsent(row.root, root -> new ArrayList<>())
                        .add(row));
        return chains;
    }

    /**
     * Returns the roots of the units that must stay because other jobs need one of their jobs. A job of another unit counts only if its own unit
     * stays.
     */
    static Set<Long> kept(Statements statements, List<Expiry.Unit> units) throws SQLException {
        Map<Long, Long> roots = new TreeMap<>();
        units.forEach(unit -> unit.jobs().forEach(job -> roots.put(job.id(), unit.root())));
        Set<Long> kept = new LinkedHashSet<>();
        while (!roots.isEmpty()) {
            Set<Long> needed = new HashSet<>(statements
                    .get(Statement.NEEDED)
                    .ids(1, roots.keySet())
                    .ids(2, List.of())
                    .longs());
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
