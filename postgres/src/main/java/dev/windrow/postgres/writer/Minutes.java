package dev.windrow.postgres.writer;

import dev.windrow.postgres.connection.Session;
import dev.windrow.postgres.monitor.CounterSql;
import dev.windrow.store.job.Settle;
import dev.windrow.store.sql.monitor.AttemptSums;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The sums of each minute and lane: the number of ended attempts, and how long jobs waited and ran. They are kept in memory and added to the table
 * about once a second, for their minute and for its hour. So their cost does not depend on the number of jobs. A separate transaction adds them, so
 * that no settlement waits for another process. If a process dies, the sums in its memory are lost. Nothing else depends on them. Safe for use by
 * many threads.
 */
public final class Minutes {
    /** A minute and a lane. The lane is stored by name, because its number may have changed when the sums are written. */
    private record Key(long minute, Names.Lane lane) {}

    private final ReentrantLock lock = new ReentrantLock();
    /** The sums that are not written yet. Guarded by lock. */
    private Map<Key, AttemptSums> pending = new HashMap<>();

    /** Adds an ended attempt after its commit. */
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
                            key -> new AttemptSums())
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

    /** Adds the sums to the table and commits. Sums that could not be added wait for the next time. */
    public void flush(Session session, Shared shared) throws SQLException {
        Map<Key, AttemptSums> taken;
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
            keys.sort(Comparator.<Key>comparingInt(key -> number(names, key)).thenComparingLong(Key::minute));
            for (Key key : keys) {
                Objects.requireNonNull(taken.get(key))
                        .bind(session.get(CounterSql.ADD_SUMS))
                        .set(9, key.minute)
                        .set(10, number(names, key))
                        .update();
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

    private void giveBack(Map<Key, AttemptSums> taken) {
        lock.lock();
        try {
            taken.forEach((key, sums) -> pending.merge(key, sums, AttemptSums::add));
        } finally {
            lock.unlock();
        }
    }

    private static int number(Names names, Key key) {
        return names.lane(key.lane.queue(), key.lane.type());
    }
}
