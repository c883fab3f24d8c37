package dev.windrow.sqlite;

import dev.windrow.WorkerSnapshot;
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
    /** An entry that nobody has renewed for this long is nobody's: far longer than a lease, and than a clock steps. */
    private static final long FORGOTTEN_MILLIS = TimeUnit.DAYS.toMillis(30);
    /** Jobs that are named for each worker at most. */
    private static final int NAMED = 1000;

    private Registry() {}

    static void announce(WriteTransaction tx, WorkerRow worker) throws SQLException {
        PreparedStatement insert = tx.statements.get(Sql.ANNOUNCE);
        insert.setString(1, worker.name());
        insert.setString(2, worker.host());
        insert.setLong(3, worker.pid());
        insert.setString(4, worker.process());
        insert.setString(5, worker.version());
        insert.setString(6, JsonText.strings(worker.queues()));
        insert.setString(7, JsonText.strings(worker.types()));
        insert.setInt(8, worker.slots());
        insert.setInt(9, worker.stuck());
        insert.setLong(10, tx.now);
        insert.setLong(11, tx.now + worker.ttlMillis());
        insert.executeUpdate();
        PreparedStatement expired = tx.statements.get(Sql.WITHDRAW_EXPIRED);
        expired.setLong(1, tx.now - FORGOTTEN_MILLIS);
        expired.executeUpdate();
    }

    static void withdraw(WriteTransaction tx, String worker) throws SQLException {
        PreparedStatement delete = tx.statements.get(Sql.WITHDRAW);
        delete.setString(1, worker);
        delete.executeUpdate();
    }

    static void withdrawProcess(WriteTransaction tx, String process) throws SQLException {
        PreparedStatement delete = tx.statements.get(Sql.WITHDRAW_PROCESS);
        delete.setString(1, process);
        delete.executeUpdate();
    }

    static List<WorkerSnapshot> read(Statements statements, long now) throws SQLException {
        Map<String, List<Long>> running = new HashMap<>();
        Map<String, Long> claimedAhead = new HashMap<>();
        try (ResultSet rows = statements.get(Sql.READ_HELD).executeQuery()) {
            while (rows.next()) {
                String worker = rows.getString(1);
                List<Long> jobs = running.computeIfAbsent(worker, name -> new ArrayList<>());
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
                String name = rows.getString(1);
                workers.add(new WorkerSnapshot(
                        name,
                        rows.getString(2),
                        rows.getLong(3),
                        rows.getString(4),
                        rows.getString(5),
                        JsonText.names(rows.getString(6)),
                        JsonText.names(rows.getString(7)),
                        rows.getInt(8),
                        running.getOrDefault(name, List.of()).stream().sorted().toList(),
                        claimedAhead.getOrDefault(name, 0L),
                        Instant.ofEpochMilli(rows.getLong(9)),
                        Instant.ofEpochMilli(rows.getLong(10)),
                        rows.getLong(11) > now));
            }
        }
        return workers;
    }
}
