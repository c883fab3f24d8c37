package dev.windrow.postgres;

import dev.windrow.Durations;
import dev.windrow.JobState;
import dev.windrow.Retention;
import dev.windrow.Vacuumed;
import dev.windrow.store.Duty;
import dev.windrow.store.Expiry;
import dev.windrow.store.ExpiryBatch;
import dev.windrow.store.ExpirySearch;
import dev.windrow.store.RetentionChange;
import dev.windrow.store.sql.JsonText;
import dev.windrow.store.sql.Rows;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
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

    static Retention read(PostgresStatements statements) throws SQLException {
        return read(statements.get(RetentionSql.READ_RETENTION));
    }

    private static Retention read(PostgresQuery query) throws SQLException {
        List<Retention.Rule> rules = new ArrayList<>();
        try (ResultSet rows = query.rows()) {
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
    static Retention change(PostgresTransaction tx, RetentionChange change) throws SQLException {
        Retention before = read(tx.statements().get(RetentionSql.LOCK_RETENTION));
        Retention after = change.apply(before);
        if (after.equals(before)) {
            return before;
        }
        tx.wrote();
        Retention.Rule rule = after.rule(change.state(), change.type());
        String type = change.type() == null ? "" : change.type();
        PostgresQuery write = tx.statements()
                .get(rule == null ? RetentionSql.FORGET_RETENTION : RetentionSql.RETAIN)
                .set(1, change.state().name())
                .set(2, type);
        if (rule != null) {
            Duration keep = rule.keep();
            write.set(3, keep == null ? null : Long.valueOf(keep.toMillis()));
        }
        write.update();
        Duration keep = after.keep(change.state(), type);
        tx.statements()
                .get(Sql.INSERT_AUDIT)
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

    static Expiry.Found find(PostgresStatements statements, Expiry.Search search, long now) throws SQLException {
        SortedMap<Long, String> lanes = new TreeMap<>();
        try (ResultSet rows = statements.get(Sql.READ_LANES).rows()) {
            while (rows.next()) {
                lanes.put(rows.getLong(1), rows.getString(3));
            }
        }
        return ExpirySearch.find(new Source(statements, lanes), search, now);
    }

    private record Source(PostgresStatements statements, SortedMap<Long, String> lanes)
            implements ExpirySearch.Source<SQLException> {
        @Override
        public List<ExpirySearch.Row> next(JobState state, long lane, long after, int limit) throws SQLException {
            PostgresQuery query = statements
                    .get(
                            switch (state) {
                                case FAILED -> RetentionSql.NEXT_FAILED;
                                case CANCELLED -> RetentionSql.NEXT_CANCELLED;
                                default -> RetentionSql.NEXT_OF_LANE;
                            })
                    .set(1, after)
                    .set(2, Integer.valueOf(limit));
            if (state == JobState.COMPLETED) {
                query.set(3, Integer.valueOf((int) lane));
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

    private static Set<Long> needed(PostgresStatements statements, Collection<Long> jobs) throws SQLException {
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
            int lane,
            JobState state,
            @Nullable Long finishedAt,
            @Nullable String key,
            @Nullable String keyType,
            @Nullable String errorCode) {}

    /** Deletes what is still as it was found and nobody needs, until the time is over; nothing by rules that stand no longer. */
    static Expiry.Done expire(PostgresTransaction tx, Expiry.Batch batch) throws SQLException {
        if (batch.standing() != null && !batch.standing().equals(read(tx.statements()))) {
            return Expiry.Done.later(batch, 0);
        }
        Deletion deletion = new Deletion(tx, batch.asOfMillis());
        ExpiryBatch<SQLException> run = new ExpiryBatch<>(deletion, batch);
        run.run();
        return run.done(deletion.files, deletion.parts, audit(tx, batch, run.deleted()));
    }

    private static final class Deletion implements ExpiryBatch.Source<SQLException> {
        private final PostgresTransaction tx;
        private final long asOfMillis;
        private final Map<Long, Row> rows = new HashMap<>();
        private final List<String> files = new ArrayList<>();
        private boolean parts;

        Deletion(PostgresTransaction tx, long asOfMillis) {
            this.tx = tx;
            this.asOfMillis = asOfMillis;
        }

        @Override
        public Map<Long, Boolean> present(List<Expiry.Job> jobs) throws SQLException {
            try (ResultSet found = tx.statements()
                    .get(RetentionSql.LOCK_EXPIRING)
                    .ids(1, ids(jobs))
                    .rows()) {
                while (found.next()) {
                    rows.put(
                            found.getLong(1),
                            new Row(
                                    found.getInt(2),
                                    JobState.valueOf(found.getString(3)),
                                    Rows.longOrNull(found, 4),
                                    found.getString(5),
                                    found.getString(6),
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
                    .set(2, Integer.valueOf(most + 1))
                    .rows()) {
                while (found.next()) {
                    edges.put(found.getLong(1), new ExpiryBatch.Edges(found.getInt(2), found.getInt(3)));
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
                    .get(RetentionSql.EDGES_TO_CHILDREN)
                    .set(1, job)
                    .set(2, Integer.valueOf(most))
                    .ids(3, besides));
        }

        @Override
        public int forgetParents(long job, int most) throws SQLException {
            return forget(tx.statements()
                    .get(RetentionSql.EDGES_TO_PARENTS)
                    .set(1, job)
                    .set(2, Integer.valueOf(most)));
        }

        private int forget(PostgresQuery query) throws SQLException {
            List<Long> children = new ArrayList<>();
            List<Integer> positions = new ArrayList<>();
            List<Long> open = new ArrayList<>();
            try (ResultSet found = query.rows()) {
                while (found.next()) {
                    if (!JobState.COMPLETED.name().equals(found.getString(4))) {
                        return ExpiryBatch.NEEDED;
                    }
                    children.add(found.getLong(1));
                    positions.add(found.getInt(2));
                    if (!found.getBoolean(3)) {
                        open.add(found.getLong(1));
                    }
                }
            }
            if (!open.isEmpty()) {
                // Before their edges, as by every change of them.
                tx.statements().get(RetentionSql.FORGET_OPEN_EDGES).ids(1, open).update();
            }
            if (!children.isEmpty()) {
                tx.wrote();
                tx.statements()
                        .get(RetentionSql.FORGET_EDGES)
                        .ids(1, children)
                        .array(2, "int4", positions.toArray(Integer[]::new))
                        .update();
            }
            return children.size();
        }

        @Override
        public void delete(List<Expiry.Job> jobs) throws SQLException {
            tx.wrote();
            tx.statements().get(WorkflowSql.FORGET_PARENTS).ids(1, ids(jobs)).update();
            leaveBlobs(jobs);
            long gone = expire(jobs);
            if (gone != jobs.size()) {
                throw new SQLException(
                        "%d of %d jobs changed while they were deleted".formatted(jobs.size() - gone, jobs.size()));
            }
            List<String> types = new ArrayList<>();
            List<String> keys = new ArrayList<>();
            List<Long> holders = new ArrayList<>();
            for (Expiry.Job job : jobs) {
                Row row = rows.get(job.id());
                if (row != null) {
                    tx.left(row.lane, job.state());
                    if (job.state() == JobState.FAILED) {
                        tx.noLongerFailed(row.errorCode);
                    }
                    if (row.key != null) {
                        types.add(
                                row.keyType == null
                                        ? tx.names
                                                .laneOf(tx.statements(), row.lane)
                                                .type()
                                        : row.keyType);
                        keys.add(row.key);
                        holders.add(job.id());
                    }
                }
            }
            if (!keys.isEmpty()) {
                tx.statements()
                        .get(RetentionSql.EXPIRE_KEYS)
                        .texts(1, types)
                        .texts(2, keys)
                        .ids(3, holders)
                        .set(4, asOfMillis)
                        .update();
            }
        }

        /** Takes long blobs from their jobs, which go without them. */
        private void leaveBlobs(List<Expiry.Job> jobs) throws SQLException {
            if (tx.statements().get(RetentionSql.COUNT_PARTS).ids(1, ids(jobs)).one() > Expiry.BLOB_PARTS) {
                tx.statements().get(RetentionSql.LEAVE_BLOBS).ids(1, ids(jobs)).update();
                parts = true;
            }
        }

        /** Answers how many there were. */
        private long expire(List<Expiry.Job> jobs) throws SQLException {
            try (ResultSet row = tx.statements()
                    .get(RetentionSql.EXPIRE)
                    .ids(1, ids(jobs))
                    .texts(2, jobs.stream().map(job -> job.state().name()).toList())
                    .ids(3, jobs.stream().map(Expiry.Job::finishedAtMillis).toList())
                    .rows()) {
                if (!row.next()) {
                    return 0;
                }
                Array named = row.getArray(2);
                if (named != null) {
                    files.addAll(List.of((String[]) named.getArray()));
                }
                return row.getLong(1);
            }
        }

        private static List<Long> ids(List<Expiry.Job> jobs) {
            return jobs.stream().map(Expiry.Job::id).toList();
        }
    }

    private static @Nullable Long audit(PostgresTransaction tx, Expiry.Batch batch, Map<JobState, Long> deleted)
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
                                .get(RetentionSql.GROW_PASS)
                                .set(1, entry)
                                .set(2, jobs)
                                .set(3, detail)
                                .update()
                        == 1) {
            return entry;
        }
        return tx.statements()
                .get(RetentionSql.INSERT_PASS)
                .set(1, tx.now())
                .set(2, tx.actor(batch.actor()))
                .set(3, jobs)
                .set(4, detail)
                .one();
    }

    /** Deletes old rows that belong to no job, some of each kind; answers how many. */
    static long prune(PostgresTransaction tx, int limit, long asOfMillis) throws SQLException {
        tx.wrote();
        long minute = (asOfMillis - Duty.KEEP_MINUTES.toMillis())
                / Duration.ofMinutes(1).toMillis();
        return (long) tx.statements()
                        .get(RetentionSql.EXPIRE_MINUTES)
                        .set(1, minute)
                        .set(2, Integer.valueOf(limit))
                        .update()
                + tx.statements()
                        .get(RetentionSql.EXPIRE_AUDIT)
                        .set(1, asOfMillis - Duty.KEEP_AUDIT.toMillis())
                        .set(2, Integer.valueOf(limit))
                        .update()
                + tx.statements()
                        .get(RetentionSql.EXPIRE_WORKERS)
                        .set(1, asOfMillis - Duty.KEEP_WORKERS.toMillis())
                        .update()
                + tx.statements()
                        .get(StatisticsSql.FORGET_FAILURES)
                        .set(1, asOfMillis - Duty.KEEP_AUDIT.toMillis())
                        .update()
                + tx.statements()
                        .get(RetentionSql.DELETE_LANES)
                        .set(1, asOfMillis - Names.KEPT.toMillis())
                        .set(2, Integer.valueOf(limit))
                        .one();
    }

    // ---- duties ------------------------------------------------------------------------------------------------

    static Duty.State duty(PostgresStatements statements, String name, long now) throws SQLException {
        try (ResultSet row = statements.get(RetentionSql.READ_DUTY).set(1, name).rows()) {
            return row.next()
                    ? new Duty.State(
                            now, row.getString(1), Rows.longOrNull(row, 2), Rows.longOrNull(row, 3), row.getString(4))
                    : new Duty.State(now, null, null, null, null);
        }
    }

    static boolean take(PostgresTransaction tx, Duty duty) throws SQLException {
        tx.wrote();
        return tx.statements()
                        .get(RetentionSql.TAKE_DUTY)
                        .set(1, duty.name())
                        .set(2, duty.holder())
                        .set(3, tx.now())
                        .set(4, tx.now() + duty.leaseMillis())
                        // Whoever waited for the row may have begun a little earlier.
                        .set(5, tx.now() + 2 * duty.leaseMillis())
                        .set(6, tx.now() - duty.everyMillis())
                        .update()
                == 1;
    }

    static boolean end(PostgresTransaction tx, Duty duty, @Nullable String detail) throws SQLException {
        tx.wrote();
        return tx.statements()
                        .get(RetentionSql.END_DUTY)
                        .set(1, duty.name())
                        .set(2, duty.holder())
                        .set(3, tx.now())
                        .set(4, detail)
                        .update()
                == 1;
    }

    // ---- space -------------------------------------------------------------------------------------------------

    /** Vacuums the tables one after the other, as the server's own autovacuum would. What the user may not vacuum the server passes over with a warning. */
    static Vacuumed vacuum(Database database) throws SQLException {
        try (Session session = database.borrowPatient()) {
            SortedMap<String, Long> before = sizes(session, database.tables());
            session.commit();
            session.connection().setAutoCommit(true);
            try (Statement statement = session.connection().createStatement()) {
                for (String table : before.keySet()) {
                    statement.execute("VACUUM (ANALYZE) \"%s\".\"%s\""
                            .formatted(database.tables().schema(), table.replace("\"", "\"\"")));
                    if (statement.getWarnings() != null) {
                        throw new SQLException(
                                statement.getWarnings().getMessage()
                                        + "; the owner of the tables may vacuum them, and from PostgreSQL 17 on a user with MAINTAIN",
                                PostgresErrors.NO_PRIVILEGE);
                    }
                }
            } finally {
                session.connection().setAutoCommit(false);
            }
            return new Vacuumed(sum(before), sum(sizes(session, database.tables())));
        }
    }

    private static long sum(SortedMap<String, Long> sizes) {
        return sizes.values().stream().mapToLong(Long::longValue).sum();
    }

    private static SortedMap<String, Long> sizes(Session session, Tables tables) throws SQLException {
        SortedMap<String, Long> sizes = new TreeMap<>();
        try (ResultSet rows = session.get(RetentionSql.TABLE_SIZES)
                .set(1, tables.schema())
                .set(2, tables.name(""))
                .rows()) {
            while (rows.next()) {
                sizes.put(rows.getString(1), rows.getLong(2));
            }
        }
        return sizes;
    }
}
