package dev.windrow.store.sql;

import dev.windrow.Durations;
import dev.windrow.JobState;
import dev.windrow.Retention;
import dev.windrow.store.Duty;
import dev.windrow.store.Expiry;
import dev.windrow.store.ExpiryBatch;
import dev.windrow.store.ExpirySearch;
import dev.windrow.store.RetentionChange;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** Retention: the rules of how long jobs are kept, the search for those that may go, and their deletion. */
public final class Retentions {
    private Retentions() {}

    // ---- rules -------------------------------------------------------------------------------------------------

    /** All rules. */
    public static Retention read(Statements statements) throws SQLException {
        return read(statements.get(Statement.READ_RETENTION));
    }

    private static Retention read(Query query) throws SQLException {
        return new Retention(query.list(Retentions::rule));
    }

    private static Retention.Rule rule(ResultSet row) throws SQLException {
        String type = row.getString(2);
        Long keep = Rows.longOrNull(row, 3);
        return new Retention.Rule(
                JobState.valueOf(row.getString(1)),
                type.isEmpty() ? null : type,
                keep == null ? null : Duration.ofMillis(keep));
    }

    /** Makes or forgets a rule; returns all of them. */
    public static Retention change(WriteTransaction tx, RetentionChange change) throws SQLException {
        Retention before = read(tx.statements().get(Statement.LOCK_RETENTION));
        Retention after = change.apply(before);
        if (after.equals(before)) {
            return before;
        }
        tx.wrote();
        Retention.Rule rule = after.rule(change.state(), change.type());
        String type = change.type() == null ? "" : change.type();
        Query write = tx.statements()
                .get(rule == null ? Statement.FORGET_RETENTION : Statement.RETAIN)
                .set(1, change.state().name())
                .set(2, type);
        if (rule != null) {
            Duration keep = rule.keep();
            write.set(3, keep == null ? null : Long.valueOf(keep.toMillis()));
        }
        write.update();
        Duration keep = after.keep(change.state(), type);
        tx.statements()
                .get(Statement.INSERT_AUDIT)
                .set(1, tx.now())
                .set(2, tx.actor(change.actor()))
                .set(3, "RETAIN")
                .set(4, 0)
                .set(
                        5,
                        JsonText.object(
                                "state",
                                change.state(),
                                "type",
                                change.type(),
                                "keep",
                                keep == null ? "forever" : Durations.text(keep),
                                "reset",
                                change.reset() ? true : null))
                .update();
        return after;
    }

    // ---- candidates --------------------------------------------------------------------------------------------

    /** The next jobs that may go. */
    public static Expiry.Found find(
            Statements statements, SortedMap<Long, String> lanes, Expiry.Search search, long now) throws SQLException {
        return ExpirySearch.find(new Source(statements, lanes), search, now);
    }

    private record Source(Statements statements, SortedMap<Long, String> lanes)
            implements ExpirySearch.Source<SQLException> {
        @Override
        public List<ExpirySearch.Row> next(JobState state, long lane, long after, int limit) throws SQLException {
            Query query = statements
                    .get(
                            switch (state) {
                                case FAILED -> Statement.NEXT_FAILED;
                                case CANCELLED -> Statement.NEXT_CANCELLED;
                                default -> Statement.NEXT_OF_LANE;
                            })
                    .set(1, after)
                    .set(2, limit);
            if (state == JobState.COMPLETED) {
                query.set(3, lane);
            }
            return query.list(row -> {
                long id = row.getLong(1);
                Long chain = Rows.longOrNull(row, 6);
                return new ExpirySearch.Row(
                        id,
                        row.getLong(2),
                        JobState.valueOf(row.getString(3)),
                        Rows.longOrNull(row, 4),
                        row.getLong(5),
                        chain == null ? id : chain,
                        0);
            });
        }

        @Override
        public List<ExpirySearch.Row> chains(Collection<Long> roots) throws SQLException {
            return statements
                    .get(Statement.CHAINS)
                    .ids(1, roots)
                    .list(rows -> new ExpirySearch.Row(
                            rows.getLong(2),
                            rows.getLong(3),
                            JobState.valueOf(rows.getString(4)),
                            Rows.longOrNull(rows, 5),
                            0,
                            rows.getLong(1),
                            rows.getLong(6)));
        }

        @Override
        public Set<Long> needed(Collection<Long> jobs) throws SQLException {
            return Retentions.needed(statements, jobs);
        }
    }

    private static Set<Long> needed(Statements statements, Collection<Long> jobs) throws SQLException {
        return new HashSet<>(statements.get(Statement.NEEDED).ids(1, jobs).longs());
    }

    // ---- deletion ----------------------------------------------------------------------------------------------

    /**
     * A job that goes.
     *
     * @param id the job
     * @param lane its lane
     * @param state its state
     * @param finishedAt when it ended; null if it has not
     * @param key the key with which it was enqueued; null if there is none
     * @param errorCode the code of its failure; null if there is none
     */
    public record Going(
            long id,
            long lane,
            JobState state,
            @Nullable Long finishedAt,
            @Nullable DedupeKey key,
            @Nullable String errorCode) {}

    /**
     * The remains of jobs that are gone.
     *
     * @param files the files of their blobs
     * @param parts true if blobs in parts are left, which are to be swept
     */
    public record Gone(List<String> files, boolean parts) {}

    /** Deletes jobs by statements that each database has of its own. */
    public interface Removal {
        /** Deletes jobs that are as they were found, with all that belongs to them but their keys. Long blobs are taken from them before. */
        Gone delete(List<Going> jobs) throws SQLException;
    }

    /** Deletes what is still as it was found and no job needs, until the time is over; nothing by rules that stand no longer. */
    public static Expiry.Done expire(WriteTransaction tx, Removal removal, Expiry.Batch batch) throws SQLException {
        if (batch.standing() != null && !batch.standing().equals(read(tx.statements()))) {
            return Expiry.Done.later(batch, 0);
        }
        Deletion deletion = new Deletion(tx, removal, batch.asOfMillis());
        ExpiryBatch<SQLException> run = new ExpiryBatch<>(deletion, batch);
        run.run();
        return run.done(deletion.files, deletion.parts, audit(tx, batch, run.deleted()));
    }

    private static final class Deletion implements ExpiryBatch.Source<SQLException> {
        private record Edge(long child, int position, boolean satisfied) {}

        private static final Columns<Edge> EDGES =
                new Columns<Edge>().longs(Edge::child).ints(Edge::position);
        private static final Columns<Edge> CHILDREN = new Columns<Edge>().longs(Edge::child);
        private static final Columns<DedupeKey> KEYS = new Columns<DedupeKey>()
                .texts(DedupeKey::type)
                .texts(DedupeKey::key)
                .longs(DedupeKey::job);

        private final WriteTransaction tx;
        private final Removal removal;
        private final long asOfMillis;
        private final Map<Long, Going> rows = new HashMap<>();
        private final List<String> files = new ArrayList<>();
        private boolean parts;

        Deletion(WriteTransaction tx, Removal removal, long asOfMillis) {
            this.tx = tx;
            this.removal = removal;
            this.asOfMillis = asOfMillis;
        }

        @Override
        public Map<Long, Boolean> present(List<Expiry.Job> jobs) throws SQLException {
            List<Going> found = tx.statements()
                    .get(Statement.LOCK_EXPIRING)
                    .ids(1, jobs.stream().map(Expiry.Job::id).toList())
                    .list(row -> new Going(
                            row.getLong(1),
                            row.getLong(2),
                            JobState.valueOf(row.getString(3)),
                            Rows.longOrNull(row, 4),
                            DedupeKey.of(tx, row.getLong(2), row.getString(6), row.getString(5), row.getLong(1)),
                            row.getString(7)));
            found.forEach(row -> rows.put(row.id, row));
            Map<Long, Boolean> present = new HashMap<>();
            for (Expiry.Job job : jobs) {
                Going row = rows.get(job.id());
                if (row != null) {
                    present.put(
                            job.id(),
                            row.state == job.state()
                                    && row.finishedAt != null
                                    && row.finishedAt == job.finishedAtMillis());
                }
            }
            return present;
        }

        @Override
        public Map<Long, ExpiryBatch.Edges> edges(Collection<Long> jobs, int most) throws SQLException {
            Map<Long, ExpiryBatch.Edges> edges = new HashMap<>();
            try (ResultSet found = tx.statements()
                    .get(Statement.COUNT_EDGES)
                    .ids(1, jobs)
                    .set(2, most + 1)
                    .rows()) {
                while (found.next()) {
                    if (found.getInt(2) > 0 || found.getInt(3) > 0) {
                        edges.put(found.getLong(1), new ExpiryBatch.Edges(found.getInt(2), found.getInt(3)));
                    }
                }
            }
            return edges;
        }

        @Override
        public Set<Long> needed(Collection<Long> jobs) throws SQLException {
            return Retentions.needed(tx.statements(), jobs);
        }

        @Override
        public int forgetChildren(long job, Collection<Long> besides, int most) throws SQLException {
            return forget(tx.statements()
                    .get(Statement.EDGES_TO_CHILDREN)
                    .set(1, job)
                    .set(2, most)
                    .ids(3, besides));
        }

        @Override
        public int forgetParents(long job, int most) throws SQLException {
            return forget(
                    tx.statements().get(Statement.EDGES_TO_PARENTS).set(1, job).set(2, most));
        }

        private int forget(Query query) throws SQLException {
            List<Edge> edges = new ArrayList<>();
            try (ResultSet found = query.rows()) {
                while (found.next()) {
                    if (!JobState.COMPLETED.name().equals(found.getString(4))) {
                        return ExpiryBatch.NEEDED;
                    }
                    edges.add(new Edge(found.getLong(1), found.getInt(2), found.getBoolean(3)));
                }
            }
            List<Edge> open = edges.stream().filter(edge -> !edge.satisfied).toList();
            if (!edges.isEmpty()) {
                tx.wrote();
            }
            // Before their edges, as by every change of them.
            tx.statements().get(Statement.FORGET_OPEN_EDGES).all(1, CHILDREN, open);
            tx.statements().get(Statement.FORGET_EDGES).all(1, EDGES, edges);
            return edges.size();
        }

        @Override
        public void delete(List<Expiry.Job> jobs) throws SQLException {
            List<Going> going = jobs.stream()
                    .map(job -> Objects.requireNonNull(rows.get(job.id())))
                    .toList();
            tx.wrote();
            tx.statements()
                    .get(Statement.FORGET_PARENTS)
                    .ids(1, going.stream().map(Going::id).toList())
                    .update();
            Gone gone = removal.delete(going);
            files.addAll(gone.files);
            parts |= gone.parts;
            List<DedupeKey> keys = new ArrayList<>();
            for (Going job : going) {
                tx.left(job.lane, job.state);
                if (job.state == JobState.FAILED) {
                    tx.noLongerFailed(job.errorCode);
                }
                if (job.key != null) {
                    keys.add(job.key);
                }
            }
            tx.statements().get(Statement.EXPIRE_KEYS).set(1, asOfMillis).all(2, KEYS, keys);
        }
    }

    private static @Nullable Long audit(WriteTransaction tx, Expiry.Batch batch, Map<JobState, Long> deleted)
            throws SQLException {
        long jobs = deleted.values().stream().mapToLong(Long::longValue).sum();
        Long entry = batch.audit();
        if (jobs == 0) {
            return entry;
        }
        Map<JobState, Long> all = new EnumMap<>(JobState.class);
        all.putAll(batch.before());
        deleted.forEach((state, count) -> all.merge(state, count, Long::sum));
        String detail = JsonText.object(
                "rules",
                batch.rules(),
                JobState.COMPLETED.name(),
                all.get(JobState.COMPLETED),
                JobState.FAILED.name(),
                all.get(JobState.FAILED),
                JobState.CANCELLED.name(),
                all.get(JobState.CANCELLED));
        if (entry != null
                && tx.statements()
                                .get(Statement.GROW_PASS)
                                .set(1, entry)
                                .set(2, jobs)
                                .set(3, detail)
                                .update()
                        == 1) {
            return entry;
        }
        return tx.statements()
                .get(Statement.INSERT_PASS)
                .set(1, tx.now())
                .set(2, tx.actor(batch.actor()))
                .set(3, jobs)
                .set(4, detail)
                .one();
    }

    /** Deletes old rows that belong to no job, some of each kind; returns how many. */
    public static long prune(WriteTransaction tx, int limit, long asOfMillis) throws SQLException {
        tx.wrote();
        long minute = (asOfMillis - Duty.KEEP_MINUTES.toMillis())
                / Duration.ofMinutes(1).toMillis();
        long audit = asOfMillis - Duty.KEEP_AUDIT.toMillis();
        long workers = asOfMillis - Duty.KEEP_WORKERS.toMillis();
        Statements all = tx.statements();
        return (long) all.get(Statement.EXPIRE_MINUTES)
                        .set(1, minute)
                        .set(2, limit)
                        .update()
                + all.get(Statement.EXPIRE_AUDIT).set(1, audit).set(2, limit).update()
                + all.get(Statement.EXPIRE_WORKERS).set(1, workers).update()
                + all.get(Statement.FORGET_FAILURES).set(1, audit).update();
    }
}
