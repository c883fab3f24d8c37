package dev.windrow.sqlite;

import dev.windrow.Durations;
import dev.windrow.JobState;
import dev.windrow.Retention;
import dev.windrow.store.Duty;
import dev.windrow.store.Expiry;
import dev.windrow.store.ExpiryBatch;
import dev.windrow.store.ExpirySearch;
import dev.windrow.store.RetentionChange;
import dev.windrow.store.sql.JsonText;
import dev.windrow.store.sql.Query;
import dev.windrow.store.sql.Rows;
import dev.windrow.store.sql.Statements;
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
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** How long jobs are kept, which of them may go, and how they go. */
final class Retentions {
    private Retentions() {}

    // ---- rules -------------------------------------------------------------------------------------------------

    static Retention read(Statements statements) throws SQLException {
        List<Retention.Rule> rules = new ArrayList<>();
        try (ResultSet rows = statements.get(RetentionSql.READ_RETENTION).rows()) {
            while (rows.next()) {
                String type = rows.getString(2);
                Long keep = Rows.longOrNull(rows, 3);
                rules.add(new Retention.Rule(
                        JobState.valueOf(rows.getString(1)),
                        type.isEmpty() ? null : type,
                        keep == null ? null : Duration.ofMillis(keep)));
            }
        }
        return new Retention(rules);
    }

    /** Makes or forgets a rule; answers all of them. */
    static Retention change(SqliteTransaction tx, RetentionChange change) throws SQLException {
        Retention before = read(tx.statements());
        Retention after = change.apply(before);
        if (after.equals(before)) {
            return before;
        }
        Retention.Rule rule = after.rule(change.state(), change.type());
        String type = change.type() == null ? "" : change.type();
        Query write = tx.statements().get(rule == null ? RetentionSql.FORGET_RETENTION : RetentionSql.RETAIN);
        write.set(1, change.state().name()).set(2, type);
        if (rule != null) {
            Duration keep = rule.keep();
            write.set(3, keep == null ? null : Long.valueOf(keep.toMillis()));
        }
        write.update();
        Duration keep = after.keep(change.state(), type);
        tx.statements()
                .get(Sql.INSERT_AUDIT)
                .set(1, tx.now())
                .set(2, tx.names.actor(change.actor()))
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

    static Expiry.Found find(Statements statements, Names names, Expiry.Search search, long now) throws SQLException {
        names.refresh(statements);
        SortedMap<Long, String> lanes = new TreeMap<>();
        for (long id : names.lanes(null, null)) {
            Names.Lane lane = names.lane(id);
            if (lane != null) {
                lanes.put(id, lane.type());
            }
        }
        return ExpirySearch.find(new Source(statements, lanes), search, now);
    }

    private record Source(Statements statements, SortedMap<Long, String> lanes)
            implements ExpirySearch.Source<SQLException> {
        @Override
        public List<ExpirySearch.Row> next(JobState state, long lane, long after, int limit) throws SQLException {
            Query query = statements.get(
                    switch (state) {
                        case FAILED -> RetentionSql.NEXT_FAILED;
                        case CANCELLED -> RetentionSql.NEXT_CANCELLED;
                        default -> RetentionSql.NEXT_OF_LANE;
                    });
            query.set(1, after).set(2, limit);
            if (state == JobState.COMPLETED) {
                query.set(3, lane);
            }
            List<ExpirySearch.Row> found = new ArrayList<>();
            try (ResultSet rows = query.rows()) {
                while (rows.next()) {
                    long id = rows.getLong(1);
                    Long chain = Rows.longOrNull(rows, 6);
                    found.add(new ExpirySearch.Row(
                            id,
                            rows.getLong(2),
                            JobState.valueOf(rows.getString(3)),
                            Rows.longOrNull(rows, 4),
                            rows.getLong(5),
                            chain == null ? id : chain,
                            0));
                }
            }
            return found;
        }

        @Override
        public List<ExpirySearch.Row> chains(Collection<Long> roots) throws SQLException {
            return statements
                    .get(RetentionSql.CHAINS)
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
        Set<Long> needed = new HashSet<>();
        try (ResultSet rows = statements.get(RetentionSql.NEEDED).ids(1, jobs).rows()) {
            while (rows.next()) {
                needed.add(rows.getLong(1));
            }
        }
        return needed;
    }

    // ---- deletion ----------------------------------------------------------------------------------------------

    private record Row(
            long lane,
            JobState state,
            @Nullable Long finishedAt,
            Keys.@Nullable Key key,
            @Nullable String errorCode) {}

    /**
     * Deletes what is still as it was found and nobody needs, until the time is over; nothing by rules that stand no longer.
     *
     * @param durable whether the commit outlasts a power loss; else files are left to the sweep, which comes long after it
     */
    static Expiry.Done expire(SqliteTransaction tx, Expiry.Batch batch, boolean durable) throws SQLException {
        if (batch.standing() != null && !batch.standing().equals(read(tx.statements()))) {
            return Expiry.Done.later(batch, 0);
        }
        Deletion deletion = new Deletion(tx, batch.asOfMillis());
        ExpiryBatch<SQLException> run = new ExpiryBatch<>(deletion, batch);
        run.run();
        return run.done(durable ? deletion.files : List.of(), deletion.parts, audit(tx, batch, run.deleted()));
    }

    private static final class Deletion implements ExpiryBatch.Source<SQLException> {
        private final SqliteTransaction tx;
        private final long asOfMillis;
        private final Map<Long, Row> rows = new HashMap<>();
        private final List<String> files = new ArrayList<>();
        private boolean parts;

        Deletion(SqliteTransaction tx, long asOfMillis) {
            this.tx = tx;
            this.asOfMillis = asOfMillis;
        }

        @Override
        public Map<Long, Boolean> present(List<Expiry.Job> jobs) throws SQLException {
            try (ResultSet found = tx.statements()
                    .get(RetentionSql.READ_EXPIRING)
                    .set(1, array(jobs))
                    .rows()) {
                while (found.next()) {
                    long id = found.getLong(1);
                    String key = found.getString(5);
                    rows.put(
                            id,
                            new Row(
                                    found.getLong(2),
                                    JobState.valueOf(found.getString(3)),
                                    Rows.longOrNull(found, 4),
                                    key == null ? null : new Keys.Key(found.getString(6), key, id),
                                    found.getString(7)));
                }
            }
            Map<Long, Boolean> present = new HashMap<>();
            for (Expiry.Job job : jobs) {
                Row row = rows.get(job.id());
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
                    .get(RetentionSql.COUNT_EDGES)
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
            Query query = tx.statements().get(RetentionSql.EDGES_TO_CHILDREN);
            query.set(1, job).set(2, most).ids(3, besides);
            return forget(query);
        }

        @Override
        public int forgetParents(long job, int most) throws SQLException {
            Query query = tx.statements().get(RetentionSql.EDGES_TO_PARENTS);
            query.set(1, job).set(2, most);
            return forget(query);
        }

        private record Edge(long child, int position, boolean satisfied) {}

        private int forget(Query query) throws SQLException {
            List<Edge> edges = new ArrayList<>();
            try (ResultSet found = query.rows()) {
                while (found.next()) {
                    if (!JobState.COMPLETED.name().equals(found.getString(4))) {
                        return ExpiryBatch.NEEDED;
                    }
                    edges.add(new Edge(found.getLong(1), found.getInt(2), found.getInt(3) != 0));
                }
            }
            Query delete = tx.statements().get(RetentionSql.FORGET_EDGE);
            Query subtract = tx.statements().get(RetentionSql.FORGET_OPEN_EDGE);
            for (Edge edge : edges) {
                delete.set(1, edge.child).set(2, edge.position).update();
                if (!edge.satisfied) {
                    subtract.set(1, edge.child).update();
                }
            }
            return edges.size();
        }

        @Override
        public void delete(List<Expiry.Job> jobs) throws SQLException {
            String ids = array(jobs);
            leaveBlobs(ids);
            tx.statements().get(RetentionSql.FORGET_PARENTS).set(1, ids).update();
            Query delete = tx.statements().get(RetentionSql.EXPIRE);
            Query forgetKey = tx.statements().get(RetentionSql.EXPIRE_KEY);
            for (Expiry.Job job : jobs) {
                delete.set(1, job.id()).set(2, job.state().name()).set(3, job.finishedAtMillis());
                if (delete.update() != 1) {
                    throw new SQLException("job " + job.id() + " changed while it was deleted");
                }
                Row row = rows.get(job.id());
                if (row != null) {
                    tx.left(row.lane, job.state());
                    if (job.state() == JobState.FAILED) {
                        tx.noLongerFailed(row.errorCode);
                    }
                    if (row.key != null) {
                        forgetKey
                                .set(1, row.key.type())
                                .set(2, row.key.key())
                                .set(3, job.id())
                                .set(4, asOfMillis)
                                .update();
                    }
                }
            }
        }

        /** Takes long blobs from their jobs, which go without them. */
        private void leaveBlobs(String ids) throws SQLException {
            Query query = tx.statements().get(RetentionSql.EXPIRING_BLOBS);
            query.set(1, ids);
            long inParts = 0;
            try (ResultSet found = query.rows()) {
                while (found.next()) {
                    String file = found.getString(1);
                    if (file == null) {
                        inParts += found.getLong(2);
                    } else {
                        files.add(file);
                    }
                }
            }
            if (inParts > Expiry.BLOB_PARTS) {
                tx.statements().get(RetentionSql.LEAVE_BLOBS).set(1, ids).update();
                parts = true;
            }
        }

        private static String array(List<Expiry.Job> jobs) {
            return JsonText.array(jobs.stream().map(Expiry.Job::id).toList());
        }
    }

    private static @Nullable Long audit(SqliteTransaction tx, Expiry.Batch batch, Map<JobState, Long> deleted)
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
        if (entry != null) {
            if (tx.statements()
                            .get(RetentionSql.GROW_PASS)
                            .set(1, entry)
                            .set(2, jobs)
                            .set(3, detail)
                            .update()
                    == 1) {
                return entry;
            }
        }
        return tx.statements()
                .get(RetentionSql.INSERT_PASS)
                .set(1, tx.now())
                .set(2, tx.names.actor(batch.actor()))
                .set(3, jobs)
                .set(4, detail)
                .one();
    }

    /** Deletes old rows that belong to no job, some of each kind; answers how many. */
    static long prune(SqliteTransaction tx, int limit, long asOfMillis) throws SQLException {
        Query minutes = tx.statements().get(RetentionSql.EXPIRE_MINUTES);
        minutes.set(
                        1,
                        (asOfMillis - Duty.KEEP_MINUTES.toMillis())
                                / Duration.ofMinutes(1).toMillis())
                .set(2, limit);
        Query audit = tx.statements().get(RetentionSql.EXPIRE_AUDIT);
        audit.set(1, asOfMillis - Duty.KEEP_AUDIT.toMillis()).set(2, limit);
        Query workers = tx.statements().get(RetentionSql.EXPIRE_WORKERS);
        workers.set(1, asOfMillis - Duty.KEEP_WORKERS.toMillis());
        return (long) minutes.update()
                + audit.update()
                + workers.update()
                + tx.statements()
                        .get(StatisticsSql.FORGET_FAILURES)
                        .set(1, asOfMillis - Duty.KEEP_AUDIT.toMillis())
                        .update();
    }

    /** The lanes behind this one that nothing uses, at most so many. */
    static List<Long> idleLanes(Statements statements, int limit, long after) throws SQLException {
        return statements
                .get(RetentionSql.IDLE_LANES)
                .set(1, limit)
                .set(2, after)
                .list(rows -> rows.getLong(1));
    }

    /** Deletes those of the lanes that nothing uses now; returns how many. */
    static long deleteLanes(SqliteTransaction tx, List<Long> lanes) throws SQLException {
        long deleted = 0;
        for (long lane : lanes) {
            if (tx.statements().get(RetentionSql.IS_IDLE).set(1, lane).oneOrNull() != null && !tx.hasCounted(lane)) {
                for (String sql : List.of(
                        RetentionSql.HAND_OVER_RETRIES,
                        RetentionSql.DELETE_RETRIES,
                        RetentionSql.DELETE_COUNTERS,
                        RetentionSql.DELETE_LANE)) {
                    tx.statements().get(sql).set(1, lane).update();
                }
                deleted++;
            }
        }
        if (deleted > 0) {
            tx.lanesDeleted(tx.statements()
                    .get(RetentionSql.COUNT_DELETED_LANES)
                    .set(1, deleted)
                    .one());
        }
        return deleted;
    }

    // ---- duties ------------------------------------------------------------------------------------------------

    static Duty.State duty(Statements statements, String name, long now) throws SQLException {
        try (ResultSet row = statements.get(RetentionSql.READ_DUTY).set(1, name).rows()) {
            return row.next()
                    ? new Duty.State(
                            now, row.getString(1), Rows.longOrNull(row, 2), Rows.longOrNull(row, 3), row.getString(4))
                    : new Duty.State(now, null, null, null, null);
        }
    }

    static boolean take(SqliteTransaction tx, Duty duty) throws SQLException {
        Query take = tx.statements().get(RetentionSql.TAKE_DUTY);
        take.set(1, duty.name()).set(2, duty.holder()).set(3, tx.now()).set(4, tx.now() + duty.leaseMillis());
        // By another clock it may end a little later than this lease.
        take.set(5, tx.now() + 2 * duty.leaseMillis()).set(6, tx.now() - duty.everyMillis());
        return take.update() == 1;
    }

    static boolean end(SqliteTransaction tx, Duty duty, @Nullable String detail) throws SQLException {
        return tx.statements()
                        .get(RetentionSql.END_DUTY)
                        .set(1, duty.name())
                        .set(2, duty.holder())
                        .set(3, tx.now())
                        .set(4, detail)
                        .update()
                == 1;
    }
}
