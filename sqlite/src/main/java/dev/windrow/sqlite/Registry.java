package dev.windrow.sqlite;

import dev.windrow.WorkerSnapshot;
import dev.windrow.store.WorkerId;
import dev.windrow.store.WorkerRow;
import java.sql.PreparedStatement;
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

    static void announce(WriteTransaction tx, WorkerRow worker) throws SQLException {
        PreparedStatement insert = tx.statements.get(Sql.ANNOUNCE);
        insert.setLong(1, tx.names.worker(worker.id()));
        insert.setString(2, worker.id().name());
        insert.setString(3, worker.host());
        insert.setLong(4, worker.pid());
        insert.setString(5, worker.process());
        insert.setString(6, worker.version());
        insert.setString(7, JsonText.strings(worker.queues()));
        insert.setString(8, JsonText.strings(worker.types()));
        insert.setInt(9, worker.slots());
        insert.setInt(10, worker.stuck());
        insert.setLong(11, tx.now);
        insert.setLong(12, tx.now + worker.ttlMillis());
        insert.executeUpdate();
        PreparedStatement expired = tx.statements.get(Sql.WITHDRAW_EXPIRED);
        expired.setLong(1, tx.now - FORGOTTEN_MILLIS);
        expired.setLong(2, tx.now - REPLACED_MILLIS);
        expired.setString(3, worker.id().name());
        expired.executeUpdate();
    }

    static void withdraw(WriteTransaction tx, WorkerId worker) throws SQLException {
        PreparedStatement delete = tx.statements.get(Sql.WITHDRAW);
        delete.setLong(1, tx.names.worker(worker));
        delete.executeUpdate();
    }

    static void withdrawProcess(WriteTransaction tx, String process) throws SQLException {
        PreparedStatement delete = tx.statements.get(Sql.WITHDRAW_PROCESS);
        delete.setString(1, process);
        delete.executeUpdate();
    }

    static List<WorkerSnapshot> read(Statements statements, long now) throws SQLException {
        Map<Long, List<Long>> running = new HashMap<>();
        Map<Long, Long> claimedAhead = new HashMap<>();
        try (ResultSet rows = statements.get(Sql.READ_HELD).executeQuery()) {
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
        try (ResultSet rows = statements.get(Sql.READ_WORKERS).executeQuery()) {
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
