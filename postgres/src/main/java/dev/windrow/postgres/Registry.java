package dev.windrow.postgres;

import dev.windrow.store.WorkerId;
import dev.windrow.store.WorkerRow;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;

/** The registry of live workers. */
final class Registry {
    /** An entry that was not renewed for this long is removed: far longer than a lease, and than a clock steps. */
    private static final long FORGOTTEN_MILLIS = TimeUnit.DAYS.toMillis(30);

    /** The same where a worker of its name was started again: long enough for others to see that its process has ended. */
    private static final long REPLACED_MILLIS = TimeUnit.MINUTES.toMillis(10);

    private Registry() {}

    static void announce(PostgresTransaction tx, WorkerRow worker) throws SQLException {
        tx.statements()
                .get(Sql.ANNOUNCE)
                .set(1, Integer.valueOf(tx.worker(worker.id())))
                .set(2, worker.id().name())
                .set(3, worker.host())
                .set(4, worker.pid())
                .set(5, worker.process())
                .set(6, worker.version())
                .texts(7, worker.queues().stream().sorted().toList())
                .texts(8, worker.types().stream().sorted().toList())
                .set(9, Integer.valueOf(worker.slots()))
                .set(10, Integer.valueOf(worker.stuck()))
                .set(11, tx.now())
                .set(12, tx.now() + worker.ttlMillis())
                .update();
        tx.statements()
                .get(Sql.WITHDRAW_EXPIRED)
                .set(1, tx.now() - FORGOTTEN_MILLIS)
                .set(2, tx.now() - REPLACED_MILLIS)
                .set(3, worker.id().name())
                .update();
        tx.wrote();
    }

    static void withdraw(PostgresTransaction tx, WorkerId worker) throws SQLException {
        tx.statements()
                .get(Sql.WITHDRAW)
                .set(1, Integer.valueOf(tx.worker(worker)))
                .update();
        tx.wrote();
    }

    static void withdrawProcess(PostgresTransaction tx, String process) throws SQLException {
        tx.statements().get(Sql.WITHDRAW_PROCESS).set(1, process).update();
        tx.wrote();
    }
}
