package dev.windrow.sqlite;

import dev.windrow.JobFilter;
import dev.windrow.JobPage;
import dev.windrow.JobQuery;
import dev.windrow.JobSnapshot;
import dev.windrow.JobState;
import dev.windrow.Json;
import dev.windrow.store.PageWalk;
import dev.windrow.store.WayIn;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Jobs by filter, in either order. A filter goes in by its most selective part, which has an index; what that leaves to be checked
 * is checked for many candidates at once, and for no more of them than one read has the time for.
 */
final class Listings {
    /** Candidates that are read at once, at first: they become more where few of them match. */
    private static final int FIRST_CHUNK = 500;
    /** Candidates that one read has the time for: it has 5 s, and these take less than one. */
    private static final int A_READ = 20_000;
    /** Ids that are read at once from all lanes together: each lane is asked for as many as are wanted of all. */
    private static final int OF_LANES = 100_000;

    /** Jobs that are sorted for a page: it takes some tenths of a second. */
    private static final long MOST_SORTED = 1_000_000;

    private Listings() {}

    static JobPage list(Statements statements, Names names, JobQuery query) throws SQLException {
        names.refresh(statements);
        PageWalk page = new PageWalk(query);
        Walk walk = new Walk(statements, names, page, page.start());
        List<Long> ids = new ArrayList<>();
        while (ids.size() <= query.limit() && !walk.ended && walk.looked < A_READ) {
            ids.addAll(walk.next(query.limit() - ids.size() + 1, A_READ - walk.looked));
        }
        boolean full = ids.size() > query.limit();
        List<JobSnapshot> jobs = new ArrayList<>();
        for (long id : full ? ids.subList(0, query.limit()) : ids) {
            JobSnapshot job = Queries.snapshot(statements, id);
            if (job != null) {
                jobs.add(job);
            }
        }
        return page.page(jobs, full ? ids.get(query.limit() - 1) : walk.ended ? null : Long.valueOf(walk.at));
    }

    /**
     * Where a look for the jobs of several filters goes on.
     *
     * @param filter which of them
     * @param below only jobs with a smaller id
     */
    record Place(int filter, long below) {
        static final Place START = new Place(0, Long.MAX_VALUE);
    }

    /**
     * What a look has found.
     *
     * @param ids the jobs
     * @param next where the next look goes on; null at the end
     */
    record Found(List<Long> ids, @Nullable Place next) {}

    /** Looks for jobs that match one of the filters, among as many as one read has the time for. */
    static Found ids(Statements statements, Names names, List<JobFilter> filters, Place from) throws SQLException {
        names.refresh(statements);
        List<Long> ids = new ArrayList<>();
        Place place = from;
        int left = A_READ;
        while (left > 0 && place.filter < filters.size()) {
            PageWalk downwards = new PageWalk(JobQuery.of(filters.get(place.filter)));
            Walk walk = new Walk(statements, names, downwards, place.below);
            ids.addAll(walk.next(left, left));
            place = walk.ended ? new Place(place.filter + 1, Long.MAX_VALUE) : new Place(place.filter, walk.at);
            left -= Math.max(1, walk.looked);
        }
        return new Found(ids, place.filter < filters.size() ? place : null);
    }

    /** Those of the jobs that match. */
    static Set<Long> matching(Statements statements, Collection<Long> ids, JobFilter filter) throws SQLException {
        Set<Long> matching = new HashSet<>();
        PreparedStatement query = match(statements, ids, filter);
        try (ResultSet rows = query.executeQuery()) {
            while (rows.next()) {
                if (rows.getInt(3) != 0) {
                    matching.add(rows.getLong(1));
                }
            }
        }
        return matching;
    }

    /** The payloads of the jobs, as they are stored, of each that has one. */
    static Map<Long, Json> payloads(Statements statements, Collection<Long> ids) throws SQLException {
        Map<Long, Json> payloads = new HashMap<>();
        PreparedStatement query = statements.get(ListSql.PAYLOADS);
        query.setString(1, JsonText.array(ids));
        try (ResultSet rows = query.executeQuery()) {
            while (rows.next()) {
                payloads.put(rows.getLong(1), new Json(rows.getString(2)));
            }
        }
        return payloads;
    }

    private static PreparedStatement match(Statements statements, Collection<Long> ids, JobFilter filter)
            throws SQLException {
        PreparedStatement query = statements.get(ListSql.MATCH);
        query.setString(1, JsonText.array(ids));
        query.setString(
                2,
                filter.states().isEmpty()
                        ? null
                        : JsonText.strings(
                                filter.states().stream().map(JobState::name).toList()));
        query.setString(3, filter.type());
        query.setString(4, filter.queue());
        query.setString(5, filter.errorCode());
        query.setString(6, filter.name());
        query.setString(7, filter.worker());
        query.setString(8, filter.dedupeKey());
        query.setString(9, filter.concurrencyKey());
        Statements.setLong(query, 10, filter.workflow());
        Statements.setLong(query, 11, filter.chain());
        Statements.setLong(query, 12, filter.parent());
        Statements.setLong(
                query, 13, filter.priority() == null ? null : filter.priority().longValue());
        query.setString(14, filter.tags().isEmpty() ? null : JsonText.strings(filter.tags()));
        Statements.setLong(query, 15, PageWalk.millis(filter.created().from()));
        Statements.setLong(query, 16, PageWalk.millis(filter.created().before()));
        Statements.setLong(query, 17, PageWalk.millis(filter.finished().from()));
        Statements.setLong(query, 18, PageWalk.millis(filter.finished().before()));
        Statements.setLong(query, 19, PageWalk.millis(filter.scheduled().from()));
        Statements.setLong(query, 20, PageWalk.millis(filter.scheduled().before()));
        return query;
    }

    /** Goes through the jobs that match, in one direction. */
    private static final class Walk {
        private final Statements statements;
        private final PageWalk page;
        private final boolean ascending;
        private final WayIn way;
        private final List<Long> lanes;
        /** The id up to which it came. */
        private long at;

        private int chunk = FIRST_CHUNK;
        private int looked;
        /** Whether there are no more. */
        private boolean ended;

        Walk(Statements statements, Names names, PageWalk page, long start) throws SQLException {
            this.statements = statements;
            this.page = page;
            this.ascending = page.ascending();
            WayIn first = WayIn.of(page.query().filter());
            boolean sortsMany = first.isSorted() && Rows.one(statements.get(ListSql.COUNT_SORTED)) > MOST_SORTED;
            this.way = sortsMany ? WayIn.pastStates(page.query().filter()) : first;
            this.lanes = way.index() != WayIn.Index.LANES
                    ? List.of()
                    : names.lanes(
                            way.queue() == null ? null : Set.of(way.queue()),
                            way.type() == null ? null : Set.of(way.type()));
            this.at = start;
            Instant begins = page.begins();
            if (begins != null) {
                long reached = reached(begins);
                at = ascending ? Math.max(at, reached - 1) : Math.min(at, reached);
            }
        }

        /** The smallest id from which on jobs were enqueued at this instant or later, as far as ids grow with time. */
        private long reached(Instant instant) throws SQLException {
            List<Long> newest = read(Sql.LIST_ALL, Long.MAX_VALUE, 1, null);
            long low = 1;
            long high = newest.isEmpty() ? 1 : newest.get(0) + 1;
            while (low < high) {
                long middle = low + (high - low) / 2;
                PreparedStatement query = statements.get(ListSql.FIRST_FROM);
                query.setLong(1, middle);
                try (ResultSet row = query.executeQuery()) {
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
            boolean whole = way.rest().equals(JobFilter.ALL);
            int limit = Math.min(most, whole ? wanted : Math.max(wanted, chunk));
            limit = Math.min(limit, Math.max(1, OF_LANES / Math.max(1, lanes.size())));
            chunk = Math.min(A_READ, 4 * chunk);
            List<Long> candidates = candidates(limit);
            looked += candidates.size();
            if (candidates.size() < limit) {
                ended = true;
            } else {
                at = candidates.get(candidates.size() - 1);
            }
            return whole || candidates.isEmpty() ? candidates : matching(candidates);
        }

        private List<Long> matching(List<Long> candidates) throws SQLException {
            List<Long> ids = new ArrayList<>();
            PreparedStatement query = match(statements, candidates, way.rest());
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    if (rows.getInt(3) != 0) {
                        ids.add(rows.getLong(1));
                    }
                    if (page.endsAt(Instant.ofEpochMilli(rows.getLong(2)))) {
                        ended = true;
                        break;
                    }
                }
            }
            return ids;
        }

        /** The next ids, at most this many, among which are all that match. */
        private List<Long> candidates(int limit) throws SQLException {
            String key = way.key();
            return switch (way.index()) {
                case PARENT -> read(ascending ? ListSql.LIST_PARENT_UP : ListSql.LIST_PARENT, limit, number(key));
                case CHAIN -> read(ascending ? ListSql.LIST_CHAIN_UP : ListSql.LIST_CHAIN, limit, number(key));
                case WORKFLOW -> read(ascending ? ListSql.LIST_WORKFLOW_UP : Sql.LIST_WORKFLOW, limit, number(key));
                case TAG -> read(ascending ? ListSql.LIST_TAG_UP : Sql.LIST_TAG, limit, key);
                case FAILED_CODE -> read(ascending ? ListSql.LIST_FAILED_CODE_UP : Sql.LIST_FAILED_CODE, limit, key);
                case STATES -> {
                    List<Long> merged = new ArrayList<>();
                    for (JobState state : way.states()) {
                        merged.addAll(read(inState(state), limit, null));
                    }
                    yield first(merged, limit);
                }
                case LANES -> {
                    List<Long> merged = new ArrayList<>();
                    for (long lane : lanes) {
                        merged.addAll(read(ascending ? ListSql.LIST_LANE_UP : Sql.LIST_LANE, limit, lane));
                    }
                    yield first(merged, limit);
                }
                case ALL -> read(ascending ? ListSql.LIST_ALL_UP : Sql.LIST_ALL, limit, null);
                case NOTHING -> List.of();
            };
        }

        private static @Nullable Long number(@Nullable String key) {
            return key == null ? null : Long.valueOf(key);
        }

        private String inState(JobState state) {
            return switch (state) {
                case BLOCKED -> ascending ? ListSql.LIST_BLOCKED_UP : Sql.LIST_BLOCKED;
                case SCHEDULED -> ascending ? ListSql.LIST_SCHEDULED_UP : Sql.LIST_SCHEDULED;
                case PENDING -> ascending ? ListSql.LIST_PENDING_UP : Sql.LIST_PENDING;
                case RUNNING -> ascending ? ListSql.LIST_RUNNING_UP : Sql.LIST_RUNNING;
                case FAILED -> ascending ? ListSql.LIST_FAILED_UP : Sql.LIST_FAILED;
                case CANCELLED -> ascending ? ListSql.LIST_CANCELLED_UP : Sql.LIST_CANCELLED;
                case COMPLETED -> throw new IllegalStateException("COMPLETED has no listing of its own");
            };
        }

        /** The first of what several listings begin with. */
        private List<Long> first(List<Long> merged, int limit) {
            merged.sort(ascending ? Comparator.naturalOrder() : Comparator.reverseOrder());
            return merged.size() > limit ? merged.subList(0, limit) : merged;
        }

        private List<Long> read(String sql, int limit, @Nullable Object key) throws SQLException {
            return read(sql, at, limit, key);
        }

        private List<Long> read(String sql, long from, int limit, @Nullable Object key) throws SQLException {
            PreparedStatement query = statements.get(sql);
            query.setLong(1, from);
            query.setInt(2, limit);
            if (key != null) {
                query.setObject(3, key);
            }
            List<Long> ids = new ArrayList<>();
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    ids.add(rows.getLong(1));
                }
            }
            return ids;
        }
    }
}
