package dev.windrow.spring.app;

import dev.windrow.JobType;

/**
 * An order, and the input of the job that charges it.
 *
 * @param id the number of the order
 * @param cents the price
 * @param millis how long the charge takes
 */
public record Order(long id, long cents, int millis) {
    /** Charges an order. */
    public static final JobType<Order, String> CHARGE = JobType.of("order.charge", Order.class, String.class);
}
