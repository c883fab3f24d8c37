package dev.windrow.examples.micronaut;

import dev.windrow.JobContext;
import dev.windrow.JobType;
import dev.windrow.Windrow;
import io.micronaut.context.event.StartupEvent;
import io.micronaut.runtime.event.annotation.EventListener;
import io.micronaut.transaction.annotation.Transactional;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** The orders, in the file of the jobs. */
@Singleton
class Orders {
    private final Connection connection;
    private final Windrow windrow;

    /** Takes the connection that Micronaut binds to the transaction of each thread. */
    Orders(Connection connection, Windrow windrow) {
        this.connection = connection;
        this.windrow = windrow;
    }

    @EventListener
    @Transactional
    void createTable(StartupEvent event) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(
                    "CREATE TABLE IF NOT EXISTS orders (id INTEGER PRIMARY KEY, customer TEXT, cents INTEGER, invoice TEXT)");
        }
    }

    // region enqueue
    static final JobType<Long, String> INVOICE = JobType.of("invoice.print", Long.class, String.class);

    /** Stores an order and the job of its invoice, or neither. Returns the id of the job. */
    @Transactional
    long buy(String customer, long cents) throws SQLException {
        long order = insert(customer, cents);
        long job = windrow.on(connection).enqueue(INVOICE, order).id();
        if (cents <= 0) {
            throw new IllegalArgumentException("price %d is not allowed: 1 or more".formatted(cents));
        }
        return job;
    }
    // endregion

    private long insert(String customer, long cents) throws SQLException {
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

    // region complete
    /** Stores the number of an invoice, and completes its job. Both are one transaction. */
    @Transactional
    void invoiced(long order, String number, JobContext job) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement("UPDATE orders SET invoice = ? WHERE id = ?")) {
            update.setString(1, number);
            update.setLong(2, order);
            update.executeUpdate();
        }
        job.on(connection).complete(number);
    }
    // endregion
}
