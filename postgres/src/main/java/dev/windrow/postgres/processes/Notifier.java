package dev.windrow.postgres.processes;

import dev.windrow.monitor.Health;
import dev.windrow.postgres.connection.Database;
import dev.windrow.postgres.connection.PostgresErrors;
import dev.windrow.postgres.connection.Session;
import dev.windrow.postgres.connection.Threads;
import dev.windrow.postgres.job.ClaimCursors;
import dev.windrow.postgres.writer.Names;
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
 * Tells other processes what this one has committed, by NOTIFY: on a thread and a connection of its own, because a transaction that
 * notifies takes a lock of the whole server at its commit; and at most every few milliseconds, because the hints of a
 * moment say the same. Hints only: what is lost is found by a look.
 */
public final class Notifier implements CommitNotices.Others, AutoCloseable {
    /** Between two notifications: what a job may wait longer for it, and what a flood of commits shares. */
    private static final long DEBOUNCE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private static final Logger log = SafeLogger.of(Notifier.class);

    private final Database database;
    private final Thread thread;
    /** Names this store among those that listen. */
    private final String origin = UUID.randomUUID().toString().substring(0, 13);

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition notified = lock.newCondition();
    // Guarded by lock.
    private Map<Names.Lane, Ready> lanes = new LinkedHashMap<>();
    private Set<LeaseToken> cancels = new LinkedHashSet<>();
    private Set<LeaseToken> superseded = new LinkedHashSet<>();
    /** When the first of the jobs that were scheduled is due. */
    private long scheduled = Long.MAX_VALUE;
    /** When the first of the waits that have begun runs out of time. */
    private long wait = Long.MAX_VALUE;
    /** When the first of the schedules that were changed is due. */
    private long schedule = Long.MAX_VALUE;

    private boolean ping;
    private boolean closed;

    /** Why the server refuses notifications, if it does. */
    private volatile @Nullable String problem;

    /** Where jobs are ready, at the first of these places; or may be due, if there is no place. */
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

    /** Jobs may be ready in a lane from this place on, or due at a new time. */
    public void ready(Names.Lane lane, ClaimCursors.@Nullable Place place) {
        send(() -> lanes.merge(lane, new Ready(place), Ready::and));
    }

    /** Somebody wants this running job cancelled. */
    @Override
    public void cancelRequested(LeaseToken lease) {
        send(() -> cancels.add(lease));
    }

    /** This running job was ended by somebody who does not hold it. */
    @Override
    public void superseded(LeaseToken lease) {
        send(() -> superseded.add(lease));
    }

    /** A job is scheduled that is due then, by the server's clock. */
    public void scheduled(long at) {
        send(() -> scheduled = Math.min(scheduled, at));
    }

    /** A wait has begun that runs out of time then, by the server's clock. */
    @Override
    public void waitEnds(long at) {
        send(() -> wait = Math.min(wait, at));
    }

    /** A schedule was made or changed that is due then, by the server's clock. */
    @Override
    public void scheduleDue(long at) {
        send(() -> schedule = Math.min(schedule, at));
    }

    /** For this store alone, to know whether it hears. */
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
                log.warn("{} was interrupted and goes on", thread.getName());
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
            session.get(RegistrySql.NOTIFY)
                    .set(1, database.tables().channel())
                    .texts(2, messages)
                    .rows()
                    .close();
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

    /** A connection that is gone, or cannot be had, is the lines' to tell of: they need one for more. */
    private void failed(Throwable e) {
        String why = null;
        if (e instanceof SQLException sql && !PostgresErrors.isConnectionGone(sql)) {
            why = PostgresErrors.message(sql);
        } else if (e instanceof Error) {
            why = SafeLogger.text(e);
        }
        if (why == null) {
            log.debug("Peer processes were not notified; they find it when they look: {}", e.getMessage());
            return;
        }
        why = "cannot notify other processes: " + why;
        if (problem == null) {
            log.warn("{} {}; they find what is ready when they look", thread.getName(), why);
        }
        problem = why;
    }

    /** The next messages; null at the end. */
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
            // Before the lanes: who looks there for it begins early enough.
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

    /** Whether there is nothing to be told. Under the lock. */
    private boolean isSilent() {
        return lanes.isEmpty()
                && cancels.isEmpty()
                && superseded.isEmpty()
                && scheduled == Long.MAX_VALUE
                && wait == Long.MAX_VALUE
                && schedule == Long.MAX_VALUE
                && !ping;
    }

    /** Names of queues and types have no blanks in them. */
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
                nanos = notified.awaitNanos(nanos);
            }
        } catch (InterruptedException e) {
            log.debug("A pause was cut short");
        } catch (Throwable e) {
            // No memory to wait with.
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
        } finally {
            lock.unlock();
        }
        Threads.join(thread, database.operationNanos());
    }
}
