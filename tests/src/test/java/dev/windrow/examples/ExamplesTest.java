package dev.windrow.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobState;
import dev.windrow.Windrow;
import dev.windrow.schedule.ScheduleRun;
import dev.windrow.tests.stores.OnEachStore;
import dev.windrow.tests.stores.StoreKind;
import dev.windrow.tests.stores.Target;
import dev.windrow.workflow.BatchProgress;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/**
 * Each example behaves as it claims, on each store. This class is in the package of the examples because the examples expose nothing that only tests
 * need.
 */
@OnEachStore
class ExamplesTest {
    @Parameter
    StoreKind kind;

    @TempDir
    Path folder;

    private Target target;
    private Windrow windrow;

    @BeforeEach
    void open() {
        target = kind.emptyTarget(folder);
        windrow = Windrow.open(target.newStoreBesideTables());
    }

    @AfterEach
    void close() throws Exception {
        windrow.close();
        target.close();
    }

    @Test
    void dependenciesFanOutAndIn() {
        assertThat(Dependencies.run(windrow)).isEqualTo(new Dependencies.Total(15, "It is the father with his child."));
        assertThat(windrow.monitor().statistics().states()).containsEntry(JobState.COMPLETED, 5L);
    }

    @Test
    void policiesCancelRunAndWait() {
        Policies.Outcome outcome = Policies.run(windrow);
        assertThat(outcome.published()).isEqualTo(JobState.CANCELLED);
        assertThat(outcome.archived()).isEqualTo(JobState.BLOCKED);
        assertThat(outcome.report()).isEqualTo("the test of 2.0 ended FAILED as TEST:FAILED");
        assertThat(outcome.end().count(JobState.COMPLETED)).isEqualTo(5);
        assertThat(outcome.end().isFinished()).isTrue();
    }

    @Test
    void theChainFetchesAllPages() {
        assertThat(Chain.run(windrow)).isEqualTo(new Chain.Summary(3, 6));
        assertThat(windrow.monitor().statistics().states()).containsEntry(JobState.COMPLETED, 4L);
    }

    @Test
    void theCustomerIsChargedOnce() throws Exception {
        assertThat(Transactions.run(windrow)).isEqualTo(new Transactions.Outcome(1, 1, 2));
    }

    @Test
    void approvalsAreAnsweredOrTimeOut() throws Exception {
        assertThat(Approvals.run(windrow))
                .isEqualTo(new Approvals.Outcome(
                        "a printer: approved by Grace, paid with R-1",
                        "a yacht: TIMEOUT:WAIT, the payment is CANCELLED"));
    }

    @Test
    void theBatchCallbackRunsWhenAllJobsHaveEnded() {
        Batches.Outcome outcome = Batches.run(windrow);
        assertThat(outcome.album().missing()).containsExactly("job FAILED: PICTURE:BROKEN");
        assertThat(outcome.album().bytes()).isEqualTo(100 * 1000 + 5050 - 1013);
        assertThat(List.of(outcome.before(), outcome.after()))
                .extracting(BatchProgress::ended)
                .containsExactly(0L, 100L);
        assertThat(outcome.after().unsuccessful()).isEqualTo(1);
        assertThat(outcome.after().fraction()).isEqualTo(1);
    }

    @Test
    void schedulesMakeTheReportAndCheckTheStock() throws Exception {
        NightlyReport.Outcome outcome = NightlyReport.run(windrow);
        assertThat(outcome.report()).isEqualTo("\"all about sales\"");
        assertThat(outcome.nightly().nextRuns()).hasSize(3);
        assertThat(outcome.looks()).hasSizeGreaterThanOrEqualTo(2);
        assertThat(outcome.looks()).extracting(ScheduleRun::outcome).contains(ScheduleRun.Outcome.ENQUEUED);
        assertThat(windrow.schedules().list()).isEmpty();
    }

    @Test
    void thePaymentContinuesAfterFinishedStepsAndIsUndoneWhenDeclined() throws Exception {
        PaymentSaga.Outcome outcome = PaymentSaga.run(windrow);
        assertThat(outcome.accepted()).isEqualTo("charged what was reserved 19900 of Ada");
        assertThat(outcome.declined()).isEqualTo("released");
        assertThat(outcome.calls())
                .containsExactly(
                        "reserved 19900 of Ada",
                        "charged what was reserved 19900 of Ada",
                        "reserved 99000000 of Bob",
                        "released what was reserved 99000000 of Bob");
    }

    @Test
    void theRemoteJobIsStartedOnceAndPolledUntilItIsDone() {
        assertThat(RemoteJob.run(windrow)).isEqualTo(new RemoteJob.Outcome("the film of sunset", 1, 3));
    }

    @Test
    void theTraceFollowsTheOrderThroughItsJobs() {
        assertThat(Observed.run(target.newStore()))
                .isEqualTo(new Observed.Seen(
                        List.of(
                                "POST /orders",
                                "enqueue order.charge",
                                "run order.charge",
                                "run order.charge",
                                "run order.send"),
                        2,
                        1));
    }

    /** Runs each example as a user does, with the place of its jobs as its argument. Here all examples have the same place. */
    @Test
    void eachExampleIsAProgram() throws Exception {
        if (target.isFile()) {
            String place = target.toString();
            Dependencies.main(place);
            Policies.main(place);
            Chain.main(place);
            Transactions.main(place);
            Approvals.main(place);
            Batches.main(place);
            NightlyReport.main(place);
            PaymentSaga.main(place);
            RemoteJob.main(place);
            Observed.main(place);
            assertThat(windrow.monitor().statistics().states())
                    .containsEntry(JobState.PENDING, 0L)
                    .containsEntry(JobState.RUNNING, 0L);
            assertThat(windrow.monitor().diagnose().failed()).isEmpty();
        }
    }
}
