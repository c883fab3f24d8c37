package dev.windrow.sqlite.writer;

import dev.windrow.Durations;
import dev.windrow.IncompatibleStoreException;
import dev.windrow.StoreUnavailableException;
import dev.windrow.TimeSource;
import dev.windrow.WindrowException;
import dev.windrow.monitor.Health;
import dev.windrow.sqlite.connection.SqliteErrors;
import dev.windrow.sqlite.connection.SqliteFile;
import dev.windrow.sqlite.connection.SqliteStatements;
import dev.windrow.sqlite.processes.FairFileLock;
import dev.windrow.sqlite.processes.PeerProcesses;
import dev.windrow.sqlite.processes.PeerWatch;
import dev.windrow.sqlite.schema.SchemaGuard;
import dev.windrow.store.LogThrottle;
import dev.windrow.store.SafeLogger;
import dev.windrow.store.StoreHints;
import dev.windrow.store.job.Claim;
import dev.windrow.store.job.Release;
import dev.windrow.store.job.WaitingClaim;
import dev.windrow.store.retention.Expire;
import dev.windrow.store.sql.writer.Batch;
import dev.windrow.store.sql.writer.CommandQueue;
import dev.windrow.store.sql.writer.Submission;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The commit pipeline: one thread that takes whatever callers have queued, writes it in one transaction, commits, and
 * then answers all of them. There is no artificial delay: a batch is what arrived while the commit before ran, so that
 * a lone caller waits for one commit, and a thousand callers share one.
 *
 * <p>A batch that fails is rolled back and its submissions are run again one by one, so that a bad one fails alone. An
 * error of the whole store (disk full, locked, damaged) fails the batch without that.
 */
public final class Writer {
    /**
     * Rows in one transaction at most: room for a bulk of new jobs, a claim and the settlements of a worker, 1000 each, which
     * were three transactions with room for 1000. With more the wait of the others grows, and nothing else.
     */
    static final int MAX_BATCH = 3000;
    /** The same while other processes wait for their turn. */
    static final int MAX_SHARED_BATCH = 1000;
    /** After this long without work the log is written back into the database file and cut. */
    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** After this long without work the writer sees whether it can write again, if it could not. */
    private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** Transactions that delete old jobs between two times that the log is written back. */
    private static final int EXPIRIES = 16;
    /** Pages of the log, 64 MiB, with which no more old jobs are deleted: somebody reads for long what was before them, and the log can only grow. */
    static final int LONGEST_LOG = 16_384;
    /** Between two tries to answer without memory. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** How long nothing is deleted then, before it is looked again. */
    public static final long LOG_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final Logger log = SafeLogger.of(Writer.class);

    /** Lets tests look into transactions, and disturb them. */
    public interface Probe {
        /** Looks at nothing. */
        Probe NONE = new Probe() {};

        /** The transaction has begun, and nothing is written yet. */
        default void began(SqliteFile.Opened database, Batch batch) throws SQLException {}

        /** Everything is written, and the commit is next. */
        default void committing(Batch batch) throws SQLException {}

        /** A transaction has failed, and is about to be rolled back. */
        default void rollingBack() throws SQLException {}

        /** See {@link Writer#LONGEST_LOG}. */
        default int longestLog() {
            return LONGEST_LOG;
        }
    }

    private final SqliteFile file;
    private final SchemaGuard guard;
    private final FairFileLock fileLock;
    private final PeerProcesses peers;
    private final PeerWatch notifier;
    private final Names names;
    private final Minutes minutes = new Minutes();
    private final TimeSource time;
    private final StoreHints hints;
    private final long timeoutNanos;
    private final Probe probe;
    private final Thread thread;
    private final Thread watch;
    private final LogThrottle unusable;
    private final LogThrottle slow;
    private final LogThrottle shared;
    private final LogThrottle unknown;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition work = lock.newCondition();
    private final Condition ended = lock.newCondition();
    // Used by the writer's thread only. Replaced when a transaction could not be rolled back.
    private SqliteFile.Opened database;
    private SqliteStatements statements;
    /** Whether the connection may have a transaction open that cannot be ended: a new connection takes its place. */
    private boolean broken;
    /** True from the COMMIT of a transaction until its submissions are answered. Used by the writer's thread only. */
    private boolean committing;
    /** Whether the log may have grown since it was last cut. Used by the writer's thread only. */
    private boolean wrote = true;
    /** Whether there was more since then than signs of life. Used by the writer's thread only. */
    private boolean worked = true;
    /** Whether the last try to tidy up has failed. Used by the writer's thread only. */
    private boolean untidy;

    /** How many transactions have deleted old jobs since the log was written back. Used by the writer's thread only. */
    private int expiries;
    /** Pages of the log that could not be written back when that was tried last. Used by the writer's thread only. */
    private int logLeft;

    /** Whether the writer waits for the write lock. */
    private volatile boolean waits;

    /** Who has the writer's turn; null as a rule. */
    private volatile @Nullable String borrower;

    /** Why it does not go on, if it does not. */
    private volatile @Nullable String problem;

    /** Why its last transaction has failed, if that was not for what a command asked for. */
    private volatile @Nullable String failure;

    // Guarded by lock.
    private final CommandQueue queue = new CommandQueue(lock, work);
    /** Callers that wait for a turn of their own; each before what came to the queue after it, and behind what came before. */
    private final ArrayDeque<Submission<?>> managed = new ArrayDeque<>();

    /** By {@link System#nanoTime}, when the writer tidies up although nothing was written: see {@link #tidyAfter}. */
    private long tidyNanos;

    private boolean mustTidy;

    private @Nullable Batch inFlight;
    /** When what is in flight was taken from the queue, or the writer began to tidy up. */
    private long batchSince;
    /** Whether it does what is left to do when nothing comes. */
    private boolean tidies;
    /** Whether what is in flight holds the write lock. Before that, it can still be withdrawn. */
    private boolean begun;

    public Writer(
            SqliteFile file,
            SqliteFile.Opened database,
            SchemaGuard guard,
            PeerProcesses peers,
            PeerWatch notifier,
            Names names,
            TimeSource time,
            StoreHints hints,
            long timeoutNanos,
            Probe probe,
            String name) {
        this.file = file;
        this.database = database;
        this.guard = guard;
        this.statements = new SqliteStatements(database.connection());
        this.peers = peers;
        this.fileLock = peers.fileLock();
        this.notifier = notifier;
        this.names = names;
        this.time = time;
        this.hints = hints;
        this.timeoutNanos = timeoutNanos;
        this.probe = probe;
        this.thread = new Thread(this::run, "windrow-writer-" + name);
        this.watch = new Thread(this::watch, "windrow-writer-watch-" + name);
        thread.setDaemon(true);
        watch.setDaemon(true);
        this.unusable = new LogThrottle(time);
        this.slow = new LogThrottle(time);
        this.shared = new LogThrottle(time);
        this.unknown = new LogThrottle(time);
    }

    public void start() {
        thread.start();
        watch.start();
    }

    /**
     * Queues a submission. Waits for room when the queue is full, at most as long as the operation timeout; what
     * keeps workers alive does not wait.
     */
    public <T extends @Nullable Object> Submission<T> submit(Submission<T> submission) {
        return submit(submission, timeoutNanos);
    }

    /** The same without a wait: when the queue is full the submission fails at once. */
    public <T extends @Nullable Object> Submission<T> submitNow(Submission<T> submission) {
        return submit(submission, 0);
    }

    private <T extends @Nullable Object> Submission<T> submit(Submission<T> submission, long roomNanos) {
        if (!queue.submit(submission, roomNanos)) {
            submission.withdraw(timeout(), busy(holders()));
        }
        return submission;
    }

    /** Has a caller wait for a turn of its own. */
    void submitManaged(Submission<Void> wish) {
        lock.lock();
        try {
            if (!queue.fails(wish)) {
                managed.add(wish);
                work.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Takes no more submissions: the database is no longer one that this code may write. */
    public void refuse(WindrowException why) {
        lock.lock();
        try {
            if (queue.refusal() == null) {
                log.error("The writer of {} writes nothing more: {}", peers.database(), why.getMessage());
                // The log is cut once more: where the file was replaced, SQLite would take it for the new file's.
                tidyAfter(0);
            }
            queue.refuse(why);
            managed.forEach(managed -> managed.fail(why));
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        boolean idle = true;
        while (true) {
            try {
                Batch batch = take(idle);
                if (batch == null) {
                    break;
                }
                work(batch);
                notifier.flush(rests());
                // Only now where it could not begin: the watch says the same of what is left as the writer does.
                waits = false;
                problem = null;
                idle = batch.isEmpty() || !(minutes.isPending() || (wrote && worked));
                if (failure != null && !batch.isEmpty()) {
                    tidyAfter(AGAIN_NANOS);
                }
            } catch (InterruptedException e) {
                // Nobody has a reason to interrupt this thread; it ends by close().
                log.warn("The writer was interrupted and goes on");
            } catch (Throwable e) {
                goOnAfter(e);
            }
        }
        end();
    }

    private void work(Batch batch) {
        if (batch.isEmpty()) {
            whenIdle();
        } else if (batch.submissions().get(0).command() instanceof BeginManaged managed) {
            managed(batch.submissions().get(0), managed);
        } else {
            worked |= !batch.submissions().stream().allMatch(Writer::isSignOfLife);
            writeAll(batch);
            if (batch.has(Expire.class)) {
                writeLogBack();
            }
        }
    }

    /** True if it only keeps workers alive: it leaves so little in the log that this need not be cut behind it. */
    private static boolean isSignOfLife(Submission<?> submission) {
        return switch (submission.command().phase()) {
            case RENEW, REGISTRY, CLAIM -> true;
            default -> false;
        };
    }

    /** Nothing is in flight any more; answers whether nothing waits either. */
    private boolean rests() {
        lock.lock();
        try {
            inFlight = null;
            tidies = false;
            return queue.isEmpty() && managed.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /** An error that nobody has expected, of memory above all. The thread goes on, and nobody waits for an answer for ever. */
    private void goOnAfter(Throwable e) {
        failure = "met an unexpected error";
        try {
            failure = "met an unexpected error: " + e;
        } catch (Throwable again) {
            // There is no memory even to say more.
        }
        Batch failed = inFlight; // only this thread sets it
        if (failed != null) {
            for (Submission<?> submission : failed.submissions()) {
                answer(submission, e);
            }
        }
        committing = false;
        boolean unused = rests();
        tidyAfter(AGAIN_NANOS);
        waits = false;
        log.error("The writer met an unexpected error; its operations fail and it goes on", e);
    }

    /** Answers in any case: when there is no memory for it now, as soon as there is some. */
    private void answer(Submission<?> submission, @Nullable Throwable failure) {
        while (true) {
            try {
                if (failure == null) {
                    submission.complete();
                } else if (committing) {
                    submission.outcomeUnknown("the writer failed at its commit: " + failure);
                } else {
                    submission.fail(new StoreUnavailableException("the writer failed: " + failure, failure));
                }
                return;
            } catch (Throwable e) {
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    /** The next batch; an empty one when nothing came for a while and something is left to do; null at the end. */
    private @Nullable Batch take(boolean nothingLeft) throws InterruptedException {
        lock.lock();
        try {
            long idleNanos = IDLE_NANOS;
            while (true) {
                long untilTidy = tidyNanos - System.nanoTime();
                if (mustTidy && untilTidy <= 0) {
                    mustTidy = false;
                    tidies = true;
                    batchSince = System.nanoTime();
                    return new Batch();
                }
                if (!managed.isEmpty() || queue.isUrgent()) {
                    break;
                }
                if (queue.isClosed()) {
                    return null;
                }
                long patience = queue.untilStart(System.nanoTime());
                if (patience < Long.MAX_VALUE) {
                    if (patience <= 0) {
                        break;
                    }
                    work.awaitNanos(patience);
                } else if (mustTidy) {
                    long unused = work.awaitNanos(untilTidy);
                } else if (nothingLeft) {
                    work.await();
                } else {
                    idleNanos = work.awaitNanos(idleNanos);
                    if (idleNanos <= 0 && queue.isEmpty() && managed.isEmpty()) {
                        tidies = true;
                        batchSince = System.nanoTime();
                        return new Batch();
                    }
                }
            }
            Batch batch = new Batch();
            // Before anything leaves the queue: whatever fails from here on, all of it is answered.
            inFlight = batch;
            batchSince = System.nanoTime();
            begun = false;
            if (givesTurn()) {
                batch.add(managed.getFirst());
                managed.removeFirst();
            } else {
                fill(batch);
            }
            return batch;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Whether the first who wants to borrow a turn was there before all that is queued, or before all that is in a hurry: starts
     * alone are not until they have waited for their time. Under the lock.
     */
    private boolean givesTurn() {
        if (managed.isEmpty() || queue.isEmpty()) {
            return !managed.isEmpty();
        }
        long since = queue.first().since();
        return managed.getFirst().since() - since <= 0
                || (!queue.isUrgent() && queue.untilStart(System.nanoTime()) > 0);
    }

    /** Takes from the queue what fits. Under the lock. */
    private void fill(Batch batch) {
        int max = peers.others() == 0 ? MAX_BATCH : MAX_SHARED_BATCH;
        while (!queue.isEmpty()
                && (batch.isEmpty() || batch.weight() + queue.first().weight() <= max)) {
            Submission<?> submission = queue.first();
            batch.add(submission);
            queue.removeFirst();
        }
        queue.signalRoom();
    }

    private void writeAll(Batch batch) {
        try {
            transact(batch, true);
        } catch (SQLException e) {
            boolean storeWide = SqliteErrors.isStoreWide(e);
            if (storeWide) {
                failure = "could not write: " + e.getMessage();
            }
            if (storeWide || batch.submissions().size() == 1) {
                failEach(batch, e);
                return;
            }
            oneByOne(batch, e);
        } catch (IncompatibleStoreException e) {
            refuse(e);
            batch.submissions().forEach(submission -> submission.fail(e));
        } catch (RuntimeException e) {
            oneByOne(batch, e);
        }
    }

    private void oneByOne(Batch batch, Exception e) {
        String message = "A shared transaction failed ({}); its operations are run again one by one";
        if (e instanceof WindrowException) {
            log.debug(message, e.toString()); // one of them is refused, and its caller is told
        } else {
            shared.tell(more -> log.warn(message + "{}", e.toString(), more));
        }
        for (Submission<?> submission : batch.submissions()) {
            alone(submission);
        }
    }

    private void alone(Submission<?> submission) {
        if (submission.isEnded()) {
            return;
        }
        Batch single = new Batch();
        submission.forget();
        single.add(submission);
        try {
            transact(single, false);
        } catch (SQLException e) {
            failEach(single, e);
        } catch (WindrowException e) {
            // It was refused when it had written already, and all of that is rolled back.
            submission.fail(e);
        } catch (RuntimeException e) {
            submission.fail(new WindrowException(submission.what() + " failed: " + e, e));
        }
    }

    /** What is done between BEGIN and the end of COMMIT. */
    private interface Work<T> {
        /** Answers what was committed; null when nobody can know whether it was. */
        @Nullable T run() throws SQLException;
    }

    /** One transaction in a turn of its own. An exception means that nothing was written and none is open. */
    private <T> @Nullable T inTransaction(Work<T> work) throws SQLException {
        waits = true;
        fileLock.enter();
        try {
            if (broken) {
                reconnect();
            }
            T committed = null;
            committing = false;
            try {
                statements.run(TransactionSql.BEGIN);
                waits = false;
                committed = work.run();
            } finally {
                if (committed == null) {
                    rollback();
                }
            }
            return committed;
        } finally {
            fileLock.leave();
        }
    }

    /** One transaction, from BEGIN to the answers. An exception means that nothing was written and none is open. */
    private void transact(Batch batch, boolean shared) throws SQLException {
        Minutes.Samples samples = minutes.new Samples();
        Written written = inTransaction(() -> applyAndCommit(batch, shared, samples));
        if (written != null) {
            afterCommit(written, samples);
        }
        committing = false;
    }

    /** Answers, and tells. The commit stands whatever happens here: what fails now must not make it be repeated. */
    private void afterCommit(Written written, Minutes.Samples samples) {
        failure = null;
        List<Submission<?>> submissions = written.batch.submissions();
        for (Submission<?> submission : submissions) {
            answer(submission, null);
        }
        try {
            long nanos = System.nanoTime() - written.begin;
            // What was flushed goes, and then this transaction's own samples come.
            minutes.committed();
            samples.committed();
            hints.committed(submissions.size(), nanos);
            written.tx.committed();
            SqliteTransaction.Aftermath aftermath = written.tx.aftermath();
            aftermath.tell(hints);
            if (aftermath.concernsOthers()) {
                notifier.changed();
            }
            release(aftermath.parents());
            unusable.over(how -> log.info("The writer of {} goes on: it could not {}", peers.database(), how));
            warnIfLong(written.begin, "A transaction of " + submissions.size() + " operations");
        } catch (Throwable e) {
            log.error("After a commit, waiting callers were not notified; the slow poll finds their jobs", e);
        }
    }

    /** Waits for a turn, and has a caller's thread use it. */
    private void managed(Submission<?> wish, BeginManaged managed) {
        if (broken) {
            // The lock that the connection may hold would keep the borrower out.
            tryToReconnect();
        }
        waits = true;
        fileLock.enter();
        long begin = System.nanoTime();
        try {
            waits = false;
            borrower = managed.borrower;
            if (handOver(wish, managed)) {
                managed.awaitReturn();
            }
        } finally {
            waits = false;
            borrower = null;
            fileLock.leave();
        }
        wrote = true;
        worked = true;
        warnIfLong(begin, "A transaction of thread " + managed.borrower);
    }

    /** The turn is here, and the caller told so; unless it has given up. */
    private boolean handOver(Submission<?> wish, BeginManaged managed) {
        lock.lock();
        try {
            begun = true;
            if (wish.isEnded() || managed.isReturned()) {
                return false;
            }
            wish.complete();
            return true;
        } finally {
            lock.unlock();
        }
    }

    private void warnIfLong(long begin, String who) {
        long held = System.nanoTime() - begin;
        if (held > timeoutNanos / 3) {
            slow.tell(more -> log.warn(
                    "{} has held the write lock for {} ms, and everybody has waited for it; is the disk slow, or the work long?{}",
                    who,
                    TimeUnit.NANOSECONDS.toMillis(held),
                    more));
        }
    }

    /** Children that were too many for one transaction get their own ones, and others their turn in between. */
    public void release(Set<Long> parents) {
        if (!parents.isEmpty()) {
            submit(new Submission<>(new Release(parents))).future().exceptionally(e -> {
                log.info("Children of {} jobs are left to the next look: {}", parents.size(), e.getMessage());
                return null;
            });
        }
    }

    /** Adds the claim of whoever has room for jobs of this lane. */
    private void ask(Batch batch, String queue, String type) {
        WaitingClaim waitingClaim;
        try {
            waitingClaim = hints.waitingClaim(queue, type);
        } catch (RuntimeException | Error e) {
            log.error("No worker could be asked whether it has room for jobs of {}/{}", queue, type, e);
            return;
        }
        if (waitingClaim != null) {
            boolean added = false;
            lock.lock();
            try {
                batch.add(new Submission<>(waitingClaim.request(), waitingClaim.answer()));
                added = true;
            } finally {
                lock.unlock();
                if (!added) {
                    waitingClaim.answer().cancel(false);
                }
            }
        }
    }

    /** What a transaction did since {@code begin}, by {@link System#nanoTime}. */
    private record Written(Batch batch, SqliteTransaction tx, long begin) {}

    /** The number of ids and event numbers that a batch needs, roughly. */
    private static int ids(Batch batch) {
        int ids = 0;
        for (Submission<?> submission : batch.submissions()) {
            ids += SqliteCommands.ids(submission.command());
        }
        return Math.max(1, ids);
    }

    /** Applies a batch in the open transaction, and commits; null when it is not known whether the commit stands. */
    private @Nullable Written applyAndCommit(Batch batch, boolean shared, Minutes.Samples samples) throws SQLException {
        long begin = System.nanoTime();
        takeIn(batch, shared);
        Batch.Takers waitingClaims = shared ? (queue, type) -> ask(batch, queue, type) : Batch.Takers.NONE;
        SqliteTransaction tx = new SqliteTransaction(
                statements,
                names,
                samples,
                time.now().toEpochMilli(),
                peers.idFloor(),
                ids(batch),
                new SqliteTransaction.Log(file.isDurable(), isLogLong()));
        // Made before the commit: behind it, nothing may fail any more.
        Written written = new Written(batch, tx, begin);
        try {
            probe.began(database, batch);
            guard.require(statements);
            batch.apply(new SqliteRules(tx, peers.others()), waitingClaims);
            tx.flushEvents();
            tx.writeSums();
            minutes.flush(statements, System.nanoTime(), false);
            probe.committing(batch);
            return commitOrUnknown(batch) ? written : null;
        } finally {
            wrote |= tx.endOfIds() != 0 || !batch.onlyClaims();
        }
    }

    /**
     * The write lock is ours: what was withdrawn while we waited for it is left out, and none of the rest can be any more.
     * A transaction to share takes in what has come meanwhile: while other processes have their turns, that is much.
     */
    private void takeIn(Batch batch, boolean shared) {
        lock.lock();
        try {
            begun = true;
            batch.drop(List.of());
            if (shared) {
                fill(batch);
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Commits. When the disk fails after the log was written, in its sync, or memory does, the log may or may not hold the commit after
     * the next start: then the answer is "unknown", and the submissions must not be run again.
     */
    private boolean commitOrUnknown(Batch batch) throws SQLException {
        committing = true;
        try {
            statements.run(TransactionSql.COMMIT);
            return true;
        } catch (SQLException e) {
            if (!SqliteErrors.mayHaveCommitted(e)) {
                committing = false;
                throw e;
            }
            outcomeUnknown(batch, e);
        } catch (RuntimeException | Error e) {
            outcomeUnknown(batch, e);
        }
        return false;
    }

    private void outcomeUnknown(Batch batch, Throwable e) {
        failure = "could not tell whether a commit stands: " + e;
        unknown.tell(more -> log.error(
                "A commit has failed midway; its {} operations have an unknown outcome, and are not run again{}",
                batch.submissions().size(),
                more,
                e));
        batch.submissions().forEach(submission -> submission.outcomeUnknown("its commit has failed midway"));
    }

    /** Ends a transaction that has failed. If even that fails, its connection goes: it would hold the write lock for ever. */
    private void rollback() {
        try {
            statements.forget();
            probe.rollingBack();
            statements.run(TransactionSql.ROLLBACK);
        } catch (SQLException e) {
            // SQLite rolls back by itself on some errors (full, I/O); then there is nothing left to roll back.
            broken = !SqliteErrors.isNoTransaction(e);
            log.debug("Rollback: {}", e.getMessage());
        } catch (RuntimeException | Error e) {
            broken = true;
        }
        if (broken) {
            tryToReconnect();
        }
    }

    /** What fails is tried again by the next one who needs the connection; it is closed already, as a rule, and holds no lock. */
    private void tryToReconnect() {
        try {
            reconnect();
        } catch (SQLException | RuntimeException | Error e) {
            failure = "could not roll back, and cannot open the file anew: " + e.getMessage();
        }
    }

    /** A connection in the place of one whose transaction could not be ended. */
    private void reconnect() throws SQLException {
        database.close();
        file.requireSame();
        database = file.openWriter();
        statements = new SqliteStatements(database.connection());
        broken = false;
        log.warn(
                "The writer of {} has opened the file anew: its last transaction could not be rolled back",
                peers.database());
    }

    private void failEach(Batch batch, SQLException e) {
        String holders = SqliteErrors.isBusy(e) ? peers.holders() : null;
        for (Submission<?> submission : batch.submissions()) {
            submission.fail(
                    holders == null
                            ? SqliteErrors.translate(e, submission.what())
                            : new StoreUnavailableException(
                                    "%s failed: the write lock is held by %s, and was not free within %s"
                                            .formatted(submission.what(), holders, timeout()),
                                    e));
        }
    }

    /** Work has stopped: write what is still in memory, and hand the log's space back. What fails waits for the next time. */
    private void whenIdle() {
        try {
            if (broken) {
                reconnect();
            }
            if (isRefused()) {
                letGo();
            } else {
                try {
                    flushMinutes();
                    tryAgain();
                } catch (SQLException e) {
                    cutLog(); // on a full disk its space may be all that is left
                    throw e;
                }
                cutLog();
            }
            untidy = false;
        } catch (SQLException | IncompatibleStoreException e) {
            if (!untidy) {
                log.warn(
                        "The sums of the minute are not written, or the log is not cut; tried again later: {}",
                        e.getMessage());
            }
            if (failure != null) {
                tidyAfter(AGAIN_NANOS);
            }
            untidy = true;
        }
    }

    private void cutLog() throws SQLException {
        if (wrote) {
            wrote = !database.truncateLog();
            worked = false;
        }
    }

    /** Cuts the log of a file that this process must not write any more, when no reader is in the way; unless others use the file, whose log it may be. */
    private void letGo() throws SQLException {
        peers.look();
        if (peers.others() == 0 && !database.truncateLog()) {
            tidyAfter(IDLE_NANOS);
        }
    }

    /** Writes nothing in a transaction, to see whether the writer can write again while no submission comes. */
    private void tryAgain() throws SQLException {
        if (failure != null) {
            inOwnTransaction(() -> keepIdFloor(0));
            failure = null;
        }
    }

    /**
     * Has the writer tidy up after this long though nothing comes: to cut the log of a file that it must not write any more, or to see whether it can
     * write again.
     */
    private void tidyAfter(long nanos) {
        lock.lock();
        try {
            tidyNanos = System.nanoTime() + nanos;
            mustTidy = true;
        } finally {
            lock.unlock();
        }
    }

    private boolean isRefused() {
        lock.lock();
        try {
            return queue.refusal() != null;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Deletions fill the log fast. It is written back between turns, so that nobody's commit has to do that while all others wait for their turn.
     * What fails is done by a commit.
     */
    private void writeLogBack() {
        expiries++;
        if (expiries < EXPIRIES && !isLogLong()) {
            return;
        }
        expiries = 0;
        try {
            logLeft = database.writeLogBack();
        } catch (SQLException e) {
            log.debug("The log was not written back: {}", e.getMessage());
        }
    }

    /** Whether others keep so much of the log from being written back that it must not become longer. For the writer's thread. */
    boolean isLogLong() {
        return logLeft > probe.longestLog();
    }

    private void flushMinutes() throws SQLException {
        if (minutes.isPending()) {
            inOwnTransaction(() -> minutes.flush(statements, System.nanoTime(), true));
            minutes.committed();
        }
    }

    /** The last process takes the floor away with the files that all have shared. */
    private void keepIdFloor() throws SQLException {
        long floor = peers.idFloor().get();
        if (statements.get(TransactionSql.NEXT_ID).one() < floor) {
            inOwnTransaction(() -> keepIdFloor(floor));
        }
    }

    private void keepIdFloor(long floor) throws SQLException {
        statements.get(TransactionSql.KEEP_ID_FLOOR).set(1, floor).update();
    }

    /** What is written in a transaction that belongs to no submission. */
    private interface Chore {
        void run() throws SQLException;
    }

    private void inOwnTransaction(Chore chore) throws SQLException {
        Boolean unused = inTransaction(() -> {
            guard.require(statements);
            chore.run();
            statements.run(TransactionSql.COMMIT);
            return true;
        });
    }

    /**
     * Ends waits that last too long: a submission not begun is withdrawn, so that nothing is applied later in silence;
     * one already begun is answered as unknown, unless its own commit must answer it.
     */
    private void watch() {
        long period = Math.max(TimeUnit.MILLISECONDS.toNanos(10), timeoutNanos / 10);
        while (true) {
            try {
                if (!awaitLate(period)) {
                    return;
                }
                String holders = holders();
                lock.lock();
                try {
                    endWaits(System.nanoTime() - timeoutNanos, holders);
                } finally {
                    lock.unlock();
                }
            } catch (InterruptedException e) {
                log.warn("The writer's watch was interrupted and ends");
                return;
            } catch (Throwable e) {
                // Of memory, say: the next turn ends what is left.
                LockSupport.parkNanos(PAUSE_NANOS);
                goOnAfterWatching(e);
            }
        }
    }

    private static void goOnAfterWatching(Throwable e) {
        try {
            log.error("The writer's watch met an unexpected error and goes on", e);
        } catch (Throwable again) {
            // There is no memory to say so.
        }
    }

    /** Waits until something takes too long; false at the end. */
    private boolean awaitLate(long period) throws InterruptedException {
        lock.lock();
        try {
            while (!queue.isClosed() || thread.isAlive()) {
                // What comes while nothing waits is looked at before its time is over, if the watch sleeps less than
                // that.
                boolean idle = queue.isEmpty() && managed.isEmpty() && inFlight == null && !tidies;
                ended.awaitNanos(idle ? timeoutNanos - period : period);
                long limit = System.nanoTime() - timeoutNanos;
                if (isAnythingLate(limit) || isStalled(limit)) {
                    return true;
                }
            }
            return false;
        } finally {
            lock.unlock();
        }
    }

    /** Ends the waits for what was submitted before the limit, by {@link System#nanoTime}. Under the lock. */
    private void endWaits(long limit, @Nullable String holders) {
        String busy = busy(holders);
        queue.endLate(limit, late -> late.withdraw(timeout(), busy));
        while (!managed.isEmpty() && managed.getFirst().since() - limit < 0) {
            managed.removeFirst().withdraw(timeout(), busy);
        }
        if (inFlight != null) {
            for (Submission<?> submission : inFlight.submissions()) {
                if (submission.since() - limit < 0) {
                    endWait(submission, busy);
                }
            }
        }
        if (isStalled(limit)) {
            stalled(holders);
        }
    }

    /** True if the writer takes too long, and the log does not say so yet. Under the lock. */
    private boolean isStalled(long limit) {
        return (inFlight != null || tidies) && problem == null && batchSince - limit < 0;
    }

    private boolean isAnythingLate(long limit) {
        return queue.isLate(limit)
                || (!managed.isEmpty() && managed.getFirst().since() - limit < 0)
                || (inFlight != null
                        && inFlight.submissions().stream().anyMatch(submission -> submission.since() - limit < 0));
    }

    /** The holders of the write lock, if the writer waits for it. Reads a file of the system: never under the lock, for which all callers would wait. */
    private @Nullable String holders() {
        assert !lock.isHeldByCurrentThread();
        return waits ? peers.holders() : null;
    }

    /** Why submissions cannot be begun. */
    private static String busy(@Nullable String holders) {
        return holders == null ? "the store is busy or its file is locked" : "the write lock is held by " + holders;
    }

    /** What the writer does takes too long: says so once, and who is in the way. */
    private void stalled(@Nullable String holders) {
        String what;
        if (waits) {
            what = "waits for the write lock, which is held by " + (holders == null ? "another process" : holders);
        } else if (borrower != null) {
            what = "waits for the transaction of thread '%s', which has not ended for longer than %s"
                    .formatted(borrower, timeout());
        } else if (tidies) {
            what = "has been writing the log back for longer than " + timeout() + ": the disk is slow or hangs";
        } else {
            what = "has been in a transaction for longer than " + timeout() + ": the disk is slow or hangs";
        }
        problem = what;
        unusable.tell(more ->
                log.warn("The writer of {} {}; new operations fail until it recovers{}", peers.database(), what, more));
    }

    /** How the writer is, for the health of the store. */
    public Health.Task task() {
        long since;
        WindrowException refused;
        lock.lock();
        try {
            refused = queue.refusal();
            since = inFlight == null && !tidies ? 0 : System.nanoTime() - batchSince;
        } finally {
            lock.unlock();
        }
        String why = refused == null ? problem : refused.getMessage();
        return new Health.Task(thread.getName(), why == null ? failure : why, Duration.ofNanos(since));
    }

    private void endWait(Submission<?> submission, String busy) {
        if (!begun) {
            submission.withdraw(timeout(), busy);
        } else if (!submission.is(Claim.class)) {
            submission.outcomeUnknown("it is not confirmed after " + timeout());
        }
    }

    private String timeout() {
        return Durations.text(Duration.ofNanos(timeoutNanos));
    }

    private void end() {
        try {
            flushMinutes();
            keepIdFloor();
        } catch (SQLException | IncompatibleStoreException e) {
            log.warn(
                    "The sums of the last minute, or ids that were rolled back, are not written, and are lost: {}",
                    e.getMessage());
        }
        // In a turn: of two processes that close at the same moment each takes the other for one that goes on, and
        // leaves the log behind.
        fileLock.enter();
        try {
            statements.close();
            database.close();
        } catch (SQLException e) {
            log.warn(
                    "The database could not be closed in order; the next one to open it looks after its log: {}",
                    e.getMessage());
        } finally {
            fileLock.leave();
        }
        lock.lock();
        try {
            ended.signalAll();
        } finally {
            lock.unlock();
        }
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
        lock.lock();
        try {
            ended.signalAll();
        } finally {
            lock.unlock();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
