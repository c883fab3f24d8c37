package dev.windrow.sqlite.processes;

import dev.windrow.monitor.WorkerInfo;
import dev.windrow.store.sql.connection.Statements;
import dev.windrow.store.sql.processes.Registry;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The registry of live workers, with the jobs that each holds. */
public final class Workers {
    /** The most jobs that are listed for each worker. */
    private static final int NAMED = 1000;

    private Workers() {}

    public static List<WorkerInfo> read(Statements statements, long now) throws SQLException {
        Map<Long, List<Long>> running = new HashMap<>();
        Map<Long, Long> claimedAhead = new HashMap<>();
        try (ResultSet rows = statements.get(RegistrySql.READ_HELD).rows()) {
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
        List<WorkerInfo> workers = new ArrayList<>();
        try (ResultSet rows = statements.get(RegistrySql.READ_WORKERS).rows()) {
            while (rows.next()) {
                long actor = rows.getLong(13);
                workers.add(Registry.worker(
                        rows,
                        now,
                        running.getOrDefault(actor, List.of()).stream().sorted().toList(),
                        claimedAhead.getOrDefault(actor, 0L)));
            }
        }
        return workers;
    }
}
