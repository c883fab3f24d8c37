package dev.windrow.sqlite.writer;

import dev.windrow.JobState;
import dev.windrow.sqlite.job.Claims;
import dev.windrow.sqlite.job.DirectDispatch;
import dev.windrow.sqlite.job.Enqueues;
import dev.windrow.sqlite.job.JobSql;
import dev.windrow.sqlite.job.Settles;
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
import dev.windrow.store.sql.connection.Query;
import dev.windrow.store.sql.job.Reports;
import dev.windrow.store.sql.writer.Batch;
import dev.windrow.store.sql.writer.Submission;
import dev.windrow.store.step.StepAnswer;
import dev.windrow.store.step.StepWrite;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Applies the commands of a batch in a transaction of the writer. Each transaction has its own instance. */
final class SqliteRules implements Batch.Rules {
    private final SqliteTransaction tx;
    /** The number of other processes that use the file. */
    private final int others;

    private DirectDispatch handOff = DirectDispatch.NONE;
    private @Nullable Long nextDue;
    private boolean hasLookedForDue;

    SqliteRules(SqliteTransaction tx, int others) {
        this.tx = tx;
        this.others = others;
    }

    @Override
    public void start(List<Started> starts) throws SQLException {
        Settles.started(tx, starts);
    }

    @Override
    public void report(List<Submission<Boolean>> reports, List<Submission<Optional<StepAnswer>>> steps)
            throws SQLException {
        for (Submission<Boolean> submission : reports) {
            Report report = (Report) submission.command();
            boolean isHeld = Settles.isHeld(tx, report.leaseToken());
            if (isHeld) {
                Reports.report(tx, report);
            }
            submission.answer(isHeld);
        }
        tx.flushEvents();
        for (Submission<Optional<StepAnswer>> step : steps) {
            step.unlessRefused(() -> step.answer(Settles.writeStep(tx, (StepWrite) step.command())));
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
        List<LeaseToken> lost = new ArrayList<>();
        if (!renew.leaseTokens().isEmpty()) {
            Query update = tx.statements().get(JobSql.RENEW);
            for (LeaseToken leaseToken : renew.leaseTokens()) {
                update.set(1, leaseToken.id())
                        .set(2, leaseToken.token())
                        .set(3, tx.now() + renew.leaseMillis())
                        .add();
            }
            boolean[] renewed = update.batch();
            for (int i = 0; i < renewed.length; i++) {
                if (!renewed[i]) {
                    lost.add(renew.leaseTokens().get(i));
                }
            }
        }
        return lost;
    }

    @Override
    public <T extends @Nullable Object> T apply(Submission<T> submission) throws SQLException {
        return SqliteCommands.apply(tx, submission.command());
    }

    @Override
    public void release(Set<Long> parents) throws SQLException {
        boolean unused = tx.dependents.release(parents);
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
        List<Submission<List<EnqueuedJob>>> checked = new ArrayList<>();
        // Jobs with keys first, because the outcome of one may depend on another one. The direct dispatch sees them.
        for (Submission<List<EnqueuedJob>> enqueue : enqueues) {
            if (of(enqueue).hasKeys()) {
                checkAndWrite(enqueue, DirectDispatch.NONE);
            }
        }
        // Then jobs without parents, which are written before other jobs read their parents. Jobs that may be refused
        // come after them.
        for (Submission<List<EnqueuedJob>> enqueue : enqueues) {
            if (of(enqueue).hasKeys()) {
                continue;
            }
            List<JobRow> jobs = of(enqueue).jobs();
            if (Enqueues.areChecked(jobs)) {
                checked.add(enqueue);
            } else {
                enqueue.answer(Enqueues.add(tx, jobs, Map.of()));
            }
        }
        // The direct dispatch sees the jobs that have got a permit.
        tx.permits.admit();
        // After the lanes of the new jobs are known.
        handOff = DirectDispatch.to(tx, claims, others);
        Enqueues.flush(tx, handOff);
        for (Submission<List<EnqueuedJob>> enqueue : checked) {
            checkAndWrite(enqueue, handOff);
        }
    }

    private static Enqueue of(Submission<List<EnqueuedJob>> enqueue) {
        return (Enqueue) enqueue.command();
    }

    private void checkAndWrite(Submission<List<EnqueuedJob>> enqueue, DirectDispatch to) throws SQLException {
        enqueue.unlessRefused(() -> enqueue.answer(Enqueues.enqueue(tx, (Enqueue) enqueue.command(), to)));
    }

    @Override
    public void admit() throws SQLException {
        tx.permits.admit();
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
        if (!hasLookedForDue) {
            nextDue = Claims.nextDue(tx);
            hasLookedForDue = true;
        }
        Claimed given = handOff.answer(tx, claim, nextDue);
        return given != null ? given : Claims.claim(tx, (Claim) claim.command(), others, nextDue);
    }
}
