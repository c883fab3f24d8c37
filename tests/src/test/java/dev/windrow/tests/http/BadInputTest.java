package dev.windrow.tests.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.monitor.AuditFilter;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Wrong input: each is a problem that names the input and what is allowed, and nothing is written. */
class BadInputTest extends HttpTest {
    @AfterEach
    void nothingIsWritten() {
        assertThat(windrow.monitor().statistics().states().values()).containsOnly(0L);
        assertThat(windrow.monitor().audit(AuditFilter.ALL).page().entries()).isEmpty();
    }

    @Test
    void parametersAreNamed() {
        wrong("jobs?nosuch=1", "parameter 'nosuch' is unknown; known: state");
        wrong("jobs?errorCode=PRO*", "error code 'PRO*'", "CATEGORY:*");
        wrong("export?errorCode=PROCESS:EX*", "error code 'PROCESS:EX*'", "CATEGORY:*");
        wrong("jobs?limit=0", "limit: '0' is not allowed; allowed: 1 to 200");
        wrong("jobs?limit=-1", "limit: '-1'");
        wrong("jobs?limit=201", "limit: '201'");
        wrong("jobs?limit=9223372036854775808", "limit: '9223372036854775808'");
        wrong("jobs?limit=", "limit: ''");
        wrong("jobs?limit", "limit: ''");
        wrong("jobs?limit=1&limit=2", "limit: the parameter is given 2 times");
        wrong("jobs?state=DONE", "state: 'DONE'", "PENDING");
        wrong("jobs?state=PENDING,", "state: ''");
        wrong("jobs?after=x", "after: 'x'");
        wrong("jobs?after=-1", "after: '-1'");
        wrong("jobs?after=1&before=2", "after and before");
        wrong("jobs?workflow=0", "workflow: '0'");
        wrong("jobs?createdAfter=yesterday", "createdAfter: 'yesterday'", "ISO-8601");
        wrong("jobs?createdAfter=2026-01-02T00:00:00Z&createdBefore=2026-01-01T00:00:00Z", "the end must be later");
        wrong("jobs?priority=32768", "priority: '32768'");
        wrong("jobs?payload=%24.x%3D1", "state, type, queue");
        wrong("jobs?payload=x&queue=a", "x");
        wrong("jobs?look=5", "look needs payload or metadata");
        wrong("jobs?type=%ff", "not UTF-8");
        wrong("jobs?order=up", "order: 'up'", "newest, oldest");
        wrong("jobs/1/wait?timeout=61s", "timeout: '61s'", "0s to 60s");
        wrong("jobs/1/wait?timeout=1", "timeout: '1'");
        wrong("jobs/1/wait?timeout=213503982334602d", "timeout: '213503982334602d'");
        wrong("schedules/preview?every=213503982335d", "every: '213503982335d'", "1s to 3650d");
        wrong("jobs/0", "id: '0'");
        wrong("jobs/x", "id: 'x'");
        wrong("jobs/9223372036854775808", "id: '9223372036854775808'");
        wrong("jobs/1/attempts/0/stack", "n: '0'");
        wrong("workflows?limit=201", "limit: '201'");
        wrong("workflows?failed=yes", "failed: 'yes'", "true or false");
        wrong("audit?after=x", "after: 'x'");
        wrong("throughput?type=a%20b", "job type 'a b'");
        wrong("throughput?queue=a%20b", "queue 'a b'");
        wrong("suggest", "field is missing");
        wrong("suggest?field=payload", "field: 'payload'", "type, queue, tag, error-code, worker, schedule");
        wrong("suggest?field=type&limit=101", "limit: '101'", "1 to 100");
    }

    private void wrong(String path, String... parts) {
        get("admin", path).isProblem(400, "invalid-request", parts);
    }

    @Test
    void fieldsAreNamed() {
        refused("{\"nosuch\":1}", "field 'nosuch' is unknown; known: type");
        refused("{}", "type is missing");
        refused("{\"type\":null}", "type is missing");
        refused("{\"type\":1}", "type: the number 1", "a string");
        refused("{\"type\":\"a b\"}", "job type 'a b'");
        refused("{\"type\":\"<script>\"}", "job type '<script>'");
        refused("{\"type\":\"../x\"}", "job type");
        refused("{\"type\":\"a\\u202eb\"}", "job type");
        refused("{\"type\":\"%s\"}".formatted("a".repeat(4096)), "type: 'aaaa", "1 to 100 characters");
        refused("{\"type\":\"a\",\"name\":\"\\ud800\"}", "name: an unpaired surrogate");
        refused("{\"type\":\"a\",\"name\":\"\\u0000\"}", "name");
        refused("{\"type\":\"a\",\"priority\":32768}", "priority: '32768'");
        refused("{\"type\":\"a\",\"priority\":1.5}", "priority: the number 1.5");
        refused("{\"type\":\"a\",\"priority\":\"1\"}", "priority: the string '1'");
        refused("{\"type\":\"a\",\"priority\":9223372036854775808}", "priority: '9223372036854775808'");
        refused("{\"type\":\"a\",\"maxAttempts\":0}", "maxAttempts: '0'", "1 to 1000");
        refused("{\"type\":\"a\",\"timeout\":\"0ms\"}", "timeout: '0ms'");
        // Its milliseconds are 2^64 and some hours.
        refused("{\"type\":\"a\",\"timeout\":\"213503982335d\"}", "timeout: '213503982335d'");
        refused("{\"type\":\"a\",\"delay\":\"1h\",\"at\":\"2026-11-21T18:00:00Z\"}", "delay");
        refused("{\"type\":\"a\",\"at\":\"2026-11-21\"}", "at: '2026-11-21'");
        refused("{\"type\":\"a\",\"tags\":\"x\"}", "tags: the string 'x'", "an array");
        refused("{\"type\":\"a\",\"tags\":[1]}", "tags[0]: the number 1");
        refused("{\"type\":\"a\",\"metadata\":[1]}", "metadata");
        refused("{\"type\":\"a\",\"dependsOn\":[\"0\"]}", "dependsOn[0]: '0'");
        refused("{\"type\":\"a\",\"dependsOn\":[7]}", "dependsOn[0]: the number 7", "a string");
        refused("{\"type\":\"a\",\"dedupeScope\":\"any\"}", "dedupeScope needs dedupeKey");
        refused(
                "{\"type\":\"a\",\"dedupeKey\":\"k\",\"dedupeScope\":\"window\"}",
                "dedupeScope window needs dedupeWindow");
        refused("{\"type\":\"a\",\"dedupeKey\":\"k\",\"dedupeWindow\":\"1s\"}", "dedupeWindow is for scope window");
        refused(
                "{\"type\":\"a\",\"concurrencyKey\":\"k\",\"sequenceKey\":\"s\"}",
                "concurrencyKey and sequenceKey do not");
        refused("{\"type\":\"a\",\"concurrencyLimit\":1}", "concurrencyLimit needs concurrencyKey");
        refused("{\"type\":\"a\",\"jobs\":[{\"type\":\"a\"}]}", "type does not go with jobs");
        refused("{\"jobs\":[]}", "jobs: 0 jobs");
        refused("{\"jobs\":[{\"type\":\"a\",\"x\":1}]}", "field 'jobs[0].x' is unknown");
        refused("{\"jobs\":[{\"type\":\"a\"},{\"type\":\"a\",\"metadata\":[1]}]}", "jobs[1].metadata: metadata");
        refused(
                "{\"jobs\":[{\"type\":\"a\",\"concurrencyLimit\":1}]}",
                "jobs[0].concurrencyLimit needs concurrencyKey");
        refused(
                "{\"jobs\":[%s]}".formatted("{\"type\":\"a\"},".repeat(1000) + "{\"type\":\"a\"}"),
                "jobs: 1001 values");
        refused("{\"type\":\"a\",\"reason\":\"%s\"}".formatted("x".repeat(501)), "reason");
    }

    private void refused(String body, String... parts) {
        post("admin", "jobs", body).isProblem(400, "invalid-request", parts);
    }

    @Test
    void aBodyMustBeOneObjectInUtf8() {
        refused("", "type is missing");
        refused("{", "not JSON");
        refused("[]", "not a JSON object");
        refused("\"x\"", "not a JSON object");
        refused("{\"type\":\"a\"} x", "not JSON");
        refused("{\"type\":\"a\"}{}", "more text");
        refused("{'type':'a'}", "not JSON");
        refused("{\"type\":\"a\",}", "not JSON");
        refused("{\"type\":\"a\",\"type\":\"b\"}", "not JSON", "type");
        refused("{\"type\":\"a\",\"payload\":{\"x\":1,\"x\":2}}", "not JSON", "x");
        refused("{\"type\":\"a\",\"payload\":NaN}", "not JSON");
        refused("{\"type\":\"a\",\"payload\":%s}".formatted("[".repeat(600) + "]".repeat(600)), "not JSON");
        byte[] latin = {'{', '"', 't', 'y', 'p', 'e', '"', ':', '"', (byte) 0xe4, '"', '}'};
        send(as("admin", "jobs").header("Content-Type", "application/json").POST(BodyPublishers.ofByteArray(latin)))
                .isProblem(400, "invalid-request", "not UTF-8");
    }

    @Test
    void unknownPathsAreNotFound() {
        for (String path :
                List.of("nosuch", "jobs/1/nosuch", "jobs/1/attempts/1", "jobs/4711", "Jobs", "jobs/1/payload/x")) {
            get("admin", path).isProblem(404, "not-found");
        }
        send(request("nosuch").GET()).isProblem(404, "not-found");
        send(request("api").GET()).isProblem(404, "not-found");
        send(request("api/v2/jobs").header("Authorization", "Bearer admin").GET())
                .isProblem(404, "not-found");
        get("admin", "%3Cscript%3E").isProblem(404, "not-found");
        get("admin", "%E2%80%AE").isProblem(404, "not-found");
        get("admin", "x".repeat(4096)).isProblem(404, "not-found");
    }
}
