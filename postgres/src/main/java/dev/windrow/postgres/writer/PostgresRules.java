package dev.windrow.postgres.writer;

import dev.windrow.JobState;
import dev.windrow.postgres.connection.PostgresQuery;
import dev.windrow.postgres.connection.PostgresStatements;
import dev.windrow.postgres.job.Claims;
import dev.windrow.postgres.job.DirectDispatch;
import dev.windrow.postgres.job.Enqueues;
import dev.windrow.postgres.job.JobSql;
import dev.windrow.postgres.job.KeyedEnqueues;
import dev.windrow.postgres.job.Settles;
import dev.windrow.postgres.workflow.Dependents;
import dev.windrow.store.job.Claim;
import dev.windrow.store.job.Claimed;
import dev.windrow.store.job.Enqueue;
import dev.windrow.store.job.EnqueuedJob;
import dev.windrow.store.job.JobRow;
import dev.windrow.store.job.LeaseToken;
import dev.windrow.store.job.Renew;
import dev.windrow.store.job.Report;
import dev.windrow.store.job.Settle;
import dev.windrow.store.job.Started;
import dev.windrow.store.sql.job.Reports;
import dev.windrow.store.sql.step.Steps;
import dev.windrow.store.sql.writer.Batch;
import dev.windrow.store.sql.writer.Submission;
import dev.windrow.store.step.StepAnswer;
import dev.windrow.store.step.StepWrite;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The rules that apply the commands of a batch in a transaction of a writer. One object for each transaction. */
public final class PostgresRules implements Batch.Rules {
    /** The most tries to renew a lease whose row another transaction has locked. The pause between two tries is 5 ms. */
    private static final int TRIES = 3;
    /** The time for which a change of many jobs waits for one that another transaction has locked. A commit takes less. */
    private static final long PATIENCE_MILLIS = TimeUnit.SECONDS.toMillis(2);

    private final PostgresTransaction tx;
    /** True if its claims move the cursors. */
    private final boolean claimCursors;

    private DirectDispatch handOff = DirectDispatch.NONE;

    PostgresRules(PostgresTransaction tx, boolean claimCursors) {
        this.tx = tx;
        this.claimCursors = claimCursors;
    }

    @Override
    public void start(List<Started> starts) throws SQLException {
        Settles.started(tx, starts);
    }

    @Override
    public void report(List<Submission<Boolean>> reports, List<Submission<Optional<StepAnswer>>> steps)
            throws SQLException {
        if (reports.isEmpty() && steps.isEmpty()) {
            return;
        }
        Set<LeaseToken> leaseTokens = new LinkedHashSet<>();
        reports.forEach(report -> leaseTokens.add(((Report) report.command()).leaseToken()));
        steps.forEach(step -> leaseTokens.add(((StepWrite) step.command()).leaseToken()));
        Set<LeaseToken> held = Settles.held(tx, List.copyOf(leaseTokens));
        for (Submission<Boolean> submission : reports) {
            Report report = (Report) submission.command();
            boolean isHeld = held.contains(report.leaseToken());
            if (isHeld) {
                Reports.report(tx, report);
            }
            submission.answer(isHeld);
        }
        for (Submission<Optional<StepAnswer>> submission : steps) {
            StepWrite step = (StepWrite) submission.command();
            if (held.contains(step.leaseToken())) {
                submission.unlessRefused(() -> submission.answer(Optional.of(Steps.write(tx, step))));
            } else {
                submission.answer(Optional.empty());
            }
        }
    }

    @Override
    public void checkNext(JobRow next) throws SQLException {
        if (Enqueues.areChecked(List.of(next))) {
            Map<Long, JobState> unused = Enqueues.check(tx, List.of(next));
        }
    }

    @Override
    public boolean[] settle(List<Settle> ends) throws SQLException {
        return Settles.settle(tx, ends);
    }

    @Override
    public List<LeaseToken> renew(Renew renew) throws SQLException {
        List<LeaseToken> missing = renewed(tx, renew.leaseTokens(), renew.leaseMillis());
        Set<LeaseToken> locked = locked(tx, missing);
        for (int tries = 1; tries < TRIES && !locked.isEmpty(); tries++) {
            // As a rule another transaction only checks whether the row is free. A lease must not expire because of
            // that.
            tx.statements().get(JobSql.WAIT_A_MOMENT).one();
            missing = renewed(tx, missing, renew.leaseMillis());
            locked = locked(tx, missing);
        }
        // A row that another transaction has locked is neither renewed now nor lost. While it is locked, no process
        // reclaims the job.
        Set<LeaseToken> held = locked;
        return missing.stream().filter(leaseToken -> !held.contains(leaseToken)).toList();
    }

    /** Renews leases. Returns the leases that could not be renewed. */
    private static List<LeaseToken> renewed(PostgresTransaction tx, List<LeaseToken> leaseTokens, long leaseMillis)
            throws SQLException {
        if (leaseTokens.isEmpty()) {
            return List.of();
        }
        Set<LeaseToken> renewed =
                Settles.leaseTokens(leaseTokens(tx, JobSql.RENEW, leaseTokens).set(3, tx.now() + leaseMillis));
        tx.wrote();
        return leaseTokens.stream()
                .filter(leaseToken -> !renewed.contains(leaseToken))
                .toList();
    }

    /** Returns the leases whose jobs still run under their tokens. Another transaction has locked the rows. */
    private static Set<LeaseToken> locked(PostgresTransaction tx, List<LeaseToken> leaseTokens) throws SQLException {
        return leaseTokens.isEmpty() ? Set.of() : Settles.leaseTokens(leaseTokens(tx, JobSql.HELD, leaseTokens));
    }

    private static PostgresQuery leaseTokens(PostgresTransaction tx, String sql, List<LeaseToken> leaseTokens)
            throws SQLException {
        return tx.statements()
                .get(sql)
                .ids(1, leaseTokens.stream().map(LeaseToken::id).toList())
                .ids(2, leaseTokens.stream().map(LeaseToken::token).toList());
    }

    @Override
    public <T extends @Nullable Object> T apply(Submission<T> submission) throws SQLException {
        // One locked job of many is no reason to fail.
        tx.leavesOutLocked = submission.delays() > 0 && submission.isOlderThan(PATIENCE_MILLIS);
        return PostgresCommands.apply(tx, submission.command());
    }

    @Override
    public void release(Set<Long> parents) throws SQLException {
        tx.dependents.release(parents);
    }

    @Override
    public void promote() throws SQLException {
        Claims.promote(tx);
    }

    @Override
    public void enqueue(List<Submission<List<EnqueuedJob>>> enqueues, List<Submission<Claimed>> claims)
            throws SQLException {
        if (enqueues.isEmpty()) {
            return;
        }
        Enqueues rows = new Enqueues(tx);
        enqueueKeyed(enqueues, rows);
        // The direct dispatch must see the jobs that have got a permit.
        tx.permits.admit();
        Set<Integer> lanes = new HashSet<>();
        enqueues.forEach(enqueue ->
                of(enqueue).jobs().forEach(row -> lanes.add(tx.names.lane(row.queue(), row.type()))));
        handOff = DirectDispatch.to(tx, claims, lanes);
        // Jobs without parents come first, and are written before other jobs look for their parents. Jobs that may be
        // refused come after them.
        for (Submission<List<EnqueuedJob>> enqueue : enqueues) {
            if (!of(enqueue).hasKeys() && !Enqueues.areChecked(of(enqueue).jobs())) {
                enqueue.answer(rows.add(of(enqueue).jobs(), Map.of()));
            }
        }
        rows.flush(handOff);
        for (Submission<List<EnqueuedJob>> enqueue : enqueues) {
            if (!of(enqueue).hasKeys() && Enqueues.areChecked(of(enqueue).jobs())) {
                enqueue.unlessRefused(() -> {
                    enqueue.answer(rows.checkAndAdd(of(enqueue)));
                    rows.flush(handOff);
                });
            }
        }
    }

    /** Adds enqueues with dedupe keys or concurrency keys. The jobs of one transaction share the queries for dedupe keys. */
    private void enqueueKeyed(List<Submission<List<EnqueuedJob>>> enqueues, Enqueues rows) throws SQLException {
        List<Submission<List<EnqueuedJob>>> free = new ArrayList<>();
        List<JobRow> jobs = new ArrayList<>();
        for (Submission<List<EnqueuedJob>> enqueue : enqueues) {
            if (of(enqueue).hasKeys() && Enqueues.areChecked(of(enqueue).jobs())) {
                enqueue.unlessRefused(() -> enqueue.answer(rows.checkAndAdd(of(enqueue))));
            } else if (of(enqueue).hasKeys()) {
                free.add(enqueue);
                jobs.addAll(of(enqueue).jobs());
            }
        }
        if (jobs.isEmpty()) {
            rows.flush(DirectDispatch.NONE);
            return;
        }
        List<EnqueuedJob> answers = KeyedEnqueues.add(tx, rows, jobs, Map.of());
        int at = 0;
        for (Submission<List<EnqueuedJob>> enqueue : free) {
            int size = of(enqueue).jobs().size();
            enqueue.answer(List.copyOf(answers.subList(at, at + size)));
            at += size;
        }
        rows.flush(DirectDispatch.NONE);
    }

    private static Enqueue of(Submission<List<EnqueuedJob>> enqueue) {
        return (Enqueue) enqueue.command();
    }

    @Override
    public void admit() throws SQLException {
        boolean unused = tx.permits.admit();
    }

    @Override
    public void askForReady(Batch.Takers waitingClaims) throws SQLException {
        tx.openFreed();
        for (Names.Lane lane : tx.readyLanes()) {
            waitingClaims.ask(lane.queue(), lane.type());
        }
    }

    @Override
    public Claimed claim(Submission<Claimed> claim) throws SQLException {
        Claimed given = handOff.answer(tx, claim);
        return given != null ? given : Claims.claim(tx, (Claim) claim.command(), claimCursors);
    }

    /**
     * Returns the submissions whose rows, or whose children's rows, another transaction has locked. Also returns submissions that must look for a
     * cycle while another transaction does. This transaction locks the other rows until its end.
     */
    static List<Submission<?>> busy(PostgresTransaction tx, Batch batch) throws SQLException {
        PostgresStatements statements = tx.statements();
        Map<Long, Long> children = new HashMap<>();
        Set<Long> wanted = new HashSet<>();
        Set<Long> ending = new HashSet<>();
        for (Submission<?> submission : batch.submissions()) {
            Long job = submission.command().attemptOf();
            if (job != null) {
                wanted.add(job);
                if (submission.is(Settle.class)) {
                    ending.add(job);
                }
            }
        }
        Set<Long> busy = lock(statements, wanted);
        try (ResultSet rows = statements
                .get(JobSql.WAITING_CHILDREN)
                .ids(1, ending)
                .set(2, Integer.valueOf(Dependents.PART))
                .rows()) {
            while (rows.next()) {
                children.put(rows.getLong(2), rows.getLong(1));
            }
        }
        for (long child : lock(statements, children.keySet())) {
            busy.add(children.get(child));
        }
        tx.chains
                .keptWaiting(batch.submissions().stream()
                        .filter(submission -> submission.is(Settle.class))
                        .map(submission -> (Settle) submission.command())
                        .toList())
                .forEach(settlement -> busy.add(settlement.job().id()));
        return batch.submissions().stream()
                .filter(submission -> {
                    Long job = submission.command().attemptOf();
                    return job != null && busy.contains(job);
                })
                .collect(Collectors.toList());
    }

    /** Locks the rows that are free. Returns the other ones. */
    public static Set<Long> lock(PostgresStatements statements, Set<Long> ids) throws SQLException {
        Set<Long> busy = new HashSet<>(ids);
        if (!ids.isEmpty()) {
            try (ResultSet rows = statements.get(JobSql.FREE).ids(1, ids).rows()) {
                while (rows.next()) {
                    busy.remove(rows.getLong(1));
                }
            }
        }
        return busy;
    }
}
