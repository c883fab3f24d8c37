package dev.windrow.postgres.connection;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The sessions that the writers, the readers and the notifier of a store share, each for one transaction at a time. There are three of them while
 * transactions take as long as a commit. A thread opens one more if it has waited longer than that, because the other threads wait for locks or read
 * for seconds. Each thread gets its last session again if it is free, because its statements are prepared there. Safe for use by many threads.
 */
public final class Sessions implements AutoCloseable {
    /** The usual number of sessions. The listener of a process needs one more connection. */
    static final int USUAL = 3;

    /** The time without use after which a session is closed that is one more than usual, or one of a small pool, where others may need it. */
    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** The time without use after which one of the usual sessions is closed. Another one costs several round trips, and each statement its plan. */
    private static final long USUAL_IDLE_NANOS = TimeUnit.SECONDS.toNanos(30);

    /** A callback that opens a session. */
    interface Opener {
        Session open() throws SQLException;
    }

    /** A session that no thread uses. */
    private record Free(Session session, Object lastUser, long sinceNanos) {}

    private final Opener opener;
    private final long patienceNanos;
    private final int max;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition freed = lock.newCondition();
    // The following fields are guarded by lock.
    /** The free sessions. The one that was freed last is the last. */
    private final List<Free> free = new ArrayList<>();
    /** The number of sessions, free or not. */
    private int open;

    private boolean closed;

    /**
     * Makes sessions of which none is open yet.
     *
     * @param patienceNanos how long a thread waits for a session before it opens one more than usual
     * @param max the most sessions, however long a thread waits
     */
    Sessions(Opener opener, long patienceNanos, int max) {
        this.opener = opener;
        this.patienceNanos = patienceNanos;
        this.max = max;
    }

    /**
     * Takes a session until {@link #giveBack} or {@link #end}.
     *
     * @param user the user of the session during that time
     */
    public Session take(Object user) throws SQLException {
        lock.lock();
        try {
            long deadline = System.nanoTime() + patienceNanos;
            while (true) {
                Session last = lastOf(user);
                if (last != null) {
                    return last;
                }
                long left = deadline - System.nanoTime();
                if (open < max && (open < USUAL || left <= 0)) {
                    open++;
                    break;
                }
                if (!free.isEmpty()) {
                    return free.remove(free.size() - 1).session;
                }
                if (open < max) {
                    long unused = freed.awaitNanos(left);
                } else {
                    freed.await();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SQLException("interrupted while it waited for a connection", e);
        } finally {
            lock.unlock();
        }
        boolean done = false;
        try {
            Session session = opener.open();
            done = true;
            return session;
        } finally {
            if (!done) {
                fewer(1);
            }
        }
    }

    /** Returns the free session that this user had last, or null. The caller holds the lock. */
    private @Nullable Session lastOf(Object user) {
        for (Iterator<Free> each = free.iterator(); each.hasNext(); ) {
            Free one = each.next();
            if (one.lastUser == user) {
                each.remove();
                return one.session;
            }
        }
        return null;
    }

    /** Makes a session that is outside of a transaction free again. */
    public void giveBack(Session session, Object user) {
        lock.lock();
        try {
            if (!closed) {
                free.add(new Free(session, user, System.nanoTime()));
                freed.signal();
                return;
            }
            open--;
        } catch (Throwable e) {
            end(session);
            throw e;
        } finally {
            lock.unlock();
        }
        session.close();
    }

    /** Ends a session that was taken. */
    public void end(Session session) {
        try {
            session.abort();
        } finally {
            fewer(1);
        }
    }

    /** Ends the free sessions. They were opened before a session that has broken, and may be broken as well. */
    public void endFree() {
        takeFree().forEach(Session::abort);
    }

    /** Closes sessions that no thread has used for a while. The store's watch calls it periodically. */
    public void closeIdle() {
        closeIdle(System.nanoTime());
    }

    /** Closes sessions that no thread has used for a while at this time, by {@link System#nanoTime}. */
    void closeIdle(long now) {
        List<Session> idle = new ArrayList<>();
        lock.lock();
        try {
            int left = open;
            // The one that was freed first is the first.
            for (Iterator<Free> each = free.iterator(); each.hasNext(); ) {
                Free one = each.next();
                long kept = left > USUAL || max <= USUAL ? IDLE_NANOS : USUAL_IDLE_NANOS;
                if (now - one.sinceNanos > kept) {
                    each.remove();
                    idle.add(one.session);
                    left--;
                }
            }
        } finally {
            lock.unlock();
        }
        fewer(idle.size());
        idle.forEach(Session::close);
    }

    private List<Session> takeFree() {
        List<Session> taken = new ArrayList<>();
        lock.lock();
        try {
            free.forEach(one -> taken.add(one.session));
            free.clear();
        } finally {
            lock.unlock();
        }
        fewer(taken.size());
        return taken;
    }

    private void fewer(int sessions) {
        lock.lock();
        try {
            open -= sessions;
            freed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Closes the free sessions, and from now on each one when it is given back. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
        } finally {
            lock.unlock();
        }
        takeFree().forEach(Session::close);
    }
}
