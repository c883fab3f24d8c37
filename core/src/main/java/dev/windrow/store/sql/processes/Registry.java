package dev.windrow.store.sql.processes;

import dev.windrow.monitor.WorkerInfo;
import dev.windrow.store.job.WorkerId;
import dev.windrow.store.processes.WorkerRow;
import dev.windrow.store.sql.connection.Rows;
import dev.windrow.store.sql.connection.Statement;
import dev.windrow.store.sql.writer.WriteTransaction;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The registry of live workers. */
public final class Registry {
    /** The time after which an entry without a renewal is removed: far longer than a lease, and than a clock steps. */
    private static final long FORGOTTEN_MILLIS = TimeUnit.DAYS.toMillis(30);

    /** The same time if a worker of its name was started again. It is long enough for other processes to detect the end of its process. */
    private static final long REPLACED_MILLIS = TimeUnit.MINUTES.toMillis(10);

    private record Registered(
            String name,
            String host,
            long pid,
            @Nullable String process,
            String version,
            List<String> queues,
            List<String> types,
            int slots,
            List<Long> running,
            long claimedAhead,
            Instant startedAt,
            Instant heartbeatAt,
            boolean alive,
            int minPriority)
            implements WorkerInfo {}

    private Registry() {}

    /** Writes or renews the entry of a worker, and removes the entries of workers that have ended. */
    public static void announce(WriteTransaction tx, WorkerRow worker) throws SQLException {
        tx.statements()
                .get(Statement.ANNOUNCE)
                .set(1, tx.worker(worker.id()))
                .set(2, worker.id().name())
                .set(3, worker.process().host())
                .set(4, worker.process().pid())
                .set(5, worker.process().name())
                .set(6, worker.process().version())
                .texts(7, worker.work().queues().stream().sorted().toList())
                .texts(8, worker.work().types().stream().sorted().toList())
                .set(9, worker.work().slots())
                .set(10, worker.stuck())
                .set(11, tx.now())
                .set(12, tx.now() + worker.ttlMillis())
                .set(13, worker.work().minPriority())
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

    /**
     * Reads a worker.
     *
     * @param row name, host, process number, process, version, queues, types, slots, start, last heartbeat and end of the entry, minimum priority
     * @param now the time in the store
     * @param running the jobs whose handlers it runs
     * @param claimedAhead the number of jobs that it has prefetched
     */
    public static WorkerInfo worker(ResultSet row, long now, List<Long> running, long claimedAhead)
            throws SQLException {
        return new Registered(
                /* name= */ row.getString(1),
                /* host= */ row.getString(2),
                /* pid= */ row.getLong(3),
                /* process= */ row.getString(4),
                /* version= */ row.getString(5),
                /* queues= */ Rows.texts(row, 6),
                /* types= */ Rows.texts(row, 7),
                /* slots= */ row.getInt(8),
                /* running= */ running,
                /* claimedAhead= */ claimedAhead,
                /* startedAt= */ Instant.ofEpochMilli(row.getLong(9)),
                /* heartbeatAt= */ Instant.ofEpochMilli(row.getLong(10)),
                /* alive= */ row.getLong(11) > now,
                /* minPriority= */ row.getInt(12));
    }
}
