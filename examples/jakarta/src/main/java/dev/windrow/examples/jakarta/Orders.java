package dev.windrow.examples.jakarta;

import dev.windrow.JobContext;
import dev.windrow.JobType;
import dev.windrow.Windrow;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.Resource;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** The orders, in the database of the jobs. */
@ApplicationScoped
public class Orders {
    @Resource(lookup = "java:app/jdbc/shop")
    private DataSource database;

    @Inject
    private Windrow windrow;

    @Inject
    private Printer printer;

    @PostConstruct
    void createTable() {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "CREATE TABLE IF NOT EXISTS orders (id BIGINT PRIMARY KEY GENERATED ALWAYS AS IDENTITY, customer TEXT, cents BIGINT, invoice TEXT)");
        } catch (SQLException e) {
            throw new IllegalStateException("the table of orders cannot be created", e);
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

    // region handle
    /** Prints an invoice. The number in the order and the end of the job are one transaction, on a connection of Windrow. */
    public String print(long order, JobContext job) throws Exception {
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
