package dev.windrow.contract.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.AttemptOutcome;
import dev.windrow.EventKind;
import dev.windrow.EventLevel;
import dev.windrow.JobHistory;
import dev.windrow.JobState;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreContract;
import dev.windrow.contract.StoreDriver;
import dev.windrow.payload.Json;
import dev.windrow.store.Transition;
import dev.windrow.store.job.Change;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.Report;
import dev.windrow.store.job.Settle;
import dev.windrow.store.job.Suspect;
import dev.windrow.testkit.ManualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The stored history of a job that has very many attempts. */
public abstract class HistoryContract extends StoreContract {
    private static final int MANY = 130;
    /** The most attempts that are kept. It is more than the number that is always kept at the end, because attempts are deleted many at a time. */
    private static final int AT_MOST = 2 * JobHistory.LAST_ATTEMPTS;

    private static final Duration NAP = Duration.ofMinutes(1);

    /** Creates the contract for a subclass. */
    protected HistoryContract() {}

    /** Runs its next attempts, which snooze and leave an output each. */
    private void snooze(long job, int rounds) {
        for (int round = 0; round < rounds; round++) {
            ClaimedJob claimed = store().claimOne();
            assertThat(claimed.id()).isEqualTo(job);
            assertThat(StoreDriver.answer(store().store().submit(snoozes(claimed))))
                    .isTrue();
            time.advance(NAP);
        }
    }

    private Settle snoozes(ClaimedJob job) {
        return Settle.of(job, "w", Transition.SNOOZE, AttemptOutcome.SNOOZED, time.millis())
                .startedAtMillis(job.claimedAtMillis())
                .output("output " + job.token())
                .nextRunAtMillis(time.millis() + NAP.toMillis())
                .build();
    }

    private static List<Long> tokens(JobHistory history) {
        return history.attempts().stream().map(JobHistory.Attempt::token).toList();
    }

    private static List<Long> range(long first, long last) {
        return LongStream.rangeClosed(first, last).boxed().toList();
    }

    @Test
    void aJobWithFewAttemptsKeepsAllOfThem() {
        int few = JobHistory.FIRST_ATTEMPTS + JobHistory.LAST_ATTEMPTS;
        long job = store().enqueue(NewRow.job());
        snooze(job, few);
        JobHistory history = store().history(job);
        assertThat(tokens(history)).isEqualTo(range(1, few));
        assertThat(history.attemptsLeftOut()).isZero();
        assertThat(store().events(job)).hasSize(1 + 3 * few).doesNotContain(EventKind.TRIMMED);
    }

    @Test
    void aProcessThatWritesOutcomesLeavesOutHeartbeats() {
        StoreDriver quiet = open(EventLevel.OUTCOMES);
        ClaimedJob job = quiet.running(NewRow.job());
        quiet.start(job);
        Report progress = new Report(
                job.leaseToken(), "w", new Report.Progress(time.millis(), 0.5, "half", true), List.of(), null);
        assertThat(StoreDriver.answer(quiet.store().submit(progress))).isTrue();
        JobHistory running = store().history(job.id());
        assertThat(StoreDriver.events(running))
                .containsExactly(EventKind.ENQUEUED, EventKind.CLAIMED, EventKind.STARTED);
        assertThat(running.job().progress()).isNotNull();
        assertThat(running.attempts())
                .extracting(JobHistory.Attempt::startedAt)
                .containsExactly(Instant.ofEpochMilli(job.claimedAtMillis()));
        assertThat(quiet.settle(job, Transition.RETRY_LATER)).isTrue();
        time.advance(Duration.ofMinutes(2));
        ClaimedJob again = store().claimOne();
        Report more = new Report(
                again.leaseToken(), "w", new Report.Progress(time.millis(), 0.5, "half", true), List.of(), null);
        assertThat(StoreDriver.answer(store().store().submit(more))).isTrue();
        assertThat(store().settle(again, Transition.FAIL)).isTrue();
        quiet.change(Change.Verb.RETRY, job.id());
        assertThat(quiet.complete(quiet.claimOne())).isTrue();
        assertThat(store().events(job.id()))
                .as("the other process writes all events")
                .containsExactly(
                        EventKind.ENQUEUED,
                        EventKind.CLAIMED,
                        EventKind.STARTED,
                        EventKind.RETRY_SCHEDULED,
                        EventKind.CLAIMED,
                        EventKind.STARTED,
                        EventKind.HEARTBEAT,
                        EventKind.FAILED,
                        EventKind.RETRIED,
                        EventKind.CLAIMED,
                        EventKind.STARTED,
                        EventKind.SUCCEEDED);
    }

    @Test
    void aJobWithManySnoozesKeepsItsFirstAndLastAttempts() {
        long job = store().enqueue(NewRow.job());
        for (int round = 1; round <= MANY; round++) {
            snooze(job, 1);
            assertThat(tokens(store().history(job)))
                    .containsAll(range(Math.max(1, round - JobHistory.LAST_ATTEMPTS + 1), round));
        }
        JobHistory history = store().history(job);
        List<Long> tokens = tokens(history);
        assertThat(tokens).hasSizeBetween(JobHistory.FIRST_ATTEMPTS + JobHistory.LAST_ATTEMPTS, AT_MOST);
        assertThat(tokens.subList(0, JobHistory.FIRST_ATTEMPTS)).isEqualTo(range(1, JobHistory.FIRST_ATTEMPTS));
        List<Long> last = tokens.subList(JobHistory.FIRST_ATTEMPTS, tokens.size());
        assertThat(last).isEqualTo(range(MANY - last.size() + 1, MANY));
        assertThat(history.attemptsLeftOut()).isEqualTo(MANY - tokens.size());
        assertThat(history.attempts())
                .allSatisfy(attempt -> assertThat(attempt.output()).isEqualTo("output " + attempt.token()));
        assertThat(history.job().state()).isEqualTo(JobState.SCHEDULED);
        assertThat(store().claimOne().token()).isEqualTo(MANY + 1);
    }

    @Test
    void oneEventCountsTheRemovedAttempts() {
        long job = store().enqueue(NewRow.job());
        while (store().history(job).attemptsLeftOut() == 0) {
            snooze(job, 1);
        }
        assertSaysHowMany(store().history(job));
        snooze(job, MANY);
        assertSaysHowMany(store().history(job));
    }

    private static void assertSaysHowMany(JobHistory history) {
        int before = 1 + 3 * JobHistory.FIRST_ATTEMPTS;
        assertThat(history.events().subList(0, before))
                .extracting(JobHistory.Event::event)
                .startsWith(EventKind.ENQUEUED, EventKind.CLAIMED, EventKind.STARTED, EventKind.SNOOZED)
                .doesNotContain(EventKind.TRIMMED);
        long attempts = history.attemptsLeftOut();
        assertThat(history.events().get(before))
                .isEqualTo(new JobHistory.Event(
                        ManualTime.START.plus(NAP.multipliedBy(JobHistory.FIRST_ATTEMPTS)),
                        EventKind.TRIMMED,
                        "system",
                        new Json("{\"attempts\":%d,\"events\":%d}".formatted(attempts, 3 * attempts))));
        List<JobHistory.Event> after =
                history.events().subList(before + 1, history.events().size());
        assertThat(after)
                .hasSize(3 * (history.attempts().size() - JobHistory.FIRST_ATTEMPTS))
                .extracting(JobHistory.Event::event)
                .startsWith(EventKind.CLAIMED, EventKind.STARTED, EventKind.SNOOZED)
                .doesNotContain(EventKind.TRIMMED);
        assertThat(history.events()).extracting(JobHistory.Event::at).isSortedAccordingTo(Instant::compareTo);
    }

    @Test
    void theHistoryOfAnotherJobIsUnchanged() {
        long other = store().enqueue(NewRow.job());
        snooze(other, 30);
        store().settle(store().claimOne(), Transition.COMPLETE);
        JobHistory before = store().history(other);
        long job = store().enqueue(NewRow.job());
        snooze(job, 100);
        assertThat(store().history(job).attemptsLeftOut()).isPositive();
        assertThat(store().history(other)).isEqualTo(before);
    }

    /** They are counted, because a job that is lost too often is a poison job. */
    @Test
    void lostAttemptsAreKept() {
        long job = store().enqueue(NewRow.job());
        snooze(job, 20);
        ClaimedJob lost = store().claimOne();
        time.advance(StoreDriver.LEASE.plusMillis(1));
        Suspect suspect = store().suspects().get(0);
        assertThat(suspect.lostBefore()).isZero();
        assertThat(store().reclaim(suspect, Transition.RETRY_LATER, AttemptOutcome.LOST))
                .isTrue();
        time.advance(NAP);
        snooze(job, 100);
        JobHistory history = store().history(job);
        assertThat(tokens(history).get(JobHistory.FIRST_ATTEMPTS)).isEqualTo(lost.token());
        assertThat(tokens(history).size() + history.attemptsLeftOut()).isEqualTo(121);
        assertThat(store().events(job)).containsOnlyOnce(EventKind.RECOVERED).containsOnlyOnce(EventKind.TRIMMED);
        ClaimedJob again = store().claimOne();
        assertThat(again.id()).isEqualTo(job);
        time.advance(StoreDriver.LEASE.plusMillis(1));
        assertThat(store().suspects())
                .singleElement()
                .satisfies(now -> assertThat(now.lostBefore()).isEqualTo(1));
    }

    @Test
    void theHistoryIsBoundedForEveryWayToEndAttempts() {
        long handedBack = store().enqueue(NewRow.job());
        for (int round = 0; round < MANY; round++) {
            store().settle(store().claimOne(), Transition.HAND_BACK);
        }
        assertBounded(handedBack);
        store().settle(store().claimOne(), Transition.COMPLETE);
        long failed = store().enqueue(NewRow.job());
        for (int round = 0; round < MANY; round++) {
            store().settle(store().claimOne(), Transition.FAIL);
            store().change(Change.Verb.RETRY, failed);
        }
        assertBounded(failed);
        store().settle(store().claimOne(), Transition.COMPLETE);
        long superseded = store().enqueue(NewRow.job());
        for (int round = 0; round < MANY; round++) {
            assertThat(store().claimOne().id()).isEqualTo(superseded);
            store().change(Change.Verb.FAIL, superseded);
            store().change(Change.Verb.RETRY, superseded);
        }
        assertBounded(superseded);
    }

    /** It has no attempts, but its other events are deleted all the same. */
    @Test
    void theHistoryOfARepeatedlyExternallyEndedJobIsBounded() {
        long job = store().enqueue(NewRow.job().external(Duration.ofHours(1)));
        for (int round = 0; round < MANY; round++) {
            store().change(Change.Verb.FAIL, job);
            store().change(Change.Verb.RETRY, job);
        }
        assertBounded(job);
        assertThat(store().history(job).attemptsLeftOut()).isZero();
    }

    private void assertBounded(long job) {
        assertThat(store().history(job).attempts()).hasSizeLessThan(AT_MOST);
        assertThat(store().events(job)).hasSizeLessThan(3 * AT_MOST);
        assertThat(Collections.frequency(store().events(job), EventKind.TRIMMED))
                .isEqualTo(1);
    }
}
