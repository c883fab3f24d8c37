package dev.windrow.store.sql.writer;

import dev.windrow.store.SafeLogger;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Notifies of what was written in callers' transactions. Nobody tells when such a transaction commits, so this asks a reader whether what was
 * written is visible, after 1, 2, 4 ... 50 ms, for a minute; later the store's own look finds it.
 *
 * <p>What was written on one connection is of one transaction, as a rule: all of it becomes visible at once. So each look asks for a few of
 * the writes, and for the others when one of these is visible: a transaction of thousands of verbs costs as much as one of a single verb.
 */
public final class Visibility implements AutoCloseable {
    private static final long MAX_DELAY_MILLIS = 50;
    private static final long PATIENCE_MILLIS = 60_000;
    /** So many writes in a row that are not visible end a look: a savepoint may have taken back the last ones of a transaction that has committed. */
    private static final int MISSES = 3;

    private static final Logger log = SafeLogger.of(Visibility.class);

    private final Class<?> driver;
    private final ScheduledThreadPoolExecutor timer;
    /** By connection. For the timer's thread. */
    private final Map<Integer, Writes> byConnection = new HashMap<>();

    /**
     * Begins its thread with the first write.
     *
     * @param name of the store, for the name of the thread
     * @param driver what the connections of callers are below whatever a pool has wrapped around them
     */
    public Visibility(String name, Class<?> driver) {
        this.driver = driver;
        this.timer = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "windrow-visibility-" + name);
            thread.setDaemon(true);
            return thread;
        });
        timer.setKeepAliveTime(10, TimeUnit.SECONDS);
        timer.allowCoreThreadTimeOut(true);
        timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        timer.setRemoveOnCancelPolicy(true);
    }

    /** Runs {@code notice} now if it is visible to others: the transaction has committed, and may have taken back a part of itself. */
    public void notice(BooleanSupplier isVisible, Runnable notice) {
        execute(() -> {
            boolean unused = isOver(new Write(isVisible, notice, 0));
        });
    }

    /** Runs {@code notice} once what was written on this connection is visible to others. */
    public void watch(Connection connection, BooleanSupplier isVisible, Runnable notice) {
        int number = number(connection);
        execute(() -> {
            Writes writes = byConnection.computeIfAbsent(number, Writes::new);
            writes.open.add(new Write(isVisible, notice, writes.waitedMillis + PATIENCE_MILLIS));
            if (writes.delayMillis != 1) { // A look that is due at once is not put off by one write after the other.
                writes.lookAfter(1);
            }
        });
    }

    /** The number that tells connections apart; two that have the same are looked for together. */
    private int number(Connection connection) {
        try {
            return System.identityHashCode(connection.unwrap(driver));
        } catch (SQLException e) {
            return System.identityHashCode(connection);
        }
    }

    private void execute(Runnable task) {
        try {
            timer.execute(task);
        } catch (RejectedExecutionException e) {
            log.debug("The store is closing; what was written is left to the slow poll");
        }
    }

    /** Rings if it is visible, and tells whether. */
    private static boolean isOver(Write write) {
        try {
            if (!write.isVisible.getAsBoolean()) {
                return false;
            }
        } catch (Throwable e) {
            log.debug("What was written could not be looked for: {}", SafeLogger.text(e));
            return false;
        }
        try {
            write.notice.run();
        } catch (Throwable e) {
            log.error("After a commit, waiting callers were not notified; the slow poll finds their jobs", e);
        }
        return true;
    }

    private record Write(BooleanSupplier isVisible, Runnable notice, long untilMillis) {}

    /** The writes of one connection that were not visible yet, from the first one on. */
    private final class Writes {
        private final int connection;
        private final List<Write> open = new ArrayList<>();
        /** The one that is asked for at the next look besides the last ones: what is in front of others that were taken back is found in the end. */
        private int cursor;

        private long waitedMillis;
        private long delayMillis;
        private @Nullable Future<?> next;

        Writes(int connection) {
            this.connection = connection;
        }

        void lookAfter(long millis) {
            if (next != null) {
                next.cancel(false);
            }
            delayMillis = millis;
            next = timer.schedule(this::look, millis, TimeUnit.MILLISECONDS);
        }

        private void look() {
            waitedMillis += delayMillis;
            boolean notified = askForTheLast();
            notified |= askAtTheCursor();
            open.removeIf(write -> write.untilMillis <= waitedMillis);
            if (open.isEmpty()) {
                byConnection.remove(connection);
            } else {
                lookAfter(notified ? 1 : Math.min(MAX_DELAY_MILLIS, delayMillis * 2));
            }
        }

        private boolean askForTheLast() {
            int before = open.size();
            int misses = 0;
            for (int i = before - 1; i >= 0 && misses < MISSES; i--) {
                if (isOver(open.get(i))) {
                    open.remove(i);
                    misses = 0;
                } else {
                    misses++;
                }
            }
            return open.size() < before;
        }

        private boolean askAtTheCursor() {
            int before = open.size();
            while (!open.isEmpty()) {
                cursor = cursor < open.size() ? cursor : 0;
                if (!isOver(open.get(cursor))) {
                    cursor++;
                    break;
                }
                open.remove(cursor);
            }
            return open.size() < before;
        }
    }

    @Override
    public void close() {
        // Without an interrupt, which would close a file that one that notifies is writing to.
        timer.shutdown();
    }
}
