package dev.windrow.postgres;

import dev.windrow.JobFilter;
import dev.windrow.JobPage;
import dev.windrow.JobState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Jobs by filter, newest first. A filter goes in by its most selective part, which has an index; what that leaves to be
 * checked is checked for many candidates at once. A transaction that sees one snapshot gets whole pages.
 */
final class Listings {
    /** Candidates that are read at once, at first and at most: they become more where few of them match. */
    private static final int FIRST_CHUNK = 500;

    private static final int LARGEST_CHUNK = 50_000;
    /** How many times the largest chunk one read has the time for: it has 5 s, and takes less than one. */
    private static final int CHUNKS = 5;
    /** Ids grow with time but for the clock's steps: a day of slack ends a walk that went past the wanted time. */
    private static final long SLACK_SECONDS = 86_400;

    private Listings() {}

    static JobPage list(Statements statements, JobFilter filter, long before, int limit) throws SQLException {
        Walk walk = new Walk(statements, filter, before);
        List<Long> ids = new ArrayList<>();
        while (ids.size() <= limit && !walk.ended) {
            ids.addAll(walk.next(limit - ids.size() + 1));
        }
        return ids.size() > limit
                ? new JobPage(Queries.snapshots(statements, ids.subList(0, limit)), ids.get(limit - 1))
                : new JobPage(Queries.snapshots(statements, ids), null);
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
    static Found ids(Statements statements, List<JobFilter> filters, Place from) throws SQLException {
        List<Long> ids = new ArrayList<>();
        Place place = from;
        for (int chunks = 0; chunks < CHUNKS && place.filter < filters.size(); chunks++) {
            Walk walk = new Walk(statements, filters.get(place.filter), place.below);
            ids.addAll(walk.next(LARGEST_CHUNK));
            place = walk.ended ? new Place(place.filter + 1, Long.MAX_VALUE) : new Place(place.filter, walk.below);
        }
        return new Found(ids, place.filter < filters.size() ? place : null);
    }

    /**
     * How a filter goes in.
     *
     * @param sql the listing
     * @param keys its parameters from the third on
     * @param rest what it leaves to be checked
     */
    private record Way(String sql, List<@Nullable String> keys, JobFilter rest) {
        static Way of(JobFilter filter) {
            JobState state = filter.state();
            String tag = filter.tag();
            String code = filter.errorCode();
            Instant after = filter.createdAfter();
            Instant before = filter.finishedBefore();
            Long workflow = filter.workflow();
            if (tag != null) {
                return new Way(
                        ReadSql.LIST_TAG,
                        List.of(tag),
                        new JobFilter(state, filter.type(), filter.queue(), null, code, after, before, workflow));
            }
            if (workflow != null) {
                return new Way(ReadSql.LIST_WORKFLOW, List.of(workflow.toString()), filter.withWorkflow(null));
            }
            if (code != null && state == JobState.FAILED) {
                return new Way(
                        ReadSql.LIST_FAILED_CODE,
                        List.of(code),
                        new JobFilter(null, filter.type(), filter.queue(), null, null, after, before));
            }
            if (state != null && state != JobState.COMPLETED) {
                String sql = switch (state) {
                    case BLOCKED -> ReadSql.LIST_BLOCKED;
                    case SCHEDULED -> ReadSql.LIST_SCHEDULED;
                    case PENDING -> ReadSql.LIST_PENDING;
                    case RUNNING -> ReadSql.LIST_RUNNING;
                    case FAILED -> ReadSql.LIST_FAILED;
                    case CANCELLED -> ReadSql.LIST_CANCELLED;
                    case COMPLETED -> throw new IllegalStateException("COMPLETED has no listing of its own");
                };
                return new Way(sql, List.of(), filter.withState(null));
            }
            if (filter.type() != null || filter.queue() != null) {
                return new Way(
                        ReadSql.LIST_LANES,
                        Arrays.asList(filter.queue(), filter.type()),
                        new JobFilter(state, null, null, null, code, after, before));
            }
            return new Way(ReadSql.LIST_ALL, List.of(), filter);
        }
    }

    /** Goes through the jobs that match, newest first. */
    private static final class Walk {
        private final Statements statements;
        private final Way way;
        private long below;
        private int chunk = FIRST_CHUNK;
        /** Whether there are no more. */
        private boolean ended;

        Walk(Statements statements, JobFilter filter, long before) {
            this.statements = statements;
            this.way = Way.of(filter);
            this.below = before;
        }

        /** The next ones, as many as a chunk happens to hold: none, or more than are wanted. */
        List<Long> next(int wanted) throws SQLException {
            boolean whole = way.rest.equals(JobFilter.ALL);
            int limit = Math.min(LARGEST_CHUNK, whole ? wanted : Math.max(wanted, chunk));
            chunk = Math.min(LARGEST_CHUNK, 4 * chunk);
            List<Long> candidates = candidates(limit);
            if (candidates.size() < limit) {
                ended = true;
            } else {
                below = candidates.get(limit - 1);
            }
            return whole || candidates.isEmpty() ? candidates : matching(candidates);
        }

        private List<Long> candidates(int limit) throws SQLException {
            Query query = statements.get(way.sql).set(1, below).set(2, limit);
            for (int i = 0; i < way.keys.size(); i++) {
                query.set(3 + i, way.keys.get(i));
            }
            List<Long> ids = new ArrayList<>();
            try (ResultSet rows = query.rows()) {
                while (rows.next()) {
                    ids.add(rows.getLong(1));
                }
            }
            return ids;
        }

        private List<Long> matching(List<Long> candidates) throws SQLException {
            Instant after = way.rest.createdAfter();
            Instant before = way.rest.finishedBefore();
            Query query = statements
                    .get(ReadSql.MATCH)
                    .ids(1, candidates)
                    .set(2, way.rest.state() == null ? null : way.rest.state().name())
                    .set(3, way.rest.type())
                    .set(4, way.rest.queue())
                    .set(5, way.rest.errorCode())
                    .set(6, way.rest.workflow());
            List<Long> ids = new ArrayList<>();
            try (ResultSet rows = query.rows()) {
                while (rows.next()) {
                    Instant created = Instant.ofEpochMilli(rows.getLong(2));
                    Long finished = Rows.longOrNull(rows, 4);
                    if (rows.getBoolean(3)
                            && (after == null || !created.isBefore(after))
                            && (before == null
                                    || (finished != null
                                            && Instant.ofEpochMilli(finished).isBefore(before)))) {
                        ids.add(rows.getLong(1));
                    }
                    if (after != null && created.isBefore(after.minusSeconds(SLACK_SECONDS))) {
                        ended = true;
                        break;
                    }
                }
            }
            return ids;
        }
    }
}
