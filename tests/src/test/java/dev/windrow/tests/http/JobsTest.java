package dev.windrow.tests.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.monitor.AuditEntry;
import dev.windrow.monitor.AuditFilter;
import dev.windrow.payload.Json;
import dev.windrow.wire.JobJson;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Jobs over HTTP: enqueue, list, show, change. */
class JobsTest extends HttpTest {
    @Test
    void aJobIsShownWithTheOptionsOfItsRequest() {
        for (String options : List.of(
                "\"timeout\":\"90s\",\"retryPolicy\":\"fixed(7000)\"",
                "\"concurrencyKey\":\"tenant\",\"concurrencyLimit\":3",
                "\"sequenceKey\":\"order-7\"",
                "\"external\":\"5h\"")) {
            JsonNode made = post("producer", "jobs", "{\"type\":\"a\"," + options + "}")
                    .is(201)
                    .json();
            Reply shown = get("viewer", "jobs/" + made.get("id").asString()).is(200);
            assertThat(shown.text()).contains(options.split(","));
        }
    }

    @Test
    void aJobIsEnqueuedShownAndListed() {
        Reply made = post("producer", "jobs", """
                {"type":"mail.send","payload":{"n":9223372036854775807,"x":1.10},"queue":"mail","priority":7,"tags":["vip"],
                 "maxAttempts":4,"timeout":"30s","name":"hello","metadata":{"customer":42},"reason":"ticket 1"}""");
        made.is(201);
        String id = made.json().get("id").asString();
        assertThat(made.header("Location")).isEqualTo("jobs/" + id);
        assertThat(made.text())
                .isEqualTo("{\"id\":\"%s\",\"state\":\"PENDING\",\"deduplicated\":false}\n".formatted(id));

        Reply shown = get("viewer", "jobs/" + id).is(200);
        assertThat(shown.text()).contains("\"n\":9223372036854775807,\"x\":1.10");
        assertThat(shown.text())
                .isEqualTo(JobJson.history(windrow.job(Long.parseLong(id)).history()) + "\n");
        assertThat(shown.json().at("/events/0/actor").asString()).isEqualTo("user-producer");

        JsonNode page = get("viewer", "jobs?queue=mail&tag=vip&state=PENDING,RUNNING")
                .is(200)
                .json();
        assertThat(page.get("jobs")).hasSize(1);
        assertThat(page.at("/jobs/0/id").asString()).isEqualTo(id);
        assertThat(page.at("/jobs/0").has("payload")).isFalse();
        assertThat(get("operator", "jobs?payload=$.n%3D9223372036854775807&queue=mail")
                        .json()
                        .get("jobs"))
                .hasSize(1);
        assertThat(get("viewer", "jobs?queue=other").json().get("jobs")).isEmpty();
    }

    @Test
    void manyJobsAreEnqueuedInOneTransaction() {
        Reply made = post("producer", "jobs", """
                {"jobs":[{"type":"a","payload":1},{"type":"b","queue":"q"},{"type":"c","delay":"1h"}]}""").is(201);
        assertThat(made.json()
                        .get("jobs")
                        .valueStream()
                        .map(job -> job.get("state").asString()))
                .containsExactly("PENDING", "PENDING", "SCHEDULED");
        post("producer", "jobs", "{\"jobs\":[{\"type\":\"a\"},{\"type\":\"b\",\"maxAttempts\":0}]}")
                .isProblem(400, "invalid-request", "jobs[1].maxAttempts: '0' is not allowed");
        post("producer", "jobs", "{\"jobs\":[{\"type\":\"a\"},{\"type\":\"b\",\"dependsOn\":[\"4711\"]}]}")
                .isProblem(404, "not-found", "parent 4711");
        post("producer", "jobs", "{\"queue\":\"mail\",\"jobs\":[{\"type\":\"a\"}]}")
                .isProblem(400, "invalid-request", "queue does not go with jobs");
        assertThat(windrow.monitor().statistics().states().values()).contains(2L, 1L);
    }

    @Test
    void aPageHasCursorsInBothDirections() {
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            ids.add(0, enqueue("a").toString());
        }
        JsonNode first = get("viewer", "jobs?limit=2").json();
        JsonNode second = get(
                        "viewer", "jobs?limit=2&after=" + first.get("next").asString())
                .json();
        JsonNode back = get(
                        "viewer",
                        "jobs?limit=2&before=" + second.get("previous").asString())
                .json();
        assertThat(ids(second)).isEqualTo(ids.subList(2, 4));
        assertThat(ids(back)).isEqualTo(ids(first)).isEqualTo(ids.subList(0, 2));
        assertThat(ids(get("viewer", "jobs?limit=2&order=oldest").json())).containsExactly(ids.get(4), ids.get(3));
    }

    private static List<String> ids(JsonNode page) {
        return page.get("jobs")
                .valueStream()
                .map(job -> job.get("id").asString())
                .toList();
    }

    @Test
    void aJobIsCancelledRetriedCompletedFailedAndDeleted() {
        var job = enqueue("a");
        assertThat(post("operator", "jobs/" + job + "/cancel", "{\"reason\":\"wrong order\"}")
                        .is(200)
                        .text())
                .isEqualTo("{\"id\":\"%s\",\"state\":\"CANCELLED\",\"version\":\"%d\"}\n"
                        .formatted(job, windrow.job(job).info().version()));
        AuditEntry entry =
                windrow.monitor().audit(AuditFilter.ALL).page().entries().get(0);
        assertThat(entry.actor()).isEqualTo("user-operator");
        assertThat(entry.reason()).isEqualTo("wrong order");
        Reply again =
                post("operator", "jobs/" + job + "/cancel", "{}").isProblem(409, "transition-refused", job.toString());
        assertThat(again.json().get("state").asString()).isEqualTo("CANCELLED");
        assertThat(send(as("operator", "jobs/" + job + "/retry").POST(BodyPublishers.noBody()))
                        .is(200)
                        .json()
                        .get("state")
                        .asString())
                .isEqualTo("PENDING");
        post("operator", "jobs/" + job + "/complete", "{\"result\":{\"ok\":true}}")
                .is(200);
        assertThat(get("operator", "jobs/" + job + "/result").is(200).text()).isEqualTo("{\"ok\":true}");
        get("viewer", "jobs/" + job + "/result").isProblem(403, "forbidden", "reveal");
        var other = enqueue("a");
        post("operator", "jobs/" + other + "/fail", "{\"errorCode\":\"DEPENDENCY:DOWN\",\"errorDetail\":\"no mail\"}")
                .is(200);
        assertThat(windrow.job(other).info().errorCode()).isEqualTo("DEPENDENCY:DOWN");
        delete("operator", "jobs/" + job).isProblem(403, "forbidden", "destroy");
        assertThat(delete("admin", "jobs/" + job + "?reason=old")
                        .is(200)
                        .json()
                        .get("deleted")
                        .asBoolean())
                .isTrue();
        get("viewer", "jobs/" + job).isProblem(404, "not-found", "job " + job);
    }

    @Test
    void aRetryThatMeetsTheHolderOfItsDedupeKeyNamesIt() {
        String first = post("producer", "jobs", "{\"type\":\"a\",\"dedupeKey\":\"k\"}")
                .is(201)
                .json()
                .get("id")
                .asString();
        post("operator", "jobs/" + first + "/cancel", "{}").is(200);
        String second = post("producer", "jobs", "{\"type\":\"a\",\"dedupeKey\":\"k\"}")
                .is(201)
                .json()
                .get("id")
                .asString();
        Reply refused = post("operator", "jobs/" + first + "/retry", "{}").isProblem(409, "dedupe-key-held");
        assertThat(refused.json().get("job").asString()).isEqualTo(second);
        // Another refusal of such a job is not about the key.
        post("operator", "jobs/" + first + "/cancel", "{}").isProblem(409, "transition-refused", "CANCELLED");
        assertThat(post("producer", "jobs", "{\"type\":\"a\",\"dedupeKey\":\"k\"}")
                        .is(200)
                        .json()
                        .get("deduplicated")
                        .asBoolean())
                .isTrue();
    }

    @Test
    void manyJobsAreChangedByIdsOrFilter() {
        var one = enqueue("a");
        var two = enqueue("a");
        enqueue("b");
        post("operator", "jobs/change", "{\"action\":\"cancel\",\"ids\":[\"%s\",\"4711\"]}".formatted(one))
                .isProblem(404, "not-found", "4711");
        assertThat(windrow.job(one).info().state()).isEqualTo(JobState.PENDING);
        String filter = "{\"action\":\"cancel\",\"filter\":{\"type\":\"a\"}%s}";
        assertThat(post("operator", "jobs/change", filter.formatted(",\"dryRun\":true"))
                        .is(200)
                        .text())
                .isEqualTo("{\"changed\":2,\"atLeast\":false,\"ids\":[\"%s\",\"%s\"],\"skipped\":0}\n"
                        .formatted(one, two));
        assertThat(post(
                                "operator",
                                "jobs/change",
                                "{\"action\":\"cancel\",\"ids\":[\"%s\"],\"dryRun\":true}".formatted(one))
                        .json()
                        .get("changed")
                        .asInt())
                .isEqualTo(1);
        assertThat(windrow.job(one).info().state()).isEqualTo(JobState.PENDING);
        assertThat(post("operator", "jobs/change", filter.formatted(",\"max\":1"))
                        .json()
                        .get("changed")
                        .asInt())
                .isEqualTo(1);
        assertThat(post("operator", "jobs/change", filter.formatted(""))
                        .json()
                        .get("changed")
                        .asInt())
                .isEqualTo(1);
        post("operator", "jobs/change", "{\"action\":\"delete\",\"ids\":[\"%s\"]}".formatted(two))
                .isProblem(403, "forbidden", "destroy");
        assertThat(post("admin", "jobs/change", "{\"action\":\"delete\",\"ids\":[\"%s\"]}".formatted(two))
                        .is(200)
                        .text())
                .isEqualTo("{\"changed\":1,\"ids\":[\"%s\"],\"skipped\":0}\n".formatted(two));
        post("operator", "jobs/change", "{\"action\":\"cancel\"}")
                .isProblem(400, "invalid-request", "filter is missing");
        post("operator", "jobs/change", "{\"action\":\"cancel\",\"filter\":{}}")
                .isProblem(400, "invalid-request", "filter is missing");
        post("operator", "jobs/change", "{\"action\":\"cancel\",\"ids\":[]}")
                .isProblem(400, "invalid-request", "ids: 0 ids");
    }

    @Test
    void aCategoryOfErrorCodesIsListedExportedAndChanged() {
        List<String> ids = new ArrayList<>();
        for (String code : List.of("PROCESS:EXIT_1", "PROCESSING:X", "PROCESS:EXIT_2", "PROCESS:EXIT_1")) {
            var job = enqueue("a");
            windrow.job(job).fail(code);
            ids.add(0, job.toString());
        }
        String other = ids.remove(2);
        for (String path : List.of("jobs?state=FAILED&errorCode=PROCESS:*", "jobs?errorCode=PROCESS%3A*")) {
            assertThat(ids(get("viewer", path).is(200).json())).as(path).isEqualTo(ids);
        }
        assertThat(ids(get("viewer", "jobs?state=FAILED&errorCode=PROCESS:*&limit=2")
                        .json()))
                .isEqualTo(ids.subList(0, 2));
        assertThat(get("operator", "export?state=FAILED&errorCode=PROCESS:*")
                        .is(200)
                        .text())
                .hasLineCount(3)
                .doesNotContain("PROCESSING:X");
        String change = "{\"action\":\"retry\",\"filter\":{\"state\":[\"FAILED\"],\"errorCode\":\"%s\"}}";
        post("operator", "jobs/change", change.formatted("PROCESS*"))
                .isProblem(400, "invalid-request", "error code 'PROCESS*'", "CATEGORY:*");
        assertThat(post("operator", "jobs/change", change.formatted("PROCESS:*"))
                        .is(200)
                        .json()
                        .get("changed")
                        .asInt())
                .isEqualTo(3);
        assertThat(windrow.job(Long.parseLong(other)).info().state()).isEqualTo(JobState.FAILED);
    }

    @Test
    void aDryRunCountsAllJobsAndNamesSome() {
        // One read finds all, so the time limit of a preview does not matter.
        windrow.enqueueAll(Collections.nCopies(30, JobType.raw("a").job(new Json("1"))));
        String change = "{\"action\":\"cancel\",\"filter\":{\"type\":\"a\"},\"dryRun\":true%s}";
        JsonNode all =
                post("operator", "jobs/change", change.formatted("")).is(200).json();
        assertThat(all.get("changed").asInt()).isEqualTo(30);
        assertThat(all.get("atLeast").asBoolean()).isFalse();
        assertThat(all.get("ids")).hasSize(20);
        assertThat(post("operator", "jobs/change", change.formatted(",\"max\":7"))
                        .is(200)
                        .json()
                        .get("changed")
                        .asInt())
                .isEqualTo(7);
        assertThat(windrow.monitor().audit(AuditFilter.ALL).page().entries()).isEmpty();
    }

    @Test
    void aDryRunOfVeryManyJobsSaysThatThereMayBeMore() {
        // A preview looks at 100 000 jobs at most, so this one ends before it has seen all.
        for (int i = 0; i < 101; i++) {
            windrow.enqueueAll(Collections.nCopies(1000, JobType.raw("a").job(new Json("1"))));
        }
        JsonNode some = post(
                        "operator",
                        "jobs/change",
                        "{\"action\":\"cancel\",\"filter\":{\"type\":\"a\"},\"dryRun\":true}")
                .is(200)
                .json();
        assertThat(some.get("atLeast").asBoolean()).isTrue();
        assertThat(some.get("changed").asInt()).isBetween(1, 100_999);
        assertThat(some.get("ids")).hasSize(20);
    }

    @Test
    void aWaitEndsWithTheJobOrWithoutIt() {
        var job = enqueue("a");
        assertThat(get("viewer", "jobs/" + job + "/wait?timeout=0s")
                        .is(200)
                        .json()
                        .get("finished")
                        .asBoolean())
                .isFalse();
        windrow.job(job).cancel();
        JsonNode ended = get("viewer", "jobs/" + job + "/wait").is(200).json();
        assertThat(ended.get("finished").asBoolean()).isTrue();
        assertThat(ended.get("state").asString()).isEqualTo("CANCELLED");
    }

    @Test
    void anExportHasAJobALine() {
        var one = enqueue("a");
        var two = enqueue("b");
        Reply all = get("operator", "export?order=oldest").is(200);
        assertThat(all.header("Content-Type")).isEqualTo("application/x-ndjson");
        assertThat(all.text())
                .isEqualTo(JobJson.line(windrow.job(one).history()) + "\n"
                        + JobJson.line(windrow.job(two).history()) + "\n");
        assertThat(get("operator", "export?type=b").text())
                .doesNotContain("\"type\":\"a\"")
                .hasLineCount(1);
        get("viewer", "export").isProblem(403, "forbidden", "reveal");
    }
}
