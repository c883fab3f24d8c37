package dev.windrow.tests.engine.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.AwaitTimeoutException;
import dev.windrow.Dedupe;
import dev.windrow.ErrorCodes;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobFailure;
import dev.windrow.JobInfo;
import dev.windrow.JobNotFoundException;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.JobUnsuccessfulException;
import dev.windrow.tests.engine.EngineTest;
import dev.windrow.tests.stores.OnEachStore;
import dev.windrow.workflow.ParentPolicy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Handlers that continue with another job. */
@OnEachStore
class ChainTest extends EngineTest {
    private static final JobType<Integer, Void> COUNT_DOWN = JobType.of("test.countdown", Integer.class);
    private static final JobType<String, String> END = JobType.of("test.end", String.class, String.class);

    @Test
    void aLoopRunsUntilItsHandlerEndsItAndTheChainHasTheLastResult() {
        start(worker().handleVoid(
                        COUNT_DOWN,
                        (left, job) -> job.continueWith(left > 0 ? COUNT_DOWN.job(left - 1) : END.job("done")))
                .handle(END, (word, job) -> word.toUpperCase(java.util.Locale.ROOT)));
        JobRef<Void> first = windrow.enqueue(COUNT_DOWN, 4);
        assertThat(windrow.awaitChain(first, END, PATIENCE)).isEqualTo("DONE");
        List<JobInfo> chain = windrow.job(first).chain();
        assertThat(chain).extracting(JobInfo::chainIndex).containsExactly(0, 1, 2, 3, 4, 5);
        assertThat(chain).extracting(JobInfo::state).containsOnly(JobState.COMPLETED);
        assertThat(chain).extracting(JobInfo::chainId).containsOnly(first.id());
        // The result of the first job alone is different.
        assertThat(windrow.await(first, PATIENCE)).isNull();
    }

    @Test
    void aFailedAttemptDropsItsContinuation() {
        AtomicInteger attempts = new AtomicInteger();
        start(worker().handleVoid(COUNT_DOWN, (left, job) -> {
                    job.continueWith(END.job("attempt " + job.attempt()));
                    if (attempts.incrementAndGet() == 1) {
                        throw JobFailure.retryAfter("TEST:ONCE", "once", Duration.ZERO);
                    }
                })
                .handle(END, (word, job) -> word));
        JobRef<Void> first = windrow.enqueue(COUNT_DOWN, 0);
        assertThat(windrow.awaitChain(first, END, PATIENCE)).isEqualTo("attempt 2");
        assertThat(windrow.job(first).chain()).hasSize(2);
    }

    @Test
    void aChildOfTheChainReadsItsLastResult() {
        CopyOnWriteArrayList<String> results = new CopyOnWriteArrayList<>();
        JobRef<Void> first = windrow.enqueue(COUNT_DOWN, 2);
        JobRef<?> child = windrow.enqueue(ECHO.job(null).withChainParents(ParentPolicy.WAIT, List.of(first)));
        start(worker().handleVoid(
                        COUNT_DOWN,
                        (left, job) -> job.continueWith(left > 0 ? COUNT_DOWN.job(left - 1) : END.job("end")))
                .handle(END, (word, job) -> word)
                .handle(ECHO, (input, job) -> {
                    job.parents().forEach(parent -> results.add(parent.state() + " " + parent.result()));
                    return input;
                }));
        windrow.await(child, PATIENCE);
        assertThat(results).containsExactly("COMPLETED \"end\"");
    }

    @Test
    void anInvalidContinuationIsRefusedInTheHandler() {
        CopyOnWriteArrayList<String> refusals = new CopyOnWriteArrayList<>();
        start(worker().handleVoid(COUNT_DOWN, (left, job) -> {
            try {
                job.continueWith(END.job("x").withDedupe(Dedupe.key("k")));
            } catch (InvalidRequestException e) {
                refusals.add(e.getMessage());
            }
            job.continueWith(END.job("once"));
            try {
                job.continueWith(END.job("twice"));
            } catch (InvalidRequestException e) {
                refusals.add(e.getMessage());
            }
        }));
        JobRef<Void> first = windrow.enqueue(COUNT_DOWN, 0);
        windrow.await(first, PATIENCE);
        assertThat(refusals).hasSize(2);
        assertThat(refusals.get(0)).contains("dedupe key 'k'");
        assertThat(refusals.get(1)).contains("job " + first.id());
        assertThat(windrow.job(first).chain()).hasSize(2);
    }

    @Test
    void aChainWhoseNextJobCannotBeWrittenFailsAtThatJob() {
        start(worker().handleVoid(
                        COUNT_DOWN,
                        (left, job) -> job.continueWith(
                                END.job("x").withParents(ParentPolicy.WAIT, List.of(JobRef.raw(4711_000))))));
        JobRef<Void> first = windrow.enqueue(COUNT_DOWN, 0);
        runClockUntil(Duration.ofMillis(100), () -> state(first) == JobState.FAILED);
        assertThat(history(first).job().errorCode()).isEqualTo(ErrorCodes.INVALID_RESULT);
        assertThat(windrow.job(first).chain()).hasSize(1);
    }

    @Test
    void awaitingAChainReturnsItsOutcome() {
        start(worker().handleVoid(
                        COUNT_DOWN, (left, job) -> job.continueWith(END.job("x").withMaxAttempts(1)))
                .handle(END, (word, job) -> {
                    throw new IllegalStateException("no");
                }));
        JobRef<Void> first = windrow.enqueue(COUNT_DOWN, 0);
        assertThatThrownBy(() -> windrow.awaitChain(first, END, PATIENCE))
                .isInstanceOf(JobUnsuccessfulException.class)
                .hasMessageContaining("FAILED");
        JobRef<String> waits = windrow.enqueue(END.job("later").withDelay(Duration.ofDays(1)));
        assertThatThrownBy(() -> windrow.awaitChain(waits, END, Duration.ZERO))
                .isInstanceOf(AwaitTimeoutException.class);
        assertThatThrownBy(() -> windrow.awaitChain(JobRef.raw(4711_000), END, Duration.ZERO))
                .isInstanceOf(JobNotFoundException.class)
                .hasMessageContaining("4711000");
        assertThatThrownBy(() -> windrow.job(JobRef.raw(4711_000)).chain()).isInstanceOf(JobNotFoundException.class);
    }
}
