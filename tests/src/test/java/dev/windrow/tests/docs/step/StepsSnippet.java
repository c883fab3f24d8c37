package dev.windrow.tests.docs.step;

import static java.time.Duration.ofDays;
import static java.time.Duration.ofHours;

import dev.windrow.JobRef;
import dev.windrow.JobType;
import dev.windrow.Retry;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.step.Signalled;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Optional;

/** The code of docs/how-to/steps.md. */
final class StepsSnippet {
    private StepsSnippet() {}

    record Order(int number, int cents) {}

    record Paid(String receipt) {}

    /** An external shop. */
    interface Shop {
        String reserve(Order order, String key);

        void pack(Order order, String key);

        void release(String reservation);
    }

    static final JobType<Order, String> SELL = JobType.of("order.sell", Order.class, String.class);

    static final JobType<Order, String> BOOK = JobType.of("order.book", Order.class, String.class);

    static Worker.Builder sell(Windrow windrow, Shop shop) {
        // region steps
        return windrow.worker().handle(SELL, (order, job) -> {
            String reservation =
                    job.step("reserve", String.class, () -> shop.reserve(order, job.idempotencyKey("reserve")));
            job.sleep("the customer may think again", ofHours(1));
            Optional<Paid> paid = job.awaitEvent("paid", Paid.class, ofDays(7));
            if (paid.isEmpty()) {
                job.stepVoid("release", () -> shop.release(reservation));
                return "nobody paid";
            }
            job.stepVoid("pack", () -> shop.pack(order, job.idempotencyKey("pack")));
            return "sold for " + paid.get().receipt();
        });
        // endregion
    }

    static Worker.Builder book(Windrow windrow) {
        // region transaction
        return windrow.worker().handle(BOOK, (order, job) -> {
            int line = job.stepInTransaction("ledger", int.class, connection -> insert(connection, order));
            return "in line " + line;
        });
        // endregion
    }

    static Worker.Builder bookInOwn(Windrow windrow, Connections source) {
        // region own
        return windrow.worker().handle(BOOK, (order, job) -> {
            try (Connection connection = source.begin()) {
                int line = job.on(connection).step("ledger", int.class, () -> insert(connection, order));
                connection.commit();
                return "in line " + line;
            }
        });
        // endregion
    }

    /** A source of transactions. */
    interface Connections {
        Connection begin() throws SQLException;
    }

    static int insert(Connection connection, Order order) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO ledger VALUES (?, ?)")) {
            insert.setInt(1, order.number());
            insert.setInt(2, order.cents());
            insert.executeUpdate();
            return order.number();
        }
    }

    static boolean hook(Windrow windrow, long id, Paid paid) {
        // region signal
        Signalled answer = windrow.job(SELL.ref(id)).signal("paid", paid);
        return answer.kept(); // false: signalled before, or too late
        // endregion
    }

    static void again(Windrow windrow, JobRef<?> job) {
        // region retry
        windrow.job(job).retry(); // continues after the done steps
        windrow.job(job).retry(Retry.keepingAttempts().fromStart()); // forgets the done steps
        // endregion
    }
}
