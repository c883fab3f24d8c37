package dev.windrow.store.sql;

import dev.windrow.JobFilter;
import dev.windrow.JobPage;
import dev.windrow.JobQuery;
import dev.windrow.JobSnapshot;
import dev.windrow.JobState;
import dev.windrow.store.ChangeByFilter;
import dev.windrow.store.LaneMerge;
import dev.windrow.store.PageWalk;
import dev.windrow.store.WayIn;
import dev.windrow.store.Weight;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Jobs by filter, in either order. A filter goes in by its most selective part, which has an index; what that leaves to be checked is
 * checked for many candidates at once, and for no more of them than one read has the time for. A transaction that sees one snapshot gets
 * whole pages.
 */
public final class Listings {
    /** Candidates that are read at once, at first: they become more where few of them match. */
    private static final int FIRST_CHUNK = 500;
    /** Candidates that are read for a page: its caller waits for it. */
    private static final int A_PAGE = 20_000;

    /** Jobs of which only the time is looked at, at once and at most in one read. */
    private static final int WINDOW = 20_000;

    private static final int MOST_PASSED = 200_000;

    /** Jobs that are sorted for a page: it takes some tenths of a second. */
    private static final long MOST_SORTED = 1_000_000;

    /** The lanes of a store, and how they are read. */
    public interface Lanes {
        /** The lanes of a queue and a type, null for any, in the order of their numbers; of more than are merged some may be missing. */
        List<Long> of(Statements statements, @Nullable String queue, @Nullable String type) throws SQLException;

        /** The next ids of lanes, as {@link LaneMerge.Source} wants them. */
        List<List<Long>> next(Statements statements, boolean ascending, List<LaneMerge.Ask> asks) throws SQLException;
    }

    /**
     * The sizes that suit a store.
     *
     * @param chunk candidates that are read at once, at most
     * @param read candidates that one read has the time for
     * @param part jobs of a page that are read at once
     */
    public record Sizes(int chunk, int read, int part) {}

    private final Lanes lanes;
    private final Snapshots snapshots;
    private final Sizes sizes;

    /** Listings of a store that reads lanes, jobs and payloads in these ways. */
    public Listings(Lanes lanes, Snapshots snapshots, Sizes sizes) {
        this.lanes = lanes;
        this.snapshots = snapshots;
        this.sizes = sizes;
    }

    /** Returns a page of the jobs that match. */
    public JobPage list(Statements statements, JobQuery query) throws SQLException {
        PageWalk page = new PageWalk(query);
        Walk walk = new Walk(statements, page, page.start());
        List<Long> ids = new ArrayList<>();
        while (ids.size() <= query.limit() && !walk.ended && walk.looked < A_PAGE) {
            ids.addAll(walk.next(query.limit() - ids.size() + 1, A_PAGE - walk.looked));
        }
        boolean full = ids.size() > query.limit();
        List<Long> wanted = full ? ids.subList(0, query.limit()) : ids;
        List<JobSnapshot> jobs = new ArrayList<>();
        int weight = 0;
        for (int from = 0; from < wanted.size(); from += sizes.part) {
            if (weight > Weight.OF_A_PAGE) {
                return page.page(jobs, wanted.get(from - 1));
            }
            List<JobSnapshot> part = new ArrayList<>();
            snapshots
                    .read(statements, wanted.subList(from, Math.min(from + sizes.part, wanted.size())))
                    .forEach(read -> part.add(read.job()));
            if (page.ascending()) {
                Collections.reverse(part);
            }
            jobs.addAll(part);
            weight += part.stream().mapToInt(Weight::of).sum();
        }
        return page.page(jobs, full ? ids.get(query.limit() - 1) : walk.ended ? null : Long.valueOf(walk.at));
    }

    /** Looks for jobs that match, beyond this id, among as many as one read has the time for. */
    public ChangeByFilter.Page ids(Statements statements, JobFilter filter, boolean ascending, @Nullable Long beyond)
            throws SQLException {
        JobQuery query = JobQuery.of(filter);
        PageWalk page = new PageWalk(ascending ? query.oldestFirst() : query, false);
        Walk walk = new Walk(statements, page, beyond == null ? page.start() : beyond);
        List<Long> ids = new ArrayList<>();
        int left = sizes.read;
        while (left > 0 && !walk.ended && ids.size() < sizes.chunk) {
            int before = walk.looked;
            ids.addAll(walk.next(Math.min(left, sizes.chunk), left));
            left -= Math.max(1, walk.looked - before);
        }
        return new ChangeByFilter.Page(ids, walk.ended ? null : Long.valueOf(walk.at));
    }

    /** Returns the greatest id of all jobs; 0 when there are none. */
    public static long newest(Statements statements) throws SQLException {
        Long newest = statements
                .get(Statement.LIST_ALL)
                .set(1, Long.MAX_VALUE)
                .set(2, 1)
                .oneOrNull();
        return newest == null ? 0 : newest;
    }

    /** Returns those of the jobs that match. */
    public static Set<Long> matching(Statements statements, Collection<Long> ids, JobFilter filter)
            throws SQLException {
        Set<Long> matching = new HashSet<>();
        try (ResultSet rows = match(statements, ids, filter).rows()) {
            while (rows.next()) {
                if (rows.getBoolean(3)) {
                    matching.add(rows.getLong(1));
                }
            }
        }
        return matching;
    }

    private static Query match(Statements statements, Collection<Long> ids, JobFilter filter) throws SQLException {
        return statements
                .get(Statement.MATCH)
                .ids(1, ids)
                .texts(2, filter.states().stream().map(JobState::name).toList())
                .set(3, filter.type())
                .set(4, filter.queue())
                .set(5, filter.errorCode())
                .set(6, filter.name())
                .set(7, filter.worker())
                .set(8, filter.dedupeKey())
                .set(9, filter.concurrencyKey())
                .set(10, filter.workflow())
                .set(11, filter.chain())
                .set(12, filter.parent())
                .set(13, filter.priority() == null ? null : Long.valueOf(filter.priority()))
                .texts(14, filter.tags())
                .set(15, PageWalk.millis(filter.created().from()))
                .set(16, PageWalk.millis(filter.created().before()))
                .set(17, PageWalk.millis(filter.finished().from()))
                .set(18, PageWalk.millis(filter.finished().before()))
                .set(19, PageWalk.millis(filter.scheduled().from()))
                .set(20, PageWalk.millis(filter.scheduled().before()));
    }

    /** Goes through the jobs that match, in one direction. */
    private final class Walk {
        private final Statements statements;
        private final PageWalk page;
        private final boolean ascending;
        private WayIn way;
        /** The way to go on when all jobs were looked at for as long as it takes to look into each lane; null: as it began. */
        private @Nullable WayIn byLanes;

        /** The lanes that are merged, if any are. */
        private List<Long> merged = List.of();

        private @Nullable LaneMerge<SQLException> merge;
        /** The id up to which it came. */
        private long at;

        private int chunk = FIRST_CHUNK;
        /** Rows that were read to find candidates. */
        private int looked;
        /** True if there are no more. */
        private boolean ended;

        Walk(Statements statements, PageWalk page, long start) throws SQLException {
            this.statements = statements;
            this.page = page;
            this.ascending = page.ascending();
            JobFilter filter = page.query().filter();
            WayIn first = WayIn.of(filter);
            boolean sortsMany =
                    first.isSorted() && statements.get(Statement.COUNT_SORTED).one() > MOST_SORTED;
            this.way = sortsMany ? WayIn.pastStates(filter) : first;
            if (way.index() == WayIn.Index.LANES) {
                this.merged = lanes.of(statements, way.queue(), way.type());
                if (merged.size() > LaneMerge.FEW) {
                    this.byLanes = merged.size() > LaneMerge.MOST ? null : way;
                    this.way = WayIn.pastLanes(filter);
                }
            }
            this.at = start;
            Instant begins = page.begins();
            if (begins != null) {
                long reached = reached(begins);
                at = ascending ? Math.max(at, reached - 1) : Math.min(at, reached);
            }
            if (page.hasTimes() && (way.index() == WayIn.Index.ALL || way.index() == WayIn.Index.LANES)) {
                pass();
            }
        }

        /** Goes to the first job that was enqueued at a right time; what is at a wrong one within the slack need not be looked at. */
        private void pass() throws SQLException {
            int window = FIRST_CHUNK;
            for (int passed = 0; passed < MOST_PASSED; passed += window) {
                window = passed == 0 ? FIRST_CHUNK : WINDOW;
                try (ResultSet row = statements
                        .get(ascending ? Statement.PASS_UP : Statement.PASS)
                        .set(1, at)
                        .set(2, window)
                        .set(3, page.enqueuedFrom())
                        .set(4, page.enqueuedBefore())
                        .rows()) {
                    row.next();
                    Long first = Rows.longOrNull(row, 2);
                    if (first != null) {
                        at = ascending ? first - 1 : first + 1;
                        return;
                    }
                    if (row.getLong(4) < window || page.endsAt(Instant.ofEpochMilli(row.getLong(3)))) {
                        ended = true;
                        return;
                    }
                    at = row.getLong(1);
                }
            }
            // That was as long as a call may take.
            looked = A_PAGE;
        }

        /** The smallest id from which on jobs were enqueued at this instant or later, as far as ids grow with time. */
        private long reached(Instant instant) throws SQLException {
            List<Long> newest = read(Statement.LIST_ALL, Long.MAX_VALUE, 1, null);
            long low = 1;
            long high = newest.isEmpty() ? 1 : newest.get(0) + 1;
            while (low < high) {
                long middle = low + (high - low) / 2;
                try (ResultSet row =
                        statements.get(Statement.FIRST_FROM).set(1, middle).rows()) {
                    if (row.next() && Instant.ofEpochMilli(row.getLong(2)).isBefore(instant)) {
                        low = row.getLong(1) + 1;
                    } else {
                        high = middle;
                    }
                }
            }
            return low;
        }

        /** The next ones, as many as a chunk happens to hold: none, or more than are wanted. */
        List<Long> next(int wanted, int most) throws SQLException {
            if (byLanes != null && looked >= merged.size()) {
                way = byLanes;
                byLanes = null;
            }
            boolean whole = way.rest().equals(JobFilter.ALL);
            int limit = Math.min(Math.min(most, sizes.chunk), whole ? wanted : Math.max(wanted, chunk));
            chunk = Math.min(sizes.chunk, 4 * chunk);
            List<Long> candidates = candidates(limit, most);
            if (!candidates.isEmpty()) {
                at = candidates.get(candidates.size() - 1);
            }
            return whole || candidates.isEmpty() ? candidates : matching(candidates);
        }

        private List<Long> matching(List<Long> candidates) throws SQLException {
            Set<Long> matching = new HashSet<>();
            boolean beyond = false;
            try (ResultSet rows = match(statements, candidates, way.rest()).rows()) {
                while (rows.next()) {
                    if (rows.getBoolean(3)) {
                        matching.add(rows.getLong(1));
                    }
                    beyond |= page.endsAt(Instant.ofEpochMilli(rows.getLong(2)));
                }
            }
            ended |= beyond;
            return candidates.stream().filter(matching::contains).toList();
        }

        /** The next ids, at most this many, among which are all that match; for which hardly more than so many rows are read. */
        private List<Long> candidates(int limit, int most) throws SQLException {
            String key = way.key();
            return switch (way.index()) {
                case PARENT -> all(ascending ? Statement.LIST_PARENT_UP : Statement.LIST_PARENT, limit, number(key));
                case CHAIN -> all(ascending ? Statement.LIST_CHAIN_UP : Statement.LIST_CHAIN, limit, number(key));
                case WORKFLOW ->
                    all(ascending ? Statement.LIST_WORKFLOW_UP : Statement.LIST_WORKFLOW, limit, number(key));
                case TAG -> all(ascending ? Statement.LIST_TAG_UP : Statement.LIST_TAG, limit, key);
                case FAILED_CODE ->
                    all(ascending ? Statement.LIST_FAILED_CODE_UP : Statement.LIST_FAILED_CODE, limit, key);
                case STATES ->
                    inStates(Math.min(limit, Math.max(1, most / way.states().size())));
                case LANES -> inLanes(limit, most);
                case ALL -> all(ascending ? Statement.LIST_ALL_UP : Statement.LIST_ALL, limit, null);
                case NOTHING -> {
                    ended = true;
                    yield List.of();
                }
            };
        }

        private List<Long> all(Statement listing, int limit, @Nullable Object key) throws SQLException {
            List<Long> ids = read(listing, at, limit, key);
            looked += ids.size();
            ended = ids.size() < limit;
            return ids;
        }

        private List<Long> inStates(int limit) throws SQLException {
            List<Long> ids = new ArrayList<>();
            for (JobState state : way.states()) {
                ids.addAll(read(inState(state), at, limit, null));
            }
            looked += ids.size();
            ended = ids.size() < limit;
            ids.sort(ascending ? Comparator.naturalOrder() : Comparator.reverseOrder());
            return ids.size() > limit ? ids.subList(0, limit) : ids;
        }

        private List<Long> inLanes(int limit, int most) throws SQLException {
            if (merge == null) {
                merge = new LaneMerge<>(asks -> lanes.next(statements, ascending, asks), merged, ascending, at);
            }
            int before = merge.read();
            List<Long> ids = merge.next(limit, most);
            looked += merge.read() - before;
            ended = merge.isAtEnd();
            return ids;
        }

        private static @Nullable Long number(@Nullable String key) {
            return key == null ? null : Long.valueOf(key);
        }

        private Statement inState(JobState state) {
            return switch (state) {
                case BLOCKED -> ascending ? Statement.LIST_BLOCKED_UP : Statement.LIST_BLOCKED;
                case SCHEDULED -> ascending ? Statement.LIST_SCHEDULED_UP : Statement.LIST_SCHEDULED;
                case PENDING -> ascending ? Statement.LIST_PENDING_UP : Statement.LIST_PENDING;
                case RUNNING -> ascending ? Statement.LIST_RUNNING_UP : Statement.LIST_RUNNING;
                case FAILED -> ascending ? Statement.LIST_FAILED_UP : Statement.LIST_FAILED;
                case CANCELLED -> ascending ? Statement.LIST_CANCELLED_UP : Statement.LIST_CANCELLED;
                case COMPLETED -> throw new IllegalStateException("COMPLETED has no listing of its own");
            };
        }

        private List<Long> read(Statement listing, long from, int limit, @Nullable Object key) throws SQLException {
            Query query = statements.get(listing).set(1, from).set(2, limit);
            if (key != null) {
                query.value(3, key);
            }
            return query.longs();
        }
    }
}
