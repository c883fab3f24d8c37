package dev.windrow.tests.docs.job;

import static java.time.Duration.ofDays;
import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobType;
import dev.windrow.Jobs;
import dev.windrow.Windrow;
import dev.windrow.testkit.WindrowTest;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The code of docs/testing-your-jobs.md about the application around the jobs. */
class CheckoutTest {
    // region checkout
    record Invoice(String customer, int cents) {}

    static final JobType<Invoice, Void> SEND = JobType.of("invoice.send", Invoice.class);
    static final JobType<String, Void> REMIND = JobType.of("invoice.remind", String.class);

    static void checkout(Jobs jobs, String customer) {
        jobs.enqueue(SEND.job(new Invoice(customer, 4200)).withQueue("mail"));
        jobs.enqueue(REMIND.job(customer).withDelay(ofDays(14)));
    }
    // endregion

    // region inline
    final List<String> sent = new ArrayList<>();

    @RegisterExtension
    final WindrowTest test = WindrowTest.inline()
            .handleVoid(SEND, (invoice, job) -> sent.add(invoice.customer()))
            .handleVoid(REMIND, (customer, job) -> sent.add("reminder for " + customer));

    @Test
    void aCheckoutSendsAnInvoiceAndLaterAReminder(Windrow windrow) {
        checkout(windrow, "Ada");
        assertThat(sent).containsExactly("Ada");
        test.advance(ofDays(14));
        assertThat(sent).containsExactly("Ada", "reminder for Ada");
    }
    // endregion

    // region enqueued
    @Test
    void aCheckoutEnqueuesTwoJobs(Jobs jobs) {
        checkout(jobs, "Ada");
        test.enqueued(SEND).once().withInput(new Invoice("Ada", 4200)).onQueue("mail");
        test.enqueued(REMIND).once().dueIn(ofDays(14));
        test.notEnqueued(JobType.of("invoice.cancel", String.class));
    }
    // endregion
}
