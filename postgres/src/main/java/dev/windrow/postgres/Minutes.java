package dev.windrow.postgres;

import dev.windrow.AttemptOutcome;
import dev.windrow.store.Settlement;
import dev.windrow.store.ThroughputSums;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
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
final class Minutes {
    /** Doubling bins: the last one holds everything from 2^22 ms (70 minutes) on. */
    static final int BINS = ThroughputSums.BINS;

    /** By name, because the number of a lane may be another one when they are written. */
    private record Key(long minute, Names.Lane lane) {}

    private static final class Sums {
        private long succeeded;
        private long failed;
        private long waitMillis;
        private long runMillis;
        private long waitMax;
        private long runMax;
        private final long[] waitBins = new long[BINS];
        private final long[] runBins = new long[BINS];
    }

    private final ReentrantLock lock = new ReentrantLock();
    /** Guarded by lock. */
    private Map<Key, Sums> pending = new HashMap<>();

    static int bin(long millis) {
        return Math.min(BINS - 1, Long.SIZE - Long.numberOfLeadingZeros(millis));
    }

    /** An attempt has ended, and that is committed. */
    void ended(Settlement s, long finishedAtServerMillis) {
        if (s.startedAtMillis() == null) {
            return;
        }
        // Both by this process's clock.
        long waited = Math.max(0, s.startedAtMillis() - s.job().scheduledAtMillis());
        long ran = Math.max(0, s.finishedAtMillis() - s.startedAtMillis());
        lock.lock();
        try {
            Sums sums = pending.computeIfAbsent(
                    new Key(
                            Math.floorDiv(finishedAtServerMillis, 60_000L),
                            new Names.Lane(s.job().queue(), s.job().type())),
                    key -> new Sums());
            sums.succeeded += s.outcome() == AttemptOutcome.SUCCEEDED ? 1 : 0;
            sums.failed += s.outcome() == AttemptOutcome.FAILED || s.outcome() == AttemptOutcome.TIMEOUT ? 1 : 0;
            sums.waitMillis += waited;
            sums.runMillis += ran;
            sums.waitMax = Math.max(sums.waitMax, waited);
            sums.runMax = Math.max(sums.runMax, ran);
            sums.waitBins[bin(waited)]++;
            sums.runBins[bin(ran)]++;
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
    void flush(Session session, Shared shared) throws SQLException {
        Map<Key, Sums> taken;
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
            shared.standing().require(session);
            List<Key> keys = new ArrayList<>(taken.keySet());
            keys.sort(Comparator.comparingLong(Key::minute).thenComparingInt(key -> number(names, key)));
            for (Key key : keys) {
                add(session, key.minute, number(names, key), Objects.requireNonNull(taken.get(key)));
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

    private void giveBack(Map<Key, Sums> taken) {
        lock.lock();
        try {
            taken.forEach((key, sums) -> pending.merge(key, sums, Minutes::sum));
        } finally {
            lock.unlock();
        }
    }

    private static Sums sum(Sums a, Sums b) {
        a.succeeded += b.succeeded;
        a.failed += b.failed;
        a.waitMillis += b.waitMillis;
        a.runMillis += b.runMillis;
        a.waitMax = Math.max(a.waitMax, b.waitMax);
        a.runMax = Math.max(a.runMax, b.runMax);
        Arrays.setAll(a.waitBins, i -> a.waitBins[i] + b.waitBins[i]);
        Arrays.setAll(a.runBins, i -> a.runBins[i] + b.runBins[i]);
        return a;
    }

    private static int number(Names names, Key key) {
        return names.lane(key.lane.queue(), key.lane.type());
    }

    private static void add(Session session, long minute, int lane, Sums sums) throws SQLException {
        session.get(Sql.ADD_MINUTE)
                .set(1, minute)
                .set(2, Integer.valueOf(lane))
                .set(3, sums.succeeded)
                .set(4, sums.failed)
                .set(5, sums.waitMillis)
                .set(6, sums.runMillis)
                .ids(7, boxed(sums.waitBins))
                .ids(8, boxed(sums.runBins))
                .set(9, sums.waitMax)
                .set(10, sums.runMax)
                .update();
    }

    private static List<Long> boxed(long[] values) {
        return Arrays.stream(values).boxed().toList();
    }
}
