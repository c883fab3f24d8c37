package dev.windrow.tests.testkit;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.windrow.EventKind;
import dev.windrow.JobFailure;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.LogLevel;
import dev.windrow.RetryPolicy;
import dev.windrow.Windrow;
import dev.windrow.testkit.WindrowTest;
import dev.windrow.tests.Once;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The messages of assertions that do not hold: the expected value, the found one, and the stories of the jobs. */
@Once
@Timeout(120)
class MessagesTest {
    record Invoice(String customer, int cents) {}

    record Receipt(String number) {}

    private static final JobType<Invoice, Receipt> SEND = JobType.of("invoice.send", Invoice.class, Receipt.class)
            .withMaxAttempts(2)
            .withRetry(RetryPolicy.fixed(ofSeconds(10)));
    private static final JobType<Void, Void> REMIND = JobType.of("remind");
    private static final JobType<Void, Void> NOISY = JobType.of("noisy");
    private static final JobType<Void, Void> LOOP = JobType.of("loop");

    private static final Invoice INVOICE = new Invoice("Ada", 4200);
    private static final Invoice FREE = new Invoice("Bob", 0);

    private final List<String> mails = new ArrayList<>();
    private boolean refusesRepeats;

    @TempDir
    Path folder;

    @RegisterExtension
    final WindrowTest test = WindrowTest.manual()
            .handle(SEND, (invoice, job) -> send(invoice))
            .handleVoid(LOOP, (nothing, job) -> job.continueWith(LOOP.job()))
            .handleVoid(NOISY, (nothing, job) -> {
                job.stepVoid("pack", () -> {});
                for (int i = 1; i <= 12; i++) {
                    job.log(LogLevel.INFO, "line " + i);
                }
            })
            .worker(worker -> worker.name("worker"));

    private Receipt send(Invoice invoice) {
        if (refusesRepeats && mails.contains(invoice.customer())) {
            throw new IllegalStateException("sent twice");
        }
        mails.add(invoice.customer());
        if (invoice.cents() == 0) {
            throw JobFailure.permanent("INVALID_INPUT:AMOUNT", "0 cents");
        }
        return new Receipt("R-" + invoice.customer());
    }

    private static void says(String message, ThrowingCallable assertion) {
        Throwable failure = catchThrowable(assertion);
        assertThat(failure)
                .isInstanceOf(AssertionError.class)
                .hasMessage((message.startsWith("[") ? "" : "\n") + message.strip());
    }

    private static final String COMPLETED = """
            job 1 (invoice.send) COMPLETED, 1 of 2 attempts used, queue default
                input: {"customer":"Ada","cents":4200}
                result: {"number":"R-Ada"}
                attempt 1: SUCCEEDED, at 2026-01-01T00:00:00Z
                events: ENQUEUED, CLAIMED, STARTED, SUCCEEDED
            """;

    @Test
    void aStateIsComparedWithTheStoryOfTheJob(Windrow windrow) {
        JobRef<Receipt> job = windrow.enqueue(SEND, FREE);
        test.drain();
        says("""
                expected: job 1 (invoice.send) is COMPLETED
                 but was: FAILED

                job 1 (invoice.send) FAILED, 1 of 2 attempts used, queue default
                    input: {"customer":"Bob","cents":0}
                    attempt 1: FAILED INVALID_INPUT:AMOUNT: 0 cents, at 2026-01-01T00:00:00Z
                    events: ENQUEUED, CLAIMED, STARTED, FAILED
                """, () -> test.assertThat(job).isCompleted());
        Throwable failure = catchThrowable(() -> test.assertThat(job).isCancelled());
        assertThat(failure.getSuppressed()).singleElement().isInstanceOf(JobFailure.class);
        says("""
                [the invoice of Bob]\s
                expected: job 1 (invoice.send) is SCHEDULED
                 but was: FAILED

                job 1 (invoice.send) FAILED, 1 of 2 attempts used, queue default
                    input: {"customer":"Bob","cents":0}
                    attempt 1: FAILED INVALID_INPUT:AMOUNT: 0 cents, at 2026-01-01T00:00:00Z
                    events: ENQUEUED, CLAIMED, STARTED, FAILED
                """, () -> test.assertThat(job).as("the invoice of Bob").isScheduledIn(ofSeconds(10)));
    }

    @Test
    void aJobThatWaitsSaysForWhat(Windrow windrow) {
        JobRef<Void> job = windrow.enqueue(REMIND);
        test.drain();
        says("""
                expected: job 1 (remind) is FAILED
                 but was: PENDING

                job 1 (remind) PENDING, 0 of 3 attempts used, queue default
                    events: ENQUEUED
                    why: no handler of the test takes type 'remind'
                """, () -> test.assertThat(job).isFailed());
    }

    @Test
    void everyPropertyOfAJobIsCompared(Windrow windrow) {
        JobRef<Receipt> job = windrow.enqueue(SEND, INVOICE);
        test.drain();
        says("""
                expected: job 1 (invoice.send) has the result Receipt[number=R-Bob]
                 but was: Receipt[number=R-Ada]

                """ + COMPLETED, () -> test.assertThat(job).hasResult(new Receipt("R-Bob")));
        says("""
                expected: job 1 (invoice.send) has attempts: 2
                 but was: 1

                """ + COMPLETED, () -> test.assertThat(job).hasAttempts(2));
        says("""
                expected: job 1 (invoice.send) has the events [ENQUEUED, CANCELLED]
                 but was: [ENQUEUED, CLAIMED, STARTED, SUCCEEDED]

                """ + COMPLETED, () -> test.assertThat(job).hasEvents(EventKind.ENQUEUED, EventKind.CANCELLED));
        says("""
                expected: job 1 (invoice.send) has the error code "TIMEOUT:EXECUTION"
                 but was: nothing

                """ + COMPLETED, () -> test.assertThat(job).hasErrorCode("TIMEOUT:EXECUTION"));
        says("""
                expected: job 1 (invoice.send) is RUNNING
                 but was: COMPLETED

                """ + COMPLETED, () -> test.assertThat(job).hasState(JobState.RUNNING));
        JobRef<Receipt> later = windrow.enqueue(SEND.job(INVOICE).withDelay(ofMinutes(5)));
        says("""
                expected: job %1$d (invoice.send) is due in 10m
                 but was: 5m

                job %1$d (invoice.send) SCHEDULED, 0 of 2 attempts used, queue default
                    input: {"customer":"Ada","cents":4200}
                    due: 2026-01-01T00:05:00Z
                    events: ENQUEUED
                    why: due at 2026-01-01T00:05:00Z (windrow trigger %1$d)
                """.formatted(later.id()), () -> test.assertThat(later).isScheduledIn(ofMinutes(10)));
    }

    /** The stories of two jobs. The ids of jobs have gaps. */
    private static final String TWO = """
            job 1 (invoice.send) PENDING, 0 of 2 attempts used, queue default
                input: {"customer":"Ada","cents":4200}
                events: ENQUEUED
                why: it is ready, and runs when the test says so
            job 2 (invoice.send) SCHEDULED, 0 of 2 attempts used, queue slow
                input: {"customer":"Bob","cents":0}
                due: 2026-01-01T01:00:00Z
                events: ENQUEUED
                why: due at 2026-01-01T01:00:00Z (windrow trigger 2)
            """;

    @Test
    void enqueuedJobsAreCompared(Windrow windrow) {
        says("""
                expected: a job of type 'invoice.send' was enqueued
                 but was: none was

                The test has enqueued no job, or has not committed it.
                """, () -> test.enqueued(SEND).once());
        windrow.enqueue(SEND, INVOICE);
        windrow.enqueue(SEND.job(FREE).withQueue("slow").withDelay(ofHours(1)));
        says("""
                expected: a job of type 'remind' was enqueued
                 but was: none was

                """ + TWO, () -> test.enqueued(REMIND).once());
        says("""
                expected: 1 job of type 'invoice.send'
                 but was: 2

                """ + TWO, () -> test.enqueued(SEND).once());
        says("""
                expected: a job of type 'invoice.send' with input Invoice[customer=Eve, cents=1] was enqueued
                 but was: Invoice[customer=Ada, cents=4200] (job 1), Invoice[customer=Bob, cents=0] (job 2)

                """ + TWO, () -> test.enqueued(SEND).withInput(new Invoice("Eve", 1)));
        says("""
                expected: a job of type 'invoice.send' with input matching 'many cents' was enqueued
                 but was: Invoice[customer=Ada, cents=4200] (job 1), Invoice[customer=Bob, cents=0] (job 2)

                """ + TWO, () -> test.enqueued(SEND).withInputMatching("many cents", invoice -> invoice.cents() > 9999));
        says("""
                expected: a job of type 'invoice.send' on queue fast was enqueued
                 but was: "default" (job 1), "slow" (job 2)

                """ + TWO, () -> test.enqueued(SEND).onQueue("fast"));
        says("""
                expected: a job of type 'invoice.send' due in 5m was enqueued
                 but was: 0s (job 1), 1h (job 2)

                """ + TWO, () -> test.enqueued(SEND).dueIn(ofMinutes(5)));
        says("""
                expected: a job of type 'invoice.send' with tags mail, vip was enqueued
                 but was: [] (job 1), [] (job 2)

                """ + TWO, () -> test.enqueued(SEND).withTags("mail", "vip"));
        says(
                """
                [checkout]\s
                expected: 2 jobs of type 'invoice.send' on queue slow
                 but was: 1

                """ + TWO.substring(TWO.indexOf("job 2 ")),
                () -> test.enqueued(SEND).as("checkout").onQueue("slow").times(2));
        says("""
                expected: no job of type 'invoice.send' was enqueued
                 but was: 2

                """ + TWO, () -> test.notEnqueued(SEND));
    }

    @Test
    void theFirstDelayOfARetriedJobIsNotItsPresentOne(Windrow windrow) {
        refusesRepeats = true;
        mails.add("Ada");
        windrow.enqueue(SEND, INVOICE);
        test.drain();
        // The retry is due in 10s.
        test.enqueued(SEND).once().dueIn(ZERO);
        JobRef<Receipt> later = windrow.enqueue(SEND.job(INVOICE).withDelay(ofHours(1)));
        test.advance(ofHours(2));
        test.enqueued(SEND).dueIn(ofHours(1)).once();
        test.runReady();
        test.enqueued(SEND).dueIn(ZERO).once();
        Throwable failure = catchThrowable(() -> test.enqueued(SEND).dueIn(ofHours(1)));
        assertThat(failure.getMessage()).startsWith("""

                        expected: a job of type 'invoice.send' due in 1h was enqueued
                         but was: 0s (job 1), unknown since RETRY_SCHEDULED (job %d)

                        job 1 (invoice.send) FAILED, 2 of 2 attempts used, queue default
                        """.formatted(later.id()));
    }

    @Test
    void manyJobsAreCut(Windrow windrow) {
        for (int i = 0; i < 12; i++) {
            windrow.enqueue(REMIND);
        }
        Throwable failure = catchThrowable(() -> test.notEnqueued(REMIND));
        assertThat(failure.getMessage())
                .startsWith("\nexpected: no job of type 'remind' was enqueued\n but was: 12\n\njob 1 (remind)")
                .endsWith("\nand 2 more jobs")
                .containsPattern("(?s)(\njob \\d+ \\(remind\\).*){10}")
                .doesNotContainPattern("(?s)(\njob \\d+ \\(remind\\).*){11}");
    }

    @Test
    void longStoriesAreCut(Windrow windrow) {
        JobRef<Void> job = windrow.enqueue(NOISY);
        test.drain();
        Throwable failure = catchThrowable(() -> test.assertThat(job).isFailed());
        assertThat(failure.getMessage())
                .contains("\n    ... 2 earlier ones\n    log: INFO line 3\n")
                .contains("\n    log: INFO line 12\n    events: ")
                .contains("\n    step pack: DONE\n");
    }

    @Test
    void aHandlerThatRepeatsItsEffectIsShownWithBoth() {
        AtomicInteger count = new AtomicInteger();
        says(
                """
                expected: the second run of the handler, after a crash, leaves ["Ada"], as the first one
                 but was: it left ["Ada", "Ada"]

                job 1 (invoice.send) COMPLETED, 2 of 2 attempts used, queue default
                    input: {"customer":"Ada","cents":4200}
                    result: {"number":"R-Ada"}
                    attempt 1: RECOVERED INTERNAL:CRASHED: worker worker was dead; its process has ended, at 2026-01-01T00:00:00Z
                    attempt 2: SUCCEEDED, at 2026-01-01T00:00:10Z
                    events: ENQUEUED, CLAIMED, STARTED, RECOVERED, RETRY_SCHEDULED, CLAIMED, STARTED, SUCCEEDED
                """,
                () -> test.assertRepeatable(SEND, INVOICE, () -> {
                    count.incrementAndGet();
                    return mails;
                }));
        assertThat(count).hasValue(2);
    }

    @Test
    void aHandlerThatFailsWhenItIsRepeatedIsShownWithItsFailure() {
        refusesRepeats = true;
        Throwable failure = catchThrowable(() -> test.assertRepeatable(SEND, INVOICE, () -> mails));
        assertThat(failure.getMessage()).startsWith("""

                        expected: the second run of the handler, after a crash, completes again
                         but was: it threw java.lang.IllegalStateException: sent twice

                        job 1 (invoice.send) FAILED, 2 of 2 attempts used, queue default
                            input: {"customer":"Ada","cents":4200}
                            attempt 1: RECOVERED INTERNAL:CRASHED: worker worker was dead; its process has ended, at 2026-01-01T00:00:00Z
                            attempt 2: FAILED INTERNAL:EXCEPTION: java.lang.IllegalStateException: sent twice, at 2026-01-01T00:00:10Z
                            events: ENQUEUED, CLAIMED, STARTED, RECOVERED, RETRY_SCHEDULED, CLAIMED, STARTED, FAILED
                            java.lang.IllegalStateException: sent twice
                                at dev.windrow.tests.testkit.MessagesTest.send(MessagesTest.java:""");
        assertThat(failure.getSuppressed()).singleElement().isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aHandlerThatFailsAtOnceIsNotRepeated() {
        Throwable failure = catchThrowable(() -> test.assertRepeatable(SEND, FREE, () -> mails));
        assertThat(failure.getMessage()).startsWith("""

                        expected: the first run of the handler completes
                         but was: it threw JobFailure INVALID_INPUT:AMOUNT: 0 cents

                        job 1 (invoice.send) SCHEDULED, 1 of 2 attempts used, queue default
                        """);
    }

    @Test
    void aJobThatCannotRunIsShown(Windrow windrow) {
        JobRef<Void> job = windrow.enqueue(REMIND);
        assertThat(catchThrowable(() -> test.crashDuring(job))).hasMessage("""
                job 1 cannot run now
                job 1 (remind) PENDING, 0 of 3 attempts used, queue default
                    events: ENQUEUED
                    why: no handler of the test takes type 'remind'""");
    }

    @Test
    void aDrainWithoutEndIsShown(Windrow windrow) {
        windrow.enqueue(LOOP);
        Throwable failure = catchThrowable(() -> test.drain());
        assertThat(failure.getMessage()).startsWith("""
                a drain has run 10000 attempts and jobs are still ready: does a job enqueue itself, or retry without a delay? Drain.ready().withMax(n) allows more
                job 1 (loop) COMPLETED, 1 of 3 attempts used, queue default
                """);
    }

    @Test
    void anOutcomeWithoutAResultIsShown() {
        says("""
                expected: job 1 (invoice.send) has a result
                 but was: FAILED

                job 1 (invoice.send) FAILED, 1 of 2 attempts used, queue default
                    input: {"customer":"Bob","cents":0}
                    attempt 1: FAILED INVALID_INPUT:AMOUNT: 0 cents, at 2026-01-01T00:00:00Z
                    events: ENQUEUED, CLAIMED, STARTED, FAILED
                """, () -> test.call((invoice, job) -> send(invoice), FREE, SEND).result());
    }

    @Test
    void payloadsThatDoNotDecodeAreNamed() throws Exception {
        says("""
                expected: payloads of former releases in %s, such as %s/TYPE/2026-01.json
                 but was: no file
                """.formatted(folder, folder), () -> test.assertDecodes(folder));
        Path type = Files.createDirectory(folder.resolve("invoice.send"));
        Files.writeString(type.resolve("2025.json"), "{\"customer\":\"Ada\",\"cents\":\"many\"}\n");
        Files.writeString(type.resolve("2026.json"), "{\"customer\":\"Ada\",\"cents\":1,\"currency\":\"EUR\"}");
        Path other = Files.createDirectory(folder.resolve("invoice.mail"));
        Files.writeString(other.resolve("2024.json"), "{}");
        Throwable failure = catchThrowable(() -> test.assertDecodes(folder));
        assertThat(failure.getMessage())
                .startsWith("""

                        expected: each payload in %s decodes to the input of its type
                         but was: 2 of 3 do not

                        invoice.mail/2024.json: no handler takes type 'invoice.mail'. If the type was renamed, its old name must be an alias
                        invoice.send/2025.json does not fit dev.windrow.tests.testkit.MessagesTest$Invoice:""".formatted(folder))
                .endsWith("\n    {\"customer\":\"Ada\",\"cents\":\"many\"}");
    }

    @Test
    void anyFailureOfATestGetsTheStoriesOfItsJobs(Windrow windrow) {
        AssertionError failure = new AssertionError("expected 1 mail");
        Throwable unused = catchThrowable(() -> test.handleTestExecutionException(null, failure));
        assertThat(failure.getSuppressed()).isEmpty();
        JobRef<Receipt> job = windrow.enqueue(SEND, INVOICE);
        test.drain();
        assertThat(catchThrowable(() -> test.handleTestExecutionException(null, failure)))
                .isSameAs(failure);
        assertThat(failure.getSuppressed())
                .singleElement()
                .satisfies(stories -> assertThat(stories)
                        .hasMessage("\n" + COMPLETED.strip())
                        .extracting(Throwable::getStackTrace)
                        .isEqualTo(new StackTraceElement[0]));
        Throwable told = catchThrowable(() -> test.assertThat(job).isFailed());
        unused = catchThrowable(() -> test.handleTestExecutionException(null, told));
        assertThat(told.getSuppressed()).isEmpty();
    }
}
