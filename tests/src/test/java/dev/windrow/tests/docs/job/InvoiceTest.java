package dev.windrow.tests.docs.job;

// region imports
import static java.time.Duration.ofDays;
import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.EventKind;
import dev.windrow.JobFailure;
import dev.windrow.JobRef;
import dev.windrow.JobType;
import dev.windrow.RetryPolicy;
import dev.windrow.StoreUnavailableException;
import dev.windrow.Windrow;
import dev.windrow.schedule.Schedule;
import dev.windrow.testkit.CallContext;
import dev.windrow.testkit.Drain;
import dev.windrow.testkit.ManualTime;
import dev.windrow.testkit.Outcome;
import dev.windrow.testkit.WindrowTest;
import java.nio.file.Path;
import java.time.ZoneId;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
// endregion

/** The code of docs/testing-your-jobs.md: tests as a user writes them. */
class InvoiceTest {
    // region work
    record Invoice(String customer, int cents) {}

    record Receipt(String number) {}

    static final JobType<Invoice, Receipt> SEND = JobType.of("invoice.send", Invoice.class, Receipt.class)
            .withAliases("invoice.mail")
            .withMaxAttempts(3)
            .withRetry(RetryPolicy.fixed(ofMinutes(10)));

    /** A mail server in memory. It sends one mail for each key. */
    static class Mails {
        final Map<String, String> sent = new LinkedHashMap<>();
        Runnable beforeReply = () -> {};

        Receipt send(String key, Invoice invoice) {
            if (invoice.customer().isBlank()) {
                throw JobFailure.permanent("INVALID_INPUT:CUSTOMER", "no customer");
            }
            sent.put(key, invoice.customer());
            beforeReply.run();
            return new Receipt("R-" + invoice.customer());
        }
    }
    // endregion

    // region first
    final Mails mails = new Mails();

    @RegisterExtension
    final WindrowTest test =
            WindrowTest.manual().handle(SEND, (invoice, job) -> mails.send(job.idempotencyKey("mail"), invoice));

    @Test
    void anInvoiceIsSent(Windrow windrow) {
        JobRef<Receipt> job = windrow.enqueue(SEND, new Invoice("Ada", 4200));
        test.drain();
        test.assertThat(job).isCompleted().hasResult(new Receipt("R-Ada"));
    }
    // endregion

    // region failure
    @Test
    void anInvoiceWithoutACustomerIsADeadLetter(Windrow windrow) {
        JobRef<Receipt> job = windrow.enqueue(SEND, new Invoice("", 4200));
        test.drain();
        test.assertThat(job)
                .isFailed()
                .hasErrorCode("INVALID_INPUT:CUSTOMER")
                .hasAttempts(1)
                .hasEvents(EventKind.ENQUEUED, EventKind.CLAIMED, EventKind.STARTED, EventKind.FAILED);
    }
    // endregion

    // region retry
    @Test
    void anInvoiceIsSentAgainTenMinutesLater(Windrow windrow) {
        mails.beforeReply = () -> {
            mails.beforeReply = () -> {};
            throw new IllegalStateException("the mail server is down");
        };
        JobRef<Receipt> job = windrow.enqueue(SEND, new Invoice("Ada", 4200));
        test.drain();
        test.assertThat(job).isScheduledIn(ofMinutes(10));
        test.advance(ofMinutes(10));
        test.drain();
        test.assertThat(job).isCompleted().hasAttempts(2);
    }
    // endregion

    // region scheduled
    @Test
    void allAttemptsAreUsedUp(Windrow windrow) {
        mails.beforeReply = () -> {
            throw new IllegalStateException("the mail server is down");
        };
        JobRef<Receipt> job = windrow.enqueue(SEND, new Invoice("Ada", 4200));
        test.drain(Drain.ready().withScheduled());
        test.assertThat(job).isFailed().hasAttempts(3);
    }
    // endregion

    // region schedule
    @Test
    void aMonthHasOneInvoice(Windrow windrow, ManualTime time) {
        ZoneId utc = ZoneId.of("UTC");
        windrow.schedules().save(Schedule.cron("monthly", "0 3 1 * *", utc, SEND.job(new Invoice("Ada", 995))));
        test.drainSkippingTime(time.now().plus(ofDays(59)));
        assertThat(mails.sent).hasSize(2);
    }
    // endregion

    // region repeatable
    @Test
    void anInvoiceCanBeSentTwice() {
        test.assertRepeatable(SEND, new Invoice("Ada", 4200), () -> mails.sent.values());
    }
    // endregion

    // region crash
    @Test
    void aCrashAfterTheMailSendsNoOtherOne(Windrow windrow) {
        JobRef<Receipt> job = windrow.enqueue(SEND, new Invoice("Ada", 4200));
        test.crashDuring(job);
        test.drain(Drain.ready().withScheduled());
        test.assertThat(job).isCompleted().hasAttempts(2);
        assertThat(mails.sent).hasSize(1);
    }

    @Test
    void aCrashBeforeTheReplySendsNoOtherOne(Windrow windrow) {
        mails.beforeReply = () -> {
            mails.beforeReply = () -> {};
            test.crashHere();
        };
        JobRef<Receipt> job = windrow.enqueue(SEND, new Invoice("Ada", 4200));
        test.drain(Drain.ready().withScheduled());
        test.assertThat(job).isCompleted().hasAttempts(2);
        assertThat(mails.sent).hasSize(1);
    }
    // endregion

    // region zombie
    @Test
    void aZombieSendsNoOtherMail(Windrow windrow) {
        JobRef<Receipt> job = windrow.enqueue(SEND, new Invoice("Ada", 4200));
        test.loseLease(job);
        test.assertThat(job).isCompleted().hasAttempts(2);
        assertThat(mails.sent).hasSize(1);
    }
    // endregion

    // region store
    @Test
    void noMailIsSentForAnInvoiceThatWasNotStored(Windrow windrow) {
        test.storeFails(1);
        assertThatThrownBy(() -> windrow.enqueue(SEND, new Invoice("Ada", 4200)))
                .isInstanceOf(StoreUnavailableException.class);
        test.drain();
        assertThat(mails.sent).isEmpty();
    }
    // endregion

    // region payloads
    @Test
    void payloadsOfFormerReleasesAreRead() {
        test.assertDecodes(Path.of("src/test/payloads"));
    }
    // endregion

    // region alone
    @Test
    void theThirdAttemptGivesUp() {
        Outcome<Receipt> outcome = test.call(
                (invoice, job) -> {
                    if (job.attempt() == 3) {
                        throw JobFailure.permanent("MAIL:REFUSED");
                    }
                    throw JobFailure.retryable("MAIL:BUSY");
                },
                new Invoice("Ada", 4200),
                CallContext.of(SEND).withAttempt(3));
        test.assertThat(outcome.job()).isFailed().hasErrorCode("MAIL:REFUSED");
        assertThat(outcome.thrown()).get().isInstanceOf(JobFailure.class);
    }
    // endregion
}
