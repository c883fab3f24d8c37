package dev.windrow.examples.shop;

import dev.windrow.JobType;
import dev.windrow.Jobs;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Takes orders. */
// region enqueue
@Service
public class Checkout {
    static final JobType<Long, String> INVOICE = JobType.of("invoice.send", Long.class, String.class);

    private final Purchases purchases;
    private final Jobs jobs;

    Checkout(Purchases purchases, Jobs jobs) {
        this.purchases = purchases;
        this.jobs = jobs;
    }

    /** Stores a purchase and the job of its invoice, or neither. */
    @Transactional
    public long buy(String customer, long cents) {
        long id = purchases.saveAndFlush(new Purchase(customer, cents)).id();
        jobs.enqueue(INVOICE, id);
        if (cents <= 0) {
            throw new IllegalArgumentException("price %d is not allowed: 1 or more".formatted(cents));
        }
        return id;
    }
}
// endregion
