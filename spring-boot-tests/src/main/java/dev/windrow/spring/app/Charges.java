package dev.windrow.spring.app;

import dev.windrow.JobContext;
import dev.windrow.spring.JobHandler;
import java.sql.PreparedStatement;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.stereotype.Component;

/** Charges orders. Says if it is called after the end of the bean. */
@Component
public class Charges implements DisposableBean {
    private volatile boolean destroyed;

    /** Charges an order: the row and the end of the job are one transaction. */
    @JobHandler("order.charge")
    @Nullable String charge(Order order, JobContext job) throws Exception {
        requireAlive();
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(order.millis());
        while (System.nanoTime() - end < 0) {
            LockSupport.parkNanos(end - System.nanoTime());
            if (Thread.interrupted()) {
                System.out.println("INTERRUPTED");
                throw new InterruptedException("stopped");
            }
        }
        requireAlive();
        return job.completeInTransaction(connection -> {
            try (PreparedStatement insert = connection.prepareStatement("INSERT INTO charges VALUES (?, ?)")) {
                insert.setLong(1, job.id());
                insert.setLong(2, order.cents());
                insert.executeUpdate();
            }
            requireAlive();
            return "charged " + order.cents();
        });
    }

    private void requireAlive() {
        if (destroyed) {
            System.out.println("DESTROYED BEAN USED");
        }
    }

    @Override
    public void destroy() {
        destroyed = true;
    }
}
