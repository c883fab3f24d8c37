package dev.windrow.sqlite;

import dev.windrow.Durations;
import dev.windrow.JobState;
import dev.windrow.Retention;
import dev.windrow.store.Duty;
import dev.windrow.store.Expiry;
import dev.windrow.store.ExpiryBatch;
import dev.windrow.store.ExpirySearch;
import dev.windrow.store.RetentionChange;
import java.sql.PreparedStatement;
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
        try (ResultSet rows = statements.get(RetentionSql.READ_RETENTION).executeQuery()) {
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
    static Retention change(WriteTransaction tx, RetentionChange change) throws SQLException {
        Retention before = read(tx.statements);
        Retention after = change.apply(before);
        if (after.equals(before)) {
            return before;
        }
        Retention.Rule rule = after.rule(change.state(), change.type());
        String type = change.type() == null ? "" : change.type();
        PreparedStatement write = tx.statements.get(rule == null ? RetentionSql.FORGET_RETENTION : RetentionSql.RETAIN);
        write.setString(1, change.state().name());
        write.setString(2, type);
        if (rule != null) {
            Duration keep = rule.keep();
            Statements.setLong(write, 3, keep == null ? null : Long.valueOf(keep.toMillis()));
        }
        write.executeUpdate();
        Duration keep = after.keep(change.state(), type);
        PreparedStatement audit = tx.statements.get(Sql.INSERT_AUDIT);
        audit.setLong(1, tx.now);
        audit.setLong(2, tx.names.actor(change.actor()));
        audit.setString(3, "RETAIN");
        audit.setLong(4, 0);
        audit.setString(
                5,
                JsonText.object(
                        "state",
                        change.state(),
                        "type",
                        change.type(),
                        "keep",
                        keep == null ? "forever" : Durations.text(keep),
                        "reset",
                        change.reset() ? true : null));
        audit.executeUpdate();
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
            PreparedStatement query = statements.get(
                    switch (state) {
                        case FAILED -> RetentionSql.NEXT_FAILED;
                        case CANCELLED -> RetentionSql.NEXT_CANCELLED;
                        default -> RetentionSql.NEXT_OF_LANE;
                    });
            query.setLong(1, after);
            query.setInt(2, limit);
            if (state == JobState.COMPLETED) {
                query.setLong(3, lane);
            }
            List<ExpirySearch.Row> found = new ArrayList<>();
            try (ResultSet rows = query.executeQuery()) {
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
            PreparedStatement query = statements.get(RetentionSql.CHAINS);
            query.setString(1, JsonText.array(roots));
            List<ExpirySearch.Row> found = new ArrayList<>();
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    found.add(new ExpirySearch.Row(
                            rows.getLong(2),
                            rows.getLong(3),
                            JobState.valueOf(rows.getString(4)),
                            Rows.longOrNull(rows, 5),
                            0,
                            rows.getLong(1),
                            rows.getLong(6)));
                }
            }
            return found;
        }

        @Override
        public Set<Long> needed(Collection<Long> jobs) throws SQLException {
            return Retentions.needed(statements, jobs);
        }
    }

    private static Set<Long> needed(Statements statements, Collection<Long> jobs) throws SQLException {
        PreparedStatement query = statements.get(RetentionSql.NEEDED);
        query.setString(1, JsonText.array(jobs));
        Set<Long> needed = new HashSet<>();
        try (ResultSet rows = query.executeQuery()) {
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
    static Expiry.Done expire(WriteTransaction tx, Expiry.Batch batch, boolean durable) throws SQLException {
        if (batch.standing() != null && !batch.standing().equals(read(tx.statements))) {
            return Expiry.Done.later(batch, 0);
        }
        Deletion deletion = new Deletion(tx, batch.asOfMillis());
        ExpiryBatch<SQLException> run = new ExpiryBatch<>(deletion, batch);
        run.run();
        return run.done(durable ? deletion.files : List.of(), deletion.parts, audit(tx, batch, run.deleted()));
    }

    private static final class Deletion implements ExpiryBatch.Source<SQLException> {
        private final WriteTransaction tx;
        private final long asOfMillis;
        private final Map<Long, Row> rows = new HashMap<>();
        private final List<String> files = new ArrayList<>();
        private boolean parts;

        Deletion(WriteTransaction tx, long asOfMillis) {
            this.tx = tx;
            this.asOfMillis = asOfMillis;
        }

        @Override
        public Map<Long, Boolean> present(List<Expiry.Job> jobs) throws SQLException {
            PreparedStatement query = tx.statements.get(RetentionSql.READ_EXPIRING);
            query.setString(1, array(jobs));
            try (ResultSet found = query.executeQuery()) {
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
            PreparedStatement query = tx.statements.get(RetentionSql.COUNT_EDGES);
            query.setString(1, JsonText.array(jobs));
            query.setInt(2, most + 1);
            Map<Long, ExpiryBatch.Edges> edges = new HashMap<>();
            try (ResultSet found = query.executeQuery()) {
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
            return Retentions.needed(tx.statements, jobs);
        }

        @Override
        public int forgetChildren(long job, Collection<Long> besides, int most) throws SQLException {
            PreparedStatement query = tx.statements.get(RetentionSql.EDGES_TO_CHILDREN);
            query.setLong(1, job);
            query.setInt(2, most);
            query.setString(3, JsonText.array(besides));
            return forget(query);
        }

        @Override
        public int forgetParents(long job, int most) throws SQLException {
            PreparedStatement query = tx.statements.get(RetentionSql.EDGES_TO_PARENTS);
            query.setLong(1, job);
            query.setInt(2, most);
            return forget(query);
        }

        private record Edge(long child, int position, boolean satisfied) {}

        private int forget(PreparedStatement query) throws SQLException {
            List<Edge> edges = new ArrayList<>();
            try (ResultSet found = query.executeQuery()) {
                while (found.next()) {
                    if (!JobState.COMPLETED.name().equals(found.getString(4))) {
                        return ExpiryBatch.NEEDED;
                    }
                    edges.add(new Edge(found.getLong(1), found.getInt(2), found.getInt(3) != 0));
                }
            }
            PreparedStatement delete = tx.statements.get(RetentionSql.FORGET_EDGE);
            PreparedStatement subtract = tx.statements.get(RetentionSql.FORGET_OPEN_EDGE);
            for (Edge edge : edges) {
                delete.setLong(1, edge.child);
                delete.setInt(2, edge.position);
                delete.executeUpdate();
                if (!edge.satisfied) {
                    subtract.setLong(1, edge.child);
                    subtract.executeUpdate();
                }
            }
            return edges.size();
        }

        @Override
        public void delete(List<Expiry.Job> jobs) throws SQLException {
            String ids = array(jobs);
            leaveBlobs(ids);
            PreparedStatement forget = tx.statements.get(RetentionSql.FORGET_PARENTS);
            forget.setString(1, ids);
            forget.executeUpdate();
            PreparedStatement delete = tx.statements.get(RetentionSql.EXPIRE);
            PreparedStatement forgetKey = tx.statements.get(RetentionSql.EXPIRE_KEY);
            for (Expiry.Job job : jobs) {
                delete.setLong(1, job.id());
                delete.setString(2, job.state().name());
                delete.setLong(3, job.finishedAtMillis());
                if (delete.executeUpdate() != 1) {
                    throw new SQLException("job " + job.id() + " changed while it was deleted");
                }
                Row row = rows.get(job.id());
                if (row != null) {
                    tx.left(row.lane, job.state());
                    if (job.state() == JobState.FAILED) {
                        tx.noLongerFailed(row.errorCode);
                    }
                    if (row.key != null) {
                        forgetKey.setString(1, row.key.type());
                        forgetKey.setString(2, row.key.key());
                        forgetKey.setLong(3, job.id());
                        forgetKey.setLong(4, asOfMillis);
                        forgetKey.executeUpdate();
                    }
                }
            }
        }

        /** Takes long blobs from their jobs, which go without them. */
        private void leaveBlobs(String ids) throws SQLException {
            PreparedStatement query = tx.statements.get(RetentionSql.EXPIRING_BLOBS);
            query.setString(1, ids);
            long inParts = 0;
            try (ResultSet found = query.executeQuery()) {
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
                PreparedStatement leave = tx.statements.get(RetentionSql.LEAVE_BLOBS);
                leave.setString(1, ids);
                leave.executeUpdate();
                parts = true;
            }
        }

        private static String array(List<Expiry.Job> jobs) {
            return JsonText.array(jobs.stream().map(Expiry.Job::id).toList());
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
        if (entry != null) {
            PreparedStatement grow = tx.statements.get(RetentionSql.GROW_PASS);
            grow.setLong(1, entry);
            grow.setLong(2, jobs);
            grow.setString(3, detail);
            if (grow.executeUpdate() == 1) {
                return entry;
            }
        }
        PreparedStatement insert = tx.statements.get(RetentionSql.INSERT_PASS);
        insert.setLong(1, tx.now);
        insert.setLong(2, tx.names.actor(batch.actor()));
        insert.setLong(3, jobs);
        insert.setString(4, detail);
        return Rows.one(insert);
    }

    /** Deletes old rows that belong to no job, some of each kind; answers how many. */
    static long prune(WriteTransaction tx, int limit, long asOfMillis) throws SQLException {
        PreparedStatement minutes = tx.statements.get(RetentionSql.EXPIRE_MINUTES);
        minutes.setLong(
                1,
                (asOfMillis - Duty.KEEP_MINUTES.toMillis())
                        / Duration.ofMinutes(1).toMillis());
        minutes.setInt(2, limit);
        PreparedStatement audit = tx.statements.get(RetentionSql.EXPIRE_AUDIT);
        audit.setLong(1, asOfMillis - Duty.KEEP_AUDIT.toMillis());
        audit.setInt(2, limit);
        PreparedStatement workers = tx.statements.get(RetentionSql.EXPIRE_WORKERS);
        workers.setLong(1, asOfMillis - Duty.KEEP_WORKERS.toMillis());
        PreparedStatement failures = tx.statements.get(StatisticsSql.FORGET_FAILURES);
        failures.setLong(1, asOfMillis - Duty.KEEP_AUDIT.toMillis());
        return (long) minutes.executeUpdate()
                + audit.executeUpdate()
                + workers.executeUpdate()
                + failures.executeUpdate();
    }

    /** The lanes behind this one that nothing uses, at most so many. */
    static List<Long> idleLanes(Statements statements, int limit, long after) throws SQLException {
        PreparedStatement query = statements.get(RetentionSql.IDLE_LANES);
        query.setInt(1, limit);
        query.setLong(2, after);
        List<Long> idle = new ArrayList<>();
        try (ResultSet rows = query.executeQuery()) {
            while (rows.next()) {
                idle.add(rows.getLong(1));
            }
        }
        return idle;
    }

    /** Deletes those of the lanes that nothing uses now; returns how many. */
    static long deleteLanes(WriteTransaction tx, List<Long> lanes) throws SQLException {
        long deleted = 0;
        for (long lane : lanes) {
            PreparedStatement look = tx.statements.get(RetentionSql.IS_IDLE);
            look.setLong(1, lane);
            if (Rows.oneOrNull(look) != null && !tx.hasCounted(lane)) {
                for (String sql : List.of(
                        RetentionSql.HAND_OVER_RETRIES,
                        RetentionSql.DELETE_RETRIES,
                        RetentionSql.DELETE_COUNTERS,
                        RetentionSql.DELETE_LANE)) {
                    PreparedStatement statement = tx.statements.get(sql);
                    statement.setLong(1, lane);
                    statement.executeUpdate();
                }
                deleted++;
            }
        }
        if (deleted > 0) {
            PreparedStatement count = tx.statements.get(RetentionSql.COUNT_DELETED_LANES);
            count.setLong(1, deleted);
            tx.lanesDeleted(Rows.one(count));
        }
        return deleted;
    }

    // ---- duties ------------------------------------------------------------------------------------------------

    static Duty.State duty(Statements statements, String name, long now) throws SQLException {
        PreparedStatement query = statements.get(RetentionSql.READ_DUTY);
        query.setString(1, name);
        try (ResultSet row = query.executeQuery()) {
            return row.next()
                    ? new Duty.State(
                            now, row.getString(1), Rows.longOrNull(row, 2), Rows.longOrNull(row, 3), row.getString(4))
                    : new Duty.State(now, null, null, null, null);
        }
    }

    static boolean take(WriteTransaction tx, Duty duty) throws SQLException {
        PreparedStatement take = tx.statements.get(RetentionSql.TAKE_DUTY);
        take.setString(1, duty.name());
        take.setString(2, duty.holder());
        take.setLong(3, tx.now);
        take.setLong(4, tx.now + duty.leaseMillis());
        // By another clock it may end a little later than this lease.
        take.setLong(5, tx.now + 2 * duty.leaseMillis());
        take.setLong(6, tx.now - duty.everyMillis());
        return take.executeUpdate() == 1;
    }

    static boolean end(WriteTransaction tx, Duty duty, @Nullable String detail) throws SQLException {
        PreparedStatement end = tx.statements.get(RetentionSql.END_DUTY);
        end.setString(1, duty.name());
        end.setString(2, duty.holder());
        end.setLong(3, tx.now);
        end.setString(4, detail);
        return end.executeUpdate() == 1;
    }
}
