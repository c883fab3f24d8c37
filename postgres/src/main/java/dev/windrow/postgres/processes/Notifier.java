package dev.windrow.postgres.processes;

import dev.windrow.monitor.Health;
import dev.windrow.postgres.connection.Database;
import dev.windrow.postgres.connection.PostgresErrors;
import dev.windrow.postgres.connection.Session;
import dev.windrow.postgres.connection.Threads;
import dev.windrow.postgres.job.ClaimCursors;
import dev.windrow.postgres.writer.Names;
import dev.windrow.postgres.writer.TransactionSql;
import dev.windrow.store.SafeLogger;
import dev.windrow.store.job.LeaseToken;
import dev.windrow.store.sql.writer.CommitNotices;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The notifier: a thread that notifies other processes of the commits of this one, by NOTIFY. It has a separate connection, because a transaction
 * that notifies takes a lock of the whole server at its commit. It notifies at most every few milliseconds, because the hints of one moment have the
 * same content. They are only hints: a poll finds the jobs of a lost one.
 */
public final class Notifier implements CommitNotices.Others, AutoCloseable {
    /** The pause between two notifications. A job may wait this much longer, and a flood of commits shares one notification. */
    private static final long DEBOUNCE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private static final List<String> NOTIFY_AND_COMMIT = List.of(RegistrySql.NOTIFY, TransactionSql.COMMIT);

    private static final Logger log = SafeLogger.of(Notifier.class);

    private final Database database;
    private final Thread thread;
    /** The name of this store among the listening ones. */
    private final String origin = UUID.randomUUID().toString().substring(0, 13);

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition notified = lock.newCondition();
    /** Signalled at the close. The pause waits for it, so that no commit wakes the thread in vain. */
    private final Condition ended = lock.newCondition();
    // The following fields are guarded by lock.
    private Map<Names.Lane, Ready> lanes = new LinkedHashMap<>();
    private Set<LeaseToken> cancels = new LinkedHashSet<>();
    private Set<LeaseToken> superseded = new LinkedHashSet<>();
    /** The earliest due time of the newly scheduled jobs. */
    private long scheduled = Long.MAX_VALUE;
    /** The earliest timeout of the new waits. */
    private long wait = Long.MAX_VALUE;
    /** The earliest due time of the changed schedules. */
    private long schedule = Long.MAX_VALUE;

    private boolean ping;
    private boolean closed;

    /** The reason for which the server refuses notifications; null if it does not. */
    private volatile @Nullable String problem;

    /** A lane with ready jobs, from the first of these positions on. Without a position, jobs may be due there. */
    private record Ready(ClaimCursors.@Nullable Place place) {
        private Ready and(Ready other) {
            if (place == null || (other.place != null && other.place.compareTo(place) < 0)) {
                return other;
            }
            return this;
        }
    }

    public Notifier(Database database, String name) {
        this.database = database;
        this.thread = new Thread(this::run, "windrow-notifier-" + name);
        thread.setDaemon(true);
    }

    public void start() {
        thread.start();
    }

    public String origin() {
        return origin;
    }

    /** Notifies that jobs may be ready in a lane from this position on, or due at a new time. */
    public void ready(Names.Lane lane, ClaimCursors.@Nullable Place place) {
        send(() -> lanes.merge(lane, new Ready(place), Ready::and));
    }

    /** Notifies that cancellation of this running job was requested. */
    @Override
    public void cancelRequested(LeaseToken lease) {
        send(() -> cancels.add(lease));
    }

    /** Notifies that this running job was ended from outside. */
    @Override
    public void superseded(LeaseToken lease) {
        send(() -> superseded.add(lease));
    }

    /** Notifies that a job is scheduled for this time, by the server's clock. */
    public void scheduled(long at) {
        send(() -> scheduled = Math.min(scheduled, at));
    }

    /** Notifies that a wait has begun which times out at this time, by the server's clock. */
    @Override
    public void waitEnds(long at) {
        send(() -> wait = Math.min(wait, at));
    }

    /** Notifies that a schedule was made or changed and is due at this time, by the server's clock. */
    @Override
    public void scheduleDue(long at) {
        send(() -> schedule = Math.min(schedule, at));
    }

    /** Sends a notification to this store alone, to check that it is received. */
    void ping() {
        send(() -> ping = true);
    }

    private void send(Runnable change) {
        lock.lock();
        try {
            change.run();
            notified.signal();
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        while (true) {
            try {
                List<String> messages = take();
                if (messages == null) {
                    break;
                }
                notify(messages, 0);
                problem = null;
            } catch (InterruptedException e) {
                log.warn("{} was interrupted and continues", thread.getName());
                continue;
            } catch (Throwable e) {
                goOnAfter(e);
            }
            pause();
        }
    }

    private void notify(List<String> messages, int losses) throws SQLException {
        Session session = database.sessions().take(this);
        boolean done = false;
        try {
            session.statements()
                    .together(NOTIFY_AND_COMMIT)
                    .set(1, database.tables().channel())
                    .texts(2, messages)
                    .first()
                    .close();
            // Ends the transaction for the session.
            session.commit();
            done = true;
        } catch (SQLException e) {
            if (losses == Database.MAX_LOSSES || !database.losesStatements(e)) {
                throw e;
            }
        } finally {
            if (done) {
                database.sessions().giveBack(session, this);
            } else {
                database.sessions().end(session);
            }
        }
        if (!done) {
            notify(messages, losses + 1);
        }
    }

    private void goOnAfter(Throwable e) {
        try {
            failed(e);
        } catch (Throwable again) {
            // There is no memory to say more.
        }
    }

    /** Notes a failure. The writers report a connection that is lost or refused, because they need one for more than this. */
    private void failed(Throwable e) {
        String why = null;
        if (e instanceof SQLException sql && !PostgresErrors.isConnectionGone(sql)) {
            why = PostgresErrors.message(sql);
        } else if (e instanceof Error) {
            why = SafeLogger.text(e);
        }
        if (why == null) {
            log.debug("Peer processes were not notified; their next poll finds the jobs: {}", e.getMessage());
            return;
        }
        why = "cannot notify other processes: " + why;
        if (problem == null) {
            log.warn("{} {}; their polls find ready jobs, a few seconds later", thread.getName(), why);
        }
        problem = why;
    }

    /** Waits for the next messages. Returns null at the end. */
    private @Nullable List<String> take() throws InterruptedException {
        lock.lock();
        try {
            while (isSilent()) {
                if (closed) {
                    return null;
                }
                notified.await();
            }
            List<String> messages = new ArrayList<>();
            // This message comes before the messages of the lanes, so that a process that queries a lane begins early
            // enough.
            if (scheduled < Long.MAX_VALUE) {
                messages.add("%s scheduled %d".formatted(origin, scheduled));
            }
            lanes.forEach((lane, ready) -> messages.add(message(lane, ready.place)));
            cancels.forEach(lease -> messages.add("%s cancel %d %d".formatted(origin, lease.id(), lease.token())));
            superseded.forEach(
                    lease -> messages.add("%s superseded %d %d".formatted(origin, lease.id(), lease.token())));
            if (wait < Long.MAX_VALUE) {
                messages.add("%s wait %d".formatted(origin, wait));
            }
            if (schedule < Long.MAX_VALUE) {
                messages.add("%s schedule %d".formatted(origin, schedule));
            }
            if (ping) {
                messages.add(origin + " ping");
            }
            lanes = new LinkedHashMap<>();
            cancels = new LinkedHashSet<>();
            superseded = new LinkedHashSet<>();
            scheduled = Long.MAX_VALUE;
            wait = Long.MAX_VALUE;
            schedule = Long.MAX_VALUE;
            ping = false;
            return messages;
        } finally {
            lock.unlock();
        }
    }

    /** True if there is nothing to notify of. The caller holds the lock. */
    private boolean isSilent() {
        return lanes.isEmpty()
                && cancels.isEmpty()
                && superseded.isEmpty()
                && scheduled == Long.MAX_VALUE
                && wait == Long.MAX_VALUE
                && schedule == Long.MAX_VALUE
                && !ping;
    }

    /** Formats a message. Names of queues and types contain no blanks. */
    private String message(Names.Lane lane, ClaimCursors.@Nullable Place place) {
        return place == null
                ? "%s due %s %s".formatted(origin, lane.queue(), lane.type())
                : "%s ready %s %s %d %d".formatted(origin, lane.queue(), lane.type(), place.rank(), place.at());
    }

    private void pause() {
        lock.lock();
        try {
            long nanos = DEBOUNCE_NANOS;
            while (nanos > 0 && !closed) {
                nanos = ended.awaitNanos(nanos);
            }
        } catch (InterruptedException e) {
            log.debug("A pause was cut short");
        } catch (Throwable e) {
            // There is no memory for a regular wait.
            LockSupport.parkNanos(DEBOUNCE_NANOS);
        } finally {
            lock.unlock();
        }
    }

    public Health.Task task() {
        return new Health.Task(thread.getName(), thread.isAlive() ? problem : "has ended", Duration.ZERO);
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            notified.signalAll();
            ended.signalAll();
        } finally {
            lock.unlock();
        }
        Threads.join(thread, database.operationNanos());
    }
}
