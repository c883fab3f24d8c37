package dev.windrow.sqlite;

import dev.windrow.WorkerSnapshot;
import dev.windrow.store.WorkerId;
import dev.windrow.store.WorkerRow;
import dev.windrow.store.sql.JsonText;
import dev.windrow.store.sql.Statements;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The registry of live workers. */
final class Registry {
    /** An entry that was not renewed for this long is removed: far longer than a lease, and than a clock steps. */
    private static final long FORGOTTEN_MILLIS = TimeUnit.DAYS.toMillis(30);
    /** Jobs that are named for each worker at most. */
    private static final int NAMED = 1000;

    /** The same where a worker of its name was started again: long enough for others to see that its process has ended. */
    private static final long REPLACED_MILLIS = TimeUnit.MINUTES.toMillis(10);

    private Registry() {}

    static void announce(SqliteTransaction tx, WorkerRow worker) throws SQLException {
        tx.statements()
                .get(Sql.ANNOUNCE)
                .set(1, tx.names.worker(worker.id()))
                .set(2, worker.id().name())
                .set(3, worker.host())
                .set(4, worker.pid())
                .set(5, worker.process())
                .set(6, worker.version())
                .texts(7, worker.queues())
                .texts(8, worker.types())
                .set(9, worker.slots())
                .set(10, worker.stuck())
                .set(11, tx.now())
                .set(12, tx.now() + worker.ttlMillis())
                .update();
        tx.statements()
                .get(Sql.WITHDRAW_EXPIRED)
                .set(1, tx.now() - FORGOTTEN_MILLIS)
                .set(2, tx.now() - REPLACED_MILLIS)
                .set(3, worker.id().name())
                .update();
    }

    static void withdraw(SqliteTransaction tx, WorkerId worker) throws SQLException {
        tx.statements().get(Sql.WITHDRAW).set(1, tx.names.worker(worker)).update();
    }

    static void withdrawProcess(SqliteTransaction tx, String process) throws SQLException {
        tx.statements().get(Sql.WITHDRAW_PROCESS).set(1, process).update();
    }

    static List<WorkerSnapshot> read(Statements statements, long now) throws SQLException {
        Map<Long, List<Long>> running = new HashMap<>();
        Map<Long, Long> claimedAhead = new HashMap<>();
        try (ResultSet rows = statements.get(Sql.READ_HELD).rows()) {
            while (rows.next()) {
                long worker = rows.getLong(1);
                List<Long> jobs = running.computeIfAbsent(worker, actor -> new ArrayList<>());
                if (!rows.getBoolean(3)) {
                    claimedAhead.merge(worker, 1L, Long::sum);
                } else if (jobs.size() < NAMED) {
                    jobs.add(rows.getLong(2));
                }
            }
        }
        List<WorkerSnapshot> workers = new ArrayList<>();
        try (ResultSet rows = statements.get(Sql.READ_WORKERS).rows()) {
            while (rows.next()) {
                long actor = rows.getLong(1);
                workers.add(new WorkerSnapshot(
                        rows.getString(2),
                        rows.getString(3),
                        rows.getLong(4),
                        rows.getString(5),
                        rows.getString(6),
                        JsonText.names(rows.getString(7)),
                        JsonText.names(rows.getString(8)),
                        rows.getInt(9),
                        running.getOrDefault(actor, List.of()).stream().sorted().toList(),
                        claimedAhead.getOrDefault(actor, 0L),
                        Instant.ofEpochMilli(rows.getLong(10)),
                        Instant.ofEpochMilli(rows.getLong(11)),
                        rows.getLong(12) > now));
            }
        }
        return workers;
    }
}
