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
 * Chains: a job that completes may go on with another one, which is written in the same transaction. Who waits for the end of the
 * chain has its edge moved from the one to the other, so that the end of a job releases the same edges whether it was the last of
 * a chain or in none. A dedupe key that is held while something is unfinished moves the same way. One for each transaction.
 */
public final class Chains {
    private static final Columns<Moved> MOVED =
            new Columns<Moved>().longs(Moved::job).longs(Moved::next);

    private final PostgresTransaction tx;
    /** For parents that are chains: the last job of each, as far as this transaction has looked. */
    private final Map<Long, Long> last = new HashMap<>();
    /** Jobs that are about to go on, and that somebody wants cancelled. */
    private final Set<Long> unwanted = new HashSet<>();
    /** What has gone on in this transaction, and with what. */
    private final Map<Long, Long> next = new HashMap<>();

    public Chains(PostgresTransaction tx) {
        this.tx = tx;
    }

    /**
     * A completed job, and what goes on in its place.
     *
     * @param key the key that the job has not given up yet; or null
     */
    public record Next(long job, @Nullable DedupeKey key, JobRow row) {}

    private record Moved(long job, long next) {}

    /** This job is about to go on, and somebody wants it cancelled. */
    public void unwanted(long job) {
        unwanted.add(job);
    }

    /** What a job has gone on with in this transaction; null: with nothing. */
    @Nullable public Long next(long job) {
        return next.get(job);
    }

    /** The job whose end a child waits for. */
    public long end(Parent parent) {
        // A job of the same call is a chain of its own so far.
        return parent.chain() ? last.getOrDefault(parent.id(), parent.id()) : parent.id();
    }

    /**
     * Looks up the last jobs of chains and locks them, so that they stay the last ones: whoever completes one takes its row. Answers
     * their states.
     */
    public Map<Long, JobState> resolve(Collection<Long> jobs) throws SQLException {
        Map<Long, JobState> states = new HashMap<>();
        Map<Long, Long> seen = look(jobs);
        while (true) {
            states.putAll(Enqueues.lockedStates(tx, new TreeSet<>(seen.values())));
            // One that was locked by whoever has completed it may have gone on meanwhile, or have been discarded.
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
     * Looks, before these settlements are applied, which of those that go on somebody wants cancelled. If one goes on, the rows of all of
     * them are locked, in order: nobody asks in between.
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

    /** Whether a job that goes on so may come to wait for its own end. */
    private static boolean mayWaitForItself(@Nullable JobRow next) {
        return next != null && !next.parents().isEmpty();
    }

    /** Those of these settlements that have to look for a cycle, if another transaction is looking for one; none otherwise. */
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

    /** The edges of all that have gone on are written, those of other transactions are seen after the lock. */
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
                        "job %d cannot go on with a job that waits, by those that it depends on, for the end of the same chain"
                                .formatted(going.job));
            }
        }
    }

    private boolean waitsForItself(long job) throws SQLException {
        return tx.statements().get(WorkflowSql.WAITS_FOR_ITSELF).set(1, job).exists();
    }

    /**
     * Writes what goes on, before anything is released that waits for the end of those that have completed, and before these give up their
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
            // What is the end of a chain no more goes on in this transaction: whoever waits for the chain waits for
            // that.
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
            // The job had done its work when it was stopped; what goes on in its place has not begun.
            Changes.cancelAll(tx, stopped);
        }
    }
}
