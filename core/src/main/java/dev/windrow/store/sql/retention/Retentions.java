package dev.windrow.store.sql.retention;

import dev.windrow.Durations;
import dev.windrow.JobState;
import dev.windrow.retention.RetentionRules;
import dev.windrow.store.processes.BackgroundTask;
import dev.windrow.store.retention.Expire;
import dev.windrow.store.retention.Expiry;
import dev.windrow.store.retention.RetentionChange;
import dev.windrow.store.sql.connection.JsonText;
import dev.windrow.store.sql.connection.Query;
import dev.windrow.store.sql.connection.Rows;
import dev.windrow.store.sql.connection.Statement;
import dev.windrow.store.sql.connection.Statements;
import dev.windrow.store.sql.job.DedupeKey;
import dev.windrow.store.sql.writer.WriteTransaction;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Retention: the rules for how long jobs are kept, the search for jobs that may be deleted, and their deletion. */
public final class Retentions {
    private Retentions() {}

    // ---- rules -------------------------------------------------------------------------------------------------

    /** Returns all rules. */
    public static RetentionRules read(Statements statements) throws SQLException {
        return read(statements.get(Statement.READ_RETENTION));
    }

    private static RetentionRules read(Query query) throws SQLException {
        return new RetentionRules(query.list(Retentions::rule));
    }

    private static RetentionRules.Rule rule(ResultSet row) throws SQLException {
        String type = row.getString(2);
        Long keep = Rows.longOrNull(row, 3);
        return new RetentionRules.Rule(
                JobState.valueOf(row.getString(1)),
                type.isEmpty() ? null : type,
                keep == null ? null : Duration.ofMillis(keep));
    }

    /** Writes or deletes a rule; returns all rules. */
    public static RetentionRules change(WriteTransaction tx, RetentionChange change) throws SQLException {
        RetentionRules before = read(tx.statements().get(Statement.LOCK_RETENTION));
        RetentionRules after = change.apply(before);
        if (after.equals(before)) {
            return before;
        }
        String named = change.type();
        RetentionRules.Rule rule = named == null ? after.rule(change.state()) : after.rule(change.state(), named);
        String type = named == null ? "" : named;
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
        tx.audit(
                "RETAIN",
                change.actor(),
                change.author().reason(),
                0,
                JsonText.object(
                        "state",
                        change.state(),
                        "type",
                        change.type(),
                        "keep",
                        keep == null ? "forever" : Durations.text(keep),
                        "reset",
                        change.reset() ? true : null));
        return after;
    }

    // ---- candidates --------------------------------------------------------------------------------------------

    /** Returns the next jobs that may be deleted. */
    public static Expiry.Found find(Statements statements, Expiry.Search search, long now) throws SQLException {
        return ExpirySearch.find(statements, search, now);
    }

    // ---- deletion ----------------------------------------------------------------------------------------------

    /**
     * A job that is being deleted.
     *
     * @param id the job
     * @param lane its lane
     * @param state its state
     * @param finishedAt when it ended; null if it has not ended
     * @param key the dedupe key with which it was enqueued, or null
     * @param errorCode the code of its failure, or null
     */
    public record Going(
            long id,
            long lane,
            JobState state,
            @Nullable Long finishedAt,
            @Nullable DedupeKey key,
            @Nullable String errorCode) {}

    /**
     * The remains of deleted jobs.
     *
     * @param files the files of their blobs
     * @param parts true if parts of blobs are left, which must be swept
     */
    public record Gone(List<String> files, boolean parts) {}

    /** The deletion of jobs by statements of its own in each database. */
    public interface Removal {
        /** Deletes jobs that have not changed, with all that belongs to them except their keys. Long blobs are detached from them first. */
        Gone delete(List<Going> jobs) throws SQLException;
    }

    /** Deletes the jobs that have not changed and that no job needs, until the time is over. Deletes nothing if the rules have changed. */
    public static Expiry.Done expire(WriteTransaction tx, Removal removal, Expire batch) throws SQLException {
        RetentionRules storeRules = batch.pass().storeRules();
        if (storeRules != null && !storeRules.equals(read(tx.statements()))) {
            return Expiry.Done.later(batch, 0);
        }
        return new ExpiryBatch(tx, removal, batch).run();
    }

    /** Deletes old rows that belong to no job, some of each kind; returns their number. */
    public static long prune(WriteTransaction tx, int limit, long asOfMillis) throws SQLException {
        tx.wrote();
        long minute = (asOfMillis - BackgroundTask.KEEP_THROUGHPUT.toMillis())
                / Duration.ofMinutes(1).toMillis();
        long audit = asOfMillis - BackgroundTask.KEEP_AUDIT.toMillis();
        long workers = asOfMillis - BackgroundTask.KEEP_WORKERS.toMillis();
        Statements all = tx.statements();
        return (long) all.get(Statement.EXPIRE_THROUGHPUT)
                        .set(1, minute)
                        .set(2, limit)
                        .update()
                + all.get(Statement.EXPIRE_AUDIT).set(1, audit).set(2, limit).update()
                + all.get(Statement.EXPIRE_WORKERS).set(1, workers).update()
                + all.get(Statement.FORGET_FAILURES).set(1, audit).update();
    }
}
