package dev.windrow.examples;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofSeconds;

import dev.windrow.JobContext;
import dev.windrow.JobRef;
import dev.windrow.JobTransaction;
import dev.windrow.JobType;
import dev.windrow.RetryPolicy;
import dev.windrow.TransactionWork;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Objects;

/**
 * Business rows and jobs in one transaction, at both ends. An order is stored together with the job that charges it. The charge is stored together
 * with the end of that job. The first attempt fails after it has written the charge, and still the customer is charged once.
 */
public final class Transactions {
    record Charge(String customer, int cents) {}

    record Receipt(long job, int attempt, long thanks) {}

    static final JobType<Charge, Receipt> CHARGE =
            JobType.of("order.charge", Charge.class, Receipt.class).withRetry(RetryPolicy.fixed(ZERO));
    static final JobType<String, Void> THANK = JobType.of("order.thank", String.class);

    private Transactions() {}

    /** The number of orders of a customer, the number of charges, and the attempt that charged. */
    record Outcome(int orders, int charges, int attempt) {}

    /** Runs it, with its jobs in a new file, or in the store that the argument names. */
    public static void main(String... args) throws Exception {
        try (Windrow windrow = Place.open(args)) {
            System.out.println(run(windrow));
        }
    }

    static Outcome run(Windrow windrow) throws SQLException {
        windrow.inTransaction(connection -> {
            execute(connection, "CREATE TABLE IF NOT EXISTS example_orders (job BIGINT, customer TEXT)");
            return execute(connection, "CREATE TABLE IF NOT EXISTS example_charges (job BIGINT, cents INTEGER)");
        });

        TransactionWork<JobRef<Receipt>, SQLException> order = connection -> {
            JobRef<Receipt> job = windrow.on(connection).enqueue(CHARGE, new Charge("Ada", 995));
            insert(connection, "INSERT INTO example_orders VALUES (?, ?)", job.id(), "Ada");
            return job;
        };
        JobRef<Receipt> charged = windrow.inTransaction(order); // the order and its job, or neither
        System.out.println("order stored, to be charged by job " + charged);

        try (Worker worker = windrow.worker()
                .handle(CHARGE, Transactions::charge)
                .handleVoid(THANK, (customer, job) -> System.out.println("thanks " + customer))
                .start()) {
            System.out.println(worker.name() + " works");
            Receipt receipt = Objects.requireNonNull(windrow.await(charged, ofSeconds(30)));
            windrow.await(THANK.ref(receipt.thanks()), ofSeconds(30));
            return windrow.inTransaction(connection -> new Outcome(
                    count(connection, "SELECT count(*) FROM example_orders WHERE job = ?", charged.id()),
                    count(connection, "SELECT count(*) FROM example_charges WHERE job = ?", charged.id()),
                    receipt.attempt()));
        }
    }

    static Receipt charge(Charge charge, JobContext job) throws SQLException {
        // Slow work comes before the transaction, because on SQLite all other writers wait for it.
        return job.completeInTransaction(connection -> {
            insert(connection, "INSERT INTO example_charges VALUES (?, ?)", job.id(), charge.cents());
            if (job.attempt() == 1) {
                System.out.println("attempt 1 fails: what it wrote is rolled back");
                throw new IllegalStateException("the light went out");
            }
            JobTransaction verbs = job.on(connection);
            long thanks = verbs.enqueue(THANK, charge.customer()).id(); // commits with the rest, too
            System.out.println("attempt " + job.attempt() + " commits its charge and the end of its job");
            return new Receipt(job.id(), job.attempt(), thanks);
        });
    }

    static boolean execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            return statement.execute(sql);
        }
    }

    private static void insert(Connection connection, String sql, long job, Object value) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(sql)) {
            insert.setLong(1, job);
            insert.setObject(2, value);
            insert.executeUpdate();
        }
    }

    static int count(Connection connection, String sql, long job) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(sql)) {
            query.setLong(1, job);
            try (ResultSet row = query.executeQuery()) {
                return row.next() ? row.getInt(1) : 0;
            }
        }
    }
}
