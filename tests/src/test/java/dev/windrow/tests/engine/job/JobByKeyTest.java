package dev.windrow.tests.engine.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.Dedupe;
import dev.windrow.Enqueued;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobHandle;
import dev.windrow.JobInfo;
import dev.windrow.JobNotFoundException;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.Jobs;
import dev.windrow.Retry;
import dev.windrow.TransitionRefusedException;
import dev.windrow.payload.Json;
import dev.windrow.payload.Metadata;
import dev.windrow.tests.engine.EngineTest;
import dev.windrow.tests.stores.OnEachStore;
import java.sql.Connection;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** The handle of a job by its type and its dedupe key: each verb finds the newest job of the key when it is called. */
@OnEachStore
class JobByKeyTest extends EngineTest {
    private static final JobType<Json, Json> PAY = JobType.raw("order.pay");

    private Enqueued<Json> enqueue(JobType<Json, Json> type, Dedupe dedupe) {
        return windrow.enqueue(type.job(new Json("5")).withDedupe(dedupe));
    }

    private Enqueued<Json> enqueue(String key) {
        return enqueue(PAY, Dedupe.key(key));
    }

    @Test
    void eachVerbFindsTheNewestJobOfTheKeyWhenItIsCalled() {
        JobHandle<Json> job = windrow.job(PAY, "order-1");
        assertThat(job.exists()).isFalse();
        JobRef<Json> first = enqueue("order-1");
        assertThat(job.exists()).isTrue();
        assertThat(job.ref()).isEqualTo(first);
        assertThat(job.ref().output()).isEqualTo(Json.class);
        assertThat(job.payload()).isPresent();
        job.cancel();
        assertThat(job.info().state()).isEqualTo(JobState.CANCELLED);
        job.retry();
        assertThat(job.info().state()).isEqualTo(JobState.PENDING);
        job.complete(new Json("7"));
        assertThat(windrow.await(job.ref(), Duration.ZERO)).isEqualTo(new Json("7"));
        assertThat(job.result()).isPresent();

        JobRef<Json> second = enqueue("order-1");
        assertThat(job.ref()).isEqualTo(second);
        assertThat(job.history().job().state()).isEqualTo(JobState.PENDING);
        job.signal("paid");
        job.mergeMetadata(Metadata.parse("{\"to\":1}"));
        assertThat(job.info().metadata()).isEqualTo(Metadata.parse("{\"to\":1}"));
        job.fail("PAYMENT:DECLINED", "no money");
        assertThat(job.info().errorCode()).isEqualTo("PAYMENT:DECLINED");
        assertThat(job.retry(Retry.attempts(9)).ids()).containsExactly(second.id());
        job.cancel();
        job.delete();
        assertThat(job.ref()).as("the one before").isEqualTo(first);
    }

    @Test
    void aScheduledJobIsTriggeredByItsKey() {
        windrow.enqueue(PAY.job(new Json("1")).withDedupeKey("order-1").withDelay(Duration.ofHours(1)));
        windrow.job(PAY, "order-1").trigger();
        assertThat(windrow.job(PAY, "order-1").info().scheduledAt()).isBeforeOrEqualTo(time.now());
    }

    @Test
    void jobsOfAFormerNameOfTheTypeAreFound() {
        JobRef<Json> former = enqueue(JobType.raw("pay"), Dedupe.key("order-1"));
        assertThat(windrow.job(PAY, "order-1").exists()).isFalse();
        assertThat(windrow.job(PAY.withAliases("pay"), "order-1").ref()).isEqualTo(former);
    }

    @Test
    void aMissingJobIsNamedByTypeAndKey() {
        enqueue(ECHO, Dedupe.key("order-1"));
        JobHandle<Json> job = windrow.job(PAY, "order-1");
        for (ThrowingCallable verb :
                new ThrowingCallable[] {job::ref, job::info, job::history, job::chain, job::cancel, job::complete}) {
            assertThatThrownBy(verb)
                    .isInstanceOfSatisfying(
                            JobNotFoundException.class, e -> assertThat(e.id()).isEmpty())
                    .hasMessage("a job of type 'order.pay' with dedupe key 'order-1' does not exist in this store");
        }
        assertThatThrownBy(() -> windrow.job(99_999).info())
                .isInstanceOfSatisfying(
                        JobNotFoundException.class, e -> assertThat(e.id()).hasValue(99_999));
        assertThatThrownBy(() -> windrow.job(PAY, ""))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessage("dedupe key '' has 0 characters: allowed are 1 to 200");
    }

    @Test
    void aChangeConcernsTheJobThatWasFoundAndNotTheOneThatReplacedItMeanwhile() {
        JobRef<Json> first = enqueue("order-1");
        faults.change = real -> change -> {
            faults.change = unchanged -> unchanged;
            windrow.job(first).complete(new Json("1"));
            enqueue("order-1");
            return real.apply(change);
        };
        assertThatThrownBy(windrow.job(PAY, "order-1")::cancel)
                .isInstanceOf(TransitionRefusedException.class)
                .hasMessageContaining("job " + first);
        assertThat(windrow.job(PAY, "order-1").ref()).isNotEqualTo(first);
        assertThat(windrow.job(PAY, "order-1").info().state()).isEqualTo(JobState.PENDING);
    }

    @Test
    void aChainIsFoundByTheTypeOfItsFirstJob() {
        JobRef<Json> first = enqueue("order-1");
        JobHandle<Json> job = windrow.job(PAY, "order-1");
        JobRef<Json> next = job.completeWith(new Json("1"), ECHO.job(new Json("2")));
        assertThat(job.ref()).isEqualTo(next);
        assertThat(job.chain().jobs()).extracting(JobInfo::id).containsExactly(first.id(), next.id());
        job.complete(new Json("3"));
        assertThat(windrow.awaitChain(job.chain().ref(), Duration.ZERO)).isEqualTo(new Json("3"));
        assertThat(windrow.job(ECHO, "order-1").exists()).isFalse();
    }

    @Test
    void aTransactionChangesItsOwnJobByTheKey() throws Exception {
        JobRef<Json> ended = enqueue("order-1");
        windrow.job(ended).complete(new Json("1"));
        try (Connection connection = target.begin()) {
            Jobs jobs = windrow.on(connection);
            jobs.enqueue(PAY.job(new Json("2")).withDedupeKey("order-1"));
            jobs.job(PAY, "order-1").cancel();
            assertThat(jobs.job(PAY, "order-1").ref())
                    .as("reads see committed data")
                    .isEqualTo(ended);
            connection.commit();
        }
        assertThat(windrow.job(PAY, "order-1").ref()).isNotEqualTo(ended);
        assertThat(windrow.job(PAY, "order-1").info().state()).isEqualTo(JobState.CANCELLED);
        Enqueued<Json> third = windrow.inTransaction(connection -> {
            Enqueued<Json> job =
                    windrow.on(connection).enqueue(PAY.job(new Json("3")).withDedupeKey("order-1"));
            windrow.on(connection).job(PAY, "order-1").complete(new Json("4"));
            return job;
        });
        assertThat(windrow.await(third, Duration.ZERO)).isEqualTo(new Json("4"));
    }
}
