package dev.windrow.tests.docs.monitor;

import dev.windrow.JobState;
import dev.windrow.Windrow;
import dev.windrow.monitor.DiagnoseOptions;
import dev.windrow.monitor.Diagnosis;
import dev.windrow.monitor.Statistics;
import dev.windrow.monitor.Throughput;
import java.time.Duration;

/** The code of docs/how-to/observe.md. */
final class ObserveSnippet {
    private ObserveSnippet() {}

    static void ask(Windrow windrow) {
        // region ask
        Statistics now = windrow.monitor().statistics();
        Throughput lately = windrow.monitor().throughput(Duration.ofMinutes(15));
        // endregion
        // region where
        for (Statistics.OfQueue queue : now.queues()) {
            Long lag = queue.lagMillis();
            System.out.println(
                    queue.queue() + ": " + queue.states().get(JobState.PENDING) + " ready, for " + lag + " ms");
        }
        // endregion
        // region fast
        for (Throughput.OfType type : lately.types()) {
            Throughput.Ends ends = type.ends();
            System.out.printf(
                    "%s: %d succeeded, %d failed, 95 of 100 waited at most %d ms and ran at most %d ms%n",
                    type.type(),
                    ends.succeeded(),
                    ends.failed(),
                    ends.waited().p95Millis(),
                    ends.ran().p95Millis());
        }
        // endregion
        // region long
        for (Statistics.Running job : now.oldestRunning()) {
            System.out.println(
                    job.id() + " of type " + job.type() + " runs at " + job.worker() + " since " + job.startedAt());
        }
        // endregion
        // region again
        for (Statistics.Retries retries : now.retries()) {
            System.out.println(retries.type() + ": " + retries.count() + " attempts with number " + retries.attempt());
        }
        for (Statistics.Retries retries : now.liveRetries()) {
            System.out.println(retries.type() + ": " + retries.count() + " jobs at attempt " + retries.attempt());
        }
        // endregion
        // region why
        for (Statistics.Failures code : now.failures()) {
            System.out.println(code.errorCode() + ": " + code.count() + " jobs since " + code.firstAt() + ", see "
                    + code.sampleJob());
        }
        // endregion
        // region cost
        for (Diagnosis.Query query : windrow.monitor()
                .diagnose(DiagnoseOptions.ALL.withBudget(Duration.ofSeconds(1)))
                .queries()) {
            if (query.time() != null) {
                System.out.println(query.name() + ": " + query.time().toNanos() / 1000 + " us");
            }
        }
        // endregion
    }
}
