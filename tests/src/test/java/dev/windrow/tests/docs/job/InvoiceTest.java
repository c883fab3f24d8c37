package dev.windrow.tests.docs.job;

// region imports
import static java.time.Duration.ZERO;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobFailure;
import dev.windrow.JobInfo;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.RetryPolicy;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.payload.Json;
import dev.windrow.query.JobFilter;
import dev.windrow.sqlite.SqliteStore;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
// endregion

/** The code of docs/how-to/test-handlers.md: tests as a user writes them. */
@Timeout(60)
class InvoiceTest {
    // region work
    record Invoice(String customer, int cents) {}

    record Receipt(String number) {}

    static final JobType<Invoice, Receipt> SEND = JobType.of("invoice.send", Invoice.class, Receipt.class)
            .withMaxAttempts(3)
            .withRetry(RetryPolicy.fixed(ofSeconds(10)));

    static Receipt send(Invoice invoice) {
        if (invoice.cents() <= 0) {
            throw JobFailure.permanent("INVALID_INPUT:AMOUNT", invoice.cents() + " cents");
        }
        return new Receipt("R-" + invoice.customer());
    }
    // endregion

    // region plain
    @Test
    void anInvoiceGetsAReceipt() {
        assertThat(send(new Invoice("Ada", 4200))).isEqualTo(new Receipt("R-Ada"));
    }
    // endregion

    // region whole
    @TempDir
    Path folder;

    @Test
    void aJobSendsTheInvoice() {
        try (Windrow windrow = Windrow.open(SqliteStore.at(folder.resolve("jobs.db")));
                Worker worker = windrow.worker()
                        .handle(SEND, (invoice, job) -> send(invoice))
                        .start()) {
            JobRef<Receipt> job = windrow.enqueue(SEND, new Invoice("Ada", 4200));
            assertThat(windrow.await(job, ofSeconds(30))).isEqualTo(new Receipt("R-Ada"));
        }
    }
    // endregion

    // region failure
    @Test
    void anInvoiceWithoutAnAmountIsADeadLetter() throws InterruptedException {
        try (Windrow windrow = Windrow.open(SqliteStore.at(folder.resolve("jobs.db")));
                Worker worker = windrow.worker()
                        .handle(SEND, (invoice, job) -> send(invoice))
                        .start()) {
            JobRef<Receipt> job = windrow.enqueue(SEND, new Invoice("Ada", 0));
            assertThat(worker.awaitIdle(ofSeconds(30))).isTrue();
            JobInfo info = windrow.job(job).info();
            assertThat(info.state()).isEqualTo(JobState.FAILED);
            assertThat(info.errorCode()).isEqualTo("INVALID_INPUT:AMOUNT");
        }
    }
    // endregion

    // region retry
    @Test
    void aFailedAttemptIsRepeated() {
        AtomicInteger calls = new AtomicInteger();
        try (Windrow windrow = Windrow.open(SqliteStore.at(folder.resolve("jobs.db")));
                Worker worker = windrow.worker()
                        .handle(SEND, (invoice, job) -> {
                            if (calls.incrementAndGet() == 1) {
                                throw new IllegalStateException("the mail server is down");
                            }
                            return send(invoice);
                        })
                        .start()) {
            JobRef<Receipt> job =
                    windrow.enqueue(SEND.job(new Invoice("Ada", 4200)).withRetry(RetryPolicy.fixed(ZERO)));
            assertThat(windrow.await(job, ofSeconds(30))).isEqualTo(new Receipt("R-Ada"));
        }
    }
    // endregion

    // region enqueued
    static void checkout(Windrow windrow, String customer) {
        windrow.enqueue(SEND, new Invoice(customer, 4200));
    }

    @Test
    void aCheckoutEnqueuesOneInvoice() {
        try (Windrow windrow = Windrow.open(SqliteStore.at(folder.resolve("jobs.db")))) {
            checkout(windrow, "Ada");
            assertThat(windrow.jobs(JobFilter.inState(JobState.PENDING).withType(SEND))
                            .count())
                    .isEqualTo(1);
        }
    }
    // endregion

    // region stored
    @Test
    void aPayloadOfTheLastReleaseIsRead() throws InterruptedException {
        try (Windrow windrow = Windrow.open(SqliteStore.at(folder.resolve("jobs.db")));
                Worker worker = windrow.worker()
                        .handle(SEND, (invoice, job) -> send(invoice))
                        .start()) {
            Json stored = new Json("{\"customer\":\"Ada\",\"cents\":4200,\"currency\":\"EUR\"}");
            JobRef<Json> job = windrow.enqueue(JobType.raw("invoice.send"), stored);
            assertThat(worker.awaitIdle(ofSeconds(30))).isTrue();
            assertThat(windrow.job(job).info().state()).isEqualTo(JobState.COMPLETED);
        }
    }
    // endregion
}
