package dev.windrow.tests.docs.job;

import static java.time.Duration.ofMinutes;

import dev.windrow.JobRef;
import dev.windrow.JobType;
import dev.windrow.Windrow;
import dev.windrow.testkit.WindrowTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The code of docs/testing-your-jobs.md about a real worker. */
class LiveInvoiceTest {
    static final JobType<String, String> SEND = JobType.of("invoice.send", String.class, String.class);

    // region live
    @RegisterExtension
    final WindrowTest test = WindrowTest.live()
            .handle(SEND, (customer, job) -> "sent to " + customer)
            .worker(worker -> worker.concurrency(2));

    @Test
    void aWorkerSendsTheInvoice(Windrow windrow) {
        JobRef<String> job = windrow.enqueue(SEND, "Ada");
        test.assertThat(job).within(ofMinutes(1)).isCompleted().hasResult("sent to Ada");
    }
    // endregion
}
