package dev.windrow.postgres;

import dev.windrow.store.WorkerRow;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;

/** The registry of live workers. */
final class Registry {
    /** An entry that nobody has renewed for this long is nobody's: far longer than a lease, and than a clock steps. */
    private static final long FORGOTTEN_MILLIS = TimeUnit.DAYS.toMillis(30);

    private Registry() {}

    static void announce(WriteTransaction tx, WorkerRow worker) throws SQLException {
        tx.statements
                .get(Sql.ANNOUNCE)
                .set(1, worker.name())
                .set(2, worker.host())
                .set(3, worker.pid())
                .set(4, worker.process())
                .set(5, worker.version())
                .texts(6, worker.queues().stream().sorted().toList())
                .texts(7, worker.types().stream().sorted().toList())
                .set(8, Integer.valueOf(worker.slots()))
                .set(9, Integer.valueOf(worker.stuck()))
                .set(10, tx.now)
                .set(11, tx.now + worker.ttlMillis())
                .update();
        tx.statements
                .get(Sql.WITHDRAW_EXPIRED)
                .set(1, tx.now - FORGOTTEN_MILLIS)
                .update();
        tx.wrote();
    }

    static void withdraw(WriteTransaction tx, String worker) throws SQLException {
        tx.statements.get(Sql.WITHDRAW).set(1, worker).update();
        tx.wrote();
    }

    static void withdrawProcess(WriteTransaction tx, String process) throws SQLException {
        tx.statements.get(Sql.WITHDRAW_PROCESS).set(1, process).update();
        tx.wrote();
    }
}
