package dev.windrow.tests.processes.job;

import dev.windrow.JobType;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.tests.stores.Target;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * An application in its own process. Its threads write an order and enqueue its job in one transaction. The handler of its worker writes a receipt
 * and completes its job in one transaction. Arguments: the target, the number of the process. It prints {@code done} when all orders are written, and
 * continues to work.
 */
final class Trader {
    static final int THREADS = 3;
    static final int ORDERS = 60;
    static final JobType<Integer, Void> SHIP = JobType.of("test.ship", Integer.class);

    private Trader() {}

    static void createTables(Target target) throws SQLException {
        try (Connection connection = target.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE orders (id INTEGER PRIMARY KEY)");
            statement.execute("CREATE TABLE receipts (id INTEGER, attempt INTEGER)");
        }
    }

    /** Inserts a row after a read, as applications do. A transaction that reads without the write lock may never get the lock. */
    private static void insert(Connection connection, String table, String values) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet count = statement.executeQuery("SELECT count(*) FROM " + table)) {
            if (!count.next()) {
                throw new SQLException("nothing counted");
            }
        }
        try (Statement statement = connection.createStatement()) {
            statement.execute("INSERT INTO " + table + " VALUES (" + values + ")");
        }
    }

    public static void main(String[] args) throws Exception {
        Target target = Target.of(args[0]);
        int process = Integer.parseInt(args[1]);
        try (Windrow windrow = Windrow.open(target.newStoreBesideTables());
                Worker worker = windrow.worker()
                        .concurrency(4)
                        .handleVoid(SHIP, (id, job) -> {
                            Object unused = job.completeInTransaction(connection -> {
                                insert(connection, "receipts", id + ", " + job.attempt());
                                return null;
                            });
                        })
                        .start()) {
            ExecutorService threads = Executors.newFixedThreadPool(THREADS);
            List<Future<?>> all = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                int first = (process * THREADS + thread) * ORDERS;
                all.add(threads.submit(() -> {
                    for (int id = first; id < first + ORDERS; id++) {
                        int order = id;
                        long unused = windrow.inTransaction(connection -> {
                            insert(connection, "orders", Integer.toString(order));
                            return windrow.on(connection).enqueue(SHIP, order).id();
                        });
                    }
                    return null;
                }));
            }
            for (Future<?> one : all) {
                one.get();
            }
            threads.shutdown();
            System.out.println("done");
            System.out.flush();
            int end = System.in.read();
            System.out.println(worker.name() + " ends at " + end);
        }
    }
}
