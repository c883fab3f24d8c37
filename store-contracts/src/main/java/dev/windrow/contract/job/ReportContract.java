package dev.windrow.contract.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.EventKind;
import dev.windrow.JobHistory;
import dev.windrow.JobInfo;
import dev.windrow.LogLevel;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreContract;
import dev.windrow.contract.StoreDriver;
import dev.windrow.payload.Json;
import dev.windrow.query.JobFilter;
import dev.windrow.store.Transition;
import dev.windrow.store.job.Change;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.Report;
import dev.windrow.store.job.Started;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The command report: the reports of a running attempt. */
public abstract class ReportContract extends StoreContract {
    /** Creates the contract for a subclass. */
    protected ReportContract() {}

    private Report progress(ClaimedJob job, @Nullable Double fraction, @Nullable String message, boolean heartbeat) {
        return new Report(
                job.leaseToken(),
                "w",
                new Report.Progress(time.millis(), fraction, message, heartbeat),
                List.of(),
                null);
    }

    /** Returns lines named after these numbers. */
    private Report lines(ClaimedJob job, int from, int to) {
        List<Report.Line> lines = IntStream.rangeClosed(from, to)
                .mapToObj(i -> new Report.Line(time.millis() + i, LogLevel.INFO, "line " + i))
                .toList();
        return new Report(job.leaseToken(), "w", null, lines, null);
    }

    private Report stuck(ClaimedJob job) {
        return new Report(
                job.leaseToken(),
                "w",
                null,
                List.of(),
                new Report.Stuck(time.millis(), "w/3", "java.net.Socket.read(x:1)"));
    }

    private boolean report(Report report) {
        return StoreDriver.answer(store().store().submit(report));
    }

    private List<String> log(ClaimedJob job) {
        return store().history(job.id()).log().stream()
                .map(JobHistory.LogLine::message)
                .toList();
    }

    @Test
    void theLastProgressIsStored() {
        ClaimedJob job = store().running(NewRow.job());
        assertThat(store().job(job.id()).progress()).isNull();
        assertThat(report(progress(job, 0.25, "a quarter", false))).isTrue();
        assertThat(store().job(job.id()).progress()).isEqualTo(new JobInfo.Progress(0.25, "a quarter", time.now()));
        time.advance(Duration.ofSeconds(1));
        report(progress(job, null, "who knows", false));
        JobInfo.Progress last = new JobInfo.Progress(null, "who knows", time.now());
        assertThat(store().job(job.id()).progress()).isEqualTo(last);
        assertThat(store().events(job.id())).containsExactly(EventKind.ENQUEUED, EventKind.CLAIMED);
        store().complete(job);
        assertThat(store().job(job.id()).progress())
                .as("of a job that has ended")
                .isEqualTo(last);
        assertThat(all(store().store(), JobFilter.ALL))
                .extracting(JobInfo::progress)
                .containsExactly(last);
    }

    @Test
    void theProgressOfAnEarlierAttemptIsNotShownForThisOne() {
        ClaimedJob job = store().running(NewRow.job());
        report(progress(job, 0.9, null, false));
        store().settle(job, Transition.RETRY_LATER);
        assertThat(store().job(job.id()).progress()).isNotNull();
        time.advance(Duration.ofMinutes(2));
        ClaimedJob again = store().claimOne();
        assertThat(store().job(job.id()).progress()).isNull();
        report(progress(again, 0.1, null, false));
        assertThat(store().job(job.id()).progress()).isEqualTo(new JobInfo.Progress(0.1, null, time.now()));
    }

    @Test
    void aHeartbeatLeavesAnEntryInTheLogOfEvents() {
        ClaimedJob job = store().running(NewRow.job());
        store().start(job);
        report(progress(job, 0.5, "say \"half\"\n", true));
        report(progress(job, 0.6, null, false));
        assertThat(store().events(job.id()))
                .containsExactly(EventKind.ENQUEUED, EventKind.CLAIMED, EventKind.STARTED, EventKind.HEARTBEAT);
        assertThat(store().history(job.id()).events()).last().satisfies(event -> {
            assertThat(event.actor()).isEqualTo("w");
            assertThat(event.at()).isEqualTo(time.now());
            assertThat(event.detail())
                    .isEqualTo(new Json("{\"fraction\":0.5,\"message\":\"say \\\"half\\\"\\u000a\"}"));
        });
    }

    @Test
    void linesAreStoredInOrderWithTimeAndLevel() {
        ClaimedJob job = store().running(NewRow.job());
        List<Report.Line> lines = new ArrayList<>();
        for (LogLevel level : LogLevel.values()) {
            lines.add(new Report.Line(time.millis(), level, "at " + level));
        }
        assertThat(report(new Report(job.leaseToken(), "w", null, lines, null))).isTrue();
        report(lines(job, 1, 2));
        JobHistory history = store().history(job.id());
        assertThat(history.log().get(2)).isEqualTo(new JobHistory.LogLine(time.now(), LogLevel.WARN, "at WARN"));
        assertThat(log(job)).containsExactly("at DEBUG", "at INFO", "at WARN", "at ERROR", "line 1", "line 2");
        assertThat(history.droppedLines()).isZero();
    }

    @Test
    void theLastLinesAreKeptAndTheOthersCounted() {
        ClaimedJob job = store().running(NewRow.job());
        for (int i = 0; i < 5; i++) {
            report(lines(job, i * 70 + 1, i * 70 + 70));
        }
        JobHistory history = store().history(job.id());
        assertThat(history.log()).hasSize(JobHistory.MAX_LOG_LINES);
        assertThat(history.log().get(0).message()).isEqualTo("line 151");
        assertThat(history.log().get(199).message()).isEqualTo("line 350");
        assertThat(history.droppedLines()).isEqualTo(150);
        store().settle(job, Transition.HAND_BACK);
        ClaimedJob again = store().claimOne();
        report(lines(again, 1, 500));
        history = store().history(job.id());
        assertThat(history.log()).hasSize(JobHistory.MAX_LOG_LINES);
        assertThat(history.log().get(0).message())
                .as("of all attempts together")
                .isEqualTo("line 301");
        assertThat(history.droppedLines()).isEqualTo(650);
    }

    @Test
    void theLinesOfJobsAreSeparate() {
        ClaimedJob one = store().running(NewRow.job());
        ClaimedJob two = store().running(NewRow.job());
        report(lines(one, 1, 250));
        report(lines(two, 1, 3));
        assertThat(log(two)).containsExactly("line 1", "line 2", "line 3");
        assertThat(log(one)).hasSize(200).endsWith("line 250");
    }

    @Test
    void aStuckHandlerLeavesAnEntryInTheLogOfEvents() {
        ClaimedJob job = store().running(NewRow.job());
        assertThat(report(stuck(job))).isTrue();
        store().settle(job, Transition.RETRY_LATER);
        assertThat(store().events(job.id())).endsWith(EventKind.STUCK, EventKind.RETRY_SCHEDULED);
        JobHistory.Event event = store().history(job.id()).events().get(3);
        assertThat(event.actor()).isEqualTo("w");
        assertThat(event.detail()).isEqualTo(new Json("{\"slot\":\"w/3\",\"frame\":\"java.net.Socket.read(x:1)\"}"));
    }

    @Test
    void aReportOfAZombieChangesNothing() {
        ClaimedJob zombie = store().running(NewRow.job());
        report(progress(zombie, 0.5, "mine", false));
        store().settle(zombie, Transition.HAND_BACK);
        for (boolean heldBySomebody : new boolean[] {false, true}) {
            if (heldBySomebody) {
                store().claimOne();
            }
            JobHistory before = store().history(zombie.id());
            assertThat(report(progress(zombie, 1.0, "zombie", true))).isFalse();
            assertThat(report(lines(zombie, 1, 3))).isFalse();
            assertThat(report(stuck(zombie))).isFalse();
            assertThat(store().history(zombie.id())).isEqualTo(before);
        }
        ClaimedJob superseded = store().running(NewRow.job());
        store().change(Change.Verb.COMPLETE, superseded.id());
        JobHistory before = store().history(superseded.id());
        assertThat(report(lines(superseded, 1, 1))).isFalse();
        assertThat(store().history(superseded.id())).isEqualTo(before);
    }

    @Test
    void reportsBeforeASettlementAreWrittenBeforeIt() {
        for (int round = 0; round < 60; round++) {
            ClaimedJob job = store().running(NewRow.job());
            store().started(new Started(job.leaseToken(), "w", time.millis()));
            CompletableFuture<Boolean> told = store().store().submit(lines(job, 1, 2));
            CompletableFuture<Boolean> said = store().store().submit(progress(job, 1.0, null, true));
            assertThat(store().settle(job, Transition.COMPLETE)).isTrue();
            assertThat(StoreDriver.answer(told)).isTrue();
            assertThat(StoreDriver.answer(said)).isTrue();
            assertThat(log(job)).containsExactly("line 1", "line 2");
            assertThat(store().events(job.id()))
                    .containsExactly(
                            EventKind.ENQUEUED,
                            EventKind.CLAIMED,
                            EventKind.STARTED,
                            EventKind.HEARTBEAT,
                            EventKind.SUCCEEDED);
        }
    }

    @Test
    void reportsAfterTheSettlementAreDropped() {
        ClaimedJob job = store().running(NewRow.job());
        store().complete(job);
        assertThat(report(lines(job, 1, 1))).isFalse();
        assertThat(log(job)).isEmpty();
    }

    @Test
    void progressAndLinesAreDeletedWithTheirJob() {
        ClaimedJob job = store().running(NewRow.job());
        report(progress(job, 0.5, null, false));
        report(lines(job, 1, 3));
        store().settle(job, Transition.FAIL);
        store().change(Change.Verb.DELETE, job.id());
        assertThat(store().store().history(job.id())).isEmpty();
    }
}
