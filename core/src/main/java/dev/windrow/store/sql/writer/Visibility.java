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
 * The watch over writes in callers' transactions, to notify after their commit. No event reports such a commit. So this asks a reader whether the
 * writes are visible, after 1, 2, 4 ... 50 ms, for a minute. Later the store's own poll finds them.
 *
 * <p>The writes on one connection usually belong to one transaction, and become visible at once. So each check asks for a few of the writes, and for
 * the others when one of these is visible. A transaction of thousands of writes costs as much as a transaction of one.
 */
public final class Visibility implements AutoCloseable {
    private static final long MAX_DELAY_MILLIS = 50;
    private static final long PATIENCE_MILLIS = 60_000;
    /**
     * The number of successive invisible writes that ends a check. A rollback to a savepoint may have undone the last writes of a committed
     * transaction.
     */
    private static final int MISSES = 3;

    private static final Logger log = SafeLogger.of(Visibility.class);

    private final Class<?> driver;
    private final ScheduledThreadPoolExecutor timer;
    /** The writes by connection. Only the timer's thread uses it. */
    private final Map<Integer, Writes> byConnection = new HashMap<>();

    /**
     * Creates the watch. Its thread begins with the first write.
     *
     * @param name the name of the store, for the name of the thread
     * @param driver the class of the callers' connections below the wrappers of a pool
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

    /** Runs {@code notice} now if the write is visible to other transactions. The transaction has committed, but may have undone a part of itself. */
    public void notice(BooleanSupplier isVisible, Runnable notice) {
        execute(() -> {
            boolean unused = isOver(new Write(isVisible, notice, 0));
        });
    }

    /** Runs {@code notice} once the writes on this connection are visible to other transactions. */
    public void watch(Connection connection, BooleanSupplier isVisible, Runnable notice) {
        int number = number(connection);
        execute(() -> {
            Writes writes = byConnection.computeIfAbsent(number, Writes::new);
            writes.open.add(new Write(isVisible, notice, writes.waitedMillis + PATIENCE_MILLIS));
            if (writes.delayMillis != 1) { // A check that is due at once is not delayed by further writes.
                writes.lookAfter(1);
            }
        });
    }

    /** Returns the number that distinguishes connections. Two connections with the same number are checked together. */
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
            log.debug("The store is closing; the slow poll finds the changes of the transaction");
        }
    }

    /** Notifies if the write is visible; returns true if it is. */
    private static boolean isOver(Write write) {
        try {
            if (!write.isVisible.getAsBoolean()) {
                return false;
            }
        } catch (Throwable e) {
            log.debug(
                    "The visibility of a write could not be checked: {}; the slow poll finds its jobs",
                    SafeLogger.text(e));
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
        /** The write that the next check asks for besides the last ones. So a write before others that were undone is found in the end. */
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
        // No interrupt, because it would close a file to which the notifier is writing.
        timer.shutdown();
    }
}
