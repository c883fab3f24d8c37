package dev.windrow.sqlite.writer;

import dev.windrow.Durations;
import dev.windrow.EventLevel;
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
import dev.windrow.store.StoreEnvironment;
import dev.windrow.store.StoreHints;
import dev.windrow.store.job.Claim;
import dev.windrow.store.job.Release;
import dev.windrow.store.job.Started;
import dev.windrow.store.job.WaitingClaim;
import dev.windrow.store.retention.Expire;
import dev.windrow.store.sql.writer.Batch;
import dev.windrow.store.sql.writer.CommandQueue;
import dev.windrow.store.sql.writer.StackRoom;
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
 * The commit pipeline: one thread that takes all queued commands of callers, writes them in one transaction, commits, and then completes all of them,
 * or lets a {@link Completer} do so. A caller that comes alone has its turn while it sleeps (ADR 59). It adds no artificial delay: a batch is what
 * arrived during the commit before. So a lone caller waits for one commit, and a thousand callers share one.
 *
 * <p>A batch that fails is rolled back, and its submissions are run again one by one, so that a bad one fails alone. An error of the whole store
 * (disk full, locked, damaged) fails the batch without that.
 */
public final class Writer {
    /**
     * The most rows in one transaction. They suffice for a bulk of new jobs, a claim and the settlements of a worker, 1000 each. With a limit of 1000
     * these were three transactions. A higher limit only makes the other callers wait longer.
     */
    static final int MAX_BATCH = 3000;
    /** The most rows in one transaction while other processes wait for their turn. */
    static final int MAX_SHARED_BATCH = 1000;
    /** The time without work after which the log is written back into the database file, so that the next commit begins at its start. */
    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /**
     * The number of turns in a row that had one submission each, from which on a caller may write itself. With 1, 64 callers commit a tenth slower,
     * because now and then one of them comes alone.
     */
    private static final int ALONE = 8;

    /** A time that is longer than any sleep. */
    private static final long NEVER_NANOS = TimeUnit.DAYS.toNanos(365);

    /** The time after which a writer tries again that could not write, or that could not write the log back beside other processes. */
    private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** The number of transactions that delete old jobs between two times that the log is written back. */
    private static final int EXPIRIES = 16;
    /** The pages of the log, 64 MiB, above which no more old jobs are deleted. A long read uses an older snapshot, so the log can only grow. */
    static final int LONGEST_LOG = 16_384;
    /** The pause between two tries to complete a submission without memory. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** The pause of deletions when the log is too long, until the next check. */
    public static final long LOG_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** The bytes of stack for a transaction on a caller's thread. It takes 6 kB, measured with interpreted code, which takes most. */
    private static final int STACK = 16 * 1024;

    private static final Logger log = SafeLogger.of(Writer.class);

    /** A hook by which tests observe transactions, and disturb them. */
    public interface Probe {
        /** The hook that does nothing. */
        Probe NONE = new Probe() {};

        /** Called when the transaction has begun, and nothing is written yet. */
        default void began(SqliteFile.Opened database, Batch batch) throws SQLException {}

        /** Called when everything is written, and the commit is next. */
        default void committing(Batch batch) throws SQLException {}

        /** Called when a transaction has failed, and is about to be rolled back. */
        default void rollingBack() throws SQLException {}

        /** Returns the limit of the log; see {@link Writer#LONGEST_LOG}. */
        default int longestLog() {
            return LONGEST_LOG;
        }
    }

    private final SqliteFile file;
    private final SchemaGuard guard;
    private final FairFileLock fileLock;
    private final PeerProcesses peers;
    private final PeerWatch notifier;
    private final IdFloor idFloor;
    private final Names names;
    private final Minutes minutes = new Minutes();
    private final TimeSource time;
    private final StoreHints hints;
    private final EventLevel level;
    private final long timeoutNanos;
    private final Probe probe;
    private final Thread thread;
    private final Thread watch;
    private final Completer completer;
    private final LogThrottle unusable;
    private final LogThrottle slow;
    private final LogThrottle shared;
    private final LogThrottle unknown;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition work = lock.newCondition();
    private final Condition ended = lock.newCondition();
    // Used only by the thread whose turn it is. Replaced when a transaction could not be rolled back.
    private SqliteFile.Opened database;
    private SqliteStatements statements;
    /** True if the connection may have an open transaction that cannot be ended. A new connection takes its place. */
    private boolean broken;
    /** True from the COMMIT of a transaction until its submissions are completed or handed over. Used only by the thread whose turn it is. */
    private boolean committing;
    /**
     * The last batch whose commit is in effect, until the end of the turn, or null. Its submissions must not fail any more. Set only by the thread
     * whose turn it is.
     */
    private volatile @Nullable Batch committed;
    /** True if the log may have grown since it was last written back. Used only by the thread whose turn it is. */
    private boolean wrote = true;
    /** True if it has grown since then by more than heartbeats and claims. Used only by the thread whose turn it is. */
    private boolean worked = true;
    /** True if the last idle work has failed. Used only by the thread whose turn it is. */
    private boolean untidy;

    /** The number of transactions that have deleted old jobs since the log was written back. Used only by the thread whose turn it is. */
    private int expiries;
    /** The number of pages of the log that could not be written back at the last try. Used only by the thread whose turn it is. */
    private int logLeft;

    /** True if the writer waits for the write lock. */
    private volatile boolean waits;

    /** The name of the thread that has the writer's turn; null as a rule. */
    private volatile @Nullable String borrower;

    /** The reason why the writer does not continue, or null. */
    private volatile @Nullable String problem;

    /** The reason why its last transaction has failed, unless a command was the cause. */
    private volatile @Nullable String failure;

    // Guarded by lock.
    private final CommandQueue queue = new CommandQueue(lock, work);
    /** Callers that wait for a turn of their own. Each comes before the submissions that were queued after it, and after the earlier ones. */
    private final ArrayDeque<Submission<?>> managed = new ArrayDeque<>();

    /** The time, by {@link System#nanoTime}, at which the writer does its idle work although nothing was written: see {@link #tidyAfter}. */
    private long tidyNanos;

    private boolean mustTidy;

    private @Nullable Batch inFlight;
    /** The time at which the batch in flight was taken from the queue, or the writer began its idle work. */
    private long batchSince;
    /** True while the writer does its idle work. */
    private boolean tidies;
    /** True while the writer's thread sleeps, until {@link #asleepUntil} if no signal comes. */
    private boolean asleep;

    private long asleepUntil;
    /**
     * The caller's thread that has the turn, or null; see {@link #writeHere}. The writer's thread waits then. Other threads read this without the lock
     * only to know that they are not that thread.
     */
    private @Nullable Thread caller;
    /** The error with which a caller's thread has ended its turn. The writer's thread handles it, because its stack has room. */
    private @Nullable Throwable abandoned;
    /** The number of submissions that the batch in flight has taken from the queue. Starts, which wait for company, do not count. */
    private int taken;
    /** The number of last turns that had taken at most one, up to {@link #ALONE}. */
    private int turnsAlone = ALONE;
    /** True if nothing is left to do when no submission comes. */
    private boolean idle = true;
    /** The end of the last turn, by {@link System#nanoTime}. */
    private long turnEnded;
    /** True if the batch in flight holds the write lock. Before that, its submissions can still be withdrawn. */
    private boolean begun;

    public Writer(
            SqliteFile file,
            SqliteFile.Opened database,
            SchemaGuard guard,
            PeerProcesses peers,
            PeerWatch notifier,
            IdFloor idFloor,
            Names names,
            StoreEnvironment environment,
            long timeoutNanos,
            Probe probe,
            String name) {
        this.file = file;
        this.database = database;
        this.guard = guard;
        this.statements = database.statements();
        this.peers = peers;
        this.fileLock = peers.fileLock();
        this.notifier = notifier;
        this.idFloor = idFloor;
        this.names = names;
        this.time = environment.time();
        this.hints = environment.hints();
        this.level = environment.events();
        this.timeoutNanos = timeoutNanos;
        this.probe = probe;
        this.thread = new Thread(this::run, "windrow-writer-" + name);
        this.watch = new Thread(this::watch, "windrow-writer-watch-" + name);
        thread.setDaemon(true);
        watch.setDaemon(true);
        this.completer = new Completer(submission -> answer(submission, null), task -> {
            Thread made = new Thread(task, "windrow-completer-" + name);
            made.setDaemon(true);
            return made;
        });
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
     * Queues a submission. Waits for free space when the queue is full, at most as long as the operation timeout. Commands that keep workers alive do
     * not wait.
     */
    public <T extends @Nullable Object> Submission<T> submit(Submission<T> submission) {
        return submit(submission, timeoutNanos);
    }

    /** Queues a submission without a wait: when the queue is full it fails at once. */
    public <T extends @Nullable Object> Submission<T> submitNow(Submission<T> submission) {
        return submit(submission, 0);
    }

    private <T extends @Nullable Object> Submission<T> submit(Submission<T> submission, long roomNanos) {
        if (!queue.submit(submission, roomNanos)) {
            submission.withdraw(timeout(), busy(holders()));
        }
        return submission;
    }

    /** Queues a caller that waits for a turn of its own. */
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

    /** Takes no more submissions, because this code may no longer write the database. */
    public void refuse(WindrowException why) {
        lock.lock();
        try {
            if (queue.refusal() == null) {
                log.error("The writer of {} writes nothing more: {}", file.location(), why.getMessage());
                // The log is truncated once more: if the file was replaced, SQLite would take the log for the new
                // file's.
                tidyAfter(0);
            }
            queue.refuse(why);
            managed.forEach(managed -> managed.fail(why));
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        while (true) {
            try {
                Batch batch = take();
                if (batch == null) {
                    break;
                }
                turn(batch);
            } catch (InterruptedException e) {
                // No code has a reason to interrupt this thread; it ends by close().
                log.warn("The writer was interrupted, and continues");
            } catch (Throwable e) {
                goOnAfter(e);
            }
        }
        end();
    }

    /**
     * Writes a submission on the calling thread, which waits for it in any case. This saves the time to wake two threads. It is done only if the
     * writer's thread sleeps, nothing urgent is queued, no other process is there, and the last turns had no more than one submission each: callers
     * that come at the same time share commits. Virtual threads queue, because a native call occupies their carrier. So do threads whose stack is about
     * to end.
     *
     * @return false if the submission is to be queued; nothing was done then
     */
    public boolean writeHere(Submission<?> submission) {
        Batch batch = new Batch();
        batch.add(submission);
        if (VirtualThreads.isCurrent() || !takeTurnHere(batch)) {
            return false;
        }
        boolean entered = false;
        try {
            entered = fileLock.tryEnter();
            if (entered) {
                turn(batch);
            }
        } catch (Throwable e) {
            abandoned = e;
        } finally {
            // In this order: until the file lock is left, no other caller can take the turn.
            try {
                endTurnHere();
            } finally {
                if (entered) {
                    fileLock.leave();
                }
            }
        }
        return entered;
    }

    private boolean takeTurnHere(Batch batch) {
        lock.lock();
        try {
            if (!asleep
                    || caller != null
                    || abandoned != null
                    || turnsAlone < ALONE
                    || broken
                    || !managed.isEmpty()
                    || queue.isUrgent()
                    || queue.isClosed()
                    || queue.refusal() != null
                    || peers.others() > 0
                    || !StackRoom.has(STACK)) {
                return false;
            }
            begin(batch);
            taken = 1;
            caller = Thread.currentThread();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the turn to the writer's thread, and wakes that if it has something to do before it wakes by itself. */
    private void endTurnHere() {
        if (peers.others() > 0) {
            tidyAfter(0); // the writer's thread notifies the process that has come meanwhile
        }
        lock.lock();
        try {
            caller = null;
            if (abandoned == null) {
                inFlight = null;
            }
            if (abandoned != null
                    || !managed.isEmpty()
                    || queue.isUrgent()
                    || queue.isClosed()
                    || wakesAt(System.nanoTime()) - asleepUntil < 0) {
                work.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    /** True on the writer's own thread; false on that of a caller that has its turn. */
    private boolean isOwnTurn() {
        return Thread.currentThread() == thread;
    }

    /** Does what this batch needs, for the thread whose turn it is. */
    private void turn(Batch batch) {
        work(batch);
        boolean rests = rests();
        if (isOwnTurn()) {
            // An interrupt could close the channel of the notifications, so no caller uses it.
            notifier.flush(rests);
        }
        // Not earlier, also if the batch could not begin: until now the watch names the same holder for queued
        // submissions as the writer.
        waits = false;
        problem = null;
        if (failure != null && !batch.isEmpty()) {
            tidyAfter(AGAIN_NANOS);
        }
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

    /** True if a submission only keeps workers alive, or is a claim. It leaves so little in the log that the log need not be written back after it. */
    private static boolean isSignOfLife(Submission<?> submission) {
        return switch (submission.command().phase()) {
            case RENEW, REGISTRY, CLAIM -> true;
            default -> false;
        };
    }

    /** Records that no batch is in flight any more. True if no submission waits either. */
    private boolean rests() {
        lock.lock();
        try {
            Batch batch = inFlight;
            idle = batch == null || !(minutes.isPending() || (wrote && worked));
            if (batch != null) {
                turnsAlone = taken > 1 ? 0 : Math.min(ALONE, turnsAlone + 1);
            }
            turnEnded = System.nanoTime();
            inFlight = null;
            committed = null;
            tidies = false;
            return queue.isEmpty() && managed.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /** Handles an unexpected error, above all of memory. The thread continues, and no caller waits forever. */
    private void goOnAfter(Throwable e) {
        failure = "met an unexpected error";
        try {
            failure = "met an unexpected error: " + e;
        } catch (Throwable again) {
            // No memory is left even for the text of the error.
        }
        Batch failed = inFlight; // only the thread whose turn it is sets it
        if (failed != null) {
            for (Submission<?> submission : failed.submissions()) {
                answer(submission, failed == committed ? null : e);
            }
        }
        committing = false;
        boolean unused = rests();
        tidyAfter(AGAIN_NANOS);
        waits = false;
        log.error(
                "The writer met an unexpected error and continues; the operations of its transaction fail, unless it is committed",
                e);
    }

    /** Completes a submission in any case. Without free memory it tries again until there is some. */
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
                if (e instanceof StackOverflowError && Thread.currentThread() == caller) {
                    throw e; // a wait makes no room: the writer's thread continues
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    /** Takes the next batch. It is empty when nothing came for a while and idle work is left. Null at the end. */
    private @Nullable Batch take() throws InterruptedException {
        lock.lock();
        try {
            while (true) {
                long now = System.nanoTime();
                if (caller == null) {
                    if (abandoned != null) {
                        Throwable cause = abandoned;
                        abandoned = null;
                        throw new IllegalStateException("the turn of a caller has failed", cause);
                    }
                    if (mustTidy && tidyNanos - now <= 0) {
                        mustTidy = false;
                        return idleWork();
                    }
                    if (!managed.isEmpty() || queue.isUrgent() || queue.untilStart(now) <= 0) {
                        Batch batch = next();
                        if (batch.isEmpty()) {
                            continue;
                        }
                        return batch;
                    }
                    if (queue.isClosed()) {
                        return null;
                    }
                    if (!idle && queue.isEmpty() && turnEnded + IDLE_NANOS - now <= 0) {
                        return idleWork();
                    }
                }
                asleepUntil = caller == null ? wakesAt(now) : now + NEVER_NANOS;
                asleep = true;
                try {
                    if (asleepUntil - now == NEVER_NANOS) {
                        work.await();
                    } else {
                        work.awaitNanos(asleepUntil - now);
                    }
                } finally {
                    asleep = false;
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** Takes a batch from the queue, or a caller that waits for a turn. The batch is empty if all queued submissions have ended. */
    private Batch next() {
        Batch batch = new Batch();
        begin(batch);
        if (givesTurn()) {
            batch.add(managed.getFirst());
            managed.removeFirst();
        } else {
            fill(batch);
        }
        if (batch.isEmpty()) {
            inFlight = null;
        }
        return batch;
    }

    private Batch idleWork() {
        tidies = true;
        batchSince = System.nanoTime();
        return new Batch();
    }

    /** Records the batch before a submission leaves the queue: if anything fails from here on, all submissions are still completed. */
    private void begin(Batch batch) {
        inFlight = batch;
        batchSince = System.nanoTime();
        begun = false;
        taken = 0;
    }

    /** Returns when something is due that no signal announces, by {@link System#nanoTime}. Called under the lock. */
    private long wakesAt(long now) {
        long rest = Math.min(NEVER_NANOS, queue.untilStart(now));
        if (mustTidy) {
            rest = Math.min(rest, tidyNanos - now);
        }
        if (!idle && queue.isEmpty()) {
            rest = Math.min(rest, turnEnded + IDLE_NANOS - now);
        }
        return now + rest;
    }

    /**
     * True if the first caller that waits for a turn came before all queued submissions, or before all urgent ones. Starts alone are not urgent until
     * they have waited for their time. Called under the lock.
     */
    private boolean givesTurn() {
        if (managed.isEmpty() || queue.isEmpty()) {
            return !managed.isEmpty();
        }
        long since = queue.first().since();
        return managed.getFirst().since() - since <= 0
                || (!queue.isUrgent() && queue.untilStart(System.nanoTime()) > 0);
    }

    /** Takes submissions from the queue that fit into the batch. Called under the lock. */
    private void fill(Batch batch) {
        int max = peers.others() == 0 ? MAX_BATCH : MAX_SHARED_BATCH;
        while (!queue.isEmpty()
                && (batch.isEmpty() || batch.weight() + queue.first().weight() <= max)) {
            Submission<?> submission = queue.first();
            if (!submission.isEnded()) {
                batch.add(submission);
                taken += submission.is(Started.class) ? 0 : 1;
            }
            queue.removeFirst();
        }
        queue.signalRoom();
    }

    private void writeAll(Batch batch) {
        try {
            transact(batch, true);
        } catch (SQLException e) {
            if (!isOwnTurn() && !begun && SqliteErrors.isBusy(e)) {
                queueAgain(batch);
                return;
            }
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

    /** Lets the writer's thread wait for the write lock, which another program holds. */
    private void queueAgain(Batch batch) {
        lock.lock();
        try {
            for (Submission<?> submission : batch.submissions()) {
                if (!queue.fails(submission)) {
                    queue.add(submission);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    private void oneByOne(Batch batch, Exception e) {
        String message = "A shared transaction failed ({}); its operations are run again one by one";
        if (e instanceof WindrowException) {
            log.debug(message, e.toString()); // one of them is refused, and its caller gets the reason
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
            // It was refused after it had written, and all its writes are rolled back.
            submission.fail(e);
        } catch (RuntimeException e) {
            submission.fail(new WindrowException(submission.what() + " failed: " + e, e));
        }
    }

    /** The work between BEGIN and the end of COMMIT. */
    private interface Work<T> {
        /** Returns the committed result; null when the outcome of the commit is unknown. */
        @Nullable T run() throws SQLException;
    }

    /** Runs one transaction in a turn of its own. An exception means that nothing was written and no transaction is open. */
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
                beginTransaction();
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

    /**
     * Begins a transaction. The first one of a caller's turn does not wait for the write lock, because neither an interrupt nor the watch could end
     * the wait: its commands are queued then.
     */
    private void beginTransaction() throws SQLException {
        if (isOwnTurn() || begun) {
            statements.run(TransactionSql.BEGIN);
        } else {
            database.busyTimeout(0);
            try {
                statements.run(TransactionSql.BEGIN);
            } finally {
                database.busyTimeout(TimeUnit.NANOSECONDS.toMillis(timeoutNanos));
            }
        }
    }

    /** Runs one transaction, from BEGIN to the results. An exception means that nothing was written and no transaction is open. */
    private void transact(Batch batch, boolean shared) throws SQLException {
        Minutes.Samples samples = minutes.new Samples();
        Written written = inTransaction(() -> applyAndCommit(batch, shared, samples));
        if (written != null) {
            afterCommit(written, samples);
        }
        committing = false;
    }

    /** Completes the submissions, and notifies. The commit is in effect even if this fails, so no failure here may cause a second run. */
    private void afterCommit(Written written, Minutes.Samples samples) {
        failure = null;
        List<Submission<?>> submissions = written.batch.submissions();
        committed = written.batch;
        if (isOwnTurn()) {
            completer.complete(submissions);
        } else {
            submissions.forEach(submission -> answer(submission, null));
        }
        try {
            long nanos = System.nanoTime() - written.begin;
            // First the flushed sums are removed, and then this transaction's own samples are added.
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
            unusable.over(how -> log.info("The writer of {} works again: it could not {}", file.location(), how));
            warnIfLong(written.begin, "A transaction of " + submissions.size() + " operations");
        } catch (Throwable e) {
            log.error("After a commit, waiting callers were not notified; the slow poll finds their jobs", e);
        }
    }

    /** Waits for a turn, and lets a caller's thread use it. */
    private void managed(Submission<?> wish, BeginManaged managed) {
        if (broken) {
            // The connection may hold a lock, which would block the caller.
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

    /** Gives the turn to the caller. False if the caller has given up. */
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
                    "{} has held the write lock for {} ms, and all other writers waited; check for a slow disk or a long transaction{}",
                    who,
                    TimeUnit.NANOSECONDS.toMillis(held),
                    more));
        }
    }

    /** Submits the release of children that were too many for one transaction. Other commands get their turn in between. */
    public void release(Set<Long> parents) {
        if (!parents.isEmpty()) {
            submit(new Submission<>(new Release(parents))).future().exceptionally(e -> {
                log.info(
                        "Children of {} jobs were not released now; the next poll releases them: {}",
                        parents.size(),
                        e.getMessage());
                return null;
            });
        }
    }

    /** Adds the claim of a worker that has free slots for jobs of this lane. */
    private void ask(Batch batch, String queue, String type) {
        WaitingClaim waitingClaim;
        try {
            waitingClaim = hints.waitingClaim(queue, type);
        } catch (RuntimeException | Error e) {
            log.error(
                    "No waiting claim could be found for jobs of {}/{}; the workers' poll finds the jobs",
                    queue,
                    type,
                    e);
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

    /** A transaction that was written since {@code begin}, by {@link System#nanoTime}. */
    private record Written(Batch batch, SqliteTransaction tx, long begin) {}

    /** Returns the approximate number of ids and event numbers that a batch needs. */
    private static int ids(Batch batch) {
        int ids = 0;
        for (Submission<?> submission : batch.submissions()) {
            ids += SqliteCommands.ids(submission.command());
        }
        return Math.max(1, ids);
    }

    /** Applies a batch in the open transaction, and commits. Null when the outcome of the commit is unknown. */
    private @Nullable Written applyAndCommit(Batch batch, boolean shared, Minutes.Samples samples) throws SQLException {
        long begin = System.nanoTime();
        takeIn(batch, shared);
        Batch.Takers waitingClaims = shared ? (queue, type) -> ask(batch, queue, type) : Batch.Takers.NONE;
        SqliteTransaction tx = new SqliteTransaction(
                statements,
                names,
                samples,
                time.now().toEpochMilli(),
                idFloor,
                level,
                ids(batch),
                new SqliteTransaction.Log(file.isDurable(), isLogLong()));
        // Made before the commit, because nothing may fail after it.
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
            wrote |= tx.hasTaken() || !batch.onlyClaims();
        }
    }

    /**
     * Removes submissions that were withdrawn during the wait for the write lock. The others can no longer be withdrawn. A shared transaction also
     * takes the submissions that came during the wait. While other processes have their turns, these are many.
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
     * Commits. The disk may fail after the log was written, in its sync, or memory may fail. Then the log may or may not hold the commit after the
     * next start. So the outcome is unknown, and the submissions must not be run again.
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
        failure = "has a commit with an unknown outcome: " + e;
        unknown.tell(more -> log.error(
                "A commit has failed midway; its {} operations have an unknown outcome, and are not run again{}",
                batch.submissions().size(),
                more,
                e));
        batch.submissions().forEach(submission -> submission.outcomeUnknown("its commit has failed midway"));
    }

    /** Ends a transaction that has failed. If even that fails, its connection is closed, because it would hold the write lock forever. */
    private void rollback() {
        try {
            statements.forget();
            probe.rollingBack();
            statements.run(TransactionSql.ROLLBACK);
        } catch (SQLException e) {
            // SQLite rolls back by itself on some errors (full, I/O). Then nothing is left to roll back.
            broken = !SqliteErrors.isNoTransaction(e);
            log.debug("Rollback: {}", e.getMessage());
        } catch (RuntimeException | Error e) {
            broken = true;
        }
        if (broken) {
            tryToReconnect();
        }
    }

    /** Tries to reconnect. The next use of the connection retries a failure. The old connection is closed already, as a rule, and holds no lock. */
    private void tryToReconnect() {
        try {
            reconnect();
        } catch (SQLException | RuntimeException | Error e) {
            failure = "could not roll back, and cannot open the file again: " + e.getMessage();
        }
    }

    /** Replaces a connection whose transaction could not be ended. */
    private void reconnect() throws SQLException {
        database.close();
        file.requireSame();
        database = file.openWriter();
        statements = database.statements();
        broken = false;
        log.warn(
                "The writer of {} has opened the file again, because its last transaction could not be rolled back",
                file.location());
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

    /** Writes the sums that are still in memory, and writes the log back, when work has stopped. A failure is retried the next time. */
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
                    writtenBack(database.truncateLog()); // on a full disk the space of the log may be all that is left
                    throw e;
                }
                if (wrote) {
                    // With secure_delete the log must not keep what was deleted.
                    writtenBack(file.isOverwriting() ? database.truncateLog() : database.resetLog());
                }
            }
            untidy = false;
        } catch (SQLException | IncompatibleStoreException e) {
            if (!untidy) {
                log.warn(
                        "The sums of the minute were not written, or the log was not written back; this is retried later: {}",
                        e.getMessage());
            }
            if (failure != null) {
                tidyAfter(AGAIN_NANOS);
            }
            untidy = true;
        }
    }

    /** Records that the log was written back, or that a reader or writer has blocked it; then it is tried again. */
    private void writtenBack(boolean done) {
        wrote = !done;
        worked = false;
        if (!done) {
            // Beside other processes that work, each try is a checkpoint which they would run themselves.
            tidyAfter(peers.others() == 0 ? IDLE_NANOS : AGAIN_NANOS);
        }
    }

    /**
     * Truncates the log of a file that this process must not write any more, when no reader blocks that. Does nothing if other processes use the
     * file, because the log may be theirs.
     */
    private void letGo() throws SQLException {
        peers.look();
        if (peers.others() == 0 && !database.truncateLog()) {
            tidyAfter(IDLE_NANOS);
        }
    }

    /** Runs a transaction that changes nothing, to find out if the writer can write again while no submission comes. */
    private void tryAgain() throws SQLException {
        if (failure != null) {
            inOwnTransaction(() -> keepIdFloor(0));
            failure = null;
        }
    }

    /**
     * Makes the writer do its idle work after this time although nothing comes: to write the log back when no reader blocks that, to truncate that of
     * a file that it must not write any more, or to find out if it can write again.
     */
    private void tidyAfter(long nanos) {
        lock.lock();
        try {
            long at = System.nanoTime() + nanos;
            if (!mustTidy || at - tidyNanos < 0) {
                tidyNanos = at;
                mustTidy = true;
            }
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
     * Writes the log back after some deletions, because they fill it fast. This happens between turns. So no commit has to do it while all writers
     * wait for their turn. A commit does what fails here.
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

    /** True if readers prevent so much of the log from being written back that it must not become longer. For the thread whose turn it is. */
    boolean isLogLong() {
        return logLeft > probe.longestLog();
    }

    private void flushMinutes() throws SQLException {
        if (minutes.isPending()) {
            inOwnTransaction(() -> minutes.flush(statements, System.nanoTime(), true));
            minutes.committed();
        }
    }

    /** Stores the floor in the database, because the last process deletes the shared files that hold it. */
    private void keepIdFloor() throws SQLException {
        long floor = idFloor.get();
        if (statements.get(TransactionSql.NEXT_ID).one() < floor) {
            inOwnTransaction(() -> keepIdFloor(floor));
        }
        idFloor.kept(floor);
    }

    private void keepIdFloor(long floor) throws SQLException {
        statements.get(TransactionSql.KEEP_ID_FLOOR).set(1, floor).update();
    }

    /** The statements of a transaction that belongs to no submission. */
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
     * Ends waits that last too long. A submission that has not begun is withdrawn, so that it is not applied silently later. One that has begun gets
     * an unknown outcome, unless it is a claim, which only its own commit may complete. One that is committed is completed here if a callback
     * hangs.
     */
    private void watch() {
        long period = Math.max(TimeUnit.MILLISECONDS.toNanos(10), timeoutNanos / 10);
        while (true) {
            try {
                if (!awaitLate(period)) {
                    return;
                }
                String holders = holders();
                long limit = System.nanoTime() - timeoutNanos;
                lock.lock();
                try {
                    endWaits(limit, holders);
                } finally {
                    lock.unlock();
                }
                completeLate(limit);
            } catch (InterruptedException e) {
                log.warn("The writer's watch was interrupted, and ends: operations may wait longer than their timeout");
                return;
            } catch (Throwable e) {
                // An error of memory, for example: the next round ends the waits that are left.
                LockSupport.parkNanos(PAUSE_NANOS);
                goOnAfterWatching(e);
            }
        }
    }

    private static void goOnAfterWatching(Throwable e) {
        try {
            log.error("The writer's watch met an unexpected error, and continues", e);
        } catch (Throwable again) {
            // No memory is left to log it.
        }
    }

    /** Waits until a submission takes too long; false at the end. */
    private boolean awaitLate(long period) throws InterruptedException {
        lock.lock();
        try {
            while (!queue.isClosed() || thread.isAlive()) {
                // A submission that comes while the watch sleeps idle is checked before its time is over, because the
                // watch sleeps less than that.
                boolean idle =
                        queue.isEmpty() && managed.isEmpty() && inFlight == null && !tidies && !completer.isBusy();
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

    /** Ends the waits of submissions from before the limit, by {@link System#nanoTime}. Called under the lock. */
    private void endWaits(long limit, @Nullable String holders) {
        String busy = busy(holders);
        queue.endLate(limit, late -> late.withdraw(timeout(), busy));
        while (!managed.isEmpty() && managed.getFirst().since() - limit < 0) {
            managed.removeFirst().withdraw(timeout(), busy);
        }
        if (inFlight != null && inFlight != committed) {
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

    /** Completes submissions that are committed and late, because a callback hangs. Not called under the lock: another callback may hang here. */
    private void completeLate(long limit) {
        Batch batch = committed;
        if (batch != null) {
            batch.submissions().stream()
                    .filter(submission -> submission.since() - limit < 0)
                    .forEach(submission -> answer(submission, null));
        }
        completer.completeLate(limit);
    }

    /** True if the writer takes too long, and the log does not report it yet. Called under the lock. */
    private boolean isStalled(long limit) {
        return (inFlight != null || tidies) && problem == null && batchSince - limit < 0;
    }

    private boolean isAnythingLate(long limit) {
        return queue.isLate(limit)
                || completer.isLate(limit)
                || (!managed.isEmpty() && managed.getFirst().since() - limit < 0)
                || (inFlight != null
                        && inFlight.submissions().stream().anyMatch(submission -> submission.since() - limit < 0));
    }

    /**
     * Returns the holders of the write lock, if the writer waits for it. Reads a file of the system, so it is never called under the lock, for which
     * all callers would wait.
     */
    private @Nullable String holders() {
        assert !lock.isHeldByCurrentThread();
        return waits ? peers.holders() : null;
    }

    /** Returns the reason why submissions cannot be begun. */
    private static String busy(@Nullable String holders) {
        return holders == null ? "the store is busy or its file is locked" : "the write lock is held by " + holders;
    }

    /** Reports once that the writer takes too long, and which process blocks it. */
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
            what = "has been in a transaction%s for longer than %s: the disk is slow or hangs"
                    .formatted(caller == null ? "" : " of thread '" + caller.getName() + "'", timeout());
        }
        problem = what;
        unusable.tell(more ->
                log.warn("The writer of {} {}; new operations fail until it recovers{}", file.location(), what, more));
    }

    /** Returns the state of the writer, for the health of the store. */
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
                    "The sums of the last minute were not written and are lost, or the ids that were rolled back stay in the folder beside the file: {}",
                    e.getMessage());
        }
        // In a turn: two processes that close at the same moment would each expect that the other one continues, and
        // leave the log behind.
        fileLock.enter();
        try {
            statements.close();
            database.close();
        } catch (SQLException e) {
            log.warn(
                    "The database could not be closed; the next process that opens it recovers its log: {}",
                    e.getMessage());
        } finally {
            fileLock.leave();
        }
        try {
            completer.close(timeoutNanos);
        } catch (InterruptedException e) {
            log.warn("The writer was interrupted at its end: some of its last answers may come a moment later");
        }
        lock.lock();
        try {
            ended.signalAll();
        } finally {
            lock.unlock();
        }
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
