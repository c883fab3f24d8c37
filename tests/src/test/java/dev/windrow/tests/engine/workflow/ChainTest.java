package dev.windrow.tests.engine.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.AwaitTimeoutException;
import dev.windrow.ChainRef;
import dev.windrow.Dedupe;
import dev.windrow.Enqueued;
import dev.windrow.ErrorCodes;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobChain;
import dev.windrow.JobFailure;
import dev.windrow.JobInfo;
import dev.windrow.JobNotFoundException;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.JobUnsuccessfulException;
import dev.windrow.Retry;
import dev.windrow.TransitionRefusedException;
import dev.windrow.WindrowException;
import dev.windrow.payload.Json;
import dev.windrow.store.job.Change;
import dev.windrow.tests.engine.EngineTest;
import dev.windrow.tests.stores.OnEachStore;
import dev.windrow.workflow.ChainFilter;
import dev.windrow.workflow.ChainInfo;
import dev.windrow.workflow.ChainPage;
import dev.windrow.workflow.ParentPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Handlers that continue with another job. */
@OnEachStore
class ChainTest extends EngineTest {
    private static final JobType<Integer, Void> COUNT_DOWN = JobType.of("test.countdown", Integer.class);
    private static final JobType<String, String> END = JobType.of("test.end", String.class, String.class);

    private static final JobChain<Integer, String> COUNT = JobChain.of(COUNT_DOWN, END);

    @Test
    void aLoopRunsUntilItsHandlerEndsItAndTheChainHasTheLastResult() {
        start(worker().handleVoid(
                        COUNT_DOWN,
                        (left, job) -> job.continueWith(left > 0 ? COUNT_DOWN.job(left - 1) : END.job("done")))
                .handle(END, (word, job) -> word.toUpperCase(java.util.Locale.ROOT)));
        JobRef<Void> first = windrow.enqueue(COUNT_DOWN, 4);
        assertThat(windrow.awaitChain(COUNT.ref(first.id()), PATIENCE)).isEqualTo("DONE");
        List<JobInfo> chain = windrow.job(first).chain().jobs();
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
        assertThat(windrow.awaitChain(COUNT.ref(first.id()), PATIENCE)).isEqualTo("attempt 2");
        assertThat(windrow.job(first).chain().jobs()).hasSize(2);
    }

    @Test
    void aChildOfTheChainReadsItsLastResult() {
        CopyOnWriteArrayList<String> results = new CopyOnWriteArrayList<>();
        JobRef<Void> first = windrow.enqueue(COUNT_DOWN, 2);
        JobRef<?> child = windrow.enqueue(ECHO.job(null).withChainParents(ChainRef.raw(first.id())));
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
        assertThat(windrow.job(first).chain().jobs()).hasSize(2);
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
        assertThat(windrow.job(first).chain().jobs()).hasSize(1);
    }

    @Test
    void awaitingAChainReturnsItsOutcome() {
        start(worker().handleVoid(
                        COUNT_DOWN, (left, job) -> job.continueWith(END.job("x").withMaxAttempts(1)))
                .handle(END, (word, job) -> {
                    throw new IllegalStateException("no");
                }));
        JobRef<Void> first = windrow.enqueue(COUNT_DOWN, 0);
        assertThatThrownBy(() -> windrow.awaitChain(COUNT.ref(first.id()), PATIENCE))
                .isInstanceOf(JobUnsuccessfulException.class)
                .hasMessageContaining("FAILED");
        JobRef<String> waits = windrow.enqueue(END.job("later").withDelay(Duration.ofDays(1)));
        assertThatThrownBy(() -> windrow.awaitChain(COUNT.ref(waits.id()), Duration.ZERO))
                .isInstanceOf(AwaitTimeoutException.class);
        assertThatThrownBy(() -> windrow.awaitChain(COUNT.ref(4711_000), Duration.ZERO))
                .isInstanceOf(JobNotFoundException.class)
                .hasMessageContaining("4711000");
        assertThatThrownBy(() -> windrow.chain(4711_000).info()).isInstanceOf(JobNotFoundException.class);
    }

    @Test
    void aDeclaredChainIsAwaitedForItsDeclaredResult() {
        start(worker().handleVoid(
                        COUNT_DOWN,
                        (left, job) -> job.continueWith(left > 0 ? COUNT_DOWN.job(left - 1) : END.job("done")))
                .handle(END, (word, job) -> word));
        ChainRef<String> chain = windrow.enqueue(COUNT, 2);
        String result = windrow.awaitChain(chain, PATIENCE);
        assertThat(result).isEqualTo("done");
        ChainInfo info = windrow.chain(chain).info();
        assertThat(info.id()).isEqualTo(chain.id());
        assertThat(info.lastType()).isEqualTo("test.end");
        assertThat(info.length()).isEqualTo(4);
        ChainRef<String> urgent =
                COUNT.ref(windrow.enqueue(COUNT.job(0).withPriority(10)).id());
        assertThat(windrow.awaitChain(urgent, PATIENCE)).isEqualTo("done");
        List<Enqueued<?>> batch = windrow.enqueueAll(COUNT.jobs(List.of(0, 1)));
        for (Enqueued<?> each : batch) {
            assertThat(windrow.awaitChain(COUNT.ref(each.id()), PATIENCE)).isEqualTo("done");
        }
        assertThat(windrow.chains(ChainFilter.ALL.withType(COUNT_DOWN)).page().chains())
                .hasSize(4);
    }

    @Test
    void aChainThatIsEnqueuedInATransactionIsListedWithItsCommit() {
        ChainRef<String> chain =
                windrow.inTransaction(connection -> windrow.on(connection).enqueue(COUNT, 1));
        assertThat(windrow.chains(ChainFilter.ALL).page().chains())
                .extracting(ChainInfo::id)
                .containsExactly(chain.id());
    }

    @Test
    void aChainThatEndsWithAnotherTypeThanDeclaredHasNoResult() {
        start(worker().handleVoid(COUNT_DOWN, (left, job) -> {}).handle(END, (word, job) -> word));
        ChainRef<String> chain = windrow.enqueue(COUNT, 0);
        assertThatThrownBy(() -> windrow.awaitChain(chain, PATIENCE))
                .isExactlyInstanceOf(WindrowException.class)
                .hasMessageContaining("'test.countdown'")
                .hasMessageContaining("'test.end'");
        JobType<String, String> renamed =
                JobType.of("test.finish", String.class, String.class).withAliases("test.end");
        JobRef<String> last = windrow.enqueue(END, "old name");
        assertThat(windrow.awaitChain(JobChain.of(renamed, renamed).ref(last.id()), PATIENCE))
                .isEqualTo("old name");
    }

    @Test
    void aTypeContinuesWithDeclaredTypesOnly() {
        CopyOnWriteArrayList<String> refusals = new CopyOnWriteArrayList<>();
        JobType<Integer, Void> strict = COUNT_DOWN.withNext("test.countdown").withNext(END);
        start(worker().handleVoid(strict, (left, job) -> {
                    try {
                        job.continueWith(ECHO.job(new Json("1")));
                    } catch (InvalidRequestException e) {
                        refusals.add(e.getMessage());
                    }
                    job.continueWith(left > 0 ? strict.job(left - 1) : END.job("done"));
                })
                .handle(END, (word, job) -> word));
        assertThat(windrow.awaitChain(windrow.enqueue(COUNT, 1), PATIENCE)).isEqualTo("done");
        String refusal =
                "job type 'test.countdown' cannot continue with 'test.echo': only with 'test.countdown', 'test.end'";
        assertThat(refusals).containsExactly(refusal, refusal);

        JobRef<Void> waits = windrow.enqueue(strict.job(0).withExternalCompletion(Duration.ofDays(1)));
        assertThatThrownBy(() -> windrow.job(waits).completeWith(ECHO.job(new Json("1"))))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessage(refusal);
        assertThat(state(waits)).isEqualTo(JobState.BLOCKED);
        assertThat(windrow.job(waits).chain().jobs()).hasSize(1);
        windrow.job(waits).completeWith(END.job("outside"));
        assertThat(windrow.awaitChain(COUNT.ref(waits.id()), PATIENCE)).isEqualTo("outside");
    }

    @Test
    void theLastJobOfAChainIsCancelledAndRetried() {
        ChainRef<String> chain = windrow.enqueue(COUNT, 0);
        assertThat(windrow.chain(chain).cancel().ids()).containsExactly(chain.id());
        assertThatThrownBy(() -> windrow.awaitChain(chain, PATIENCE))
                .isInstanceOf(JobUnsuccessfulException.class)
                .hasMessageContaining("CANCELLED");
        assertThatThrownBy(() -> windrow.chain(chain).cancel()).isInstanceOf(TransitionRefusedException.class);
        assertThat(windrow.chain(chain).retry().ids()).containsExactly(chain.id());
        start(worker().handleVoid(COUNT_DOWN, (left, job) -> job.continueWith(END.job("x"))));
        windrow.await(JobRef.raw(chain.id()), PATIENCE);
        long last = windrow.chain(chain).info().lastJob();
        assertThat(last).isNotEqualTo(chain.id());
        assertThat(windrow.as("ann").chain(chain).cancel().ids()).containsExactly(last);
        assertThat(windrow.chain(chain).info().state()).isEqualTo(JobState.CANCELLED);
        assertThatThrownBy(() -> windrow.chain(4711_000).cancel()).isInstanceOf(JobNotFoundException.class);
        closing(worker().handle(END, (word, job) -> word).start());
        assertThat(windrow.chain(last).retry(Retry.attempts(2)).ids()).containsExactly(last);
        assertThat(windrow.awaitChain(chain, PATIENCE)).isEqualTo("x");
    }

    @Test
    void aRunningLastJobThatCompletesNeverthelessCancelsTheNextOne() throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        start(worker().handleVoid(COUNT_DOWN, (left, job) -> {
            job.continueWith(END.job("x"));
            running.countDown();
            while (!job.isCancelRequested()) {
                Thread.onSpinWait();
            }
        }));
        ChainRef<String> chain = windrow.enqueue(COUNT, 0);
        assertThat(running.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(windrow.chain(chain).cancel().ids()).containsExactly(chain.id());
        until(() -> windrow.chain(chain).info().length() == 2);
        assertThat(windrow.chain(chain).info().state()).isEqualTo(JobState.CANCELLED);
    }

    @Test
    void pagesOfChainsAreBounded() {
        List<Enqueued<?>> all = windrow.enqueueAll(COUNT.jobs(List.of(1, 2, 3)));
        ChainPage first = windrow.chains(ChainFilter.ALL).limit(2).page();
        assertThat(first.chains())
                .extracting(ChainInfo::id)
                .containsExactly(all.get(2).id(), all.get(1).id());
        ChainPage second = windrow.chains(ChainFilter.ALL)
                .after(Objects.requireNonNull(first.next()))
                .page();
        assertThat(second.chains())
                .extracting(ChainInfo::id)
                .containsExactly(all.get(0).id());
        assertThat(second.next()).isNull();
        assertThatThrownBy(() -> windrow.chains(ChainFilter.ALL).limit(0))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("limit 0 is not allowed: 1 to 1000");
    }

    @Test
    void aCancelFollowsAChainThatContinuesMeanwhile() {
        ChainRef<String> chain = windrow.enqueue(COUNT, 0);
        AtomicInteger cancels = new AtomicInteger();
        faults.change = real -> change -> {
            if (change.verb() == Change.Verb.CANCEL && cancels.incrementAndGet() == 1) {
                windrow.job(chain.id()).completeWith(END.job("x"));
            }
            return real.apply(change);
        };
        long last = windrow.chain(chain).cancel().ids().get(0);
        assertThat(last).isNotEqualTo(chain.id());
        assertThat(cancels).hasValue(2);
        assertThat(windrow.chain(chain).info().state()).isEqualTo(JobState.CANCELLED);
    }

    @Test
    void aJobFoundByTheKeyOfItsChainContinuesByItsOwnType() {
        JobType<Integer, Void> strict = COUNT_DOWN.withNext(END);
        windrow.enqueue(strict.job(0).withExternalCompletion(Duration.ofDays(1)).withDedupe(Dedupe.key("k")));
        assertThatThrownBy(() -> windrow.job(strict, "k").completeWith(ECHO.job(new Json("1"))))
                .isInstanceOf(InvalidRequestException.class);
        windrow.job(strict, "k").completeWith(END.job("x").withExternalCompletion(Duration.ofDays(1)));
        JobRef<Json> last = windrow.job(strict, "k").completeWith(ECHO.job(new Json("1")));
        assertThat(windrow.chain(last.id()).info().length()).isEqualTo(3);
    }
}
