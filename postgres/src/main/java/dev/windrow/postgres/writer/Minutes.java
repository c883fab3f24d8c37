package dev.windrow.postgres.writer;

import dev.windrow.postgres.connection.Session;
import dev.windrow.postgres.monitor.CounterSql;
import dev.windrow.store.job.Settle;
import dev.windrow.store.sql.monitor.MinuteSums;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Sums per minute and lane: how many attempts ended, how long jobs waited and ran. Kept in memory and added to the table
 * about once a second, so that their cost does not depend on the number of jobs, and in a transaction of their own, so that no settlement waits
 * for another process's. What is in memory when a process dies is missing from these sums; nothing else depends on
 * them. Safe for use by many threads.
 */
public final class Minutes {
    /** By name, because the number of a lane may be another one when they are written. */
    private record Key(long minute, Names.Lane lane) {}

    private final ReentrantLock lock = new ReentrantLock();
    /** Guarded by lock. */
    private Map<Key, MinuteSums> pending = new HashMap<>();

    /** An attempt has ended, and that is committed. */
    public void ended(Settle s, long finishedAtServerMillis) {
        if (s.startedAtMillis() == null) {
            return;
        }
        lock.lock();
        try {
            pending.computeIfAbsent(
                            new Key(
                                    Math.floorDiv(finishedAtServerMillis, 60_000L),
                                    new Names.Lane(s.job().queue(), s.job().type())),
                            key -> new MinuteSums())
                    .add(s, s.startedAtMillis());
        } finally {
            lock.unlock();
        }
    }

    boolean isPending() {
        lock.lock();
        try {
            return !pending.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /** Adds the sums to the table and commits that. What could not be added waits for the next time. */
    public void flush(Session session, Shared shared) throws SQLException {
        Map<Key, MinuteSums> taken;
        lock.lock();
        try {
            taken = pending;
            pending = new HashMap<>();
        } finally {
            lock.unlock();
        }
        if (taken.isEmpty()) {
            return;
        }
        boolean done = false;
        try {
            Names names = shared.learned(session.run().started()).names();
            Names.Used used = new Names.Used();
            taken.keySet().forEach(key -> used.lane(key.lane.queue(), key.lane.type()));
            if (!names.know(used)) {
                names.ensure(session, used);
            }
            shared.guard().require(session);
            List<Key> keys = new ArrayList<>(taken.keySet());
            keys.sort(Comparator.comparingLong(Key::minute).thenComparingInt(key -> number(names, key)));
            for (Key key : keys) {
                Objects.requireNonNull(taken.get(key))
                        .write(session.get(CounterSql.ADD_MINUTE), key.minute, number(names, key));
            }
            session.commit();
            done = true;
        } finally {
            if (!done) {
                session.rollback();
                giveBack(taken);
            }
        }
    }

    private void giveBack(Map<Key, MinuteSums> taken) {
        lock.lock();
        try {
            taken.forEach((key, sums) -> pending.merge(key, sums, MinuteSums::add));
        } finally {
            lock.unlock();
        }
    }

    private static int number(Names names, Key key) {
        return names.lane(key.lane.queue(), key.lane.type());
    }
}
