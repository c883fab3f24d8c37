package dev.windrow.postgres.writer;

import dev.windrow.Durations;
import dev.windrow.IncompatibleStoreException;
import dev.windrow.StoreUnavailableException;
import dev.windrow.TimeSource;
import dev.windrow.WindrowException;
import dev.windrow.monitor.Health;
import dev.windrow.postgres.connection.Database;
import dev.windrow.postgres.connection.PostgresErrors;
import dev.windrow.postgres.connection.Session;
import dev.windrow.postgres.job.LoneEnqueue;
import dev.windrow.postgres.processes.Notifier;
import dev.windrow.store.LogThrottle;
import dev.windrow.store.SafeLogger;
import dev.windrow.store.StoreHints;
import dev.windrow.store.job.Claim;
import dev.windrow.store.job.Claimed;
import dev.windrow.store.job.Enqueue;
import dev.windrow.store.job.JobRow;
import dev.windrow.store.job.Release;
import dev.windrow.store.job.Settle;
import dev.windrow.store.job.Started;
import dev.windrow.store.job.WaitingClaim;
import dev.windrow.store.limit.Admit;
import dev.windrow.store.sql.writer.Batch;
import dev.windrow.store.sql.writer.CommandQueue;
import dev.windrow.store.sql.writer.Submission;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * A writer: one thread with a connection for each transaction. It takes all submissions that callers have queued, writes them in one transaction,
 * commits, and then answers the callers. A lone caller waits for one commit, and a thousand callers share one.
 *
 * <p>A store has five writers. Commands that touch only rows that are their own, or new, or skipped when locked, go to {@link Kind#WORK} or
 * {@link Kind#CLAIMS}. There they never wait for long for another transaction. Commands that may have to wait go to {@link Kind#PATIENT}, and
 * submissions that are found waiting are sent there. Commands that keep workers alive have {@link Kind#ALIVE} to themselves. New jobs with dedupe
 * keys have {@link Kind#KEYED}, because a caller's transaction that has taken a key and stays open may delay many of them.
 *
 * <p>If a connection breaks before the commit, nothing was written. The batch then runs again on another connection until the time of its submissions
 * is over, and no caller notices. If the answer to a commit is lost, the writer asks the server for the status of the transaction.
 *
 * <p>A single new job is sent in a message that is a transaction ({@link LoneEnqueue}). So if its connection breaks, it may have been written. The
 * writer then looks for its id. Until it knows the outcome, the job cannot be withdrawn, and a caller whose time is over gets an unknown outcome.
 */
public final class Writer {
    /** The purpose of a writer. */
    public enum Kind {
        /** Settlements and new jobs, with the claims of workers that wait for such jobs. It never waits for a lock for longer than a moment. */
        WORK,
        /** Claims. They are separate from the settlements, so that the server can do both at once. */
        CLAIMS,
        /** Changes, reclaims, and jobs with relatives. It waits for locks, one try at a time, so that no submission waits for another. */
        PATIENT,
        /** New jobs with dedupe keys. It waits for transactions that are about to take the same key, as {@link #PATIENT} does. */
        KEYED,
        /** Renewals, the registry, and sums. */
        ALIVE
    }

    /** The most rows of one transaction; see the same constant of the SQLite store. */
    static final int MAX_BATCH = 3000;
    /**
     * The number of submissions that are found locked, one by one, before the others are postponed. Each costs a short wait, and new submissions wait
     * for it.
     */
    private static final int MAX_LOCKED = 3;
    /** The number of tries of a submission after which the next ones take longer. */
    private static final int MAX_BRIEF = 4;
    /** The number of transactions with postponed submissions that may come before new submissions. */
    private static final int MAX_TRIES = 3;
    /** The time for which plans are kept. Making them takes some milliseconds. */
    private static final long PLANS_NANOS = TimeUnit.SECONDS.toNanos(2);
    /** The first pause between tries of locked submissions, and between tries to connect. */
    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(25);

    /** The first pause before another grant of permits. A commit takes less. */
    private static final long AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private static final long LAST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private static final Logger log = SafeLogger.of(Writer.class);

    /** The sign of an idle moment: a batch without submissions. */
    private static final Batch IDLE = new Batch();

    /** The manner of a transaction. */
    private enum Manner {
        /** Other submissions may join. */
        SHARED(true, false, "50ms"),
        /** Other submissions may join, and submissions with locked rows are left out. */
        AROUND_LOCKS(true, true, "50ms"),
        /** No submission waits for its end. */
        ALONE(false, false, "50ms"),
        /** Other submissions wait for its end. */
        BRIEF(false, false, "5ms"),
        /** Other submissions wait for its end. For rows that many transactions want, which then commit more slowly. */
        LONGER(false, false, "20ms");

        private final boolean shared;
        private final boolean aroundLocks;
        /** The longest wait for a lock. */
        private final String lockTimeout;

        Manner(boolean shared, boolean aroundLocks, String lockTimeout) {
            this.shared = shared;
            this.aroundLocks = aroundLocks;
            this.lockTimeout = lockTimeout;
        }
    }

    /** An interface by which tests look into transactions, and disturb them. */
    public interface Probe {
        /** A probe that does nothing. */
        Probe NONE = new Probe() {};

        /**
         * Returns the time after an answer for which a connection counts as alive, and for which a block of ids is used by single jobs. Also the time
         * after a refusal for which single jobs are written in the usual way, and the time without work after which idle work is done and the
         * connection returns to the pool.
         */
        default long aliveNanos() {
            return TimeUnit.SECONDS.toNanos(1);
        }

        /** Called before a single job is sent in one message. */
        default void sending(LoneEnqueue lone) throws SQLException {}

        /** Called when the transaction has begun, and nothing is written yet. */
        default void began(Session session, Batch batch) throws SQLException {}

        /** Called when everything is written, and the commit is next. */
        default void committing(Session session, Batch batch) throws SQLException {}

        /** Called when the server has committed, and its answer is not processed yet. */
        default void committed(Session session, Batch batch) throws SQLException {}
    }

    /** Work that the writer's own thread does when nothing is queued, about once a second while there was work. */
    public interface Chore {
        /** Does the work. Returns true if some is left for the next time. */
        boolean run(Session session) throws SQLException;
    }

    private final Kind kind;
    private final Database database;
    private final Shared shared;
    private final StoreHints hints;
    private final Notifier notifier;
    private final Probe probe;
    private final Chore chore;
    private final Diverted diverted;
    private final LoneSender sender;
    private final long timeoutNanos;
    private final Thread thread;
    private final LogThrottle unusable;
    private final LogThrottle broken;
    private final LogThrottle undone;

    /** The other writers. Submissions that would delay others are sent there. */
    public interface Diverted {
        void accept(List<Submission<?>> submissions);

        /** True if submissions of this job are queued there. Later ones must not overtake them. */
        boolean concerns(long job);

        /** Notes that a commit has left sums, which a writer with time should write. */
        void leftSums();
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition work = lock.newCondition();

    /** The current session. Used by the writer's thread only. */
    private volatile @Nullable Session session;
    /** True if a claim has joined the last transaction that had none at its beginning. Used by the writer's thread only. */
    private boolean claimJoined;

    /** True if a limit or a rate applied to the last claim. Used by the writer's thread only, as the next field is. */
    private boolean claimsLimited;
    /** The due time of the next job, as the last claim has read it; null if none is scheduled. */
    private @Nullable Long nextDue;

    /** The number of submissions that were found locked in this round. Used by the writer's thread only, as the next two fields are. */
    private int locked;
    /** The first submission of each job that was postponed in this round. */
    private final Map<Long, Submission<?>> waiting = new HashMap<>();
    /**
     * The number of postponed submissions that share the next transaction. It doubles after each that commits, and is one after a submission was
     * found locked.
     */
    private int together = 1;

    /** The reason for which the writer makes no progress; null if it does. */
    private volatile @Nullable String problem;

    /** The reason for which the idle work is not done; null if it is done. */
    private volatile @Nullable String choreProblem;

    // The following fields are guarded by lock.
    private final CommandQueue queue = new CommandQueue(lock, work);
    /** The submissions that the thread has taken and neither postponed nor passed on. */
    private final Set<Submission<?>> underWay = new LinkedHashSet<>();
    /** The submissions that were found locked and are tried later. */
    private final Postponed later = new Postponed();

    /** True if another writer has left idle work. */
    private boolean poked;

    private @Nullable Batch inFlight;
    private long batchSince;
    /** True if the commit of the current batch was sent. Before that, its submissions can still be withdrawn. */
    private boolean committing;

    public Writer(
            Kind kind,
            Database database,
            Shared shared,
            StoreHints hints,
            Notifier notifier,
            Probe probe,
            Chore chore,
            Diverted diverted,
            TimeSource time,
            String name) {
        this.kind = kind;
        this.database = database;
        this.shared = shared;
        this.hints = hints;
        this.notifier = notifier;
        this.probe = probe;
        this.chore = chore;
        this.diverted = diverted;
        this.sender = new LoneSender(database, shared, probe);
        this.unusable = new LogThrottle(time);
        this.broken = new LogThrottle(time);
        this.undone = new LogThrottle(time);
        this.timeoutNanos = database.operationNanos();
        this.thread = new Thread(this::run, "windrow-" + kind.name().toLowerCase(Locale.ROOT) + "-" + name);
        thread.setDaemon(true);
    }

    public void start() {
        thread.start();
    }

    /**
     * Queues a submission. Waits for a free place when the queue is full, at most as long as the operation timeout. Commands that keep workers alive
     * do not wait.
     */
    public <T extends @Nullable Object> Submission<T> submit(Submission<T> submission) {
        if (!queue.submit(submission, timeoutNanos)) {
            submission.withdraw(timeout(), "the queue of the writer is full");
        }
        return submission;
    }

    /** True if new jobs are queued or being written. */
    public boolean isEnqueuing() {
        lock.lock();
        try {
            return queue.hasEnqueues() || (inFlight != null && inFlight.has(Enqueue.class));
        } finally {
            lock.unlock();
        }
    }

    /** Takes over submissions that another writer could not do at once, in their order. */
    public void takeOver(List<Submission<?>> submissions) {
        lock.lock();
        try {
            submissions.forEach(Submission::forget);
            submissions.forEach(queue::add);
        } finally {
            lock.unlock();
        }
    }

    /** Notes that there is idle work. */
    public void poke() {
        lock.lock();
        try {
            if (!poked) {
                poked = true;
                work.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    public boolean concerns(long job) {
        lock.lock();
        try {
            return concerns(queue.all(), job) || concerns(later.submissions(), job) || concerns(underWay, job);
        } finally {
            lock.unlock();
        }
    }

    // Called for each settled job, as a rule with empty collections. Streams took 600 bytes of memory for each.
    private static boolean concerns(Collection<Submission<?>> submissions, long job) {
        for (Submission<?> submission : submissions) {
            Long of = submission.command().attemptOf();
            if (of != null && of == job && !submission.isEnded()) {
                return true;
            }
        }
        return false;
    }

    /** Refuses all submissions from now on, because this code may no longer write the database. */
    public void refuse(WindrowException why) {
        lock.lock();
        try {
            queue.refuse(why);
            later.submissions().forEach(submission -> submission.fail(why));
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        boolean chores = true;
        while (true) {
            try {
                Batch batch = take(chores);
                if (batch == null) {
                    break;
                }
                if (batch == IDLE) {
                    chores = whenIdle();
                } else {
                    writeAll(batch);
                    giveBack(false);
                    retry();
                    giveBack(false);
                    chores = true;
                }
            } catch (InterruptedException e) {
                // No thread has a reason to interrupt this one, which ends by close().
                log.warn("{} was interrupted and continues", thread.getName());
            } catch (Throwable e) {
                goOnAfter(e);
            }
            lock.lock();
            try {
                inFlight = null;
                underWay.clear();
            } finally {
                lock.unlock();
            }
            problem = null;
        }
        end();
    }

    /** Continues after an unexpected error, such as a lack of memory. Answers each submission that the thread has taken. */
    private void goOnAfter(Throwable e) {
        try {
            log.error("{} failed with an unexpected error; its operations fail, and it continues", thread.getName(), e);
        } catch (Throwable again) {
            // There is no memory for a log entry.
        }
        try {
            giveBack(true);
        } catch (Throwable again) {
            // The session is not used again, ended or not.
        }
        for (Submission<?> submission : underWay) { // only this thread changes it
            answer(submission, e);
        }
    }

    /** Answers a submission in any case. If there is no memory for it now, it tries again until there is. */
    private void answer(Submission<?> submission, @Nullable Throwable failure) {
        while (true) {
            try {
                if (failure == null) {
                    submission.complete();
                } else if (committing
                        && inFlight != null
                        && inFlight.submissions().contains(submission)) {
                    submission.outcomeUnknown("its commit failed with an error: " + failure);
                } else {
                    submission.fail(new StoreUnavailableException(submission.what() + " failed: " + failure, failure));
                }
                return;
            } catch (Throwable e) {
                LockSupport.parkNanos(FIRST_PAUSE_NANOS);
            }
        }
    }

    /**
     * Waits for the next batch, without postponed submissions. Returns {@link #IDLE} if nothing came for a while and idle work is left. Returns null
     * at the end.
     */
    private @Nullable Batch take(boolean chores) throws InterruptedException {
        lock.lock();
        try {
            long idleNanos = probe.aliveNanos();
            while (true) {
                long now = System.nanoTime();
                long untilLater = untilLater(now);
                if (queue.isUrgent() || untilLater <= 0) {
                    break;
                }
                if (queue.isClosed()) {
                    return null;
                }
                long patience = queue.untilStart(now);
                if (patience <= 0) {
                    break;
                }
                long wait = Math.min(untilLater, patience);
                if (chores || poked) {
                    if (idleNanos <= 0) {
                        poked = false;
                        return IDLE;
                    }
                    wait = Math.min(wait, idleNanos);
                }
                if (wait == Long.MAX_VALUE) {
                    work.await();
                } else {
                    idleNanos -= wait - work.awaitNanos(wait);
                }
            }
            Batch batch = new Batch();
            fill(batch);
            inFlight = batch;
            batchSince = System.nanoTime();
            committing = false;
            return batch;
        } finally {
            lock.unlock();
        }
    }

    private long untilLater(long now) {
        return queue.isClosed() && !later.isEmpty() ? 0 : later.untilNext(now);
    }

    /**
     * Moves submissions from the queue into the batch up to its maximum. Postpones submissions that would overtake one of the same job. The caller
     * holds the lock.
     */
    private void fill(Batch batch) {
        Map<Long, Submission<?>> first = later.first();
        while (!queue.isEmpty()
                && (batch.isEmpty() || batch.weight() + queue.first().weight() <= MAX_BATCH)) {
            // A submission leaves the queue only when it is in its new place, so that an error in between loses none.
            Submission<?> submission = queue.first();
            Submission<?> before = submission.command().attemptOf() == null
                    ? null
                    : first.get(submission.command().attemptOf());
            if (before != null) {
                submission.delayAs(before);
                later.add(submission);
            } else if (!submission.isEnded()) {
                underWay.add(submission);
                batch.add(submission);
            }
            queue.removeFirst();
        }
        queue.signalRoom();
    }

    /** Tries some of the postponed submissions. While new submissions come, it tries a few at a time, so that the new ones never wait for long. */
    private void retry() {
        for (int tries = 0; locked < MAX_LOCKED; tries++) {
            List<Submission<?>> some;
            boolean alone;
            lock.lock();
            try {
                some = tries >= MAX_TRIES && !queue.isEmpty()
                        ? List.of()
                        : later.next(together, MAX_BATCH, System.nanoTime(), queue.isClosed());
                underWay.addAll(some);
                later.remove(some);
                alone = some.size() == 1 && queue.isEmpty() && later.isEmpty();
            } finally {
                lock.unlock();
            }
            if (some.isEmpty()) {
                return;
            }
            // A submission that was postponed before in this round may be due again.
            waiting.clear();
            together = part(some, alone ? Manner.ALONE : brief(some)) ? Math.min(2 * together, MAX_BATCH) : 1;
        }
    }

    private void writeAll(Batch batch) {
        if (kind == Kind.WORK) {
            List<Submission<?>> behind = batch.submissions().stream()
                    .filter(submission -> submission.command().attemptOf() != null
                            && diverted.concerns(submission.command().attemptOf()))
                    .toList();
            if (!behind.isEmpty()) {
                divert(batch, behind);
            }
        }
        locked = 0;
        waiting.clear();
        try {
            transact(batch, Manner.SHARED);
        } catch (SQLException e) {
            if (kind == Kind.WORK && PostgresErrors.isLocked(e)) {
                aroundLocks(batch);
            } else {
                halve(List.copyOf(batch.submissions()), e);
            }
        } catch (RuntimeException e) {
            halve(List.copyOf(batch.submissions()), e);
        }
        locked = 0;
        waiting.clear();
    }

    /**
     * Runs a batch around rows that other transactions have locked. Submissions that need such a row go to the PATIENT writer, and the others are
     * done now. If something other than rows of jobs and their children is locked, all submissions on jobs go there. Then the others do not wait
     * until the locked one is known.
     */
    private void aroundLocks(Batch batch) {
        try {
            transact(batch, Manner.AROUND_LOCKS);
            return;
        } catch (SQLException e) {
            if (!PostgresErrors.isLocked(e)) {
                halve(List.copyOf(batch.submissions()), e);
                return;
            }
        } catch (RuntimeException e) {
            // One submission is refused after it has written. The others must not fail because of it.
            halve(List.copyOf(batch.submissions()), e);
            return;
        }
        divert(
                batch,
                batch.submissions().stream()
                        .filter(submission -> submission.command().attemptOf() != null)
                        .toList());
        part(List.copyOf(batch.submissions()), Manner.BRIEF);
    }

    private void divert(Batch batch, List<Submission<?>> submissions) {
        drop(batch, submissions);
        diverted.accept(submissions);
        noLongerUnderWay(submissions);
    }

    private static Manner brief(List<Submission<?>> submissions) {
        return submissions.get(0).delays() < MAX_BRIEF ? Manner.BRIEF : Manner.LONGER;
    }

    /** Removes submissions that are in another place now. */
    private void noLongerUnderWay(Collection<Submission<?>> submissions) {
        lock.lock();
        try {
            underWay.removeAll(submissions);
        } finally {
            lock.unlock();
        }
    }

    /** Drops submissions from a batch. Under the lock, because the watch reads the current batch. */
    private void drop(Batch batch, List<Submission<?>> submissions) {
        lock.lock();
        try {
            batch.drop(submissions);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Runs submissions in one transaction, or in several if that fails. Returns true if all of them are done.
     *
     * @param submissions the submissions, with each job's submissions in their order
     */
    private boolean part(List<Submission<?>> submissions, Manner manner) {
        Batch batch = new Batch();
        for (Submission<?> submission : submissions) {
            Submission<?> before = submission.command().attemptOf() == null
                    ? null
                    : waiting.get(submission.command().attemptOf());
            if (before != null) {
                // The lock may be free now, but the earlier submission of the job still waits.
                submission.delayAs(before);
                putOff(submission);
            } else if (locked >= MAX_LOCKED) {
                putOff(submission);
            } else if (!submission.isEnded()) {
                submission.forget();
                batch.add(submission);
            }
        }
        List<Submission<?>> tried = List.copyOf(batch.submissions());
        lock.lock();
        try {
            committing = false;
            inFlight = batch;
            batchSince = System.nanoTime();
        } finally {
            lock.unlock();
        }
        try {
            transact(batch, manner);
            return tried.size() == submissions.size();
        } catch (SQLException | RuntimeException e) {
            halve(tried, e);
            return false;
        }
    }

    /** Handles submissions whose transaction has failed. A single submission gets the error. Of several, each half is tried. */
    private void halve(List<Submission<?>> submissions, Exception e) {
        if (e instanceof SQLException error && PostgresErrors.isStoreWide(error)) {
            submissions.forEach(submission -> submission.fail(PostgresErrors.translate(error, submission.what())));
        } else if (submissions.size() > 1) {
            log.debug("A shared transaction failed ({}); its operations are run again in two", e.toString());
            int middle = submissions.size() / 2;
            part(submissions.subList(0, middle), Manner.BRIEF);
            part(submissions.subList(middle, submissions.size()), Manner.BRIEF);
        } else {
            submissions.forEach(submission -> alone(submission, e));
        }
    }

    /** Handles a submission that has failed in a transaction by itself. */
    private void alone(Submission<?> submission, Exception e) {
        if (e instanceof SQLException error) {
            if (PostgresErrors.isLocked(error)) {
                locked++;
                postpone(submission, error);
            } else {
                submission.fail(PostgresErrors.translate(error, submission.what()));
            }
        } else if (e instanceof WindrowException refused) {
            // It was refused after it had written, and all of its writes were rolled back.
            submission.fail(refused);
        } else {
            // The pool may have failed with an exception of its own. Then the submission is not the cause, and the
            // session must not be used again.
            boolean blameless = hasNoConnection();
            giveBack(true);
            String what = submission.what() + " failed: " + e;
            submission.fail(blameless ? new StoreUnavailableException(what, e) : new WindrowException(what, e));
        }
    }

    private boolean hasNoConnection() {
        Session open = session;
        try {
            return open == null || open.isClosed();
        } catch (SQLException | RuntimeException closed) {
            return true;
        }
    }

    /**
     * Postpones a submission because another transaction has locked what it needs. It is tried again until its time is over. Only submissions of the
     * same job wait for it.
     */
    private void postpone(Submission<?> submission, SQLException e) {
        long now = System.nanoTime();
        if (now - submission.since() > timeoutNanos) {
            submission.fail(PostgresErrors.translate(e, submission.what()));
            return;
        }
        submission.delay(now + Math.min(LAST_PAUSE_NANOS, FIRST_PAUSE_NANOS << Math.min(10, submission.delays())));
        putOff(submission);
    }

    private void putOff(Submission<?> submission) {
        if (submission.command().attemptOf() != null) {
            waiting.putIfAbsent(submission.command().attemptOf(), submission);
        }
        if (kind == Kind.WORK) {
            diverted.accept(List.of(submission));
            noLongerUnderWay(List.of(submission));
            return;
        }
        lock.lock();
        try {
            submission.forget();
            later.add(submission);
            underWay.remove(submission);
        } finally {
            lock.unlock();
        }
    }

    /** Runs one transaction, from its beginning to the answers, on another connection if one breaks. Throws only if nothing was written. */
    private void transact(Batch batch, Manner manner) throws SQLException {
        long pause = FIRST_PAUSE_NANOS;
        int losses = 0;
        boolean mayAssume = !manner.aroundLocks;
        while (true) {
            drop(batch, List.of());
            if (batch.isEmpty()) {
                return;
            }
            try {
                Tried tried = tryOnce(batch, manner, mayAssume);
                if (tried == Tried.DONE) {
                    return;
                }
                mayAssume &= tried != Tried.AHEAD_OF_TIME;
                if (tried != Tried.BROKEN) {
                    batch.submissions().forEach(Submission::forget);
                    continue;
                }
            } catch (SQLException e) {
                boolean lost = database.losesStatements(e);
                if (!isGone(e) && !lost) {
                    throw e;
                }
                if (problem == null && !(lost && ++losses <= Database.MAX_LOSSES)) {
                    hasProblem("the server cannot be used: " + PostgresErrors.message(e));
                }
            }
            giveBack(true);
            batch.submissions().forEach(Submission::forget);
            pause(pause);
            pause = Math.min(LAST_PAUSE_NANOS, 2 * pause);
        }
    }

    private void hasProblem(String why) {
        problem = why;
        unusable.tell(more -> log.warn("{}: {}; it is tried again{}", thread.getName(), why, more));
    }

    /** True if the connection is lost. A pool may have closed a failed connection, and then throws an exception of its own. */
    private boolean isGone(SQLException e) {
        if (PostgresErrors.isConnectionGone(e)) {
            return true;
        }
        Session open = session;
        try {
            return open != null && open.isClosed();
        } catch (SQLException closed) {
            return true;
        }
    }

    /** The outcome of a commit. */
    private enum Outcome {
        COMMITTED,
        NOT_WRITTEN,
        /** The callers were told that the outcome is unknown. */
        UNKNOWN
    }

    /** The result of a try that did not throw. */
    private enum Tried {
        /** The callers have their answers. */
        DONE,
        /** The batch must be tried again: submissions have ended in between, or a claim has joined under a name without a number. */
        AGAIN,
        /** The batch must be tried again: its first statement has assumed something wrong. */
        AHEAD_OF_TIME,
        /** The connection broke, and nothing was written. */
        BROKEN
    }

    private Tried tryOnce(Batch batch, Manner manner, boolean mayAssume) throws SQLException {
        Session open = session();
        long beginNanos = System.nanoTime();
        Names.Used used = new Names.Used();
        batch.submissions().forEach(submission -> PostgresCommands.names(used, submission.command()));
        Learned learned = shared.learned(open.run().started());
        if (!learned.names().know(used)) {
            learned.names().ensure(open, used);
        }
        JobRow row = mayAssume && manner == Manner.SHARED && sender.maySend(open) ? lone(batch) : null;
        if (row != null) {
            try {
                // A claim that joins gets the job in the same transaction.
                ask(batch, learned.names(), used, row.queue(), row.type());
            } catch (Beginning.UnknownName e) {
                return Tried.AGAIN;
            }
            LoneSender.Sending lone =
                    batch.submissions().size() > 1 ? null : sender.sending(open, batch, row, learned, used);
            if (lone != null) {
                return writeAlone(lone);
            }
        }
        PostgresTransaction tx = new PostgresTransaction(open.statements(), shared, learned, used, new ArrayDeque<>());
        boolean done = false;
        try {
            begin(open, batch, manner, tx, used, mayAssume);
            probe.began(open, batch);
            if (manner.aroundLocks) {
                divert(batch, PostgresRules.busy(tx, batch));
            }
            Batch.Takers waitingClaims = !manner.shared
                    ? Batch.Takers.NONE
                    : (queue, type) -> {
                        // The lane of a single job was asked for before.
                        if (row == null
                                || !row.queue().equals(queue)
                                || !row.type().equals(type)) {
                            ask(batch, learned.names(), used, queue, type);
                        }
                    };
            batch.apply(new PostgresRules(tx, kind == Kind.CLAIMS), waitingClaims);
            if (tx.number() == null && tx.hasWritten()) {
                tx.record();
                tx.recorded();
            }
            probe.committing(open, batch);
            if (!mayCommit(batch)) {
                return Tried.AGAIN;
            }
            done = true;
        } catch (Beginning.UnknownName e) {
            return Tried.AGAIN;
        } catch (Beginning.AheadOfTime e) {
            return Tried.AHEAD_OF_TIME;
        } catch (SQLException e) {
            // The beginning may read a reason that says more, such as tables of a newer version.
            if (tx.hasFailedAhead() && database.isOfStatement(e)) {
                return Tried.AHEAD_OF_TIME;
            }
            throw e;
        } finally {
            if (!done) {
                open.rollback();
            }
        }
        Outcome outcome = commitOrFindOut(open, batch, tx);
        if (outcome == Outcome.NOT_WRITTEN) {
            return Tried.BROKEN;
        }
        if (outcome == Outcome.COMMITTED) {
            tx.noteFlush();
        }
        // This comes before the answers. A caller that has its answer may claim at once, and must find the jobs that
        // became ready.
        committed(tx);
        for (Submission<?> submission : batch.submissions()) {
            answer(submission, null);
        }
        if (batch.has(Claim.class)) {
            claimsLimited = tx.hasLimitedClaim();
        }
        again(batch, tx.permits.left());
        release(tx.dependents.left());
        tell(tx, batch.submissions().size(), System.nanoTime() - beginNanos);
        unusable.over(how -> log.info("{} continues: it could not {}", thread.getName(), how));
        return Tried.DONE;
    }

    /** Returns the only job of a batch that one message can write. Null for any other batch. */
    private static @Nullable JobRow lone(Batch batch) {
        return batch.submissions().size() == 1
                ? LoneEnqueue.row(batch.submissions().get(0).command())
                : null;
    }

    /** Writes a job alone, in one message. If the answer is lost, it finds out the outcome. */
    private Tried writeAlone(LoneSender.Sending sending) throws SQLException {
        if (!mayCommit(sending.batch())) {
            return Tried.AGAIN;
        }
        LoneEnqueue.Written written;
        try {
            written = sender.send(sending);
        } catch (LoneSender.AnswerLost e) {
            putAside(sender.isUsableAfter(sending.session(), e.why));
            return found(sending, e.why);
        } catch (SQLException e) {
            mayBeWithdrawn();
            throw e;
        }
        if (written == null) {
            mayBeWithdrawn();
            return Tried.AHEAD_OF_TIME;
        }
        writtenAlone(sending, written);
        return Tried.DONE;
    }

    /** Notes that nothing was written, so that submissions may be withdrawn. */
    private void mayBeWithdrawn() {
        lock.lock();
        try {
            committing = false;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Finds out whether a job was written whose answer was lost ({@link LoneEnqueue#isWritten}). Until the outcome is known, the submission cannot be
     * withdrawn, and its outcome is unknown when its time is over.
     */
    private Tried found(LoneSender.Sending sending, Throwable lost) {
        Batch batch = sending.batch();
        LoneEnqueue lone = sending.message();
        String why = lost instanceof SQLException e ? PostgresErrors.message(e) : lost.toString();
        broken.tell(more -> log.warn(
                "{}: the answer to a new job was lost ({}); the writer finds out whether job {} was written{}",
                thread.getName(),
                why,
                lone.id(),
                more));
        LoneEnqueue.Written asLeast = new LoneEnqueue.Written(shared.clock().now(), lone.latest(), 0);
        String unknown = "the connection broke at its commit";
        long pause = FIRST_PAUSE_NANOS;
        while (batch.submissions().stream().anyMatch(submission -> !submission.isEnded())) {
            try {
                Session again = session();
                if (!again.run().history().equals(sending.session().run().history())) {
                    unknown = "the connection broke at its commit, and another server has taken over";
                    break;
                }
                probe.began(again, batch);
                Boolean written = lone.isWritten(again);
                if (written == null) {
                    unknown = "the connection broke at its commit, and another queue was copied to the tables";
                    break;
                }
                // The sequence is at the limit of the other ids, too.
                sending.learned().ids().drop();
                if (written) {
                    writtenAlone(sending, asLeast);
                    return Tried.DONE;
                }
                mayBeWithdrawn();
                return Tried.AGAIN;
            } catch (SQLException e) {
                boolean lostStatement = database.losesStatements(e);
                // If it is locked, the message is still under way.
                if (!lostStatement && !PostgresErrors.isLocked(e) && problem == null) {
                    hasProblem("the server cannot be used: " + PostgresErrors.message(e));
                }
                putAside(PostgresErrors.isOfTheServer(e) && !lostStatement && !isGone(e));
            } catch (RuntimeException e) {
                if (problem == null) {
                    hasProblem("the server cannot be used: " + e);
                }
                putAside(false);
            }
            pause(pause);
            pause = Math.min(LAST_PAUSE_NANOS, 2 * pause);
        }
        String reason = unknown + because();
        batch.submissions().forEach(submission -> submission.outcomeUnknown(reason));
        // It may have been written.
        PostgresTransaction tx = noted(sending, asLeast);
        tell(tx, batch.submissions().size(), System.nanoTime() - sending.beginNanos());
        return Tried.DONE;
    }

    /** Keeps the session after a statement was refused, or ends it. */
    private void putAside(boolean isUsable) {
        Session open = session;
        if (isUsable && open != null) {
            open.rollback();
        } else {
            giveBack(true);
        }
    }

    /** Returns the reason why the writer makes no progress, as the end of a sentence. */
    private String because() {
        String why = problem;
        return why == null ? "" : ": " + why;
    }

    /** Moves the cursors for a job that was written alone. */
    private PostgresTransaction noted(LoneSender.Sending sending, LoneEnqueue.Written written) {
        PostgresTransaction tx = new PostgresTransaction(
                sending.session().statements(),
                shared,
                sending.learned(),
                sending.used(),
                written.now(),
                Set.of(),
                new ArrayDeque<>());
        sending.message().note(tx, written.stamp());
        committed(tx);
        return tx;
    }

    /** Answers the caller of a job that was written alone, and notifies others. */
    private void writtenAlone(LoneSender.Sending sending, LoneEnqueue.Written written) {
        shared.stamps().accumulateAndGet(written.stamp(), Math::max);
        PostgresTransaction tx = noted(sending, written);
        for (Submission<?> submission : sending.batch().submissions()) {
            answer(submission, null);
        }
        tell(tx, sending.batch().submissions().size(), System.nanoTime() - sending.beginNanos());
        unusable.over(how -> log.info("{} continues: it could not {}", thread.getName(), how));
    }

    /** Returns the number of ids that the new jobs and workflows of a batch need. */
    private static int newIds(Batch batch) {
        return batch.submissions().stream()
                .mapToInt(submission -> PostgresCommands.ids(submission.command()))
                .sum();
    }

    /** Begins a transaction. If its first statement needs nothing that the beginning reads, both are sent later, in one message. */
    private void begin(
            Session open, Batch batch, Manner manner, PostgresTransaction tx, Names.Used used, boolean mayAssume)
            throws SQLException {
        open.renewPlans(PLANS_NANOS);
        // If a claim has joined the last transaction, one may join this one. The query costs no additional message at
        // this point.
        boolean asksForDue = batch.has(Claim.class) || claimJoined;
        claimJoined = claimJoined && batch.has(Claim.class);
        tx.beginBy(new Beginning(
                /* shared= */ shared,
                /* used= */ used,
                /* newestBefore= */ tx.names.newest(),
                /* lockTimeout= */ manner.lockTimeout,
                /* writes= */ !batch.onlyClaims(),
                /* nextDue= */ asksForDue ? due -> nextDue = due : null));
        int newIds = newIds(batch);
        if (!mayAssume || newIds > 0 || !mayBeginByFirst(batch, tx.learned)) {
            tx.begin();
            tx.takeIds(newIds);
        }
    }

    /**
     * True if the first statement of a batch may be sent with the beginning. A claim assumes that no job is due, and that no limit applies. After one
     * that took long, the next one is sent alone, so that its duration is known.
     */
    private boolean mayBeginByFirst(Batch batch, Learned learned) {
        Long due = nextDue;
        return batch.onlyClaims()
                ? !claimsLimited
                        && (due == null || due > shared.clock().now())
                        && !learned.due().isUnmeasured()
                        && !learned.claimCursors().isUnmeasured()
                : batch.submissions().stream()
                        .allMatch(submission -> submission.is(Settle.class) || submission.is(Started.class));
    }

    /** Adds the claim of a worker that has free slots for jobs of this lane, if there is one. */
    private void ask(Batch batch, Names names, Names.Used used, String queue, String type) {
        WaitingClaim waitingClaim;
        try {
            waitingClaim = hints.waitingClaim(queue, type);
        } catch (RuntimeException e) {
            log.error("No waiting claim could be read for jobs of {}/{}; the next claim takes them", queue, type, e);
            return;
        }
        if (waitingClaim == null) {
            return;
        }
        Submission<Claimed> claim = new Submission<>(waitingClaim.request(), waitingClaim.answer());
        lock.lock();
        try {
            underWay.add(claim);
            batch.add(claim);
        } finally {
            lock.unlock();
        }
        claimJoined = true;
        PostgresCommands.names(used, claim.command());
        if (!names.know(used)) {
            throw new Beginning.UnknownName();
        }
    }

    /**
     * True if no submission was withdrawn. This is the last moment for a withdrawal. If one was withdrawn, the transaction holds writes that no
     * caller wants. A start whose attempt has ended meanwhile is wanted as before.
     */
    private boolean mayCommit(Batch batch) {
        lock.lock();
        try {
            committing = batch.submissions().stream()
                    .noneMatch(submission -> submission.isEnded() && !submission.is(Started.class));
            return committing;
        } finally {
            lock.unlock();
        }
    }

    /** Commits. If the answer is lost, it finds out the outcome. If the outcome is unknown, it tells the callers. */
    private Outcome commitOrFindOut(Session open, Batch batch, PostgresTransaction tx) throws SQLException {
        try {
            if (tx.hasWritten()) {
                tx.recordAndCommit();
            }
            // Ends a transaction that is still open.
            open.commit();
            if (tx.hasBegun()) {
                open.answered(tx.serverMillis());
            }
            probe.committed(open, batch);
            return Outcome.COMMITTED;
        } catch (SQLException e) {
            boolean isOfTheServer = PostgresErrors.isOfTheServer(e) && !isGone(e);
            if (isOfTheServer && PostgresErrors.isRefusal(e)) {
                open.rollback();
                mayBeWithdrawn();
                throw e;
            }
            Outcome outcome = outcome(batch, tx, open.run(), PostgresErrors.message(e));
            if (outcome == Outcome.NOT_WRITTEN && isOfTheServer) {
                throw e;
            }
            return outcome;
        } catch (RuntimeException | Error e) {
            // After an error such as a lack of memory, the server may have committed.
            return outcome(batch, tx, open.run(), e.toString());
        }
    }

    /** Finds out the outcome of a commit without an answer. If it is unknown, it tells the callers. */
    private Outcome outcome(Batch batch, PostgresTransaction tx, Session.Run run, String why) {
        giveBack(true);
        broken.tell(more -> log.warn(
                "{}: the connection broke at a commit ({}); the writer asks the server for the status of the transaction{}",
                thread.getName(),
                why,
                more));
        // After a crash, the server may give the rest of a block of ids to another process.
        tx.learned.ids().drop();
        String number = tx.number();
        if (number == null || !tx.hasChanged()) {
            mayBeWithdrawn();
            return Outcome.NOT_WRITTEN;
        }
        Outcome outcome = find(batch, number, tx.witness(), run);
        if (outcome == Outcome.UNKNOWN) {
            batch.submissions().forEach(submission -> submission.outcomeUnknown("the connection broke at its commit"));
        } else {
            mayBeWithdrawn();
        }
        return outcome;
    }

    /**
     * Asks the server for the status of a transaction until it knows it or no caller waits any more. After the promotion of a standby, the number may
     * belong to another transaction. After a crash it may, too, and the server's start time need not show a crash. So a commit counts only if the row
     * of the {@link Witness} confirms it. Without a witness its outcome is unknown.
     */
    private Outcome find(Batch batch, String number, @Nullable Witness witness, Session.Run run) {
        long pause = FIRST_PAUSE_NANOS;
        while (batch.submissions().stream().anyMatch(submission -> !submission.isEnded())) {
            try {
                Session open = session();
                if (!open.run().history().equals(run.history())) {
                    return Outcome.UNKNOWN;
                }
                Witness.Status status = Witness.status(open.statements(), number, witness);
                open.commit();
                if (status.word() == null || (status.isCommitted() && status.seen() == null)) {
                    log.warn(
                            "{}: the outcome of that transaction is unknown, because no row confirms it",
                            thread.getName());
                    return Outcome.UNKNOWN;
                }
                // No transaction is in progress that began before the server was started.
                if (!status.word().equals("in progress") || status.started() != run.started()) {
                    boolean stands = status.isCommitted() && Boolean.TRUE.equals(status.seen());
                    log.info("{}: that transaction was {}", thread.getName(), stands ? "committed" : "not committed");
                    return stands ? Outcome.COMMITTED : Outcome.NOT_WRITTEN;
                }
            } catch (SQLException e) {
                giveBack(true);
                if (PostgresErrors.isOfTheFuture(e)) {
                    log.info("{}: that transaction was lost in a crash", thread.getName());
                    return Outcome.NOT_WRITTEN;
                }
                if (!PostgresErrors.isConnectionGone(e) && !database.losesStatements(e)) {
                    broken.tell(more -> log.warn(
                            "The status of a transaction cannot be read; its callers get an exception with an unknown outcome: {}{}",
                            PostgresErrors.message(e),
                            more));
                    return Outcome.UNKNOWN;
                }
            } catch (RuntimeException e) {
                // An exception, for example of the pool, must not be taken for one of the transaction.
                giveBack(true);
            }
            pause(pause);
            pause = Math.min(LAST_PAUSE_NANOS, 2 * pause);
        }
        return Outcome.UNKNOWN;
    }

    /** Moves the cursors. The commit is final: an exception here or in {@link #tell} must not cause a repetition. */
    private static void committed(PostgresTransaction tx) {
        try {
            tx.committed();
        } catch (RuntimeException | Error e) {
            log.error(
                    "After a commit, the claim cursors could not be moved; a later claim from the head finds the jobs",
                    e);
        }
    }

    private void tell(PostgresTransaction tx, int submissions, long nanos) {
        try {
            hints.committed(submissions, nanos);
            tx.tell(hints);
            tx.tell(notifier);
            diverted.leftSums();
        } catch (RuntimeException | Error e) {
            log.error("After a commit, waiting callers were not notified; the slow poll finds their jobs", e);
        }
    }

    /**
     * Submits another grant of permits for keys that another transaction was granting, or that were too many for one transaction. The delay grows
     * each time.
     */
    private void again(Batch batch, Set<String> keys) {
        if (keys.isEmpty()) {
            return;
        }
        int tries = tries(batch, keys);
        Submission<Boolean> admit = new Submission<>(new Admit(List.copyOf(keys), false, tries + 1));
        lock.lock();
        try {
            if (!queue.isClosed()) {
                admit.delay(System.nanoTime() + Math.min(LAST_PAUSE_NANOS, AGAIN_NANOS << Math.min(10, tries)));
                later.add(admit);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns how often a grant of one of these keys was tried before. */
    private static int tries(Batch batch, Set<String> keys) {
        int tries = 0;
        for (Submission<?> submission : batch.submissions()) {
            if (submission.command() instanceof Admit admit
                    && admit.keys().stream().anyMatch(keys::contains)) {
                tries = Math.max(tries, admit.tries());
            }
        }
        return tries;
    }

    /**
     * Submits the release of children that were too many for one transaction. The PATIENT writer does it in separate transactions, so that no other
     * submission waits.
     */
    private void release(Set<Long> parents) {
        if (parents.isEmpty()) {
            return;
        }
        boolean ends;
        lock.lock();
        try {
            ends = queue.isClosed();
        } finally {
            lock.unlock();
        }
        // If this store is closing, another process continues at this point.
        if (!ends) {
            diverted.accept(List.of(new Submission<>(new Release(parents))));
        }
    }

    private Session session() throws SQLException {
        Session open = session;
        if (open == null) {
            open = database.sessions().take(this);
            session = open;
        }
        return open;
    }

    private void giveBack(boolean broken) {
        Session open = session;
        session = null;
        if (open != null) {
            if (broken) {
                database.sessions().end(open);
                database.sessions().endFree();
            } else {
                database.sessions().giveBack(open, this);
            }
        }
    }

    /** Waits unless the writer is closed. After the close, the remaining submissions have one more try, and then fail. */
    private void pause(long nanos) {
        lock.lock();
        try {
            long left = nanos;
            while (left > 0 && !queue.isClosed()) {
                left = work.awaitNanos(left);
            }
            if (queue.isClosed() && inFlight != null && System.nanoTime() - batchSince > timeoutNanos / 10) {
                for (Submission<?> submission : inFlight.submissions()) {
                    if (committing) {
                        submission.outcomeUnknown(
                                "the connection broke at its commit, and the store is closed" + because());
                    } else {
                        submission.fail(
                                new StoreUnavailableException(submission.what() + " failed: the store is closed"));
                    }
                }
            }
        } catch (InterruptedException e) {
            log.debug("A pause was cut short");
        } finally {
            lock.unlock();
        }
    }

    /** Does idle work when no submissions have come for a moment. */
    private boolean whenIdle() {
        try {
            boolean left = doChore();
            giveBack(false);
            return left;
        } catch (SQLException e) {
            if (!isGone(e) && !database.losesStatements(e)) {
                choreFailed(e);
                return true;
            }
            log.debug("{}: idle work is postponed: {}", thread.getName(), e.getMessage());
        } catch (IncompatibleStoreException e) {
            log.debug("{}: idle work has ended: {}", thread.getName(), e.getMessage());
        }
        choreProblem = null; // logged again if the server can be used again and still refuses it
        giveBack(true);
        return false;
    }

    /** Notes that the server refuses the idle work, as it will do next time as a rule. */
    private void choreFailed(SQLException e) {
        String what = "cannot compact counters or check the store when idle: " + PostgresErrors.message(e);
        choreProblem = what;
        undone.tell(more -> log.warn("{}: {}; it is tried again{}", thread.getName(), what, more));
        Session open = session;
        if (open != null) {
            open.rollback();
        }
        giveBack(false);
    }

    private boolean doChore() throws SQLException {
        Session open = session();
        shared.guard().require(open);
        boolean left = chore.run(open);
        if (choreProblem != null) {
            choreProblem = null;
            undone.over(how -> log.info("{} does its idle work again: it could not {}", thread.getName(), how));
        }
        // The chore has committed its writes. No transaction stays open while the writer is idle.
        open.rollback();
        return left;
    }

    /** Ends waits that last too long. The store's watch calls it periodically. */
    public void endWaits() {
        lock.lock();
        try {
            long limit = System.nanoTime() - timeoutNanos;
            queue.endLate(limit, late -> late.withdraw(timeout(), why()));
            later.takeSince(limit)
                    .forEach(late -> late.withdraw(
                            timeout(),
                            "another transaction has locked rows that it needs; end or shorten that transaction"));
            if (inFlight != null) {
                for (Submission<?> submission : inFlight.submissions()) {
                    boolean late = submission.since() - limit < 0 && !submission.isEnded();
                    // If the commit of a claim is being sent, the claim waits for its answer. No other worker would run
                    // the jobs that it takes.
                    if (late && !(committing && submission.is(Claim.class) && !queue.isClosed())) {
                        if (committing) {
                            submission.outcomeUnknown("its commit is not confirmed after " + timeout() + because());
                        } else {
                            submission.withdraw(timeout(), why());
                        }
                    }
                }
            }
            if (inFlight != null && problem == null && batchSince - limit < 0) {
                String what = "has been in a transaction for longer than " + timeout();
                problem = what;
                unusable.tell(more ->
                        log.warn("{} {}; new operations fail until it recovers{}", thread.getName(), what, more));
            }
        } finally {
            lock.unlock();
        }
    }

    private String why() {
        return Objects.requireNonNullElse(
                problem, "the server is slow, or another transaction has locked rows that it needs");
    }

    /** Returns the state of the writer, for the health of the store. */
    public Health.Task task() {
        long since;
        lock.lock();
        try {
            since = inFlight == null ? 0 : System.nanoTime() - batchSince;
        } finally {
            lock.unlock();
        }
        String why = thread.isAlive() ? problem : "has ended";
        return new Health.Task(thread.getName(), why == null ? choreProblem : why, Duration.ofNanos(since));
    }

    private String timeout() {
        return Durations.text(Duration.ofNanos(timeoutNanos));
    }

    private void end() {
        try {
            doChore();
        } catch (SQLException | RuntimeException e) {
            log.debug("{}: the last chores are left: {}", thread.getName(), e.getMessage());
        }
        giveBack(false);
    }

    /** Refuses new submissions, writes the queued ones, and ends. */
    public void close() {
        lock.lock();
        try {
            queue.close();
        } finally {
            lock.unlock();
        }
        boolean interrupted = false;
        long deadline = System.nanoTime() + 2 * timeoutNanos;
        while (thread.isAlive() && System.nanoTime() - deadline < 0) {
            try {
                thread.join(TimeUnit.NANOSECONDS.toMillis(Math.max(1_000_000, deadline - System.nanoTime())));
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
