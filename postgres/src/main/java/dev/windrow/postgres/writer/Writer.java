package dev.windrow.postgres.writer;

import dev.windrow.Durations;
import dev.windrow.IncompatibleStoreException;
import dev.windrow.StoreUnavailableException;
import dev.windrow.TimeSource;
import dev.windrow.WindrowException;
import dev.windrow.monitor.Health;
import dev.windrow.postgres.connection.Database;
import dev.windrow.postgres.connection.PostgresErrors;
import dev.windrow.postgres.connection.PostgresQuery;
import dev.windrow.postgres.connection.ServerClock;
import dev.windrow.postgres.connection.Session;
import dev.windrow.postgres.job.DueCursor;
import dev.windrow.postgres.job.JobSql;
import dev.windrow.postgres.processes.Notifier;
import dev.windrow.store.LogThrottle;
import dev.windrow.store.SafeLogger;
import dev.windrow.store.StoreHints;
import dev.windrow.store.job.Claim;
import dev.windrow.store.job.Claimed;
import dev.windrow.store.job.Enqueue;
import dev.windrow.store.job.Release;
import dev.windrow.store.job.WaitingClaim;
import dev.windrow.store.limit.Admit;
import dev.windrow.store.sql.writer.Batch;
import dev.windrow.store.sql.writer.CommandQueue;
import dev.windrow.store.sql.writer.Submission;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
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
 * A commit pipeline: one thread, with a connection for each transaction, which takes whatever callers have queued, writes it in one transaction,
 * commits, and then answers all of them. A lone caller waits for one commit, and a thousand callers share one.
 *
 * <p>A store has five. What only touches rows that are its own, or new, or skipped when locked, goes to {@link Kind#WORK} or {@link
 * Kind#CLAIMS} and never waits there for anybody else's transaction for long; what may have to wait goes to {@link Kind#PATIENT}, and what is found waiting is sent there; what
 * keeps workers alive has {@link Kind#ALIVE} to itself. New jobs with dedupe keys have {@link Kind#KEYED}, because a caller's transaction that has taken
 * a key and stays open may keep many of them waiting.
 *
 * <p>A connection that breaks costs nobody anything: before the commit nothing was written, and the batch is run again on
 * another one until its submissions' time is over. When the answer to a commit is lost, the server is asked whether the transaction stands.
 */
public final class Writer {
    /** What a line is for. */
    public enum Kind {
        /** Settlements and new jobs, with the claims of workers that wait for such: never waits for a lock longer than a moment. */
        WORK,
        /** Claims: beside the settlements, so that the server can do both at once. */
        CLAIMS,
        /** Changes, reclaims, families: waits for locks, one try at a time, so that none waits behind another. */
        PATIENT,
        /** New jobs with dedupe keys: waits for whoever is about to take the same key, as {@link #PATIENT} does. */
        KEYED,
        /** Renewals, the registry, sums. */
        ALIVE
    }

    /** Rows in one transaction at most; see the same of the SQLite store. */
    static final int MAX_BATCH = 3000;
    /** The number of submissions that are found locked, one by one, before the others are postponed: each costs a short wait, and new submissions wait behind it. */
    private static final int MAX_LOCKED = 3;
    /** After so many tries of a submission the next ones take longer. */
    private static final int MAX_BRIEF = 4;
    /** The number of transactions with postponed submissions that may come before new submissions. */
    private static final int MAX_TRIES = 3;
    /** How long plans are kept. Making them takes some milliseconds. */
    private static final long PLANS_NANOS = TimeUnit.SECONDS.toNanos(2);
    /** After this long without work the connection goes back to the pool. */
    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** Between tries of what is locked, and of connecting, at first and at most. */
    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(25);

    /** A commit takes less. */
    private static final long AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private static final long LAST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private static final Logger log = SafeLogger.of(Writer.class);

    /** There is nothing to write. */
    private static final Batch IDLE = new Batch();

    /** The manner of a transaction. */
    private enum Manner {
        /** With others that may join it. */
        SHARED(true, false, "50ms"),
        /** The same, without what others hold. */
        AROUND_LOCKS(true, true, "50ms"),
        /** No submission waits behind it. */
        ALONE(false, false, "50ms"),
        /** Others wait behind it. */
        BRIEF(false, false, "5ms"),
        /** The same, for what is wanted by many, who commit more slowly. */
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

    /** Lets tests look into transactions, and disturb them. */
    public interface Probe {
        /** Looks at nothing. */
        Probe NONE = new Probe() {};

        /** The transaction has begun, and nothing is written yet. */
        default void began(Session session, Batch batch) throws SQLException {}

        /** Everything is written, and the commit is next. */
        default void committing(Session session, Batch batch) throws SQLException {}

        /** The server has committed, and has not been heard yet. */
        default void committed(Session session, Batch batch) throws SQLException {}
    }

    /** Done by the line's own thread when nothing is queued, about once a second while there was work. */
    public interface Chore {
        /** Answers whether something is left for the next time. */
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
    private final long timeoutNanos;
    private final Thread thread;
    private final LogThrottle unusable;
    private final LogThrottle broken;
    private final LogThrottle undone;

    /** The other lines: where submissions go that would make others wait. */
    public interface Diverted {
        void accept(List<Submission<?>> submissions);

        /** Whether some of this job are there: then what comes later must not overtake them. */
        boolean concerns(long job);

        /** Something was committed that leaves sums to be written by those who have time. */
        void leftSums();
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition work = lock.newCondition();

    /** Used by the line's thread only. */
    private volatile @Nullable Session session;
    /** True if a claim has joined the last transaction that had none at its beginning. Used by the line's thread only. */
    private boolean claimJoined;

    /** The number of submissions that were found locked in this round. Used by the line's thread only, as the next two are. */
    private int locked;
    /** The first submission of each job that was postponed in this round. */
    private final Map<Long, Submission<?>> waiting = new HashMap<>();
    /** The number of postponed submissions that share the next transaction: twice as many after each that commits, one after one was found locked. */
    private int together = 1;

    /** Why it does not go on, if it does not. */
    private volatile @Nullable String problem;

    /** Why what is done when idle is not done, if it is not. */
    private volatile @Nullable String choreProblem;

    // Guarded by lock.
    private final CommandQueue queue = new CommandQueue(lock, work);
    /** The submissions that the thread has taken and neither postponed nor passed on. */
    private final Set<Submission<?>> underWay = new LinkedHashSet<>();
    /** What was found locked, for later. */
    private final Postponed later = new Postponed();

    /** Whether another line has left something to do when idle. */
    private boolean poked;

    private @Nullable Batch inFlight;
    private long batchSince;
    /** Whether the commit of what is in flight was sent: before that, it can still be withdrawn. */
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
     * Queues a submission. Waits for room when the queue is full, at most as long as the operation timeout; what
     * keeps workers alive does not wait.
     */
    public <T extends @Nullable Object> Submission<T> submit(Submission<T> submission) {
        if (!queue.submit(submission, timeoutNanos)) {
            submission.withdraw(timeout(), "too much is waiting to be written");
        }
        return submission;
    }

    /** Whether new jobs are queued or being written. */
    public boolean isEnqueuing() {
        lock.lock();
        try {
            return queue.hasEnqueues() || (inFlight != null && inFlight.has(Enqueue.class));
        } finally {
            lock.unlock();
        }
    }

    /** Takes over what another line could not do at once; in their order. */
    public void takeOver(List<Submission<?>> submissions) {
        lock.lock();
        try {
            submissions.forEach(Submission::forget);
            submissions.forEach(queue::add);
        } finally {
            lock.unlock();
        }
    }

    /** There is something to do when nothing else is. */
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
            return (!queue.isEmpty() && queue.all().stream().anyMatch(submission -> isOf(submission, job)))
                    || later.submissions().stream().anyMatch(submission -> isOf(submission, job))
                    || underWay.stream().anyMatch(submission -> isOf(submission, job));
        } finally {
            lock.unlock();
        }
    }

    private static boolean isOf(Submission<?> submission, long job) {
        Long of = submission.command().attemptOf();
        return of != null && of == job && !submission.isEnded();
    }

    /** Takes no more submissions: the database is no longer one that this code may write. */
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
                // No thread has a reason to interrupt this one; it ends by close().
                log.warn("{} was interrupted and goes on", thread.getName());
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

    /** An unexpected error, of memory above all. The thread goes on, and each submission that it has taken is answered. */
    private void goOnAfter(Throwable e) {
        try {
            log.error("{} met an unexpected error; its operations fail and it goes on", thread.getName(), e);
        } catch (Throwable again) {
            // No memory to say so.
        }
        try {
            giveBack(true);
        } catch (Throwable again) {
            // It is used no more, ended or not.
        }
        for (Submission<?> submission : underWay) { // only this thread changes it
            answer(submission, e);
        }
    }

    /** Answers in any case: when there is no memory for it now, as soon as there is some. */
    private void answer(Submission<?> submission, @Nullable Throwable failure) {
        while (true) {
            try {
                if (failure == null) {
                    submission.complete();
                } else if (committing
                        && inFlight != null
                        && inFlight.submissions().contains(submission)) {
                    submission.outcomeUnknown("its commit was met by an error: " + failure);
                } else {
                    submission.fail(new StoreUnavailableException(submission.what() + " failed: " + failure, failure));
                }
                return;
            } catch (Throwable e) {
                LockSupport.parkNanos(FIRST_PAUSE_NANOS);
            }
        }
    }

    /** The next batch, without those that are postponed; {@link #IDLE} when nothing came for a while and something is left to do; null at the end. */
    private @Nullable Batch take(boolean chores) throws InterruptedException {
        lock.lock();
        try {
            long idleNanos = IDLE_NANOS;
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

    /** Takes from the queue what fits, and puts off what would overtake a submission of the same job. Under the lock. */
    private void fill(Batch batch) {
        Map<Long, Submission<?>> first = later.first();
        while (!queue.isEmpty()
                && (batch.isEmpty() || batch.weight() + queue.first().weight() <= MAX_BATCH)) {
            // It leaves the queue when it is elsewhere: an error in between loses none.
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

    /** Tries some of those that are postponed. While new submissions come, a few at a time: those never wait for long. */
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
            // What was put off before in this round may be due again.
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
     * Another transaction holds a row: the submissions that need it go to the line that waits, and the rest is done now. If something else than rows of jobs
     * and their children is held, all submissions on jobs go there: the rest does not wait until it is known which.
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
            // One of them is refused after it has written: the others are not to blame.
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

    /** They are elsewhere by now. */
    private void noLongerUnderWay(Collection<Submission<?>> submissions) {
        lock.lock();
        try {
            underWay.removeAll(submissions);
        } finally {
            lock.unlock();
        }
    }

    /** The watch looks at what is in flight. */
    private void drop(Batch batch, List<Submission<?>> submissions) {
        lock.lock();
        try {
            batch.drop(submissions);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Does submissions in one transaction, and if that fails in several. True if all of them are done.
     *
     * @param submissions those of one job in their order
     */
    private boolean part(List<Submission<?>> submissions, Manner manner) {
        Batch batch = new Batch();
        for (Submission<?> submission : submissions) {
            Submission<?> before = submission.command().attemptOf() == null
                    ? null
                    : waiting.get(submission.command().attemptOf());
            if (before != null) {
                // The lock may be free by now; but what was before it waits.
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

    /** Their transaction has failed. One submission answers for it; of several, each half is tried. */
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

    /** Its own transaction has failed. */
    private void alone(Submission<?> submission, Exception e) {
        if (e instanceof SQLException error) {
            if (PostgresErrors.isLocked(error)) {
                locked++;
                postpone(submission, error);
            } else {
                submission.fail(PostgresErrors.translate(error, submission.what()));
            }
        } else if (e instanceof WindrowException refused) {
            // It was refused when it had written already, and all of that is rolled back.
            submission.fail(refused);
        } else {
            // Perhaps the pool has failed in its own way. Then the submission is not to blame, and the session must not
            // be used again.
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
     * Another transaction holds what it needs: it is tried again and again until its time is over, and nothing waits behind it but what concerns
     * the same job.
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

    /**
     * One transaction, from its beginning to the answers; on another connection if one breaks. An exception means that
     * nothing was written.
     */
    private void transact(Batch batch, Manner manner) throws SQLException {
        long pause = FIRST_PAUSE_NANOS;
        int losses = 0;
        while (true) {
            drop(batch, List.of());
            if (batch.isEmpty()) {
                return;
            }
            try {
                Tried tried = tryOnce(batch, manner);
                if (tried == Tried.DONE) {
                    return;
                }
                if (tried == Tried.AGAIN) {
                    batch.submissions().forEach(Submission::forget);
                    continue;
                }
            } catch (SQLException e) {
                boolean lost = database.losesStatements(e);
                if (!isGone(e) && !lost) {
                    throw e;
                }
                if (problem == null && !(lost && ++losses <= Database.MAX_LOSSES)) {
                    String why = "the server cannot be used: " + PostgresErrors.message(e);
                    problem = why;
                    unusable.tell(more -> log.warn("{}: {}; it is tried again{}", thread.getName(), why, more));
                }
            }
            giveBack(true);
            batch.submissions().forEach(Submission::forget);
            pause(pause);
            pause = Math.min(LAST_PAUSE_NANOS, 2 * pause);
        }
    }

    /** A pool may have closed a connection that has failed, and says so in its own words. */
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

    /** How a try came out that did not fail. */
    private enum Tried {
        /** The callers have their answers. */
        DONE,
        /** Not with these submissions: some have ended meanwhile, or one has joined whose name has no number yet. */
        AGAIN,
        /** The connection broke, and nothing was written. */
        BROKEN
    }

    private Tried tryOnce(Batch batch, Manner manner) throws SQLException {
        Session open = session();
        long beginNanos = System.nanoTime();
        boolean done = false;
        Begun begun;
        try {
            Names.Used used = new Names.Used();
            batch.submissions().forEach(submission -> PostgresCommands.names(used, submission.command()));
            Learned learned = shared.learned(open.run().started());
            if (!learned.names().know(used)) {
                learned.names().ensure(open, used);
            }
            begun = begin(open, batch, manner.lockTimeout, learned, used);
            if (!learned.names().know(used, begun.tx.now())) {
                return Tried.AGAIN;
            }
            probe.began(open, batch);
            if (manner.aroundLocks) {
                divert(batch, PostgresRules.busy(begun.tx, batch));
            }
            Batch.Takers waitingClaims =
                    manner.shared ? (queue, type) -> ask(batch, learned.names(), used, queue, type) : Batch.Takers.NONE;
            try {
                batch.apply(new PostgresRules(begun.tx, kind == Kind.CLAIMS), waitingClaims);
            } catch (UnknownName e) {
                return Tried.AGAIN;
            }
            if (begun.number == null && begun.tx.hasWritten()) {
                begun = new Begun(begun.tx, begun.tx.record());
                begun.tx.recorded();
            }
            probe.committing(open, batch);
            if (!mayCommit(batch)) {
                return Tried.AGAIN;
            }
            done = true;
        } finally {
            if (!done) {
                open.rollback();
            }
        }
        if (!commitOrFindOut(open, batch, begun)) {
            return Tried.BROKEN;
        }
        // Before the answers: who has one may claim at once, and must find what became ready.
        committed(begun.tx);
        for (Submission<?> submission : batch.submissions()) {
            answer(submission, null);
        }
        again(batch, begun.tx.permits.left());
        release(begun.tx.dependents.left());
        tell(begun.tx, batch.submissions().size(), System.nanoTime() - beginNanos);
        unusable.over(how -> log.info("{} goes on: it could not {}", thread.getName(), how));
        return Tried.DONE;
    }

    /** A transaction that has begun, with its number if it is known to write. */
    private record Begun(PostgresTransaction tx, @Nullable String number) {}

    /** The number of ids that the new jobs and workflows of a batch need. */
    private static int newIds(Batch batch) {
        return batch.submissions().stream()
                .mapToInt(submission -> PostgresCommands.ids(submission.command()))
                .sum();
    }

    private Begun begin(Session open, Batch batch, String lockTimeout, Learned learned, Names.Used used)
            throws SQLException {
        open.renewPlans(PLANS_NANOS);
        long now;
        String number;
        Set<Integer> limited;
        String store;
        int minCompatible;
        long run;
        int newestLane;
        Long due = null;
        // If a claim has joined the last transaction, one may join this one. The question costs no message of its own
        // at this moment.
        boolean asksForDue = batch.has(Claim.class) || claimJoined;
        claimJoined = claimJoined && batch.has(Claim.class);
        DueCursor.View view = learned.due().view();
        PostgresQuery begin = (asksForDue
                        ? open.statements()
                                .together(TransactionSql.BEGIN_WORK, JobSql.NEXT_DUE)
                                .set(1 + PostgresQuery.SECOND, view.from())
                        : open.get(TransactionSql.BEGIN_WORK))
                .set(1, lockTimeout)
                .set(2, database.statementTimeout())
                .set(3, !batch.onlyClaims());
        ServerClock.Asked asked = shared.clock().ask();
        try (ResultSet row = begin.first()) {
            row.next();
            now = shared.clock().at(row.getLong(1), asked);
            number = row.getString(14);
            limited = Set.of((Integer[]) row.getArray(15).getArray());
            store = row.getString(16);
            minCompatible = row.getInt(17);
            run = row.getLong(18);
            newestLane = row.getInt(19);
        }
        if (run != learned.run()) {
            throw PostgresErrors.anotherServer();
        }
        if (asksForDue) {
            due = PostgresTransaction.due(begin.second(), view);
            view.move();
        }
        shared.guard().require(open.statements(), store, minCompatible);
        if (newestLane > learned.names().newest()) {
            learned.names().refresh(open.statements());
        }
        PostgresTransaction tx = new PostgresTransaction(
                open.statements(),
                shared,
                learned,
                used,
                now,
                limited,
                learned.ids().take(open.statements(), newIds(batch)));
        if (asksForDue) {
            tx.due(due);
        }
        return new Begun(tx, number);
    }

    /** Adds the claim of whoever has room for jobs of this lane. */
    private void ask(Batch batch, Names names, Names.Used used, String queue, String type) {
        WaitingClaim waitingClaim;
        try {
            waitingClaim = hints.waitingClaim(queue, type);
        } catch (RuntimeException e) {
            log.error("The free permits and limits for jobs of {}/{} are unknown", queue, type, e);
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
            throw new UnknownName();
        }
    }

    /** A worker has joined a transaction, and its name, which it uses for the first time, must be committed before. */
    private static final class UnknownName extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    /** The last moment in which a submission can be withdrawn. If one was, the transaction holds what nobody wants. */
    private boolean mayCommit(Batch batch) {
        lock.lock();
        try {
            committing = batch.submissions().stream().noneMatch(Submission::isEnded);
            return committing;
        } finally {
            lock.unlock();
        }
    }

    /** Commits; if the answer is lost, finds out. False if it has to be tried again; answers the callers if nobody can know. */
    private boolean commitOrFindOut(Session open, Batch batch, Begun begun) throws SQLException {
        try {
            if (begun.tx.hasWritten()) {
                begun.tx.recordAndCommit();
            }
            // Ends what is still open.
            open.commit();
            probe.committed(open, batch);
            return true;
        } catch (SQLException e) {
            if (PostgresErrors.isOfTheServer(e) && !isGone(e)) {
                open.rollback();
                throw e;
            }
            return stands(batch, begun, open.run(), PostgresErrors.message(e));
        } catch (RuntimeException | Error e) {
            // Of memory, say: the server may have committed.
            return stands(batch, begun, open.run(), e.toString());
        }
    }

    /** True if a transaction whose commit was not answered was committed, or if its callers were told that this is unknown. */
    private boolean stands(Batch batch, Begun begun, Session.Run run, String why) {
        giveBack(true);
        broken.tell(more -> log.warn(
                "{}: the connection broke at a commit ({}); the server is asked whether it stands{}",
                thread.getName(),
                why,
                more));
        if (begun.number == null) {
            return false;
        }
        Boolean stands = find(batch, begun.number, begun.tx.witness(), run);
        if (stands == null) {
            batch.submissions().forEach(submission -> submission.outcomeUnknown("the connection broke at its commit"));
            return true;
        }
        lock.lock();
        try {
            committing = false;
        } finally {
            lock.unlock();
        }
        return stands;
    }

    /**
     * Asks the server whether a transaction stands, until it knows or nobody waits any more; null if that cannot be found out: after a standby
     * was promoted the number may be another transaction's. It may be so after a crash as well, and there what it has written tells.
     */
    private @Nullable Boolean find(Batch batch, String number, @Nullable Long witness, Session.Run run) {
        long pause = FIRST_PAUSE_NANOS;
        while (batch.submissions().stream().anyMatch(submission -> !submission.isEnded())) {
            try {
                Session open = session();
                if (!open.run().history().equals(run.history())) {
                    return null;
                }
                String status;
                boolean seen;
                try (ResultSet row = open.get(TransactionSql.STATUS_OF_TRANSACTION)
                        .set(1, number)
                        .set(2, witness)
                        .rows()) {
                    row.next();
                    status = row.getString(1);
                    seen = row.getBoolean(2);
                }
                open.commit();
                if (status == null) {
                    return null;
                }
                if (!status.equals("in progress")) {
                    boolean lost = status.equals("committed") && witness != null && !seen;
                    log.info("{}: that transaction was {}", thread.getName(), lost ? "lost in a crash" : status);
                    return status.equals("committed") && !lost;
                }
            } catch (SQLException e) {
                giveBack(true);
                if (PostgresErrors.isOfTheFuture(e)) {
                    log.info("{}: that transaction was lost in a crash", thread.getName());
                    return false;
                }
                if (!PostgresErrors.isConnectionGone(e) && !database.losesStatements(e)) {
                    broken.tell(more -> log.warn(
                            "Whether a transaction stands cannot be asked; its callers are told that nobody knows: {}{}",
                            PostgresErrors.message(e),
                            more));
                    return null;
                }
            } catch (RuntimeException e) {
                // Of the pool, say: it must not be taken for the transaction's.
                giveBack(true);
            }
            pause(pause);
            pause = Math.min(LAST_PAUSE_NANOS, 2 * pause);
        }
        return null;
    }

    /** The commit stands whatever happens here and in {@link #tell}: what fails now must not make it be repeated. */
    private static void committed(PostgresTransaction tx) {
        try {
            tx.committed();
        } catch (RuntimeException | Error e) {
            log.error("After a commit, claims could not be told where to begin; they look from the head soon", e);
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

    /** What somebody else was arranging, or was too much for one transaction, is arranged in another one; later each time. */
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

    /** The number of times that one of these keys was tried to be arranged before. */
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

    /** Children that were too many for one transaction get their own ones, where others are not kept waiting. */
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
        // Whoever looks next goes on where this process ends.
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

    /** Waits, unless the line is closed: then whatever is left has one more try, and fails. */
    private void pause(long nanos) {
        lock.lock();
        try {
            long left = nanos;
            while (left > 0 && !queue.isClosed()) {
                left = work.awaitNanos(left);
            }
            if (queue.isClosed() && inFlight != null && System.nanoTime() - batchSince > timeoutNanos / 10) {
                for (Submission<?> submission : inFlight.submissions()) {
                    submission.fail(new StoreUnavailableException(submission.what() + " failed: the store is closed"));
                }
            }
        } catch (InterruptedException e) {
            log.debug("A pause was cut short");
        } finally {
            lock.unlock();
        }
    }

    /** Work has stopped for a moment: does what is left to do. */
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
            log.debug("{}: what is done when idle waits for the next time: {}", thread.getName(), e.getMessage());
        } catch (IncompatibleStoreException e) {
            log.debug("{}: what is done when idle is not done any more: {}", thread.getName(), e.getMessage());
        }
        choreProblem = null; // said anew when the server can be used again and refuses it still
        giveBack(true);
        return false;
    }

    /** The server refuses it, and will the next time, as a rule. */
    private void choreFailed(SQLException e) {
        String what = "cannot keep up counters or look at the store when idle: " + PostgresErrors.message(e);
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
            undone.over(how -> log.info("{} does its work when idle again: it could not {}", thread.getName(), how));
        }
        // Whatever it has written is committed: nothing is left open while nobody works.
        open.rollback();
        return left;
    }

    /** Ends waits that last too long. Called now and then by the store's watch. */
    public void endWaits() {
        lock.lock();
        try {
            long limit = System.nanoTime() - timeoutNanos;
            queue.endLate(limit, late -> late.withdraw(timeout(), why()));
            later.takeSince(limit)
                    .forEach(late ->
                            late.withdraw(timeout(), "another transaction holds what it needs; end or shorten it"));
            if (inFlight != null) {
                for (Submission<?> submission : inFlight.submissions()) {
                    boolean late = submission.since() - limit < 0 && !submission.isEnded();
                    // Once its commit is under way, that answers a claim: nobody else would run the jobs that it takes.
                    if (late && !(committing && submission.is(Claim.class) && !queue.isClosed())) {
                        if (committing) {
                            submission.outcomeUnknown("its commit is not confirmed after " + timeout());
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
        return Objects.requireNonNullElse(problem, "the server is slow, or another transaction holds what it needs");
    }

    /** How the line is, for the health of the store. */
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

    /** Refuses new submissions, writes those that are queued, and ends. */
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
