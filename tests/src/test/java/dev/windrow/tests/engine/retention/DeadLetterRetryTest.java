package dev.windrow.tests.engine.retention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.InvalidRequestException;
import dev.windrow.JobFailure;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.Windrow;
import dev.windrow.monitor.AuditEntry;
import dev.windrow.monitor.AuditFilter;
import dev.windrow.payload.Json;
import dev.windrow.retention.DeadLetterRetry;
import dev.windrow.tests.engine.EngineTest;
import dev.windrow.tests.stores.OnEachStore;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Dead letters are retried by a rule. */
@OnEachStore
class DeadLetterRetryTest extends EngineTest {
    private static final JobType<Json, Json> WORK = JobType.raw("test.work");
    private static final DeadLetterRetry RULE = DeadLetterRetry.of("DEPENDENCY:DOWN")
            .withAfter(Duration.ofMinutes(10))
            .withUntil(Duration.ofMinutes(45));

    private Windrow withReviver() {
        return closing(
                Windrow.configure(newStore()).time(time).deadLetterRetry(RULE).open());
    }

    private JobRef<Json> fail(Windrow by, String code) {
        JobRef<Json> job = by.enqueue(WORK, new Json("\"" + code + "\""));
        untilState(job, JobState.FAILED);
        return job;
    }

    @Test
    void aFailedJobIsRetriedAutomaticallyUntilItIsTooOld() {
        AtomicInteger runs = new AtomicInteger();
        start(worker().handle(WORK, (input, job) -> {
            runs.incrementAndGet();
            throw JobFailure.permanent(input.text().replace("\"", ""), "not now");
        }));
        JobRef<Json> down = fail(windrow, "DEPENDENCY:DOWN");
        JobRef<Json> other = fail(windrow, "INVALID_INPUT:SEVEN");
        // Two processes with the rule retry no more than one.
        withReviver();
        Windrow second = withReviver();
        runClock(Duration.ofMinutes(1), 9);
        assertThat(runs).hasValue(2);
        runClock(Duration.ofSeconds(30), 80);
        untilState(down, JobState.FAILED);
        // The task polls four times in each period, so a retry comes up to a quarter of it later, plus one clock
        // step.
        int revived = runs.get() - 2;
        assertThat(revived).isBetween(3, 4);
        // The job was enqueued more than 45 minutes ago, so it is not retried any more.
        runClock(Duration.ofMinutes(1), 40);
        assertThat(runs).hasValue(2 + revived);
        assertThat(state(other)).isEqualTo(JobState.FAILED);
        assertThat(history(down).job().attempt()).isEqualTo(1);
        assertThat(windrow.monitor().audit(AuditFilter.ALL).limit(10).page().entries())
                .extracting(AuditEntry::actor, AuditEntry::changed)
                .containsOnly(org.assertj.core.api.Assertions.tuple("auto-retry", 1L))
                .hasSize(revived);
        assertThat(second.monitor().health().tasks())
                .anySatisfy(task -> assertThat(task.name()).isEqualTo("windrow-auto-retry"));
    }

    @Test
    void anInvalidRuleIsRefused() {
        assertThatThrownBy(() -> DeadLetterRetry.of())
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("needs an error code");
        assertThatThrownBy(() -> new DeadLetterRetry(Set.of(""), Duration.ofMinutes(1), Duration.ofDays(1)))
                .hasMessageContaining("1 to 200");
        assertThatThrownBy(() -> RULE.withAfter(Duration.ofMillis(5))).hasMessageContaining("at least 1s");
        assertThatThrownBy(() -> RULE.withUntil(Duration.ofMinutes(1))).hasMessageContaining("at least 10m");
    }
}
