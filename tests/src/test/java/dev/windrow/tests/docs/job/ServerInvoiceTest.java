package dev.windrow.tests.docs.job;

import dev.windrow.JobRef;
import dev.windrow.JobType;
import dev.windrow.Windrow;
import dev.windrow.testkit.WindrowTest;
import dev.windrow.testserver.PostgresServer;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The code of docs/testing-your-jobs.md about PostgreSQL. */
class ServerInvoiceTest {
    static final JobType<String, String> SEND = JobType.of("invoice.send", String.class, String.class);
    static final DataSource SOURCE = PostgresServer.shared().dataSource();

    // region postgres
    @RegisterExtension
    final WindrowTest test =
            WindrowTest.manual().postgres(() -> SOURCE).handle(SEND, (customer, job) -> "sent to " + customer);
    // endregion

    @Test
    void anInvoiceIsSent(Windrow windrow) {
        JobRef<String> job = windrow.enqueue(SEND, "Ada");
        test.drain();
        test.assertThat(job).isCompleted();
    }
}
