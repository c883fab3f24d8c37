package dev.windrow.postgres;

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
import dev.windrow.store.sql.Rows;
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
final class Listings {
    /** Candidates that are read at once, at first and at most: they become more where few of them match. */
    private static final int FIRST_CHUNK = 500;

    private static final int LARGEST_CHUNK = 50_000;
    /** Candidates that one read has the time for: it has 5 s, and takes less than one. */
    private static final int A_READ = 5 * LARGEST_CHUNK;
    /** The same for a page, which somebody waits for. */
    private static final int A_PAGE = 20_000;

    /** Jobs of which only the time is looked at, at once and at most in one read. */
    private static final int WINDOW = 20_000;

    private static final int MOST_PASSED = 200_000;

    /** Jobs that are sorted for a page: it takes some tenths of a second. */
    private static final long MOST_SORTED = 1_000_000;

    /** Jobs of a page that are read at once: what they depend on is read with them. */
    private static final int PART = 50;

    private Listings() {}

    static JobPage list(PostgresStatements statements, JobQuery query) throws SQLException {
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
        for (int from = 0; from < wanted.size(); from += PART) {
            if (weight > Weight.OF_A_PAGE) {
                return page.page(jobs, wanted.get(from - 1));
            }
            List<JobSnapshot> part = new ArrayList<>();
            JobReads.read(statements, wanted.subList(from, Math.min(from + PART, wanted.size())))
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
    static ChangeByFilter.Page ids(
            PostgresStatements statements, JobFilter filter, boolean ascending, @Nullable Long beyond)
            throws SQLException {
        JobQuery query = JobQuery.of(filter);
        PageWalk page = new PageWalk(ascending ? query.oldestFirst() : query, false);
        Walk walk = new Walk(statements, page, beyond == null ? page.start() : beyond);
        List<Long> ids = new ArrayList<>();
        int left = A_READ;
        while (left > 0 && !walk.ended && ids.size() < LARGEST_CHUNK) {
            int before = walk.looked;
            ids.addAll(walk.next(Math.min(left, LARGEST_CHUNK), left));
            left -= Math.max(1, walk.looked - before);
        }
        return new ChangeByFilter.Page(ids, walk.ended ? null : Long.valueOf(walk.at));
    }

    /** The greatest id of all jobs; 0 when there are none. */
    static long newest(PostgresStatements statements) throws SQLException {
        Long newest = statements
                .get(ListSql.LIST_ALL)
                .set(1, Long.MAX_VALUE)
                .set(2, Integer.valueOf(1))
                .oneOrNull();
        return newest == null ? 0 : newest;
    }

    /** Those of the jobs that match. */
    static Set<Long> matching(PostgresStatements statements, Collection<Long> ids, JobFilter filter)
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

    /** The payloads of the first ones of the jobs, as they are stored. */
    static List<@Nullable Json> payloads(PostgresStatements statements, List<Long> ids) throws SQLException {
        List<@Nullable Json> payloads = new ArrayList<>();
        try (ResultSet rows = statements
                .get(ListSql.PAYLOADS)
                .ids(1, ids)
                .set(2, (long) Store.MOST_CHARACTERS)
                .rows()) {
            while (rows.next()) {
                String payload = rows.getString(1);
                payloads.add(payload == null ? null : new Json(payload));
            }
        }
        return payloads;
    }

    private static PostgresQuery match(PostgresStatements statements, Collection<Long> ids, JobFilter filter)
            throws SQLException {
        return statements
                .get(ListSql.MATCH)
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
    private static final class Walk {
        private final PostgresStatements statements;
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

        Walk(PostgresStatements statements, PageWalk page, long start) throws SQLException {
            this.statements = statements;
            this.page = page;
            this.ascending = page.ascending();
            JobFilter filter = page.query().filter();
            WayIn first = WayIn.of(filter);
            boolean sortsMany =
                    first.isSorted() && statements.get(ListSql.COUNT_SORTED).one() > MOST_SORTED;
            this.way = sortsMany ? WayIn.pastStates(filter) : first;
            if (way.index() == WayIn.Index.LANES) {
                this.lanes = lanes(way);
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
            looked = A_PAGE;
        }

        /** The smallest id from which on jobs were enqueued at this instant or later, as far as ids grow with time. */
        private long reached(Instant instant) throws SQLException {
            List<Long> newest = read(ListSql.LIST_ALL, Long.MAX_VALUE, 1);
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

        /** No more than whoever asks needs to know that they are too many. */
        private List<Long> lanes(WayIn way) throws SQLException {
            return statements
                    .get(ListSql.LANES)
                    .set(1, way.queue())
                    .set(2, way.type())
                    .set(3, LaneMerge.MOST + 1L)
                    .list(rows -> rows.getLong(1));
        }

        /** The next ones, as many as a chunk happens to hold: none, or more than are wanted. */
        List<Long> next(int wanted, int most) throws SQLException {
            if (byLanes != null && looked >= lanes.size()) {
                way = byLanes;
                byLanes = null;
            }
            boolean whole = way.rest().equals(JobFilter.ALL);
            int limit = Math.min(Math.min(most, LARGEST_CHUNK), whole ? wanted : Math.max(wanted, chunk));
            chunk = Math.min(LARGEST_CHUNK, 4 * chunk);
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
                case PARENT -> all(ascending ? ListSql.LIST_PARENT_UP : ListSql.LIST_PARENT, limit, key);
                case CHAIN -> all(ascending ? ListSql.LIST_CHAIN_UP : ListSql.LIST_CHAIN, limit, key);
                case WORKFLOW -> all(ascending ? ListSql.LIST_WORKFLOW_UP : ListSql.LIST_WORKFLOW, limit, key);
                case TAG -> all(ascending ? ListSql.LIST_TAG_UP : ListSql.LIST_TAG, limit, key);
                case FAILED_CODE -> all(ascending ? ListSql.LIST_FAILED_CODE_UP : ListSql.LIST_FAILED_CODE, limit, key);
                case STATES ->
                    inStates(Math.min(limit, Math.max(1, most / way.states().size())));
                case LANES -> inLanes(limit, most);
                case ALL -> all(ascending ? ListSql.LIST_ALL_UP : ListSql.LIST_ALL, limit);
                case NOTHING -> {
                    ended = true;
                    yield List.of();
                }
            };
        }

        private List<Long> all(String sql, int limit, @Nullable String... keys) throws SQLException {
            List<Long> ids = read(sql, at, limit, keys);
            looked += ids.size();
            ended = ids.size() < limit;
            return ids;
        }

        private List<Long> inStates(int limit) throws SQLException {
            List<Long> merged = new ArrayList<>();
            for (JobState state : way.states()) {
                merged.addAll(read(inState(state), at, limit));
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
            List<List<Long>> answers = new ArrayList<>(asks.size());
            asks.forEach(ask -> answers.add(new ArrayList<>()));
            try (ResultSet rows = statements
                    .get(ascending ? ListSql.LIST_LANES_UP : ListSql.LIST_LANES)
                    .array(1, "int4", asks.stream().map(LaneMerge.Ask::lane).toArray())
                    .ids(2, asks.stream().map(LaneMerge.Ask::beyond).toList())
                    .array(3, "int4", asks.stream().map(LaneMerge.Ask::limit).toArray())
                    .rows()) {
                while (rows.next()) {
                    answers.get(rows.getInt(1) - 1).add(rows.getLong(2));
                }
            }
            return answers;
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

        private List<Long> read(String sql, long from, int limit, @Nullable String... keys) throws SQLException {
            PostgresQuery query = statements.get(sql).set(1, from).set(2, limit);
            for (int i = 0; i < keys.length; i++) {
                query.set(3 + i, keys[i]);
            }
            return query.list(rows -> rows.getLong(1));
        }
    }
}
