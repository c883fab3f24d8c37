package dev.windrow.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.AttemptOutcome;
import dev.windrow.EventKind;
import dev.windrow.JobSnapshot;
import dev.windrow.JobState;
import dev.windrow.JobStory;
import dev.windrow.Json;
import dev.windrow.LogLevel;
import dev.windrow.ParentPolicy;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class StoryJsonTest {
    private static JobStory story(String payload) {
        Instant noon = Instant.parse("2026-11-22T12:00:00Z");
        JobSnapshot job = new JobSnapshot(
                7,
                "t",
                "q",
                "two\nlines",
                JobState.PENDING,
                0,
                0,
                3,
                null,
                null,
                noon,
                noon,
                null,
                null,
                null,
                7,
                0,
                List.of(),
                List.of(),
                List.of(),
                null,
                null,
                false,
                null,
                null,
                null,
                null,
                null);
        return new JobStory(job, new Json(payload), null, List.of(), List.of(), List.of(), 0, 0, List.of());
    }

    @Test
    void aStoryIsOneLineHoweverItsPayloadIsWritten() {
        assertThat(StoryJson.line(story("{\n  \"a\": \"b\\nc\",\r\n  \"d\": 1\n}")))
                .doesNotContain("\n", "\r")
                .contains("\"name\":\"two\\nlines\"", "\"a\": \"b\\nc\"")
                .satisfies(line -> assertThat(JsonText.isOneValue(line)).isTrue());
    }

    @Test
    void whatIsNoJsonIsText() {
        assertThat(StoryJson.line(story("no\njson"))).contains("\"payload\":\"no\\njson\"");
    }

    private static Instant at(int second) {
        return Instant.parse("2026-11-22T12:00:00Z").plusSeconds(second);
    }

    /** Each is different from all others, so that none stands for another one. */
    @Test
    void everyPartOfAStoryIsInItsLineUnderItsName() {
        JobSnapshot job = new JobSnapshot(
                101,
                "the.type",
                "the queue",
                "the name",
                JobState.BLOCKED,
                5,
                6,
                7,
                "THE:CODE",
                "the detail",
                at(1),
                at(2),
                at(3),
                at(4),
                "the worker",
                102,
                8,
                List.of(new JobSnapshot.Dependency(103, JobState.COMPLETED, ParentPolicy.WAIT)),
                List.of(new JobSnapshot.Dependency(104, JobState.CANCELLED, ParentPolicy.CANCEL)),
                List.of("one", "two"),
                "the dedupe key",
                "the concurrency key",
                true,
                JobSnapshot.Waiting.EVENT,
                at(5),
                "the traceparent",
                new JobSnapshot.Progress(0.25, "a quarter", at(6)),
                105L);
        JobStory story = new JobStory(
                job,
                new Json("{\"the\":\"payload\"}"),
                new Json("[\"the result\"]"),
                List.of(
                        new JobStory.Attempt(
                                11,
                                12,
                                "one worker",
                                AttemptOutcome.FAILED,
                                "ITS:CODE",
                                "its detail",
                                at(7),
                                at(8),
                                "its output",
                                "its stack trace"),
                        new JobStory.Attempt(13, 14, "another worker", null, null, null, at(9), null, null, null)),
                List.of(new JobStory.Event(at(10), EventKind.ENQUEUED, "an actor", new Json("{\"an\":\"event\"}"))),
                List.of(new JobStory.LogLine(at(11), LogLevel.ERROR, "a line")),
                15,
                16,
                List.of(
                        new JobStory.Step(
                                "paid",
                                JobStory.StepKind.EVENT,
                                JobStory.StepState.TIMED_OUT,
                                new Json("17"),
                                at(12),
                                at(13),
                                at(14),
                                null),
                        new JobStory.Step(
                                "rest",
                                JobStory.StepKind.SLEEP,
                                JobStory.StepState.WAITING,
                                null,
                                at(15),
                                at(16),
                                null,
                                null)));
        assertThat(StoryJson.line(story)).isEqualTo("""
                        {"id":"101","type":"the.type","queue":"the queue","name":"the name","state":"BLOCKED","priority":5,"attempt":6,"maxAttempts":7,
                        "payload":{"the":"payload"},"result":["the result"],"errorCode":"THE:CODE","errorDetail":"the detail",
                        "createdAt":"2026-11-22T12:00:01.000Z","scheduledAt":"2026-11-22T12:00:02.000Z",
                        "startedAt":"2026-11-22T12:00:03.000Z","finishedAt":"2026-11-22T12:00:04.000Z",
                        "worker":"the worker","chainId":"102","chainIndex":8,
                        "dependsOn":[{"id":"103","state":"COMPLETED","onFailure":"wait"}],"dependents":["104"],
                        "awaitedBy":[{"id":"104","state":"CANCELLED","onFailure":"cancel"}],"workflow":"105","tags":["one","two"],
                        "dedupeKey":"the dedupe key","concurrencyKey":"the concurrency key","held":true,
                        "waitingFor":"EVENT","wakeAt":"2026-11-22T12:00:05.000Z",
                        "progress":{"fraction":0.25,"message":"a quarter","at":"2026-11-22T12:00:06.000Z"},
                        "log":[{"at":"2026-11-22T12:00:11.000Z","level":"ERROR","message":"a line"}],"droppedLines":15,
                        "traceparent":"the traceparent","attemptsLeftOut":16,
                        "steps":[{"name":"paid","kind":"EVENT","state":"TIMED_OUT","result":17,
                        "at":"2026-11-22T12:00:14.000Z","untilAt":"2026-11-22T12:00:12.000Z"},
                        {"name":"rest","kind":"SLEEP","state":"WAITING","result":null,
                        "at":"2026-11-22T12:00:16.000Z","untilAt":"2026-11-22T12:00:15.000Z"}],
                        "attempts":[{"attempt":11,"worker":"one worker","outcome":"FAILED","errorCode":"ITS:CODE","errorDetail":"its detail",
                        "startedAt":"2026-11-22T12:00:07.000Z","finishedAt":"2026-11-22T12:00:08.000Z",
                        "output":"its output","stackTrace":"its stack trace"},
                        {"attempt":13,"worker":"another worker","outcome":null,"errorCode":null,"errorDetail":null,
                        "startedAt":"2026-11-22T12:00:09.000Z","finishedAt":null,"output":null,"stackTrace":null}],
                        "events":[{"at":"2026-11-22T12:00:10.000Z","event":"ENQUEUED","actor":"an actor","detail":{"an":"event"}}]}
                        """.replace("\n", ""));
    }
}
