package dev.windrow.sqlite;

import dev.windrow.JobFilter;
import dev.windrow.JobPage;
import dev.windrow.JobQuery;
import dev.windrow.JobSnapshot;
import dev.windrow.JobState;
import dev.windrow.Json;
import dev.windrow.store.ChangeByFilter;
import dev.windrow.store.LaneMerge;
import dev.windrow.store.PageWalk;
import dev.windrow.store.Store;
import dev.windrow.store.WayIn;
import dev.windrow.store.Weight;
import dev.windrow.store.sql.JsonText;
import dev.windrow.store.sql.Query;
import dev.windrow.store.sql.Rows;
import dev.windrow.store.sql.Snapshots;
import dev.windrow.store.sql.Statements;
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
 * Jobs by filter, in either order. A filter goes in by its most selective part, which has an index; what that leaves to be checked
 * is checked for many candidates at once, and for no more of them than one read has the time for.
 */
final class Listings {
    /** Candidates that are read at once, at first: they become more where few of them match. */
    private static final int FIRST_CHUNK = 500;
    /** Candidates that one read has the time for: it has 5 s, and these take less than one. */
    private static final int A_READ = 20_000;
    /** Jobs of which only the time is looked at, at once and at most in one read. */
    private static final int WINDOW = 20_000;

    private static final int MOST_PASSED = 200_000;

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
        int weight = 0;
        for (long id : full ? ids.subList(0, query.limit()) : ids) {
            if (weight > Weight.OF_A_PAGE) {
                return page.page(jobs, jobs.get(jobs.size() - 1).id());
            }
            for (Snapshots.Read read : JobReads.read(statements, List.of(id))) {
                jobs.add(read.job());
                weight += Weight.of(read.job());
            }
        }
        return page.page(jobs, full ? ids.get(query.limit() - 1) : walk.ended ? null : Long.valueOf(walk.at));
    }

    /** Looks for jobs that match, beyond this id, among as many as one read has the time for. */
    static ChangeByFilter.Page ids(
            Statements statements, Names names, JobFilter filter, boolean ascending, @Nullable Long beyond)
            throws SQLException {
        names.refresh(statements);
        JobQuery query = JobQuery.of(filter);
        PageWalk page = new PageWalk(ascending ? query.oldestFirst() : query, false);
        Walk walk = new Walk(statements, names, page, beyond == null ? page.start() : beyond);
        List<Long> ids = new ArrayList<>();
        int left = A_READ;
        while (left > 0 && !walk.ended) {
            int before = walk.looked;
            ids.addAll(walk.next(left, left));
            left -= Math.max(1, walk.looked - before);
        }
        return new ChangeByFilter.Page(ids, walk.ended ? null : Long.valueOf(walk.at));
    }

    /** The greatest id of all jobs; 0 when there are none. */
    static long newest(Statements statements) throws SQLException {
        Long newest = statements
                .get(ListSql.LIST_ALL)
                .set(1, Long.MAX_VALUE)
                .set(2, 1)
                .oneOrNull();
        return newest == null ? 0 : newest;
    }

    /** Those of the jobs that match. */
    static Set<Long> matching(Statements statements, Collection<Long> ids, JobFilter filter) throws SQLException {
        Set<Long> matching = new HashSet<>();
        Query query = match(statements, ids, filter);
        try (ResultSet rows = query.rows()) {
            while (rows.next()) {
                if (rows.getInt(3) != 0) {
                    matching.add(rows.getLong(1));
                }
            }
        }
        return matching;
    }

    /** The payloads of the first ones of the jobs, as they are stored. */
    static List<@Nullable Json> payloads(Statements statements, List<Long> ids) throws SQLException {
        List<@Nullable Json> payloads = new ArrayList<>();
        Query query = statements.get(ListSql.PAYLOADS);
        query.ids(1, ids);
        int characters = 0;
        try (ResultSet rows = query.rows()) {
            while (characters < Store.MOST_CHARACTERS && rows.next()) {
                String payload = rows.getString(1);
                payloads.add(payload == null ? null : new Json(payload));
                characters += payload == null ? 0 : payload.length();
            }
        }
        return payloads;
    }

    private static Query match(Statements statements, Collection<Long> ids, JobFilter filter) throws SQLException {
        Query query = statements.get(ListSql.MATCH);
        query.ids(1, ids)
                .set(
                        2,
                        filter.states().isEmpty()
                                ? null
                                : JsonText.strings(filter.states().stream()
                                        .map(JobState::name)
                                        .toList()))
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
                .set(13, filter.priority() == null ? null : filter.priority().longValue())
                .set(14, filter.tags().isEmpty() ? null : JsonText.strings(filter.tags()))
                .set(15, PageWalk.millis(filter.created().from()))
                .set(16, PageWalk.millis(filter.created().before()))
                .set(17, PageWalk.millis(filter.finished().from()))
                .set(18, PageWalk.millis(filter.finished().before()))
                .set(19, PageWalk.millis(filter.scheduled().from()))
                .set(20, PageWalk.millis(filter.scheduled().before()));
        return query;
    }

    /** Goes through the jobs that match, in one direction. */
    private static final class Walk {
        private final Statements statements;
        private final PageWalk page;
        private final boolean ascending;
        private WayIn way;
        /** How to go on when all jobs were looked at for as long as it takes to look into each lane; null: as it began. */
        private @Nullable WayIn byLanes;

        private List<Long> lanes = List.of();
        private @Nullable LaneMerge<SQLException> merge;
        /** The id up to which it came. */
        private long at;

        private int chunk = FIRST_CHUNK;
        /** Rows that were read to find candidates. */
        private int looked;
        /** Whether there are no more. */
        private boolean ended;

        Walk(Statements statements, Names names, PageWalk page, long start) throws SQLException {
            this.statements = statements;
            this.page = page;
            this.ascending = page.ascending();
            JobFilter filter = page.query().filter();
            WayIn first = WayIn.of(filter);
            boolean sortsMany =
                    first.isSorted() && statements.get(ListSql.COUNT_SORTED).one() > MOST_SORTED;
            this.way = sortsMany ? WayIn.pastStates(filter) : first;
            if (way.index() == WayIn.Index.LANES) {
                this.lanes = names.lanes(
                        way.queue() == null ? null : Set.of(way.queue()),
                        way.type() == null ? null : Set.of(way.type()));
                if (lanes.size() > LaneMerge.FEW) {
                    this.byLanes = lanes.size() > LaneMerge.MOST ? null : way;
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
                        .get(ascending ? ListSql.PASS_UP : ListSql.PASS)
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
            looked = A_READ;
        }

        /** The smallest id from which on jobs were enqueued at this instant or later, as far as ids grow with time. */
        private long reached(Instant instant) throws SQLException {
            List<Long> newest = read(ListSql.LIST_ALL, Long.MAX_VALUE, 1, null);
            long low = 1;
            long high = newest.isEmpty() ? 1 : newest.get(0) + 1;
            while (low < high) {
                long middle = low + (high - low) / 2;
                try (ResultSet row =
                        statements.get(ListSql.FIRST_FROM).set(1, middle).rows()) {
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
            if (byLanes != null && looked >= lanes.size()) {
                way = byLanes;
                byLanes = null;
            }
            boolean whole = way.rest().equals(JobFilter.ALL);
            int limit = Math.min(most, whole ? wanted : Math.max(wanted, chunk));
            chunk = Math.min(A_READ, 4 * chunk);
            List<Long> candidates = candidates(limit, most);
            if (!candidates.isEmpty()) {
                at = candidates.get(candidates.size() - 1);
            }
            return whole || candidates.isEmpty() ? candidates : matching(candidates);
        }

        private List<Long> matching(List<Long> candidates) throws SQLException {
            List<Long> ids = new ArrayList<>();
            Query query = match(statements, candidates, way.rest());
            try (ResultSet rows = query.rows()) {
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

        /** The next ids, at most this many, among which are all that match; for which hardly more than so many rows are read. */
        private List<Long> candidates(int limit, int most) throws SQLException {
            String key = way.key();
            return switch (way.index()) {
                case PARENT -> all(ascending ? ListSql.LIST_PARENT_UP : ListSql.LIST_PARENT, limit, number(key));
                case CHAIN -> all(ascending ? ListSql.LIST_CHAIN_UP : ListSql.LIST_CHAIN, limit, number(key));
                case WORKFLOW -> all(ascending ? ListSql.LIST_WORKFLOW_UP : ListSql.LIST_WORKFLOW, limit, number(key));
                case TAG -> all(ascending ? ListSql.LIST_TAG_UP : ListSql.LIST_TAG, limit, key);
                case FAILED_CODE -> all(ascending ? ListSql.LIST_FAILED_CODE_UP : ListSql.LIST_FAILED_CODE, limit, key);
                case STATES ->
                    inStates(Math.min(limit, Math.max(1, most / way.states().size())));
                case LANES -> inLanes(limit, most);
                case ALL -> all(ascending ? ListSql.LIST_ALL_UP : ListSql.LIST_ALL, limit, null);
                case NOTHING -> {
                    ended = true;
                    yield List.of();
                }
            };
        }

        private List<Long> all(String sql, int limit, @Nullable Object key) throws SQLException {
            List<Long> ids = read(sql, at, limit, key);
            looked += ids.size();
            ended = ids.size() < limit;
            return ids;
        }

        private List<Long> inStates(int limit) throws SQLException {
            List<Long> merged = new ArrayList<>();
            for (JobState state : way.states()) {
                merged.addAll(read(inState(state), at, limit, null));
            }
            looked += merged.size();
            ended = merged.size() < limit;
            merged.sort(ascending ? Comparator.naturalOrder() : Comparator.reverseOrder());
            return merged.size() > limit ? merged.subList(0, limit) : merged;
        }

        private List<Long> inLanes(int limit, int most) throws SQLException {
            if (merge == null) {
                merge = new LaneMerge<>(this::ofLanes, lanes, ascending, at);
            }
            int before = merge.read();
            List<Long> ids = merge.next(limit, most);
            looked += merge.read() - before;
            ended = merge.isAtEnd();
            return ids;
        }

        private List<List<Long>> ofLanes(List<LaneMerge.Ask> asks) throws SQLException {
            if (asks.size() > LaneMerge.FEW && asks.stream().allMatch(ask -> ask.limit() == 1)) {
                return heads(asks);
            }
            List<List<Long>> answers = new ArrayList<>(asks.size());
            for (LaneMerge.Ask ask : asks) {
                answers.add(read(
                        ascending ? ListSql.LIST_LANE_UP : ListSql.LIST_LANE, ask.beyond(), ask.limit(), ask.lane()));
            }
            return answers;
        }

        /** The first look into very many lanes, all beyond the same id. */
        private List<List<Long>> heads(List<LaneMerge.Ask> asks) throws SQLException {
            List<List<Long>> answers = new ArrayList<>(Collections.nCopies(asks.size(), List.of()));
            try (ResultSet rows = statements
                    .get(ascending ? ListSql.LIST_HEADS_UP : ListSql.LIST_HEADS)
                    .set(1, asks.get(0).beyond())
                    .set(
                            2,
                            JsonText.array(
                                    asks.stream().map(LaneMerge.Ask::lane).toList()))
                    .rows()) {
                while (rows.next()) {
                    Long head = Rows.longOrNull(rows, 2);
                    if (head != null) {
                        answers.set(rows.getInt(1), List.of(head));
                    }
                }
            }
            return answers;
        }

        private static @Nullable Long number(@Nullable String key) {
            return key == null ? null : Long.valueOf(key);
        }

        private String inState(JobState state) {
            return switch (state) {
                case BLOCKED -> ascending ? ListSql.LIST_BLOCKED_UP : ListSql.LIST_BLOCKED;
                case SCHEDULED -> ascending ? ListSql.LIST_SCHEDULED_UP : ListSql.LIST_SCHEDULED;
                case PENDING -> ascending ? ListSql.LIST_PENDING_UP : ListSql.LIST_PENDING;
                case RUNNING -> ascending ? ListSql.LIST_RUNNING_UP : ListSql.LIST_RUNNING;
                case FAILED -> ascending ? ListSql.LIST_FAILED_UP : ListSql.LIST_FAILED;
                case CANCELLED -> ascending ? ListSql.LIST_CANCELLED_UP : ListSql.LIST_CANCELLED;
                case COMPLETED -> throw new IllegalStateException("COMPLETED has no listing of its own");
            };
        }

        private List<Long> read(String sql, long from, int limit, @Nullable Object key) throws SQLException {
            Query query = statements.get(sql);
            query.set(1, from).set(2, limit);
            if (key != null) {
                query.value(3, key);
            }
            return query.list(rows -> rows.getLong(1));
        }
    }
}
