package dev.windrow.store.sql;

import dev.windrow.store.WorkerId;
import dev.windrow.store.WorkerRow;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;

/** The registry of live workers. */
public final class Registry {
    /** An entry that was not renewed for this long is removed: far longer than a lease, and than a clock steps. */
    private static final long FORGOTTEN_MILLIS = TimeUnit.DAYS.toMillis(30);

    /** The same where a worker of its name was started again: long enough for others to see that its process has ended. */
    private static final long REPLACED_MILLIS = TimeUnit.MINUTES.toMillis(10);

    private Registry() {}

    /** Writes or renews the entry of a worker, and removes those that have ended. */
    public static void announce(WriteTransaction tx, WorkerRow worker) throws SQLException {
        tx.statements()
                .get(Statement.ANNOUNCE)
                .set(1, tx.worker(worker.id()))
                .set(2, worker.id().name())
                .set(3, worker.host())
                .set(4, worker.pid())
                .set(5, worker.process())
                .set(6, worker.version())
                .texts(7, worker.queues().stream().sorted().toList())
                .texts(8, worker.types().stream().sorted().toList())
                .set(9, worker.slots())
                .set(10, worker.stuck())
                .set(11, tx.now())
                .set(12, tx.now() + worker.ttlMillis())
                .update();
        tx.statements()
                .get(Statement.WITHDRAW_EXPIRED)
                .set(1, tx.now() - FORGOTTEN_MILLIS)
                .set(2, tx.now() - REPLACED_MILLIS)
                .set(3, worker.id().name())
                .update();
        tx.wrote();
    }

    /** Removes the entry of a worker. */
    public static void withdraw(WriteTransaction tx, WorkerId worker) throws SQLException {
        tx.statements().get(Statement.WITHDRAW).set(1, tx.worker(worker)).update();
        tx.wrote();
    }

    /** Removes the entries of all workers of a process. */
    public static void withdrawProcess(WriteTransaction tx, String process) throws SQLException {
        tx.statements().get(Statement.WITHDRAW_PROCESS).set(1, process).update();
        tx.wrote();
    }
}
