package dev.windrow.examples.quarkus;

import jakarta.inject.Singleton;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A slow printer. An invoice takes as many milliseconds as the system property {@code shop.print-millis} says, default 0. */
@Singleton
class Printer {
    private final long millis = Long.getLong("shop.print-millis", 0);

    /** Prints a page, and checks for an interrupt while it waits for the paper. */
    void print(String page) throws InterruptedException {
        if (new CountDownLatch(1).await(millis, TimeUnit.MILLISECONDS)) {
            throw new IllegalStateException("printed before its time: " + page);
        }
    }
}
