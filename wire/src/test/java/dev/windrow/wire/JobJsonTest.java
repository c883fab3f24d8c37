package dev.windrow.wire;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.AttemptOutcome;
import dev.windrow.EventKind;
import dev.windrow.JobHistory;
import dev.windrow.JobInfo;
import dev.windrow.JobState;
import dev.windrow.LogLevel;
import dev.windrow.RetryPolicy;
import dev.windrow.contract.Parts;
import dev.windrow.limit.ConcurrencyKey;
import dev.windrow.payload.Json;
import dev.windrow.payload.Metadata;
import dev.windrow.workflow.ParentPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JobJsonTest {
    private static JobHistory history(String payload) {
        Instant noon = Instant.parse("2026-11-22T12:00:00Z");
        JobInfo job = Parts.of(
                JobInfo.class,
                Map.ofEntries(
                        entry("id", 7L),
                        entry("type", "t"),
                        entry("queue", "q"),
                        entry("name", "two\nlines"),
                        entry("state", JobState.PENDING),
                        entry("maxAttempts", 3),
                        entry("createdAt", noon),
                        entry("scheduledAt", noon),
                        entry("chainId", 7L)));
        return Parts.of(JobHistory.class, Map.of("job", job, "payload", new Json(payload)));
    }

    @Test
    void aHistoryIsOneLineForAnyFormOfItsPayload() {
        assertThat(JobJson.line(history("{\n  \"a\": \"b\\nc\",\r\n  \"d\": 1\n}")))
                .doesNotContain("\n", "\r")
                .contains("\"name\":\"two\\nlines\"", "\"a\": \"b\\nc\"")
                .satisfies(line -> assertThat(JsonScan.isOneValue(line)).isTrue());
    }

    @Test
    void textThatIsNotJsonIsAString() {
        assertThat(JobJson.line(history("no\njson"))).contains("\"payload\":\"no\\njson\"");
    }

    private static Instant at(int second) {
        return Instant.parse("2026-11-22T12:00:00Z").plusSeconds(second);
    }

    /** Values that are all different, so that none can take the place of another. */
    @Test
    void everyPartOfAHistoryIsInTheLineUnderItsName() {
        JobInfo job = Parts.of(
                JobInfo.class,
                Map.ofEntries(
                        entry("id", 101L),
                        entry("type", "the.type"),
                        entry("queue", "the queue"),
                        entry("name", "the name"),
                        entry("state", JobState.BLOCKED),
                        entry("version", 106L),
                        entry("priority", 5),
                        entry("attempt", 6),
                        entry("run", 9),
                        entry("maxAttempts", 7),
                        entry("errorCode", "THE:CODE"),
                        entry("errorDetail", "the detail"),
                        entry("createdAt", at(1)),
                        entry("scheduledAt", at(2)),
                        entry("startedAt", at(3)),
                        entry("finishedAt", at(4)),
                        entry("worker", "the worker"),
                        entry("chainId", 102L),
                        entry("chainIndex", 8),
                        entry("dependsOn", List.of(new JobInfo.Dependency(103, JobState.COMPLETED, ParentPolicy.WAIT))),
                        entry(
                                "dependents",
                                List.of(new JobInfo.Dependency(104, JobState.CANCELLED, ParentPolicy.CANCEL))),
                        entry("tags", List.of("one", "two")),
                        entry("metadata", Metadata.parse("{\"the\": \"metadata\"}")),
                        entry("dedupeKey", "the dedupe key"),
                        entry("concurrencyKey", "the concurrency key"),
                        entry("waitsForPermit", true),
                        entry("waitingFor", JobInfo.Waiting.EVENT),
                        entry("wakeAt", at(5)),
                        entry("traceparent", "the traceparent"),
                        entry("progress", new JobInfo.Progress(0.25, "a quarter", at(6))),
                        entry("workflow", 105L)));
        JobHistory.Attempt one = Parts.of(
                JobHistory.Attempt.class,
                Map.ofEntries(
                        entry("attempt", 11),
                        entry("run", 17),
                        entry("token", 12L),
                        entry("worker", "one worker"),
                        entry("outcome", AttemptOutcome.FAILED),
                        entry("errorCode", "ITS:CODE"),
                        entry("errorDetail", "its detail"),
                        entry("startedAt", at(7)),
                        entry("finishedAt", at(8)),
                        entry("output", "its output"),
                        entry("stackTrace", "its stack trace")));
        JobHistory.Attempt another = Parts.of(
                JobHistory.Attempt.class,
                Map.ofEntries(
                        entry("attempt", 13),
                        entry("run", 18),
                        entry("token", 14L),
                        entry("worker", "another worker"),
                        entry("startedAt", at(9))));
        JobHistory.Step paid = Parts.of(
                JobHistory.Step.class,
                Map.ofEntries(
                        entry("name", "paid"),
                        entry("kind", JobHistory.StepKind.EVENT),
                        entry("state", JobHistory.StepState.TIMED_OUT),
                        entry("result", new Json("17")),
                        entry("until", at(12)),
                        entry("startedAt", at(13)),
                        entry("finishedAt", at(14))));
        JobHistory.Step rest = Parts.of(
                JobHistory.Step.class,
                Map.ofEntries(
                        entry("name", "rest"),
                        entry("kind", JobHistory.StepKind.SLEEP),
                        entry("state", JobHistory.StepState.WAITING),
                        entry("until", at(15)),
                        entry("startedAt", at(16))));
        JobHistory history = Parts.of(
                JobHistory.class,
                Map.ofEntries(
                        entry("job", job),
                        entry("payload", new Json("{\"the\":\"payload\"}")),
                        entry("result", new Json("[\"the result\"]")),
                        entry("timeout", Duration.ofSeconds(90)),
                        entry("retryPolicy", RetryPolicy.fixed(Duration.ofSeconds(107))),
                        entry("concurrencyKey", ConcurrencyKey.atMost("the concurrency key", 108)),
                        entry("externalCompletion", Duration.ofHours(109)),
                        entry("attempts", List.of(one, another)),
                        entry(
                                "events",
                                List.of(new JobHistory.Event(
                                        at(10), EventKind.ENQUEUED, "an actor", new Json("{\"an\":\"event\"}")))),
                        entry("log", List.of(new JobHistory.LogLine(at(11), LogLevel.ERROR, "a line"))),
                        entry("droppedLines", 15L),
                        entry("attemptsLeftOut", 16L),
                        entry("steps", List.of(paid, rest))));
        assertThat(JobJson.line(history)).isEqualTo("""
                        {"id":"101","type":"the.type","queue":"the queue","name":"the name","state":"BLOCKED","version":"106","priority":5,"run":9,"attempt":6,"maxAttempts":7,
                        "payload":{"the":"payload"},"result":["the result"],
                        "timeout":"90s","retryPolicy":"fixed(107000)","concurrencyLimit":108,"sequenceKey":null,"external":"109h","errorCode":"THE:CODE","errorDetail":"the detail",
                        "createdAt":"2026-11-22T12:00:01.000Z","scheduledAt":"2026-11-22T12:00:02.000Z",
                        "startedAt":"2026-11-22T12:00:03.000Z","finishedAt":"2026-11-22T12:00:04.000Z",
                        "worker":"the worker","chainId":"102","chainIndex":8,
                        "dependsOn":[{"id":"103","state":"COMPLETED","onFailure":"wait"}],"dependents":["104"],
                        "awaitedBy":[{"id":"104","state":"CANCELLED","onFailure":"cancel"}],"workflow":"105","tags":["one","two"],"metadata":{"the": "metadata"},
                        "dedupeKey":"the dedupe key","concurrencyKey":"the concurrency key","waitsForPermit":true,
                        "waitingFor":"EVENT","wakeAt":"2026-11-22T12:00:05.000Z",
                        "progress":{"fraction":0.25,"message":"a quarter","at":"2026-11-22T12:00:06.000Z"},
                        "log":[{"at":"2026-11-22T12:00:11.000Z","level":"ERROR","message":"a line"}],"droppedLines":15,
                        "traceparent":"the traceparent","attemptsLeftOut":16,
                        "steps":[{"name":"paid","kind":"EVENT","state":"TIMED_OUT","result":17,
                        "at":"2026-11-22T12:00:14.000Z","untilAt":"2026-11-22T12:00:12.000Z"},
                        {"name":"rest","kind":"SLEEP","state":"WAITING","result":null,
                        "at":"2026-11-22T12:00:16.000Z","untilAt":"2026-11-22T12:00:15.000Z"}],
                        "attempts":[{"run":17,"attempt":11,"worker":"one worker","outcome":"FAILED","errorCode":"ITS:CODE","errorDetail":"its detail",
                        "startedAt":"2026-11-22T12:00:07.000Z","finishedAt":"2026-11-22T12:00:08.000Z",
                        "output":"its output","stackTrace":"its stack trace"},
                        {"run":18,"attempt":13,"worker":"another worker","outcome":null,"errorCode":null,"errorDetail":null,
                        "startedAt":"2026-11-22T12:00:09.000Z","finishedAt":null,"output":null,"stackTrace":null}],
                        "events":[{"at":"2026-11-22T12:00:10.000Z","event":"ENQUEUED","actor":"an actor","detail":{"an":"event"}}]}
                        """.replace("\n", ""));
    }

    @Test
    void aKeyInSequenceIsNamedAsSuch() {
        JobInfo job = Parts.of(JobInfo.class, Map.of("state", JobState.PENDING, "concurrencyKey", "order-7"));
        JobHistory history =
                Parts.of(JobHistory.class, Map.of("job", job, "concurrencyKey", ConcurrencyKey.inSequence("order-7")));
        assertThat(JobJson.line(history))
                .contains("\"concurrencyLimit\":null", "\"sequenceKey\":\"order-7\"", "\"concurrencyKey\":\"order-7\"");
    }

    @Test
    void theDocumentsOfAHistoryAreRedactedAndNothingElse() {
        Json secret = new Json("{\"token\": 1, \"n\": 2}");
        JobInfo job = Parts.of(
                JobInfo.class,
                Map.of(
                        "type", "t",
                        "name", "token",
                        "state", JobState.COMPLETED,
                        "errorDetail", "token 1",
                        "metadata", Metadata.parse(secret.text())));
        JobHistory.Step step = Parts.of(
                JobHistory.Step.class,
                Map.of(
                        "name",
                        "token",
                        "kind",
                        JobHistory.StepKind.STEP,
                        "state",
                        JobHistory.StepState.DONE,
                        "result",
                        secret));
        JobHistory.Event event = new JobHistory.Event(at(1), EventKind.STARTED, "a", new Json("{\"token\":1}"));
        JobHistory history = Parts.of(
                JobHistory.class,
                Map.of(
                        "job",
                        job,
                        "payload",
                        secret,
                        "result",
                        secret,
                        "steps",
                        List.of(step),
                        "events",
                        List.of(event)));
        String redacted = "{\"token\": \"[redacted]\", \"n\": 2}";
        assertThat(JobJson.history(history, Redactor.standard()).toString())
                .isEqualTo(JobJson.history(history).toString().replace(secret.text(), redacted))
                .contains(
                        "\"payload\":" + redacted,
                        "\"result\":" + redacted,
                        "\"metadata\":" + redacted,
                        "\"detail\":{\"token\":1}");
        assertThat(JobJson.listed(job, Redactor.standard()).toString()).contains("\"metadata\":" + redacted);
    }

    @Test
    void hostileTextIsValidJsonWithoutControlCharacters() {
        String hostile = "\u001b[31m\u0000\u009b\u202e\u2066\u007f\ud800\udc00\ud800";
        JobInfo job = Parts.of(
                JobInfo.class,
                Map.of("type", hostile, "name", hostile, "state", JobState.PENDING, "tags", List.of(hostile)));
        String payload = "{\"n\":%d,\r\"s\":\"\u202e\\ud800%s\"}".formatted(Long.MAX_VALUE, "x".repeat(10 << 20));
        String line = JobJson.line(Parts.of(JobHistory.class, Map.of("job", job, "payload", new Json(payload))));
        assertThat(JsonScan.isOneValue(line)).isTrue();
        assertThat(line.codePoints().allMatch(c -> c >= 0x20 && SafeText.printable(c) == c))
                .isTrue();
        assertThat(line).contains("\"n\":9223372036854775807, \"s\":\"\\u202e\\ud800xxx");
        assertThat(line).contains("\"name\":\"\\u001B[31m\\u0000\\u009b\\u202e\\u2066\\u007f\ud800\udc00\\ud800\"");
    }
}
