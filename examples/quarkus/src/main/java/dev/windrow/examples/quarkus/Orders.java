package dev.windrow.examples.quarkus;

import dev.windrow.JobContext;
import dev.windrow.JobType;
import dev.windrow.Windrow;
import io.agroal.api.AgroalDataSource;
import io.quarkus.runtime.Startup;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** The orders, in the database of the jobs. */
@ApplicationScoped
public class Orders {
    private final AgroalDataSource database;
    private final Windrow windrow;

    Orders(AgroalDataSource database, Windrow windrow) {
        this.database = database;
        this.windrow = windrow;
    }

    @Startup
    void createTable() throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "CREATE TABLE IF NOT EXISTS orders (id BIGINT PRIMARY KEY GENERATED ALWAYS AS IDENTITY, customer TEXT, cents BIGINT, invoice TEXT)");
        }
    }

    // region enqueue
    static final JobType<Long, String> INVOICE = JobType.of("invoice.print", Long.class, String.class);

    /** Stores an order and the job of its invoice, or neither. Returns the id of the job. */
    @Transactional(rollbackOn = Exception.class)
    public long buy(String customer, long cents) throws SQLException {
        try (Connection connection = database.getConnection()) {
            long order = insert(connection, customer, cents);
            long job = windrow.on(connection).enqueue(INVOICE, order).id();
            if (cents <= 0) {
                throw new IllegalArgumentException("price %d is not allowed: 1 or more".formatted(cents));
            }
            return job;
        }
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

    // region complete
    /** Stores the number of an invoice, and completes its job. Both are one transaction. */
    @Transactional(rollbackOn = Exception.class)
    public void invoiced(long order, String number, JobContext job) throws SQLException {
        try (Connection connection = database.getConnection();
                PreparedStatement update = connection.prepareStatement("UPDATE orders SET invoice = ? WHERE id = ?")) {
            update.setString(1, number);
            update.setLong(2, order);
            update.executeUpdate();
            job.on(connection).complete(number);
        }
    }
    // endregion
}
