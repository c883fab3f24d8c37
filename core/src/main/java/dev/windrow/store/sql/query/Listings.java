package dev.windrow.store.sql.query;

import dev.windrow.ErrorCodes;
import dev.windrow.JobInfo;
import dev.windrow.JobState;
import dev.windrow.payload.Json;
import dev.windrow.query.JobFilter;
import dev.windrow.query.JobPage;
import dev.windrow.store.OpenStore;
import dev.windrow.store.Weight;
import dev.windrow.store.job.ChangeByFilter;
import dev.windrow.store.payload.PayloadPage;
import dev.windrow.store.query.AccessPath;
import dev.windrow.store.query.PageRequest;
import dev.windrow.store.query.PageWalk;
import dev.windrow.store.sql.connection.Query;
import dev.windrow.store.sql.connection.Rows;
import dev.windrow.store.sql.connection.Statement;
import dev.windrow.store.sql.connection.Statements;
import dev.windrow.store.sql.job.JobInfos;
import dev.windrow.validation.Bounds;
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
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The listings of jobs by filter, in either order. The most selective condition of a filter has an index, which gives the ids of candidates. One
 * statement checks the rest of the filter for many of them. No call reads more candidates than it has the time for. A transaction with one snapshot
 * gets complete pages.
 */
public final class Listings {
    /** The number of candidates of the first read. It grows if few of them match. */
    private static final int FIRST_CHUNK = 500;

    private static final int LARGEST_CHUNK = 50_000;
    /** The most rows that are read for a page, because its caller waits for it. */
    private static final int A_PAGE = 20_000;
    /** The most ids among which one statement searches for jobs by a time, or by their lanes. */
    private static final long WIDEST_RANGE = 1_000_000;
    /** The most jobs that are sorted for a page: it takes some tenths of a second. */
    private static final long MAX_SORTED = 1_000_000;
    /** The most lanes that a call reads one by one. */
    private static final int MAX_LANES = 10_000;
    /** The most error codes whose jobs a call merges. */
    private static final int MAX_CODES = 1000;
    /** The number of rows that a read of few lanes counts as. */
    private static final int A_LOOK = 20;
    /** The most payloads that one call returns, if they are short. */
    private static final int PAYLOADS = 5_000;

    private final JobInfos snapshots;
    private final int part;

    /**
     * Creates the listings of a store.
     *
     * @param snapshots reads jobs
     * @param part the number of jobs of a page that are read at once
     */
    public Listings(JobInfos snapshots, int part) {
        this.snapshots = snapshots;
        this.part = part;
    }

    /** Returns a page of the jobs that match. */
    public JobPage list(Statements statements, PageRequest query) throws SQLException {
        Walk walk = new Walk(statements, query, true);
        List<Long> ids = walk.some(query.limit());
        List<JobInfo> jobs = new ArrayList<>();
        int read = read(statements, ids, jobs);
        return walk.page.page(jobs, walk.behind(ids, read));
    }

    /** Returns the first jobs among these that match, in their order, as many as {@link #list} may return. */
    public JobPage jobs(Statements statements, JobFilter filter, List<Long> ids) throws SQLException {
        Set<Long> matching = matching(statements, ids, filter);
        List<Long> wanted = ids.stream().filter(matching::contains).toList();
        List<JobInfo> jobs = new ArrayList<>();
        int read = read(statements, wanted, jobs);
        return new JobPage(jobs, read == wanted.size() ? null : wanted.get(read - 1));
    }

    /** Reads the first of these jobs, until they have the weight of a page; returns the number of ids. */
    private int read(Statements statements, List<Long> ids, List<JobInfo> jobs) throws SQLException {
        int weight = 0;
        int read = 0;
        while (read < ids.size() && weight <= Weight.OF_A_PAGE) {
            List<Long> some = ids.subList(read, Math.min(read + part, ids.size()));
            Map<Long, JobInfo> found = new HashMap<>();
            for (JobInfos.Read each : snapshots.read(statements, some)) {
                found.put(each.job().id(), each.job());
                weight += Weight.of(each.job());
            }
            some.stream().filter(found::containsKey).map(found::get).forEach(jobs::add);
            read += some.size();
        }
        return read;
    }

    /**
     * Returns the texts of the next jobs that match, at most this many.
     *
     * @param read the statement that reads them: payloads or metadata
     */
    public static PayloadPage texts(Statements statements, PageRequest query, int max, Statement read)
            throws SQLException {
        Walk walk = new Walk(statements, query, true);
        int limit = Math.min(max, PAYLOADS);
        List<Long> ids = walk.some(limit);
        List<PayloadPage.Payload> payloads = new ArrayList<>();
        int characters = 0;
        try (ResultSet rows = statements.get(read).ids(1, ids).rows()) {
            while (characters < OpenStore.MAX_CHARACTERS && rows.next()) {
                Json payload = Rows.jsonOrNull(rows, 1);
                payloads.add(new PayloadPage.Payload(ids.get(payloads.size()), payload));
                characters += payload == null ? 0 : payload.text().length();
            }
        }
        boolean full = payloads.size() < ids.size() || ids.size() == limit;
        return new PayloadPage(payloads, walk.behind(ids, payloads.size()), full);
    }

    /** Finds jobs that match, beyond this id, among about this many rows. */
    public static ChangeByFilter.Page ids(
            Statements statements, JobFilter filter, boolean ascending, @Nullable Long beyond, int look)
            throws SQLException {
        PageRequest query = PageRequest.of(filter).after(beyond);
        Walk walk = new Walk(statements, ascending ? query.oldestFirst() : query, false);
        List<Long> ids = new ArrayList<>();
        while (walk.looked < look && !walk.ended && ids.size() < LARGEST_CHUNK) {
            int left = look - walk.looked;
            ids.addAll(walk.next(Math.min(left, LARGEST_CHUNK), left));
        }
        return new ChangeByFilter.Page(ids, walk.ended ? null : Long.valueOf(walk.at), walk.looked);
    }

    /** Returns the smallest id of all jobs; 1 without jobs. */
    private static long oldest(Statements statements) throws SQLException {
        Long oldest = statements.get(Statement.LIST_ALL_UP).set(1, 0L).set(2, 1).oneOrNull();
        return oldest == null ? 1 : oldest;
    }

    /** Returns the greatest id of all jobs; 0 without jobs. */
    public static long newest(Statements statements) throws SQLException {
        Long newest = statements
                .get(Statement.LIST_ALL)
                .set(1, Long.MAX_VALUE)
                .set(2, 1)
                .oneOrNull();
        return newest == null ? 0 : newest;
    }

    /** Returns the jobs among these that match. */
    public static Set<Long> matching(Statements statements, Collection<Long> ids, JobFilter filter)
            throws SQLException {
        String code = filter.errorCode();
        String category = code == null ? null : ErrorCodes.category(code);
        return new HashSet<>(statements
                .get(Statement.MATCH)
                .ids(1, ids)
                .texts(2, filter.states().stream().map(JobState::name).toList())
                .set(3, filter.type())
                .set(4, filter.queue())
                .set(5, category == null ? code : null)
                .set(6, filter.name())
                .set(7, filter.worker())
                .set(8, filter.dedupeKey())
                .set(9, filter.concurrencyKey())
                .set(10, filter.workflow())
                .set(11, filter.chain())
                .set(12, filter.parent())
                .set(13, filter.priority() == null ? null : Long.valueOf(filter.priority()))
                .texts(14, filter.tags())
                .set(15, Bounds.millis(filter.created().from()))
                .set(16, Bounds.millis(filter.created().before()))
                .set(17, Bounds.millis(filter.finished().from()))
                .set(18, Bounds.millis(filter.finished().before()))
                .set(19, Bounds.millis(filter.scheduled().from()))
                .set(20, Bounds.millis(filter.scheduled().before()))
                .set(21, category)
                .longs());
    }

    /** A read of the jobs that match, in one direction. */
    private static final class Walk {
        private final Statements statements;
        private final PageWalk page;
        private final boolean ascending;
        private final AccessPath path;
        /** The lanes of the filter, if they are its access path. */
        private final List<Long> lanes;
        /** The jobs of the codes of the filter's category, if they are its access path. */
        private final @Nullable FailedCodes codes;
        /**
         * The number of ids among which the next jobs of the lanes are searched. With 0 it is the number that is likely to contain the wanted jobs.
         */
        private long range;
        /** The id up to which the walk has come. */
        private long at;
        /** The id from which on no job matches. */
        private final long end;

        private int chunk = FIRST_CHUNK;
        /** The number of rows that were read to find candidates. */
        private int looked;
        /** True at the end of the walk. */
        private boolean ended;

        /** Begins and ends by the times of the filter, if {@code byTime}. Then a clock that was wrong by more than a day hides jobs. */
        Walk(Statements statements, PageRequest query, boolean byTime) throws SQLException {
            this.statements = statements;
            this.page = new PageWalk(query);
            this.ascending = page.ascending();
            AccessPath first = AccessPath.of(query.filter());
            List<String> found = first.index() == AccessPath.Index.FAILED_CATEGORY ? codes(first) : List.of();
            if (found.size() > MAX_CODES) {
                first = AccessPath.pastCodes(query.filter());
            }
            if (first.isSorted() && statements.get(Statement.COUNT_SORTED).one() > MAX_SORTED) {
                first = AccessPath.pastStates(query.filter());
            }
            List<Long> some = first.index() == AccessPath.Index.LANES ? lanes(first) : List.of();
            boolean tooMany = some.size() > MAX_LANES;
            this.lanes = tooMany ? List.of() : some;
            this.path = tooMany ? AccessPath.pastLanes(query.filter()) : first;
            this.codes = path.index() == AccessPath.Index.FAILED_CATEGORY
                    ? new FailedCodes(statements, ascending, found)
                    : null;
            long low = byTime ? Math.max(0, firstAt(page.earliest(), 0) - 1) : 0;
            long high = byTime ? firstAt(page.latest(), Long.MAX_VALUE) : Long.MAX_VALUE;
            if (path.index() == AccessPath.Index.LANES) {
                low = Math.max(low, oldest(statements) - 1);
                high = Math.min(high, newest(statements) + 1);
            }
            this.at = Math.max(0, ascending ? Math.max(page.start(), low) : Math.min(page.start(), high));
            this.end = ascending ? high : low;
            if (byTime && (path.index() == AccessPath.Index.ALL || path.index() == AccessPath.Index.LANES)) {
                skip();
            }
        }

        private List<String> codes(AccessPath of) throws SQLException {
            return statements
                    .get(Statement.FAILED_CODES)
                    .set(1, of.key())
                    .set(2, MAX_CODES + 1)
                    .list(row -> row.getString(1));
        }

        private List<Long> lanes(AccessPath of) throws SQLException {
            return statements
                    .get(Statement.LANES)
                    .set(1, of.queue())
                    .set(2, of.type())
                    .set(3, MAX_LANES + 1)
                    .longs();
        }

        /** Returns the smallest id from which on jobs were enqueued at this instant or later, as far as ids grow with time. */
        private long firstAt(@Nullable Instant instant, long defaultPolicy) throws SQLException {
            return instant == null
                    ? defaultPolicy
                    : statements
                            .get(Statement.FIRST_AT)
                            .set(1, Bounds.millis(instant))
                            .one();
        }

        /**
         * Moves to the first job that was enqueued within the times of the filter. Jobs before it cannot match, so that the rest of the filter is not
         * checked for them.
         */
        private void skip() throws SQLException {
            Long from = Bounds.millis(page.query().filter().created().from());
            Long before = Bounds.millis(page.query().filter().created().before());
            if (from == null && before == null) {
                return;
            }
            Long first = statements
                    .get(ascending ? Statement.SKIP_UP : Statement.SKIP)
                    .set(1, at)
                    .set(2, ahead(WIDEST_RANGE))
                    .set(3, from)
                    .set(4, before)
                    .oneOrNull();
            if (first == null || isBeyondEnd(first)) {
                ended = true;
            } else {
                at = ascending ? first - 1 : first + 1;
            }
        }

        /** Returns the id that is this far ahead, or the last one that may match. */
        private long ahead(long distance) {
            if (ascending) {
                return distance < end - 1 - at ? at + distance : end - 1;
            }
            return distance < at - 1 - end ? at - distance : end + 1;
        }

        private boolean isBeyondEnd(long id) {
            return ascending ? id >= end : id <= end;
        }

        /** Returns the ids of the next jobs, at most {@code max}, among as many candidates as a page has the time for. */
        List<Long> some(int max) throws SQLException {
            List<Long> ids = new ArrayList<>();
            while (ids.size() <= max && !ended && looked < A_PAGE) {
                ids.addAll(next(max - ids.size() + 1, A_PAGE - looked));
            }
            if (ids.size() <= max) {
                return ids;
            }
            at = ids.get(max - 1);
            ended = false;
            return ids.subList(0, max);
        }

        /** Returns the position after the first ones of these ids; null at the end. */
        @Nullable Long behind(List<Long> ids, int first) {
            return first < ids.size() ? ids.get(first - 1) : ended ? null : Long.valueOf(at);
        }

        /** Returns the next jobs, as many as a chunk contains: possibly none, or more than {@code wanted}. */
        List<Long> next(int wanted, int max) throws SQLException {
            boolean whole = path.rest().equals(JobFilter.ALL);
            int limit = Math.min(Math.min(max, LARGEST_CHUNK), whole ? wanted : Math.max(wanted, chunk));
            List<Long> candidates = candidates(limit, max);
            // Few candidates in a range of ids say nothing about the share that matches.
            if (candidates.size() == limit) {
                chunk = Math.min(LARGEST_CHUNK, 4 * chunk);
            }
            if (whole || candidates.isEmpty()) {
                return candidates;
            }
            Set<Long> matching = matching(statements, candidates, path.rest());
            return candidates.stream().filter(matching::contains).toList();
        }

        /** Returns the next ids, at most {@code limit}. They contain all jobs that match. The search reads hardly more than {@code max} rows. */
        private List<Long> candidates(int limit, int max) throws SQLException {
            String key = path.key();
            return switch (path.index()) {
                case PARENT -> all(ascending ? Statement.LIST_PARENT_UP : Statement.LIST_PARENT, limit, number(key));
                case CHAIN -> all(ascending ? Statement.LIST_CHAIN_UP : Statement.LIST_CHAIN, limit, number(key));
                case DEDUPE_KEY ->
                    all(ascending ? Statement.LIST_DEDUPE_KEY_UP : Statement.LIST_DEDUPE_KEY, limit, key);
                case WORKFLOW ->
                    all(ascending ? Statement.LIST_WORKFLOW_UP : Statement.LIST_WORKFLOW, limit, number(key));
                case TAG -> all(ascending ? Statement.LIST_TAG_UP : Statement.LIST_TAG, limit, key);
                case FAILED_CODE ->
                    all(ascending ? Statement.LIST_FAILED_CODE_UP : Statement.LIST_FAILED_CODE, limit, key);
                case FAILED_CATEGORY -> merged(limit);
                case STATES ->
                    inStates(Math.min(limit, Math.max(1, max / path.states().size())));
                case LANES -> inLanes(limit);
                case ALL -> all(ascending ? Statement.LIST_ALL_UP : Statement.LIST_ALL, limit, null);
                case NOTHING -> {
                    ended = true;
                    yield List.of();
                }
            };
        }

        private List<Long> all(Statement listing, int limit, @Nullable Object key) throws SQLException {
            return upTo(limit, read(listing, limit, key));
        }

        private List<Long> merged(int limit) throws SQLException {
            FailedCodes merge = Objects.requireNonNull(codes);
            int before = merge.looked();
            List<Long> ids = merge.next(at, limit);
            looked += merge.looked() - before - ids.size();
            return upTo(limit, ids);
        }

        private List<Long> inStates(int limit) throws SQLException {
            List<Long> ids = new ArrayList<>();
            for (JobState state : path.states()) {
                ids.addAll(read(inState(state), limit, null));
            }
            ids.sort(ascending ? Comparator.naturalOrder() : Comparator.reverseOrder());
            return upTo(limit, ids);
        }

        /** Returns the first ones of the ids that were read, up to the end of the walk. */
        private List<Long> upTo(int limit, List<Long> read) {
            looked += read.size();
            ended = read.size() < limit;
            List<Long> ids = read.subList(0, Math.min(limit, read.size()));
            if (ids.isEmpty()) {
                return ids;
            }
            at = ids.get(ids.size() - 1);
            if (isBeyondEnd(at)) {
                ended = true;
                return ids.stream().filter(id -> !isBeyondEnd(id)).toList();
            }
            return ids;
        }

        /** Searches each lane within a range of ids. The range becomes wider if there are few jobs. */
        private List<Long> inLanes(int limit) throws SQLException {
            long to = ahead(range == 0 ? 4L * limit : range);
            if (lanes.isEmpty() || (ascending ? to <= at : to >= at)) {
                ended = true;
                return List.of();
            }
            List<Long> ids = statements
                    .get(ascending ? Statement.LIST_LANES_UP : Statement.LIST_LANES)
                    .set(1, at)
                    .set(2, limit)
                    .set(3, to)
                    .ids(4, lanes)
                    .longs();
            // A lane without jobs in the range costs a read as well.
            looked += ids.size() + Math.max(A_LOOK, lanes.size() / 2);
            boolean full = ids.size() == limit;
            long reached = full ? ids.get(limit - 1) : to;
            range = Math.min(WIDEST_RANGE, Math.abs(reached - at) * (full ? 4 : 10));
            at = reached;
            ended = !full && to == ahead(Long.MAX_VALUE);
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

        private List<Long> read(Statement listing, int limit, @Nullable Object key) throws SQLException {
            Query query = statements.get(listing).set(1, at).set(2, limit);
            if (key != null) {
                query.value(3, key);
            }
            return query.longs();
        }
    }
}
