package dev.windrow.tests.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.windrow.JobFailure;
import dev.windrow.JobInfo;
import dev.windrow.JobRequest;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.LogLevel;
import dev.windrow.RetryPolicy;
import dev.windrow.Worker;
import dev.windrow.limit.ConcurrencyKey;
import dev.windrow.monitor.WorkerInfo;
import dev.windrow.payload.Json;
import dev.windrow.payload.Metadata;
import dev.windrow.query.JobFilter;
import dev.windrow.schedule.Misfire;
import dev.windrow.schedule.Overlap;
import dev.windrow.schedule.Schedule;
import dev.windrow.schedule.ScheduleInfo;
import dev.windrow.wire.JobJson;
import dev.windrow.wire.MonitorJson;
import dev.windrow.wire.Redactor;
import dev.windrow.wire.RetentionJson;
import dev.windrow.wire.ScheduleJson;
import dev.windrow.workflow.ParentPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Schedules, limits, workflows, chains, statistics, retention and the rest over HTTP, in the forms of the command line. */
class ResourcesTest extends HttpTest {
    private static final JobType<Json, Json> FRAIL = JobType.raw("frail");

    @Test
    void confidentialValuesAreInFullOnRequestAndWithThePermissionOnly() {
        String id = post(
                        "admin",
                        "jobs",
                        "{\"type\":\"a\",\"payload\":{\"password\":\"geheim\",\"n\":1},\"metadata\":{\"token\":\"geheim\"}}")
                .is(201)
                .json()
                .get("id")
                .asString();
        for (String path : List.of("jobs/" + id, "jobs", "jobs?type=a")) {
            assertThat(get("admin", path).is(200).text()).contains("[redacted]").doesNotContain("geheim");
            String reveal = path + (path.contains("?") ? "&" : "?") + "reveal=true";
            assertThat(get("operator", reveal).is(200).text()).contains("geheim");
            get("viewer", reveal).isProblem(403, "forbidden", "reveal");
            get("viewer", path + (path.contains("?") ? "&" : "?") + "reveal=false")
                    .is(200);
        }
        assertThat(get("operator", "jobs/" + id + "?reveal=true").text())
                .isEqualTo(JobJson.history(windrow.job(Long.parseLong(id)).history()) + "\n");
        // A search would find out a hidden value, letter by letter.
        get("viewer", "jobs?type=a&payload=$.password~g").isProblem(403, "forbidden", "reveal");
        get("viewer", "jobs?type=a&metadata=token~g").isProblem(403, "forbidden", "reveal");
        get("viewer", "jobs/" + id + "/payload").isProblem(403, "forbidden", "reveal");
        assertThat(get("operator", "jobs/" + id + "/payload").is(200).text())
                .isEqualTo("{\"password\":\"geheim\",\"n\":1}");
    }

    @Test
    void schedulesAreSavedPausedRunAndRemoved() {
        put("viewer", "schedules/nightly", "{}").isProblem(403, "forbidden", "control");
        Reply saved = put("operator", "schedules/nightly", """
                {"type":"report","payload":{"password":"x"},"cron":"0 3 * * *","zone":"Europe/Berlin","misfire":"skip","queue":"mail"}""").is(200);
        assertThat(saved.text())
                .isEqualTo(ScheduleJson.schedule(
                                windrow.schedules().find("nightly").orElseThrow(), Redactor.standard()) + "\n")
                .contains("Europe/Berlin", "[redacted]");
        assertThat(post("operator", "schedules/nightly/pause", "{\"reason\":\"holiday\"}")
                        .is(200)
                        .text())
                .contains("holiday");
        post("operator", "schedules/nightly/resume", "{}").is(200);
        String job = post("operator", "schedules/nightly/run", "{}")
                .is(200)
                .json()
                .get("id")
                .asString();
        assertThat(get("viewer", "jobs/" + job).is(200).json().get("queue").asString())
                .isEqualTo("mail");
        assertThat(get("viewer", "schedules/nightly/runs").is(200).json().get("runs"))
                .isEmpty();
        JsonNode listed = get("viewer", "schedules").is(200).json().get("schedules");
        assertThat(listed).hasSize(1);
        assertThat(listed.get(0).has("runs")).isFalse();
        assertThat(get("viewer", "schedules?runs=10")
                        .is(200)
                        .json()
                        .get("schedules")
                        .get(0)
                        .get("runs"))
                .isEmpty();
        get("viewer", "schedules?runs=21").isProblem(400, "invalid-request", "runs");
        assertThat(delete("operator", "schedules/nightly").is(200).text())
                .isEqualTo("{\"name\":\"nightly\",\"removed\":true}\n");
        get("viewer", "schedules/nightly").isProblem(404, "not-found", "nightly");

        put("operator", "schedules/a", "{\"type\":\"a\"}")
                .isProblem(400, "invalid-request", "cron or every is missing");
        put("operator", "schedules/a", "{\"type\":\"a\",\"cron\":\"x\"}").isProblem(400, "invalid-request", "x");
        put("operator", "schedules/a", "{\"type\":\"a\",\"cron\":\"@daily\",\"every\":\"1h\"}")
                .isProblem(400, "invalid-request", "do not go together");
        put("operator", "schedules/a", "{\"type\":\"a\",\"cron\":\"@daily\",\"zone\":\"Mars\"}")
                .isProblem(400, "invalid-request", "zone: 'Mars'");
        put("operator", "schedules/a", "{\"type\":\"a\",\"every\":\"500ms\"}")
                .isProblem(400, "invalid-request", "every: '500ms'");
        put("operator", "schedules/a%20b", "{\"type\":\"a\",\"every\":\"1h\"}")
                .isProblem(400, "invalid-request", "a b");
        put("operator", "schedules/a", "{\"type\":\"exec\",\"every\":\"1h\"}").isProblem(403, "forbidden", "exec");
        put("operator", "schedules/a", "{\"type\":\"a\",\"every\":\"1h\",\"dedupeKey\":\"k\"}")
                .isProblem(400, "invalid-request", "dedupeKey");
        assertThat(windrow.schedules().list()).isEmpty();
    }

    @Test
    void theNextRunsOfAScheduleAreShownBeforeItIsSaved() {
        JsonNode cron = get(
                        "viewer",
                        "schedules/preview?cron=30%202%20*%20*%20*&zone=Europe/Berlin&from=2026-03-28T00:00:00Z&count=3")
                .is(200)
                .json();
        assertThat(cron.toString())
                .isEqualTo(
                        "{\"nextAt\":[\"2026-03-28T01:30:00.000Z\",\"2026-03-29T01:00:00.000Z\",\"2026-03-30T00:30:00.000Z\"]}");
        JsonNode every = get(
                        "viewer",
                        "schedules/preview?every=90m&startsAt=2026-01-01T00:00:00Z&from=2026-01-01T03:00:00Z&count=2")
                .is(200)
                .json();
        assertThat(every.toString())
                .isEqualTo("{\"nextAt\":[\"2026-01-01T04:30:00.000Z\",\"2026-01-01T06:00:00.000Z\"]}");
        get("viewer", "schedules/preview?count=3").isProblem(400, "invalid-request", "cron or every is missing");
        get("viewer", "schedules/preview?every=1h&count=51").isProblem(400, "invalid-request", "count: '51'");
    }

    @Test
    void aScheduleSavedFromJavaLosesNothingWhenItIsSavedAgain() {
        JobRequest<Json, Json> job = JobType.raw("sync.pull")
                .job(new Json("{\"n\":1}"))
                .withQueue("mail")
                .withPriority(7)
                .withMaxAttempts(9)
                .withTimeout(Duration.ofMinutes(2))
                .withRetry(RetryPolicy.exponential(Duration.ofSeconds(2)))
                .withName("Pull")
                .withTags("a", "b")
                .withMetadata(Metadata.parse("{\"customer\":42}"));
        for (ConcurrencyKey key : List.of(
                ConcurrencyKey.of("tenant-42"),
                ConcurrencyKey.atMost("tenant-42", 3),
                ConcurrencyKey.inSequence("tenant-42"))) {
            windrow.schedules()
                    .save(Schedule.every("sync", Duration.ofHours(1), job.withConcurrencyKey(key))
                            .withMisfire(Misfire.ALL)
                            .withOverlap(Overlap.SKIP));
            ScheduleInfo saved = windrow.schedules().find("sync").orElseThrow();
            assertThat(saved.retryPolicy()).isEqualTo(RetryPolicy.exponential(Duration.ofSeconds(2)));
            assertThat(saved.concurrencyKey()).isEqualTo(key);
            ObjectNode shown = (ObjectNode)
                    get("operator", "schedules/sync?reveal=true").is(200).json();
            shown.set("name", shown.get("jobName"));
            shown.retain(Stream.concat(
                            Stream.of("cron", "zone", "every", "startsAt", "misfire", "overlap"),
                            Stream.of(
                                    "type",
                                    "payload",
                                    "queue",
                                    "priority",
                                    "maxAttempts",
                                    "timeout",
                                    "retryPolicy",
                                    "concurrencyKey",
                                    "concurrencyLimit",
                                    "sequenceKey",
                                    "name",
                                    "tags",
                                    "metadata"))
                    .toList());
            put("operator", "schedules/sync", shown.toString()).is(200);
            assertThat(windrow.schedules().find("sync").orElseThrow())
                    .usingRecursiveComparison()
                    .isEqualTo(saved);
        }
        put("operator", "schedules/a", "{\"type\":\"a\",\"every\":\"1h\",\"retryPolicy\":\"fixed(-1)\"}")
                .isProblem(400, "invalid-request", "retryPolicy: fixed retry delay", "is not allowed");
        put("operator", "schedules/a", "{\"type\":\"a\",\"every\":\"1h\",\"concurrencyLimit\":2}")
                .isProblem(400, "invalid-request", "concurrencyLimit needs concurrencyKey");
        assertThat(windrow.schedules().find("a")).isEmpty();
    }

    @Test
    void aJobHasItsOwnRetryPolicy() {
        windrow.worker()
                .handle(FRAIL, (input, context) -> {
                    throw JobFailure.retryable("TEST:FRAIL", "again");
                })
                .start();
        String id = post("producer", "jobs", "{\"type\":\"frail\",\"retryPolicy\":\"fixed(3600000)\"}")
                .is(201)
                .json()
                .get("id")
                .asString();
        await().until(() ->
                get("viewer", "jobs/" + id).json().get("state").asString().equals("SCHEDULED"));
        JobInfo job = windrow.job(Long.parseLong(id)).info();
        // The type would retry it after about a second.
        assertThat(job.scheduledAt()).isAfterOrEqualTo(job.createdAt().plus(Duration.ofHours(1)));
    }

    @Test
    void queuesTypesAndKeysArePausedAndLimited() {
        Reply set = put(
                        "operator",
                        "controls/queues/mail",
                        "{\"paused\":true,\"reason\":\"provider down\",\"maxRunning\":3,\"rate\":\"10/s\",\"burst\":20}")
                .is(200);
        assertThat(set.text()).contains("provider down", "user-operator");
        var limits = windrow.queue("mail").limits();
        assertThat(limits.isPaused()).isTrue();
        assertThat(limits.maxRunning()).isEqualTo(3);
        assertThat(limits.rate().burst()).isEqualTo(20);
        put("operator", "controls/queues/mail", "{\"maxRunning\":\"none\",\"paused\":false}")
                .is(200);
        assertThat(windrow.queue("mail").limits().maxRunning()).isNull();
        assertThat(windrow.queue("mail").limits().rate()).isNotNull();
        put("operator", "controls/types/image.resize", "{\"rate\":\"600/m\"}").is(200);
        assertThat(get("viewer", "controls").is(200).json().get("limits")).hasSize(2);
        delete("operator", "controls/queues/mail").is(200);
        assertThat(windrow.limits()).hasSize(1);
        put("operator", "controls/queues/mail", "{}").isProblem(400, "invalid-request", "at least one");
        put("operator", "controls/queues/mail", "{\"maxRunning\":0}")
                .isProblem(400, "invalid-request", "maxRunning: '0'");
        put("operator", "controls/queues/mail", "{\"maxRunning\":\"x\"}")
                .isProblem(400, "invalid-request", "maxRunning: the string 'x'");
        put("operator", "controls/queues/mail", "{\"rate\":\"fast\"}")
                .isProblem(400, "invalid-request", "rate", "fast");
        put("operator", "controls/queues/mail", "{\"burst\":5}").isProblem(400, "invalid-request", "burst needs rate");
        put("operator", "controls/queues/a%20b", "{\"paused\":true}").isProblem(400, "invalid-request", "queue 'a b'");
        put("operator", "controls/nosuch/mail", "{\"paused\":true}")
                .isProblem(400, "invalid-request", "kind: 'nosuch'");
        assertThat(windrow.limits()).hasSize(1);
    }

    @Test
    void keysAreListedWithTheirWaitingJobsAndHolders() {
        assertThat(get("viewer", "controls/keys").is(200).json().toString())
                .isEqualTo("{\"keys\":[],\"found\":0,\"atLeast\":false,\"maxCounted\":1000}");
        String first = post(
                        "producer", "jobs", "{\"type\":\"a\",\"concurrencyKey\":\"tenant/42\",\"concurrencyLimit\":1}")
                .json()
                .get("id")
                .asString();
        for (int i = 0; i < 2; i++) {
            post("producer", "jobs", "{\"type\":\"a\",\"concurrencyKey\":\"tenant/42\",\"concurrencyLimit\":1}")
                    .is(201);
        }
        put("operator", "controls/keys/tenant-7", "{\"paused\":true,\"reason\":\"has not paid\"}")
                .is(200);
        JsonNode list = get("viewer", "controls/keys").is(200).json();
        assertThat(list.get("found").asInt()).isEqualTo(2);
        JsonNode key = list.at("/keys/0");
        assertThat(key.get("key").asString()).isEqualTo("tenant/42");
        assertThat(key.get("waiting").asInt()).isEqualTo(2);
        assertThat(key.get("held").asInt()).isEqualTo(1);
        assertThat(key.get("permits").asInt()).isEqualTo(1);
        assertThat(key.get("maxRunning").isNull()).isTrue();
        assertThat(key.get("holders").toString())
                .isEqualTo("[{\"id\":\"%s\",\"state\":\"PENDING\",\"startedAt\":null}]".formatted(first));
        assertThat(list.at("/keys/1/reason").asString()).isEqualTo("has not paid");
        JsonNode one = get("viewer", "controls/keys?limit=1").is(200).json();
        assertThat(one.get("keys")).hasSize(1);
        assertThat(one.get("found").asInt()).isEqualTo(2);
        get("viewer", "controls/keys?limit=201").isProblem(400, "invalid-request", "limit: '201'");
    }

    @Test
    void aWorkflowIsSubmittedAndShownAsAGraph() {
        Reply submitted = post("producer", "workflows", """
                {"jobs":[{"ref":"scan","type":"scan"},
                         {"ref":"page","type":"page","after":["scan"],"onParentFailure":"cancel"},
                         {"type":"report","queue":"mail","after":["scan","page"]}]}""").is(201);
        String id = submitted.json().get("id").asString();
        assertThat(submitted.header("Location")).isEqualTo("workflows/" + id);
        List<String> jobs = submitted
                .json()
                .get("jobs")
                .valueStream()
                .map(job -> job.get("id").asString())
                .toList();
        JsonNode status = get("viewer", "workflows/" + id).is(200).json();
        assertThat(status.get("jobs").asInt()).isEqualTo(3);
        assertThat(status.at("/states/BLOCKED").asInt()).isEqualTo(2);
        JsonNode graph = get("viewer", "workflows/" + id + "/graph").is(200).json();
        assertThat(graph.get("nodes").valueStream().map(node -> node.get("id").asString()))
                .containsExactlyElementsOf(jobs);
        assertThat(graph.get("nodes").get(0).propertyNames()).contains("maxAttempts", "scheduledAt");
        assertThat(graph.get("edges").valueStream().map(JsonNode::toString))
                .containsExactlyInAnyOrder(
                        edge(jobs.get(0), jobs.get(1), ParentPolicy.CANCEL),
                        edge(jobs.get(0), jobs.get(2), ParentPolicy.WAIT),
                        edge(jobs.get(1), jobs.get(2), ParentPolicy.WAIT));
        JsonNode part = get("viewer", "workflows/" + id + "/graph?limit=2").json();
        assertThat(part.get("nodes")).hasSize(2);
        assertThat(get(
                                "viewer",
                                "workflows/" + id + "/graph?after="
                                        + part.get("next").asString())
                        .json()
                        .get("nodes"))
                .hasSize(1);
        assertThat(get("viewer", "jobs?workflow=" + id).json().get("jobs")).hasSize(3);

        get("viewer", "workflows/4711").isProblem(404, "not-found", "workflow 4711");
        get("viewer", "workflows/4711/graph").isProblem(404, "not-found", "workflow 4711");
        post("producer", "workflows", "{\"jobs\":[{\"type\":\"a\",\"after\":[\"x\"]}]}")
                .isProblem(400, "invalid-request", "jobs[0].after", "'x'");
        post("producer", "workflows", "{\"jobs\":[{\"type\":\"a\",\"ref\":\"x\"},{\"type\":\"a\",\"ref\":\"x\"}]}")
                .isProblem(400, "invalid-request", "jobs[1].ref");
        post("producer", "workflows", "{}").isProblem(400, "invalid-request", "jobs is missing");
    }

    private static String edge(String from, String to, ParentPolicy policy) {
        return "{\"from\":\"%s\",\"to\":\"%s\",\"onFailure\":\"%s\"}"
                .formatted(from, to, policy.name().toLowerCase(Locale.ROOT));
    }

    @Test
    void aJobOfAChainLeadsToItsChain() {
        var first = enqueue("a");
        var second =
                windrow.job(first).completeWith(new Json("1"), JobType.raw("b").job(new Json("2")));
        JsonNode chain = get("viewer", "chains/" + second).is(200).json();
        assertThat(chain.get("length").asInt()).isEqualTo(2);
        assertThat(chain.get("jobs").valueStream().map(job -> job.get("id").asString()))
                .containsExactly(first.toString(), second.toString());
        get("viewer", "chains/4711").isProblem(404, "not-found", "4711");
    }

    @Test
    void aFailureIsFoundInStatisticsLogAndStack() throws Exception {
        var job = windrow.enqueue(FRAIL.job(new Json("1")).withMaxAttempts(1));
        try (Worker worker = windrow.worker()
                .handle(FRAIL, (input, context) -> {
                    context.log(LogLevel.INFO, "about to fail");
                    throw new IllegalStateException("no mail");
                })
                .start()) {
            assertThat(worker.awaitIdle(Duration.ofSeconds(30))).isTrue();
            JsonNode workers = get("viewer", "workers").is(200).json();
            assertThat(workers.at("/workers/0/id").asString()).isEqualTo(worker.name());
        }
        assertThat(windrow.job(job).info().state()).isEqualTo(JobState.FAILED);
        JsonNode log = get("viewer", "jobs/" + job + "/log").is(200).json();
        assertThat(log.at("/log/0/message").asString()).isEqualTo("about to fail");
        Reply stack = get("viewer", "jobs/" + job + "/attempts/1/stack").is(200);
        assertThat(stack.header("Content-Type")).isEqualTo("text/plain;charset=utf-8");
        assertThat(stack.text()).contains("IllegalStateException", "no mail");
        get("viewer", "jobs/" + job + "/attempts/2/stack").isProblem(404, "not-found", "attempt 2 of run 1");
        get("viewer", "jobs/" + job + "/attempts/1/stack?run=2").isProblem(404, "not-found", "attempt 1 of run 2");
        assertThat(get("viewer", "jobs/" + job + "/explain").is(200).text())
                .isEqualTo(JobJson.explanation(windrow.job(job).explain()) + "\n");
        assertThat(get("viewer", "failures").is(200).text())
                .isEqualTo(MonitorJson.failures(windrow.monitor().statistics()) + "\n")
                .contains(windrow.job(job).info().errorCode());
        assertThat(get("viewer", "stats").is(200).json().at("/states/FAILED").asInt())
                .isEqualTo(1);
        // The sums are written about once a second.
        await().atMost(Duration.ofSeconds(30))
                .until(() -> get("viewer", "throughput?window=5m")
                                .is(200)
                                .json()
                                .at("/timesInAll/failed")
                                .asInt()
                        == 1);
        get("viewer", "throughput?window=30s").isProblem(400, "invalid-request", "window: '30s'");
    }

    @Test
    void theOverviewHasABoundedNumberOfQueuesTypesAndProblems() {
        enqueue("same", "last");
        for (int i = 0; i < 250; i++) {
            enqueue("type-%03d".formatted(i), "queue-%03d".formatted(i));
        }
        windrow.jobs(JobFilter.ALL.withType("same")).cancel();
        windrow.type("type-249").limit(3);
        windrow.queue("without-jobs").pause("later");
        JsonNode overview;
        try (Worker worker = elsewhere()) {
            overview = get("viewer", "overview").is(200).json();
        }
        assertThat(overview.get("queues")).hasSize(200);
        assertThat(overview.get("queuesInAll").asInt()).isEqualTo(252);
        assertThat(overview.get("types")).hasSize(200);
        assertThat(overview.get("typesInAll").asInt()).isEqualTo(251);
        assertThat(overview.at("/types/0/type").asString())
                .as("the one with a limit")
                .isEqualTo("type-249");
        assertThat(overview.get("types").findValuesAsString("type"))
                .as("without ready or running jobs")
                .doesNotContain("same");
        assertThat(overview.get("limits")).hasSize(2);
        assertThat(overview.get("unhandled")).hasSize(200);
        assertThat(overview.at("/problemsInAll/unhandled-type").asInt()).isEqualTo(250);
        assertThat(overview.at("/problemsInAll/unserved-queue").asInt()).isEqualTo(250);
        assertThat(overview.get("problems")).as("20 types, 20 queues, a pause").hasSize(41);
    }

    @Test
    void anAnswerHasTheTimeOfTheServer() {
        Instant before = Instant.now();
        assertThat(Instant.parse(get("viewer", "overview").is(200).header("Windrow-Time")))
                .isBetween(before, Instant.now());
    }

    @Test
    void queuesAndTypesAreFoundByAPartOfTheirNames() {
        for (String name : List.of("mail.b", "mail.a", "Mail", "other")) {
            enqueue(name, name);
        }
        windrow.type("mail.b").limit(3);
        windrow.queue("mail.b").pause();
        JsonNode types = get("viewer", "types?find=mail").is(200).json();
        assertThat(types.get("types").findValuesAsString("type")).containsExactlyInAnyOrder("Mail", "mail.a", "mail.b");
        assertThat(types.at("/types/0/states/PENDING").asInt()).isEqualTo(1);
        assertThat(types.get("typesInAll").asInt()).isEqualTo(3);
        assertThat(types.get("limits")).hasSize(1);
        assertThat(types.get("unhandled")).hasSize(3);
        assertThat(get("viewer", "types?find=mail&limit=1")
                        .json()
                        .at("/types/0/type")
                        .asString())
                .isEqualTo("mail.b");
        assertThat(get("viewer", "types?find=mail.a&limit=1")
                        .json()
                        .at("/types/0/type")
                        .asString())
                .isEqualTo("mail.a");
        JsonNode queues = get("viewer", "queues?find=MAIL").is(200).json();
        assertThat(queues.get("queues")).hasSize(3);
        assertThat(queues.at("/limits/0/queue").asString()).isEqualTo("mail.b");
        assertThat(get("viewer", "queues").json().get("queuesInAll").asInt()).isEqualTo(4);
        assertThat(get("viewer:other", "queues").is(200).json().get("queues")).hasSize(1);
        get("viewer:other", "types").isProblem(403, "forbidden", "all queues");
        get("viewer", "types?limit=201").isProblem(400, "invalid-request", "limit: '201'");
    }

    @Test
    void theThroughputHasABoundedNumberOfTypes() {
        JobType<Json, Json> often = JobType.raw("often");
        JobType<Json, Json> once = JobType.raw("a.once");
        windrow.enqueueAll(List.of(often.job(new Json("1")), often.job(new Json("2")), once.job(new Json("3"))));
        try (Worker worker = windrow.worker()
                .handle(often, (input, context) -> input)
                .handle(once, (input, context) -> input)
                .start()) {
            // The sums are written about once a second.
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> get("viewer", "throughput")
                                    .json()
                                    .at("/timesInAll/count")
                                    .asInt()
                            == 3);
        }
        JsonNode first = get("viewer", "throughput?limit=1").is(200).json();
        assertThat(first.get("times").findValuesAsString("type")).containsExactly("often");
        assertThat(first.at("/throughput/types")).hasSize(1);
        assertThat(first.get("typesInAll").asInt()).isEqualTo(2);
        JsonNode times = get("viewer", "throughput?timesOnly=true").is(200).json();
        assertThat(times.get("times").findValuesAsString("type")).containsExactly("a.once", "often");
        assertThat(times.has("throughput")).isFalse();
    }

    @Test
    void theOverviewBeginsWithTheProblems() throws Exception {
        enqueue("orphan", "lonely");
        JsonNode none = get("viewer", "overview").is(200).json();
        assertThat(none.get("problems"))
                .as("without a live worker it is one problem")
                .hasSize(1);
        assertThat(none.at("/problems/0/problem").asString()).isEqualTo("no-worker");
        assertThat(none.at("/problems/0/count").asInt()).isEqualTo(1);
        windrow.queue("mail").pause("provider down");
        // The overview is read at most once a second.
        assertThat(get("viewer", "overview").json()).isEqualTo(none);
        put("operator", "controls/queues/lonely", "{\"paused\":true}").is(200);
        assertThat(get("viewer", "overview").json().toString())
                .as("after a change of its own clients")
                .contains("\"problem\":\"paused\"");
        await().atMost(Duration.ofSeconds(30))
                .until(() -> get("viewer", "overview").text().contains("provider down"));
        JsonNode some = get("viewer:mail", "overview").is(200).json();
        assertThat(some.get("problems")
                        .valueStream()
                        .map(problem -> problem.get("problem").asString()))
                .containsExactly("paused");
        assertThat(some.toString()).doesNotContain("lonely", "orphan");
    }

    @Test
    void theOverviewNamesQueuesAndTypesThatTheLiveWorkersLeaveOut() {
        enqueue("orphan", "lonely");
        try (Worker worker = elsewhere()) {
            JsonNode overview = get("viewer", "overview").is(200).json();
            assertThat(overview.get("problems")
                            .valueStream()
                            .map(problem -> problem.get("problem").asString() + " "
                                    + problem.get("subject").asString()))
                    .containsExactlyInAnyOrder("unserved-queue lonely", "unhandled-type orphan");
            assertThat(get("viewer:mail", "overview").json().get("problems"))
                    .as("no ready job in its queues")
                    .isEmpty();
        }
    }

    /** Starts a worker of another queue, and waits until it is in the registry: {@code start()} does not. */
    private Worker elsewhere() {
        JobType<Json, Json> other = JobType.raw("other");
        Worker worker = windrow.worker()
                .queue("elsewhere")
                .handle(other, (input, context) -> input)
                .start();
        await().atMost(Duration.ofSeconds(30))
                .until(() -> windrow.monitor().workers().stream().anyMatch(WorkerInfo::alive));
        return worker;
    }

    @Test
    void changesAreInTheAudit() {
        var job = enqueue("a");
        post("operator", "jobs/" + job + "/cancel", "{\"reason\":\"ticket 7\"}").is(200);
        JsonNode audit = get("viewer", "audit?action=CANCEL&job=" + job).is(200).json();
        assertThat(audit.at("/audit/0/reason").asString()).isEqualTo("ticket 7");
        assertThat(get("viewer", "audit?actor=missing").json().get("audit")).isEmpty();
        get("viewer", "audit?limit=201").isProblem(400, "invalid-request", "limit: '201'");
        get("viewer", "audit?from=2026-01-02T00:00:00Z&before=2026-01-01T00:00:00Z")
                .isProblem(400, "invalid-request", "the end must be later");
    }

    @Test
    void retentionIsChangedByAdministratorsOnly() {
        put("operator", "retention", "{\"state\":\"FAILED\",\"keep\":\"1d\"}").isProblem(403, "forbidden", "destroy");
        put("admin", "retention", "{\"state\":\"FAILED\",\"type\":\"mail\",\"keep\":\"forever\"}")
                .is(200);
        assertThat(put("admin", "retention", "{\"state\":\"FAILED\",\"keep\":\"1d\"}")
                        .is(200)
                        .text())
                .isEqualTo(RetentionJson.rules(windrow.retention().rules()) + "\n")
                .contains("forever", "\"keep\":\"1d\"");
        delete("admin", "retention?state=FAILED&type=mail").is(200);
        assertThat(get("viewer", "retention").is(200).text()).doesNotContain("forever");
        put("admin", "retention", "{\"state\":\"PENDING\",\"keep\":\"1d\"}")
                .isProblem(400, "invalid-request", "state: 'PENDING'");
        put("admin", "retention", "{\"state\":\"FAILED\",\"keep\":\"x\"}")
                .isProblem(400, "invalid-request", "keep: 'x'");
        put("admin", "retention", "{\"state\":\"FAILED\"}").isProblem(400, "invalid-request", "keep is missing");

        var job = enqueue("a");
        windrow.job(job).cancel();
        String now = "{\"cancelled\":\"0s\",\"dryRun\":%s}";
        post("operator", "cleanup", now.formatted(true)).isProblem(403, "forbidden", "destroy");
        assertThat(post("admin", "cleanup", now.formatted(true))
                        .is(200)
                        .json()
                        .at("/deleted/CANCELLED")
                        .asInt())
                .isEqualTo(1);
        assertThat(windrow.job(job).exists()).isTrue();
        JsonNode done = post("admin", "cleanup", now.formatted(false)).is(200).json();
        assertThat(done.at("/deleted/CANCELLED").asInt()).isEqualTo(1);
        assertThat(done.get("complete").asBoolean()).isTrue();
        assertThat(windrow.job(job).exists()).isFalse();
    }

    @Test
    void theStoreIsExamined() {
        enqueue("a");
        JsonNode diagnosis = get("operator", "doctor?quick=true").is(200).json();
        assertThat(diagnosis.get("ok").asBoolean()).isTrue();
        get("viewer", "doctor").isProblem(403, "forbidden", "diagnose");
        get("operator", "doctor?budget=61s").isProblem(400, "invalid-request", "budget: '61s'");
    }
}
