package dev.windrow.examples.shop;

import dev.windrow.JobContext;
import dev.windrow.spring.JobHandler;
import dev.windrow.spring.JobSchedule;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/** Sends invoices. */
// region handle
@Component
public class Invoices {
    private static final Logger log = LoggerFactory.getLogger(Invoices.class);

    private final Purchases purchases;

    Invoices(Purchases purchases) {
        this.purchases = purchases;
    }

    @JobHandler("invoice.send")
    @Transactional
    public String send(Long id, JobContext job) {
        Purchase purchase = purchases.findById(id).orElseThrow();
        String number = "R-" + job.id();
        purchase.invoiced(number);
        purchases.save(purchase);
        return number;
    }

    @JobSchedule(name = "invoice.count", cron = "${shop.count:0 3 * * *}", zone = "Europe/Berlin")
    public void count() {
        log.info("{} purchases so far", purchases.count());
    }
}
// endregion
