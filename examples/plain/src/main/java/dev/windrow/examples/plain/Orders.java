package dev.windrow.examples.plain;

import dev.windrow.JobContext;
import dev.windrow.JobType;
import dev.windrow.Windrow;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** The orders, in the file of the jobs. */
final class Orders {
    private final Windrow windrow;
    private final Printer printer = new Printer();

    Orders(Windrow windrow) throws SQLException {
        this.windrow = windrow;
        windrow.inTransaction(connection -> {
            try (Statement statement = connection.createStatement()) {
                return statement.execute(
                        "CREATE TABLE IF NOT EXISTS orders (id INTEGER PRIMARY KEY, customer TEXT, cents INTEGER, invoice TEXT)");
            }
        });
    }

    // region enqueue
    static final JobType<Long, String> INVOICE = JobType.of("invoice.print", Long.class, String.class);

    /** Stores an order and the job of its invoice, or neither. Returns the id of the job. */
    long buy(String customer, long cents) throws SQLException {
        return windrow.inTransaction(connection -> {
            long order = insert(connection, customer, cents);
            long job = windrow.on(connection).enqueue(INVOICE, order).id();
            if (cents <= 0) {
                throw new IllegalArgumentException("price %d is not allowed: 1 or more".formatted(cents));
            }
            return job;
        });
    }
    // endregion

    private static long insert(Connection connection, String customer, long cents) throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO orders (customer, cents) VALUES (?, ?) RETURNING id")) {
            insert.setString(1, customer);
            insert.setLong(2, cents);
            try (ResultSet row = insert.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }

    // region handle
    /** Prints an invoice. The number in the order and the end of the job are one transaction. */
    String invoice(long order, JobContext job) throws Exception {
        String number = "R-" + job.id();
        printer.print(number);
        return job.completeInTransaction(connection -> {
            try (PreparedStatement update = connection.prepareStatement("UPDATE orders SET invoice = ? WHERE id = ?")) {
                update.setString(1, number);
                update.setLong(2, order);
                update.executeUpdate();
            }
            return number;
        });
    }
    // endregion
}
