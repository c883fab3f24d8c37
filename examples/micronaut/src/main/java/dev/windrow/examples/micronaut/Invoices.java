package dev.windrow.examples.micronaut;

import dev.windrow.JobContext;
import jakarta.inject.Singleton;

/** Prints invoices. */
// region handle
@Singleton
class Invoices {
    private final Orders orders;
    private final Printer printer;

    Invoices(Orders orders, Printer printer) {
        this.orders = orders;
        this.printer = printer;
    }

    String print(long order, JobContext job) throws Exception {
        String number = "R-" + job.id();
        printer.print(number);
        orders.invoiced(order, number, job);
        return number;
    }
}
// endregion
