package dev.windrow.tests.docs.job;

import dev.windrow.JobType;
import dev.windrow.Windrow;
import dev.windrow.postgres.PostgresStore;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import javax.sql.DataSource;

/** The code of docs/postgres.md. */
final class PostgresSnippet {
    private PostgresSnippet() {}

    record Resize(String file, int width) {}

    static final JobType<Resize, Void> RESIZE = JobType.of("image.resize", Resize.class);

    static void open(DataSource dataSource, String password) {
        // region open
        Windrow fromPool = Windrow.open(PostgresStore.at(dataSource));
        Windrow fromUrl = Windrow.open(PostgresStore.configure("jdbc:postgresql://db.internal/shop")
                .user("shop")
                .password(password)
                .schema("jobs")
                .build());
        // endregion
        fromPool.close();
        fromUrl.close();
    }

    static void order(Windrow windrow, DataSource dataSource, String customer) throws SQLException {
        // region transaction
        try (Connection connection = dataSource.getConnection();
                PreparedStatement order = connection.prepareStatement("INSERT INTO orders (customer) VALUES (?)")) {
            connection.setAutoCommit(false);
            order.setString(1, customer);
            order.executeUpdate();
            windrow.on(connection).enqueue(RESIZE, new Resize(customer + ".jpg", 200));
            connection.commit(); // both or neither
        }
        // endregion
    }
}
