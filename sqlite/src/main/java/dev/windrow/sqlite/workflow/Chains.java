package dev.windrow.sqlite.workflow;

import dev.windrow.InvalidRequestException;
import dev.windrow.JobNotFoundException;
import dev.windrow.JobState;
import dev.windrow.sqlite.job.Changes;
import dev.windrow.sqlite.job.DirectDispatch;
import dev.windrow.sqlite.job.Enqueues;
import dev.windrow.sqlite.job.JobSql;
import dev.windrow.sqlite.job.Keys;
import dev.windrow.sqlite.writer.SqliteTransaction;
import dev.windrow.store.job.JobRow;
import dev.windrow.store.job.Settle;
import dev.windrow.store.sql.connection.Query;
import dev.windrow.store.sql.job.DedupeKey;
import dev.windrow.workflow.Parent;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Chains: a job that completes may continue with a next job, which is written in the same transaction. The edges of jobs that wait for the end of the
 * chain move to the next job. So the end of a job releases the same edges, whether it was the last of a chain or in none. A dedupe key that is held
 * while the chain is unfinished moves the same way.
 */
public final class Chains {
    private Chains() {}

    /**
     * A completed job, and the next job of its chain.
     *
     * @param key the key that the job has not given up yet; or null
     */
    public record Next(long job, @Nullable DedupeKey key, JobRow row) {}

    /** The last jobs of parents that are chains, as far as this transaction has read them. */
    public static final class Ends {
        private final Map<Long, Long> last = new HashMap<>();
        /** Jobs that will continue their chains and whose cancellation was requested. */
        private final Set<Long> unwanted = new HashSet<>();
        /** The next jobs that this transaction has written, by the job before. */
        private final Map<Long, Long> next = new HashMap<>();

        /** Records that cancellation was requested for this job, which will continue its chain. */
        public void unwanted(long job) {
            unwanted.add(job);
        }

        /** Returns the next job with which a job has continued in this transaction; null if it has not. */
        @Nullable public Long next(long job) {
            return next.get(job);
        }

        /** Records next jobs of chains in this transaction. A child that waits for such a chain now waits for the next job. */
        private void move(Map<Long, Long> nextOf, Map<Long, JobState> states) {
            next.putAll(nextOf);
            last.replaceAll((parent, end) -> nextOf.getOrDefault(end, end));
            nextOf.values().forEach(next -> states.put(next, JobState.BLOCKED));
        }

        /** Returns the job for whose end a child waits. */
        public long of(Parent parent) {
            // A job of the same call is a chain of its own so far.
            return parent.chain() ? last.getOrDefault(parent.id(), parent.id()) : parent.id();
        }
    }

    /** Returns the last job of a chain, for which a child waits. The transaction holds the write lock, so that it stays the last one. */
    public static long resolve(SqliteTransaction tx, long job) throws SQLException {
        // Takes the lock if nothing was written yet, because the read must see the newest commit.
        tx.stamp();
        Long last = tx.statements().get(WorkflowSql.LAST_OF_CHAIN).set(1, job).oneOrNull();
        if (last == null) {
            throw new JobNotFoundException("parent", job);
        }
        tx.chainEnds.last.put(job, last);
        return last;
    }

    /** Finds the jobs that continue their chains and whose cancellation was requested, before these settlements are applied. */
    public static void look(SqliteTransaction tx, List<Settle> settlements) throws SQLException {
        List<Long> jobs = settlements.stream()
                .filter(settlement -> settlement.next() != null)
                .map(settlement -> settlement.job().id())
                .toList();
        if (jobs.isEmpty()) {
            return;
        }
        try (ResultSet rows =
                tx.statements().get(JobSql.READ_FOR_CHANGE).ids(1, jobs).rows()) {
            while (rows.next()) {
                if (rows.getLong(9) != 0) {
                    tx.chainEnds.unwanted(rows.getLong(1));
                }
            }
        }
    }

    /**
     * Writes the next jobs. This happens before the jobs that wait for the end of the completed ones are released, and before the completed ones give
     * up their keys.
     */
    public static void writeNext(SqliteTransaction tx, List<Next> completed) throws SQLException {
        if (completed.isEmpty()) {
            return;
        }
        Query move = tx.statements().get(WorkflowSql.MOVE_CHAIN_EDGES);
        List<Long> unwanted = new ArrayList<>();
        Map<Long, Long> nextOf = new HashMap<>();
        for (Next next : completed) {
            nextOf.put(next.job, tx.nextId());
        }
        for (Next next : completed) {
            Map<Long, JobState> parents = Enqueues.check(tx, List.of(next.row));
            tx.chainEnds.move(nextOf, parents);
            long id = Objects.requireNonNull(nextOf.get(next.job));
            Enqueues.addNext(tx, id, next.row, parents, next.job);
            move.set(1, next.job).set(2, id).add();
            if (tx.chainEnds.unwanted.contains(next.job)) {
                unwanted.add(id);
            }
        }
        Enqueues.flush(tx, DirectDispatch.NONE);
        boolean[] moved = move.batch();
        for (int i = 0; i < moved.length; i++) {
            if (moved[i]) {
                long job = completed.get(i).job;
                tx.dependents.moveRetry(job, Objects.requireNonNull(nextOf.get(job)));
            }
        }
        for (Next next : completed) {
            if (next.key != null) {
                Keys.move(tx, next.key, Objects.requireNonNull(nextOf.get(next.job)));
            }
        }
        for (Next next : completed) {
            if (!next.row.parents().isEmpty()) {
                Query cycle = tx.statements().get(WorkflowSql.WAITS_FOR_ITSELF);
                cycle.set(1, Objects.requireNonNull(nextOf.get(next.job)));
                if (cycle.oneOrNull() != null) {
                    throw cycle(next.job);
                }
            }
        }
        if (!unwanted.isEmpty()) {
            // The job had done its work when it was cancelled. The next job has not begun.
            Changes.cancelAll(tx, unwanted);
        }
    }

    private static InvalidRequestException cycle(long job) {
        return new InvalidRequestException(
                "job %d cannot continue with a job that depends, directly or through other jobs, on the end of the same chain"
                        .formatted(job));
    }

    /** Inserts the next jobs of chains. */
    public static void insert(SqliteTransaction tx, List<Enqueues.NewRow> jobs) throws SQLException {
        for (Enqueues.NewRow job : jobs) {
            tx.statements()
                    .get(JobSql.INSERT_NEXT_JOB)
                    .set(1, job.id())
                    .set(2, job.lane())
                    .set(3, job.state().name())
                    .set(4, job.row().priority())
                    .set(5, job.scheduledAt())
                    .set(6, job.row().maxAttempts())
                    .set(7, job.row().timeoutMillis())
                    .set(8, job.open())
                    .set(9, job.open() > 0 ? "PARENTS" : null)
                    .set(10, job.now())
                    .set(11, job.row().name())
                    .set(12, job.row().retryPolicy())
                    .set(13, job.row().traceparent())
                    .set(14, Objects.requireNonNull(job.previous()))
                    .set(15, job.actor())
                    .update();
        }
    }
}
