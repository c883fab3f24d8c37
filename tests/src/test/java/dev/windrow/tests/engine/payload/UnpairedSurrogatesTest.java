package dev.windrow.tests.engine.payload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.ErrorCodes;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobCancel;
import dev.windrow.JobFailure;
import dev.windrow.JobHistory;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.LogLevel;
import dev.windrow.Windrow;
import dev.windrow.payload.Json;
import dev.windrow.payload.TypeRef;
import dev.windrow.query.JobFilter;
import dev.windrow.query.JobQuery;
import dev.windrow.query.PayloadMatch;
import dev.windrow.schedule.Schedule;
import dev.windrow.tests.engine.EngineTest;
import dev.windrow.tests.stores.OnEachStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/**
 * Text with an unpaired surrogate, which no database can store. Data is returned unchanged or refused, and displayed texts have U+FFFD in its place.
 */
@OnEachStore
class UnpairedSurrogatesTest extends EngineTest {
    private static final String HIGH = "a\ud83d";
    private static final String LOW = "\ude00b 😀";
    private static final JobType<String, String> TEXT = JobType.of("test.text", String.class, String.class);

    @Test
    void payloadsAndResultsKeepUnpairedSurrogates() {
        AtomicReference<String> input = new AtomicReference<>();
        start(worker().handle(TEXT, (text, job) -> {
            input.set(text);
            return text + "," + LOW;
        }));
        JobRef<String> job = windrow.enqueue(TEXT, HIGH);
        assertThat(windrow.await(job, PATIENCE)).isEqualTo(HIGH + "," + LOW);
        assertThat(input).hasValue(HIGH);
        assertThat(history(job).payload()).isEqualTo(new Json("\"a\\ud83d\""));
        JobQuery texts = windrow.jobs(JobFilter.ALL.withType(TEXT)).newestFirst();
        assertThat(texts.search(PayloadMatch.equalTo("$", HIGH)).jobs()).hasSize(1);
        assertThat(texts.search(PayloadMatch.equalTo("$", "a?")).jobs()).isEmpty();
    }

    @Test
    void longPayloadsAndResultsKeepUnpairedSurrogates() {
        String text = HIGH + "é".repeat(Windrow.DEFAULT_INLINE_BYTES) + LOW;
        start(worker().handle(TEXT, (input, job) -> input));
        assertThat(windrow.await(windrow.enqueue(TEXT, text), PATIENCE)).isEqualTo(text);
    }

    @Test
    void rawJsonStepsSignalsAndScheduledPayloadsKeepUnpairedSurrogates() {
        JobType<Json, Object> steps = JobType.of("test.steps", Json.class, Object.class);
        start(worker().handle(steps, (input, job) -> {
            String done = job.step("work", String.class, () -> HIGH);
            String event =
                    job.awaitEvent("paid", String.class, Duration.ofDays(1)).orElseThrow();
            return Map.of("a", List.of(done, event));
        }));
        JobRef<Object> job = windrow.enqueue(steps, new Json("{\"a\": \"\ud83d\"}"));
        windrow.job(job).signal("paid", LOW);
        assertThat(windrow.await(job, PATIENCE)).isEqualTo(Map.of("a", List.of(HIGH, LOW)));
        assertThat(history(job).payload()).isEqualTo(new Json("{\"a\": \"\\ud83d\"}"));

        windrow.schedules().save(Schedule.every("s", Duration.ofHours(1), TEXT.job(HIGH)));
        JobRef<Json> scheduled = windrow.schedules().run("s");
        assertThat(history(scheduled).payload()).isEqualTo(new Json("\"a\\ud83d\""));
        windrow.job(TEXT.ref(scheduled.id())).complete(LOW);
        assertThat(windrow.await(TEXT.ref(scheduled.id()), PATIENCE)).isEqualTo(LOW);
    }

    @Test
    void unreadablePayloadsAreRefusedAndNothingIsWritten() {
        JobType<Map<String, Integer>, Void> map =
                JobType.of("test.map", new TypeRef<Map<String, Integer>>() {}, new TypeRef<Void>() {});
        assertThatThrownBy(() -> windrow.enqueue(map, Map.of(HIGH, 1)))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("payload contains an unpaired surrogate (\\ud83d)")
                .hasMessageContaining("not the name of a property");
        assertThatThrownBy(() -> windrow.enqueue(ECHO, new Json("[1]\ud83d")))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("payload contains an unpaired surrogate (\\ud83d)")
                .hasMessageContaining("allowed: in a JSON string");
        assertThat(windrow.jobs(JobFilter.ALL).newestFirst().limit(10).page().jobs())
                .isEmpty();
        start(worker().handle(ECHO, (input, job) -> new Json("\ude00")));
        JobRef<Json> job = enqueue(ECHO);
        untilState(job, JobState.FAILED);
        assertThat(history(job).job().errorCode()).isEqualTo(ErrorCodes.INVALID_RESULT);
    }

    @Test
    void namesOfStepsAndEventsActorsWorkersAndReasonsAreRefused() {
        JobRef<Json> job = enqueue(ECHO);
        assertRefused("event", () -> windrow.job(job).signal(HIGH));
        assertRefused("reason", () -> windrow.queue("q").pause(HIGH));
        assertRefused("worker name", () -> windrow.worker().name(LOW));
        assertRefused("actor", () -> Windrow.configure(newStore()).actor(LOW));
        start(worker().handle(ECHO, (input, running) -> running.step(HIGH, Json.class, () -> input)));
        runClockUntil(Duration.ofMinutes(1), () -> state(job) == JobState.FAILED);
        assertThat(history(job).job().errorDetail()).contains("step holds an unpaired surrogate");
    }

    private static void assertRefused(String what, Runnable call) {
        assertThatThrownBy(call::run)
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining(what + " holds an unpaired surrogate, which cannot be stored");
    }

    @Test
    void unpairedSurrogatesInDisplayedTextsFailNoJob() {
        JobType<Json, Json> fails = JobType.raw("test.fails").withMaxAttempts(1);
        JobType<Json, Json> cancels = JobType.raw("test.cancels");
        start(worker().handle(fails, (input, job) -> {
                    job.progress(0.5, HIGH);
                    job.log(LogLevel.INFO, LOW);
                    job.output(HIGH);
                    throw new IllegalStateException(LOW, JobFailure.permanent("A:B", HIGH));
                })
                .handle(cancels, (input, job) -> {
                    throw JobCancel.because(HIGH);
                }));
        JobRef<Json> failed = enqueue(fails);
        JobRef<Json> cancelled = enqueue(cancels);
        untilState(failed, JobState.FAILED);
        untilState(cancelled, JobState.CANCELLED);
        JobHistory history = history(failed);
        assertThat(history.job().errorDetail()).endsWith(": \ufffdb 😀");
        assertThat(history.attempts().get(0).stackTrace()).contains("\ufffdb 😀", "a\ufffd");
        assertThat(history.attempts().get(0).output()).isEqualTo("a\ufffd");
        assertThat(history.log().get(0).message()).isEqualTo("\ufffdb 😀");
        JobRef<Json> outside = enqueue(ECHO);
        windrow.job(outside).fail("A:B", LOW);
        assertThat(history(outside).job().errorDetail()).isEqualTo("\ufffdb 😀");
    }
}
