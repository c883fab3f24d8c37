package dev.windrow.cli.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.JobRef;
import dev.windrow.JobRequest;
import dev.windrow.cli.UsageException;
import dev.windrow.payload.Json;
import dev.windrow.workflow.Parent;
import dev.windrow.workflow.ParentPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JobLinesTest {
    @Test
    void everyKeyIsAccepted() {
        JobRequest<Json, Json> job = JobLines.parse("""
                {"tags":["a","b"],"payload":{"n":1.50},"type":"mail.send","queue":"q","priority":-5,"maxAttempts":7,\
                "timeout":"5m","name":"n","delay":"2h","dependsOn":["3",4],"onParentFailure":"run"}""", 1).job();
        assertThat(job.type().name()).isEqualTo("mail.send");
        assertThat(job.input()).isEqualTo(new Json("{\"n\":1.50}"));
        assertThat(job.queue()).isEqualTo("q");
        assertThat(job.priority()).isEqualTo(-5);
        assertThat(job.maxAttempts()).isEqualTo(7);
        assertThat(job.timeout()).isEqualTo(Duration.ofMinutes(5));
        assertThat(job.delay()).isEqualTo(Duration.ofHours(2));
        assertThat(job.name()).isEqualTo("n");
        assertThat(job.tags()).containsExactlyInAnyOrder("a", "b");
        assertThat(job.parents()).containsExactly(new Parent(3, ParentPolicy.RUN), new Parent(4, ParentPolicy.RUN));
    }

    @Test
    void aLineCanBeNamedAndDependOnNamedLines() {
        JobLine line = JobLines.parse(
                "{\"type\":\"t\",\"ref\":\"c\",\"after\":[\"a\",\"b\"],\"onParentFailure\":\"cancel\"}", 7);
        assertThat(line.ref()).isEqualTo("c");
        assertThat(line.after()).containsExactly("a", "b");
        assertThat(line.number()).isEqualTo(7);
        assertThat(line.job(List.of(JobRef.raw(5))).parents()).containsExactly(new Parent(5, ParentPolicy.CANCEL));
    }

    @Test
    void atIsAcceptedAndNullMeansNoValue() {
        JobRequest<Json, Json> job = JobLines.parse(
                        "{\"type\":\"t\",\"at\":\"2026-11-21T10:00:00+01:00\",\"delay\":null,\"payload\":null,\"ref\":null,\"after\":null}",
                        1)
                .job();
        assertThat(job.runAt()).isEqualTo(Instant.parse("2026-11-21T09:00:00Z"));
        assertThat(job.input()).isNull();
        assertThat(job.queue()).isEqualTo("default");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "1.0e5|1.0e5",
                "\"ä \\u0041\"|\"ä \\u0041\"",
                "[ 1, 2 ]|[ 1, 2 ]",
                "{\"a\" : {}}|{\"a\" : {}}",
                "true|true",
                "12345678901234567890123|12345678901234567890123"
            })
    void thePayloadIsStoredUnchanged(String payload, String stored) {
        Json expected = new Json(stored);
        assertThat(JobLines.parse("{\"payload\": " + payload + " ,\"type\":\"t\"}", 1)
                        .job()
                        .input())
                .isEqualTo(expected);
        assertThat(JobLines.parse("{\"type\":\"t\",\"payload\":" + payload + "}", 1)
                        .job()
                        .input())
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{}|type is missing",
                "[]|not a JSON object",
                "{\"type\":\"t\"} x|Unrecognized token",
                "{\"type\":\"t\"} 1|more text follows the object",
                "{\"type\":\"t\"|not JSON",
                "{\"type\":\"t\",\"colour\":1}|key 'colour' is unknown",
                "{\"type\":\"t\",\"dedupeKey\":\"\"}|1 to 200",
                "{\"type\":\"t\",\"dedupeKey\":1}|dedupeKey must be a string",
                "{\"type\":\"t\",\"dedupeScope\":\"any\"}|dedupeScope needs dedupeKey",
                "{\"type\":\"t\",\"dedupeKey\":\"k\",\"dedupeScope\":\"x\"}|until-started, unfinished, window, any",
                "{\"type\":\"t\",\"dedupeKey\":\"k\",\"dedupeScope\":\"window\"}|dedupeScope window needs dedupeWindow",
                "{\"type\":\"t\",\"dedupeKey\":\"k\",\"dedupeStrategy\":\"throttle\"}|throttle needs dedupeWindow",
                "{\"type\":\"t\",\"dedupeKey\":\"k\",\"dedupeWindow\":\"1s\"}|dedupeWindow is for scope window",
                "{\"type\":\"t\",\"concurrencyKey\":\"\"}|1 to 200",
                "{\"type\":\"t\",\"concurrencyKey\":\"k\",\"concurrencyLimit\":0}|1 to 1000000",
                "{\"type\":\"t\",\"concurrencyKey\":\"k\",\"concurrencyLimit\":\"2\"}|concurrencyLimit must be an integer",
                "{\"type\":\"t\",\"concurrencyLimit\":2}|concurrencyLimit needs concurrencyKey",
                "{\"type\":\"t\",\"concurrencyKey\":\"k\",\"sequenceKey\":\"s\"}|do not go together",
                "{\"type\":\"t\",\"type\":\"t\"}|appears twice",
                "{\"type\":1}|type must be a string",
                "{\"type\":\"1\"}|'1' is not allowed",
                "{\"type\":\"t\",\"priority\":\"1\"}|priority must be an integer",
                "{\"type\":\"t\",\"priority\":1.5}|priority must be an integer",
                "{\"type\":\"t\",\"priority\":32768}|-32768 to 32767",
                "{\"type\":\"t\",\"maxAttempts\":0}|1 to 1000",
                "{\"type\":\"t\",\"delay\":\"1s\",\"at\":\"2026-11-21T10:00:00Z\"}|delay and at",
                "{\"type\":\"t\",\"tags\":\"x\"}|array of strings",
                "{\"type\":\"t\",\"tags\":[1]}|array of strings",
                "{\"type\":\"t\",\"dependsOn\":[true]}|array of ids",
                "{\"type\":\"t\",\"dependsOn\":[1,\"1\"]}|twice",
                "{\"type\":\"t\",\"ref\":1}|ref must be a string",
                "{\"type\":\"t\",\"ref\":\"\\ud83d\"}|ref",
                "{\"type\":\"t\",\"after\":\"a\"}|after must be an array of strings",
                "{\"type\":\"t\",\"after\":[\"a\",\"a\"]}|after: 'a' appears twice",
                "{\"type\":\"t\",\"onParentFailure\":\"stop\"}|wait, cancel, run",
                "{\"type\":\"exec\"}|payload of an exec job",
                "{\"type\":\"exec\",\"payload\":{\"command\":\"ls\"}}|not an array"
            })
    void anErrorNamesTheProblem(String line, String message) {
        assertThatThrownBy(() -> JobLines.parse(line, 1))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining(message);
    }
}
