package dev.windrow.tests.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.payload.Json;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A change of one job is made only if the job is as its sender saw it. */
class IfMatchTest extends HttpTest {
    private static final Map<String, String> BODIES =
            Map.of("fail", "{\"errorCode\":\"A:B\"}", "signal", "{\"event\":\"x\"}");

    private Reply change(JobRef<Json> job, String verb, String version) {
        var request = as("admin", "jobs/" + job + (verb.equals("delete") ? "" : "/" + verb))
                .header("If-Match", version);
        return send(
                verb.equals("delete")
                        ? request.DELETE()
                        : request.header("Content-Type", "application/json")
                                .POST(BodyPublishers.ofString(BODIES.getOrDefault(verb, "{}"))));
    }

    private String version(JobRef<Json> job) {
        return Long.toString(windrow.job(job).info().version());
    }

    @Test
    void eachChangeOfAJobIsRefusedIfTheJobHasChanged() {
        for (String verb : List.of("retry", "trigger", "cancel", "complete", "fail", "signal", "delete")) {
            var job = enqueue("a");
            String tag = get("viewer", "jobs/" + job).is(200).header("ETag");
            windrow.job(job).signal("other");
            String now = version(job);
            Reply refused = change(job, verb, tag)
                    .isProblem(412, "changed-meanwhile", "job " + job + " has changed meanwhile", "PENDING");
            assertThat(refused.json().get("version").asString()).as(verb).isEqualTo(now);
            assertThat(refused.json().get("state").asString()).as(verb).isEqualTo("PENDING");
            assertThat(version(job)).as(verb).isEqualTo(now);
        }
    }

    @Test
    void theVersionIsThatOfTheTagOrOfAList() {
        var job = enqueue("a");
        String tag = get("viewer", "jobs/" + job).header("ETag");
        assertThat(tag).startsWith("\"" + version(job) + "-");
        String cancelled =
                change(job, "cancel", tag).is(200).json().get("version").asString();
        assertThat(change(job, "cancel", tag)
                        .isProblem(412, "changed-meanwhile")
                        .json()
                        .get("version")
                        .asString())
                .isEqualTo(cancelled);
        change(job, "retry", "\"" + cancelled + "\"").is(200);
        String listed = get("viewer", "jobs").json().at("/jobs/0/version").asString();
        change(job, "signal", "\"" + listed + "\"").is(200);
        assertThat(windrow.job(job).info().state()).isEqualTo(JobState.PENDING);
        // As a proxy that compresses answers may have changed it.
        change(job, "cancel", "W/\"" + version(job) + "-x-gzip\"").is(200);
        change(job, "delete", "*").is(200);
        change(job, "delete", "*").isProblem(404, "not-found");
    }

    @Test
    void theStateIsNotLookedAtIfTheVersionIsAnotherOne() {
        var job = enqueue("a");
        String tag = get("viewer", "jobs/" + job).header("ETag");
        windrow.job(job).cancel();
        change(job, "complete", tag).isProblem(412, "changed-meanwhile", "CANCELLED");
        change(job, "complete", "\"" + version(job) + "\"").isProblem(409, "transition-refused");
    }

    @Test
    void aWrongVersionAndAVersionForAnotherChangeAreRefused() {
        var job = enqueue("a");
        for (String wrong : List.of("", "84", "\"x\"", "\"-1\"", "\"84", "\"1\", \"2\"", "\"9999999999999999999\"")) {
            change(job, "cancel", wrong)
                    .isProblem(400, "invalid-request", "If-Match: '" + wrong + "' is not allowed; allowed: the ETag");
        }
        send(as("admin", "jobs/" + job + "/cancel")
                        .header("If-Match", "\"1\"")
                        .header("If-Match", "\"2\"")
                        .POST(BodyPublishers.noBody()))
                .isProblem(400, "invalid-request", "If-Match", "2 times");
        send(as("admin", "jobs")
                        .header("If-Match", "\"1\"")
                        .header("Content-Type", "application/json")
                        .POST(BodyPublishers.ofString("{\"type\":\"a\"}")))
                .isProblem(400, "invalid-request", "a change of one job");
        assertThat(windrow.job(job).info().state()).isEqualTo(JobState.PENDING);
        assertThat(windrow.monitor().statistics().states()).containsEntry(JobState.PENDING, 1L);
    }

    /** Changes jobs together, each at its version in a list. */
    private Reply changeAll(String role, String more, String... jobs) {
        return post(role, "jobs/change", "{\"jobs\":[%s]%s}".formatted(String.join(",", jobs), more));
    }

    private String seen(JobRef<Json> job) {
        return "{\"id\":\"%s\",\"version\":\"%s\"}".formatted(job, version(job));
    }

    @Test
    void ofSeveralJobsNoneIsChangedIfSomeHaveChangedAndTheseAreNamed() {
        List<JobRef<Json>> jobs = List.of(enqueue("a"), enqueue("a"), enqueue("a"));
        String[] seen = jobs.stream().map(this::seen).toArray(String[]::new);
        windrow.job(jobs.get(0)).cancel();
        windrow.job(jobs.get(2)).signal("other");
        for (String dryRun : List.of(",\"dryRun\":true", "")) {
            Reply refused = changeAll("operator", ",\"action\":\"cancel\"" + dryRun, seen)
                    .isProblem(412, "changed-meanwhile", "2 jobs have changed meanwhile", "it is CANCELLED");
            assertThat(refused.json().get("jobs").toString())
                    .isEqualTo(
                            "[{\"id\":\"%s\",\"version\":\"%s\",\"state\":\"CANCELLED\"},{\"id\":\"%s\",\"version\":\"%s\",\"state\":\"PENDING\"}]"
                                    .formatted(jobs.get(0), version(jobs.get(0)), jobs.get(2), version(jobs.get(2))));
        }
        assertThat(windrow.job(jobs.get(1)).info().state()).isEqualTo(JobState.PENDING);
        assertThat(changeAll("operator", ",\"action\":\"cancel\"", seen(jobs.get(1)), seen(jobs.get(2)))
                        .is(200)
                        .json()
                        .get("changed")
                        .asInt())
                .isEqualTo(2);
        windrow.job(jobs.get(1)).retry();
        windrow.job(jobs.get(1)).cancel();
        changeAll("admin", ",\"action\":\"delete\"", seen[1]).isProblem(412, "changed-meanwhile", jobs.get(1) + " has");
    }

    @Test
    void jobsWithVersionsThatAreNotAllowedAreRefused() {
        var job = enqueue("a");
        String cancel = ",\"action\":\"cancel\"";
        Map.of(
                        "{\"id\":\"%s\"}".formatted(job),
                        "jobs[0].version is missing; allowed: the version of the job",
                        "{\"version\":\"1\"}",
                        "jobs[0].id is missing",
                        "{\"id\":\"%s\",\"version\":\"-1\"}".formatted(job),
                        "jobs[0].version: '-1' is not allowed",
                        "{\"id\":\"%s\",\"version\":1}".formatted(job),
                        "jobs[0].version: the number 1 is not allowed",
                        seen(job) + "," + seen(job),
                        "jobs: job %s is named twice; allowed: once".formatted(job),
                        "",
                        "jobs: 0 jobs are not allowed; allowed: 1 to 1000")
                .forEach((jobs, problem) ->
                        changeAll("operator", cancel, jobs).isProblem(400, "invalid-request", problem));
        for (String other : List.of("\"ids\":[\"%s\"]".formatted(job), "\"filter\":{\"type\":\"a\"}", "\"max\":1")) {
            changeAll("operator", cancel + "," + other, seen(job)).isProblem(400, "invalid-request", "do not go with");
        }
        changeAll("operator", cancel, seen(job), "{\"id\":\"4711\",\"version\":\"1\"}")
                .isProblem(404, "not-found", "4711");
        changeAll("operator", ",\"action\":\"delete\"", seen(job)).isProblem(403, "forbidden", "destroy");
        changeAll("admin:mail", cancel, "{\"id\":\"%s\",\"version\":\"0\"}".formatted(enqueue("a", "secret")))
                .isProblem(404, "not-found");
        assertThat(windrow.job(job).info().state()).isEqualTo(JobState.PENDING);
    }

    @Test
    void aJobOfAnotherQueueHasNoVersion() {
        var job = enqueue("a", "secret");
        send(as("admin:mail", "jobs/" + job + "/cancel")
                        .header("If-Match", "\"0\"")
                        .POST(BodyPublishers.noBody()))
                .isProblem(404, "not-found");
    }

    @Test
    void answersWithOneVersionAndOtherContentHaveTagsOfTheirOwn() {
        var job = windrow.enqueue(JobType.raw("a").job(new Json("{\"token\":\"x\"}")));
        String redacted = get("admin", "jobs/" + job).header("ETag");
        String revealed = get("admin", "jobs/" + job + "?reveal=true").header("ETag");
        assertThat(revealed).isNotEqualTo(redacted).startsWith(redacted.substring(0, redacted.indexOf('-') + 1));
        send(as("admin", "jobs/" + job + "?reveal=true")
                        .header("If-None-Match", redacted)
                        .GET())
                .is(200);
        change(job, "cancel", revealed).is(200);
    }
}
