package dev.windrow.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobSnapshot;
import dev.windrow.JobState;
import dev.windrow.JobStory;
import dev.windrow.Json;
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
}
