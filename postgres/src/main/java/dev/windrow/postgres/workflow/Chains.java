package dev.windrow.postgres.workflow;

import dev.windrow.InvalidRequestException;
import dev.windrow.JobNotFoundException;
import dev.windrow.JobState;
import dev.windrow.postgres.connection.PostgresQuery;
import dev.windrow.postgres.job.Changes;
import dev.windrow.postgres.job.DirectDispatch;
import dev.windrow.postgres.job.Enqueues;
import dev.windrow.postgres.job.JobSql;
import dev.windrow.postgres.job.Keys;
import dev.windrow.postgres.writer.PostgresTransaction;
import dev.windrow.store.job.JobRow;
import dev.windrow.store.job.Settle;
import dev.windrow.store.sql.connection.Columns;
import dev.windrow.store.sql.job.DedupeKey;
import dev.windrow.workflow.Parent;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The chains of a transaction. A job that completes may be continued by a next job, which is written in the same transaction. The edge of a child
 * that waits for the end of the chain moves from the one to the other. So the end of a job releases the same edges, whether it was the last of a
 * chain or in no chain. A dedupe key that is held while the chain is unfinished moves in the same way. One object for each transaction.
 */
public final class Chains {
    private static final Columns<Moved> MOVED =
            new Columns<Moved>().longs(Moved::job).longs(Moved::next);

    private final PostgresTransaction tx;
    /** The last job of each parent that is a chain, as far as this transaction has read it. */
    private final Map<Long, Long> last = new HashMap<>();
    /** The jobs that are about to be continued and whose cancellation was requested. */
    private final Set<Long> unwanted = new HashSet<>();
    /** The jobs that were continued in this transaction, and their next jobs. */
    private final Map<Long, Long> next = new HashMap<>();

    public Chains(PostgresTransaction tx) {
        this.tx = tx;
    }

    /**
     * A completed job, and the job that continues its chain.
     *
     * @param key the key that the job has not given up yet, or null
     */
    public record Next(long job, @Nullable DedupeKey key, JobRow row) {}

    private record Moved(long job, long next) {}

    /** Notes that this job is about to be continued, and that its cancellation was requested. */
    public void unwanted(long job) {
        unwanted.add(job);
    }

    /** Returns the job that continues this job's chain since this transaction; null if there is none. */
    @Nullable public Long next(long job) {
        return next.get(job);
    }

    /** Returns the job for whose end a child waits. */
    public long end(Parent parent) {
        // A job of the same call is the last of its chain so far.
        return parent.chain() ? last.getOrDefault(parent.id(), parent.id()) : parent.id();
    }

    /**
     * Finds the last jobs of chains and locks them, so that they stay the last ones, because a completion takes the row of the job. Returns their
     * states.
     */
    public Map<Long, JobState> resolve(Collection<Long> jobs) throws SQLException {
        Map<Long, JobState> states = new HashMap<>();
        Map<Long, Long> seen = look(jobs);
        while (true) {
            states.putAll(Enqueues.lockedStates(tx, new TreeSet<>(seen.values())));
            // While this transaction waited for the lock, the holder may have continued the chain or deleted the job.
            Map<Long, Long> now = look(jobs);
            if (now.equals(seen)) {
                last.putAll(seen);
                return states;
            }
            seen = now;
        }
    }

    private Map<Long, Long> look(Collection<Long> jobs) throws SQLException {
        Map<Long, Long> found = new HashMap<>();
        try (ResultSet rows =
                tx.statements().get(WorkflowSql.LAST_OF_CHAINS).ids(1, jobs).rows()) {
            while (rows.next()) {
                found.put(rows.getLong(1), rows.getLong(2));
            }
        }
        for (long job : jobs) {
            if (!found.containsKey(job)) {
                throw new JobNotFoundException("parent", job);
            }
        }
        return found;
    }

    /**
     * Notes, before these settlements are applied, which of the continued jobs have a request to cancel. If one settlement continues a chain, the
     * rows of all settled jobs are locked in order. So no request comes in between.
     */
    public void look(List<Settle> settlements) throws SQLException {
        if (settlements.stream().allMatch(settlement -> settlement.next() == null)) {
            return;
        }
        List<Long> jobs =
                settlements.stream().map(settlement -> settlement.job().id()).toList();
        try (ResultSet rows =
                tx.statements().get(JobSql.READ_FOR_CHANGE).ids(1, jobs).rows()) {
            while (rows.next()) {
                if (rows.getInt(9) != 0) {
                    unwanted(rows.getLong(1));
                }
            }
        }
    }

    /** True if a job that is continued with this one may come to wait for its own end. */
    private static boolean mayWaitForItself(@Nullable JobRow next) {
        return next != null && !next.parents().isEmpty();
    }

    /** Returns the settlements that must look for a cycle, if another transaction is looking for one. Returns none if no other transaction does. */
    public List<Settle> keptWaiting(List<Settle> settlements) throws SQLException {
        List<Settle> looking = settlements.stream()
                .filter(settlement -> mayWaitForItself(settlement.next()))
                .toList();
        if (looking.isEmpty()) {
            return looking;
        }
        try (ResultSet row = tx.statements()
                .get(WorkflowSql.TRY_CYCLES)
                .set(1, tx.cyclesLock)
                .rows()) {
            return row.next() && row.getBoolean(1) ? List.of() : looking;
        }
    }

    /** Refuses cycles. All new edges of this transaction are written. After the lock it sees the edges of other transactions. */
    private void refuseCycles(List<Next> completed) throws SQLException {
        List<Next> looking =
                completed.stream().filter(next -> mayWaitForItself(next.row)).toList();
        if (looking.isEmpty()) {
            return;
        }
        tx.statements().get(WorkflowSql.LOCK_CYCLES).set(1, tx.cyclesLock).one();
        for (Next going : looking) {
            if (waitsForItself(Objects.requireNonNull(next.get(going.job)))) {
                throw new InvalidRequestException(
                        "job %d cannot continue with a job that depends, directly or through other jobs, on the end of the same chain"
                                .formatted(going.job));
            }
        }
    }

    private boolean waitsForItself(long job) throws SQLException {
        return tx.statements().get(WorkflowSql.WAITS_FOR_ITSELF).set(1, job).exists();
    }

    /**
     * Writes the next jobs. This happens before any child is released that waits for the end of the completed jobs, and before these give up their
     * keys.
     */
    public void writeNext(List<Next> completed) throws SQLException {
        if (completed.isEmpty()) {
            return;
        }
        Enqueues rows = new Enqueues(tx);
        List<Moved> moved = new ArrayList<>();
        List<Long> stopped = new ArrayList<>();
        Map<Long, Long> nextOf = new HashMap<>();
        for (Next next : completed) {
            nextOf.put(next.job, tx.nextId());
        }
        this.next.putAll(nextOf);
        for (Next next : completed) {
            Map<Long, JobState> parents = Enqueues.check(tx, List.of(next.row));
            // A chain whose last job is continued in this transaction has a new end. Children that wait for the chain
            // wait for the new end.
            last.replaceAll((parent, end) -> nextOf.getOrDefault(end, end));
            nextOf.values().forEach(other -> parents.put(other, JobState.BLOCKED));
            long id = Objects.requireNonNull(nextOf.get(next.job));
            rows.insert(id, next.row, rows.runAt(next.row), parents, next.job);
            moved.add(new Moved(next.job, id));
            if (unwanted.contains(next.job)) {
                stopped.add(id);
            }
        }
        rows.flush(DirectDispatch.NONE);
        PostgresQuery move = tx.statements().get(WorkflowSql.MOVE_CHAIN_EDGES);
        move.bind(1, MOVED, moved);
        if (move.update() > 0) {
            tx.dependents.moveRetries(nextOf);
        }
        Keys.move(
                tx,
                completed.stream()
                        .filter(next -> next.key != null)
                        .map(next -> new Keys.Moved(
                                Objects.requireNonNull(next.key), Objects.requireNonNull(nextOf.get(next.job))))
                        .toList());
        refuseCycles(completed);
        if (!stopped.isEmpty()) {
            // The job had done its work when its cancellation was requested. The next job has not begun.
            Changes.cancelAll(tx, stopped);
        }
    }
}
