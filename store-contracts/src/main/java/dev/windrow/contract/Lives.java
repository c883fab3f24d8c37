package dev.windrow.contract;

import dev.windrow.AttemptOutcome;
import dev.windrow.store.Transition;
import dev.windrow.store.job.Change;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.Settle;
import dev.windrow.workflow.ParentPolicy;
import java.time.Duration;
import java.util.List;

/** Jobs in each state, with all kinds of attempts, for tests that read them elsewhere or later. */
public final class Lives {
    private final List<Long> jobs;
    /** A job that is running and was started. */
    public final ClaimedJob running;
    /** A job that is ready. */
    public final long ready;

    /** Lets the jobs of a store without jobs live. */
    public Lives(StoreDriver driver) {
        ClaimedJob completed = driver.running(NewRow.job().payload("{\"n\":1}").actor("someone"));
        driver.time().advance(Duration.ofMillis(3));
        driver.complete(completed);
        ClaimedJob failed = driver.running(NewRow.job().name("fails").tags("tag"));
        driver.start(failed);
        driver.settle(failed, Transition.RETRY_LATER);
        driver.time().advance(Duration.ofMinutes(2));
        driver.settle(driver.claimSoon(), Transition.FAIL);
        ClaimedJob startedLate = driver.running(NewRow.job());
        long claimed = driver.time().millis();
        driver.time().advance(Duration.ofMillis(9));
        StoreDriver.answer(driver.store()
                .submitAndWait(Settle.of(
                                startedLate,
                                "w",
                                Transition.FAIL,
                                AttemptOutcome.FAILED,
                                driver.time().millis())
                        .error("TEST:FAILED", null)
                        .startedAtMillis(claimed + 5)
                        .build()));
        ClaimedJob cancelled = driver.running(NewRow.job());
        driver.change(Change.Verb.CANCEL, cancelled.id());
        driver.settle(cancelled, Transition.CANCEL_RUNNING);
        ClaimedJob handedBack = driver.running(NewRow.job());
        driver.settle(handedBack, Transition.HAND_BACK);
        driver.complete(driver.claimOne());
        ClaimedJob waits = driver.running(NewRow.job());
        driver.awaits(waits, "event", Duration.ofDays(1));
        running = driver.running(NewRow.job());
        driver.start(running);
        driver.change(Change.Verb.CANCEL, running.id());
        long blocked = driver.enqueue(NewRow.job().after(running.id(), ParentPolicy.RUN));
        long late = driver.enqueue(NewRow.job().delay(Duration.ofDays(1)));
        ready = driver.enqueue(NewRow.job().actor("another").metadata("{}"));
        jobs = List.of(
                completed.id(),
                failed.id(),
                startedLate.id(),
                cancelled.id(),
                handedBack.id(),
                waits.id(),
                running.id(),
                blocked,
                late,
                ready);
    }

    /** Returns the history of each job as text, without the version of the job. */
    public List<String> histories(StoreDriver driver) {
        return jobs.stream()
                .map(job -> driver.history(job).toString().replaceAll("version=\\d+", "version"))
                .toList();
    }
}
