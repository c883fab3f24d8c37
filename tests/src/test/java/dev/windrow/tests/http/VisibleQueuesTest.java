package dev.windrow.tests.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.windrow.Dedupe;
import dev.windrow.JobRef;
import dev.windrow.JobRequest;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.limit.ConcurrencyKey;
import dev.windrow.payload.Json;
import dev.windrow.query.JobFilter;
import dev.windrow.workflow.ParentPolicy;
import dev.windrow.workflow.Workflow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** A sender that sees some queues only: everything of another queue looks as if it did not exist. */
class VisibleQueuesTest extends HttpTest {
    private static final String SOME = "admin:mail,billing";
    private static final String ONE = "admin:mail";
    private static final String NONE = "admin:nosuch";

    @Test
    void aJobOfAnotherQueueLooksLikeAMissingOne() {
        var hidden = enqueue("a", "secret");
        var seen = enqueue("a", "mail");
        get(SOME, "jobs/" + seen).is(200);
        String missing = get(SOME, "jobs/4711")
                .isProblem(404, "not-found")
                .json()
                .get("detail")
                .asString();
        for (String path : List.of("", "/payload", "/result", "/log", "/wait?timeout=0s", "/attempts/1/stack")) {
            Reply reply = get(SOME, "jobs/" + hidden + path).isProblem(404, "not-found");
            assertThat(reply.json().get("detail").asString()).isEqualTo(missing.replace("4711", hidden.toString()));
        }
        for (String verb : List.of("retry", "trigger", "cancel", "complete")) {
            post(SOME, "jobs/" + hidden + "/" + verb, "{}")
                    .isProblem(404, "not-found", missing.replace("4711", hidden.toString()));
        }
        post(SOME, "jobs/" + hidden + "/fail", "{\"errorCode\":\"A:B\"}").isProblem(404, "not-found");
        post(SOME, "jobs/" + hidden + "/signal", "{\"event\":\"x\"}").isProblem(404, "not-found");
        delete(SOME, "jobs/" + hidden).isProblem(404, "not-found");
        post(SOME, "jobs/change", "{\"action\":\"cancel\",\"ids\":[\"%s\",\"%s\"]}".formatted(seen, hidden))
                .isProblem(404, "not-found", hidden.toString());
        assertThat(windrow.job(seen).info().state()).isEqualTo(JobState.PENDING);
        assertThat(windrow.job(hidden).info().state()).isEqualTo(JobState.PENDING);
        post(SOME, "jobs/" + seen + "/cancel", "{}").is(200);
    }

    @Test
    void listsAndExportsLeaveOutOtherQueues() {
        enqueue("a", "mail");
        enqueue("a", "billing");
        for (int i = 0; i < 5; i++) {
            enqueue("a", "secret");
        }
        assertThat(get(SOME, "jobs?limit=2").is(200).json().get("next").isNull())
                .isTrue();
        assertThat(queues(get(SOME, "jobs").json())).containsExactly("billing", "mail");
        assertThat(count(get(ONE, "jobs").json())).isEqualTo(1);
        assertThat(count(get(NONE, "jobs").json())).isZero();
        assertThat(get(SOME, "jobs?queue=secret").is(200).text())
                .isEqualTo(get(SOME, "jobs?queue=other").text());
        assertThat(get(SOME, "jobs?queue=secret&payload=$.n%3D1").is(200).json().get("jobs"))
                .isEmpty();
        assertThat(count(get(SOME, "jobs?queue=mail&payload=$.n%3D1").json())).isEqualTo(1);
        assertThat(get(SOME, "export").is(200).text()).hasLineCount(2).doesNotContain("secret");
        assertThat(get(SOME, "export?queue=secret").is(200).text()).isEmpty();
    }

    private static List<String> queues(JsonNode page) {
        return page.get("jobs")
                .valueStream()
                .map(job -> job.get("queue").asString())
                .toList();
    }

    @Test
    void pagesOfSeveralQueuesHaveTheirJobsInOrderBothWays() {
        List<String> seen = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            enqueue("a", "secret");
            seen.add(0, enqueue("a", i % 3 == 0 ? "billing" : "mail").toString());
            enqueue("a", "secret");
            seen.add(0, enqueue("a", "mail").toString());
        }
        assertThat(walk("newest")).isEqualTo(seen);
        Collections.reverse(seen);
        assertThat(walk("oldest")).isEqualTo(seen);
    }

    /** Reads all pages in this order, and each but the last one again, before the next one. Returns the ids of the jobs. */
    private List<String> walk(String order) {
        String path = "jobs?limit=3&order=" + order;
        List<String> ids = new ArrayList<>();
        JsonNode page = get(SOME, path).is(200).json();
        assertThat(page.get("previous").isNull()).isTrue();
        while (true) {
            page.get("jobs").forEach(job -> ids.add(job.get("id").asString()));
            if (page.get("next").isNull()) {
                return ids;
            }
            // The cursor is a job that the sender has seen.
            assertThat(page.get("next").asString()).isEqualTo(ids.get(ids.size() - 1));
            JsonNode next = get(SOME, path + "&after=" + page.get("next").asString())
                    .is(200)
                    .json();
            assertThat(get(SOME, path + "&before=" + next.get("previous").asString())
                            .is(200)
                            .json()
                            .get("jobs"))
                    .isEqualTo(page.get("jobs"));
            page = next;
        }
    }

    @Test
    void aCursorDoesNotTellOfMatchesInOtherQueues() {
        enqueue("a", "mail");
        for (int i = 0; i < 3; i++) {
            JobRef<Json> hidden = windrow.enqueue(job("hidden.type", "secret")
                    .withDedupeKey("hidden" + i)
                    .withTags("vip")
                    .withName("Ann"));
            windrow.job(hidden).cancel();
        }
        for (String filter :
                List.of("dedupeKey=hidden1", "tag=vip", "name=Ann", "state=CANCELLED", "type=hidden.type")) {
            for (String order : List.of("newest", "oldest")) {
                String path = "jobs?limit=1&order=%s&%s".formatted(order, filter);
                assertThat(get(SOME, path).is(200).text())
                        .isEqualTo("{\"jobs\":[],\"next\":null,\"previous\":null,\"looked\":null,\"skipped\":null}\n");
            }
        }
        // The last visible job of a page is the last one, whatever follows in other queues.
        assertThat(get(SOME, "jobs?limit=1").is(200).json().get("next").isNull())
                .isTrue();
    }

    private static int count(JsonNode page) {
        return page.get("jobs").size();
    }

    @Test
    void changesByFilterAreForOneVisibleQueue() {
        enqueue("a", "mail");
        enqueue("a", "billing");
        enqueue("a", "secret");
        String cancel = "{\"action\":\"cancel\",\"filter\":{\"type\":\"a\"%s}}";
        post(SOME, "jobs/change", cancel.formatted("")).isProblem(400, "invalid-request", "filter.queue is missing");
        assertThat(changed(post(SOME, "jobs/change", cancel.formatted(",\"queue\":\"secret\""))))
                .isZero();
        assertThat(changed(post(NONE, "jobs/change", cancel.formatted("")))).isZero();
        assertThat(changed(post(SOME, "jobs/change", cancel.formatted(",\"queue\":\"billing\""))))
                .isEqualTo(1);
        assertThat(changed(post(ONE, "jobs/change", cancel.formatted("")))).isEqualTo(1);
        assertThat(windrow.monitor().statistics().states().get(JobState.CANCELLED))
                .isEqualTo(2);
    }

    private static int changed(Reply reply) {
        return reply.is(200).json().get("changed").asInt();
    }

    @Test
    void whatConcernsAllQueuesIsRefused() {
        for (String path : List.of("failures", "retention", "doctor", "types", "controls/keys")) {
            Reply reply = get(SOME, path).isProblem(403, "forbidden", "billing, mail");
            assertThat(reply.json().get("needs").asString()).isEqualTo("all queues");
        }
        put(SOME, "retention", "{\"state\":\"FAILED\",\"keep\":\"1d\"}").isProblem(403, "forbidden");
        post(SOME, "cleanup", "{}").isProblem(403, "forbidden");
    }

    @Test
    void statisticsAndLimitsAreOfVisibleQueues() {
        enqueue("a", "mail");
        enqueue("hidden.type", "secret");
        windrow.queue("secret").pause();
        windrow.queue("mail").pause();
        windrow.type("a").limit(3);
        JsonNode stats = get(SOME, "stats").is(200).json();
        assertThat(stats.at("/states/PENDING").asInt()).isEqualTo(1);
        assertThat(stats.get("queues")).hasSize(1);
        assertThat(stats.toString()).doesNotContain("secret", "hidden.type");
        assertThat(get(SOME, "controls").is(200).json().get("limits")).hasSize(1);
        put(SOME, "controls/queues/mail", "{\"paused\":false}").is(200);
        for (String path : List.of("controls/queues/secret", "controls/types/a", "controls/keys/k")) {
            get(SOME, path).isProblem(404, "not-found");
            put(SOME, path, "{\"paused\":false}").isProblem(404, "not-found");
            delete(SOME, path).isProblem(404, "not-found");
        }
        assertThat(windrow.queue("secret").limits().isPaused()).isTrue();
    }

    @Test
    void schedulesOfOtherQueuesLookLikeMissingOnes() {
        String body = "{\"type\":\"a\",\"every\":\"1h\",\"queue\":\"%s\"}";
        put("admin", "schedules/theirs", body.formatted("secret")).is(200);
        put(SOME, "schedules/mine", body.formatted("mail")).is(200);
        assertThat(get(SOME, "schedules").json().get("schedules")).hasSize(1);
        get(SOME, "schedules/theirs").isProblem(404, "not-found");
        get(SOME, "schedules/theirs/runs").isProblem(404, "not-found");
        for (String verb : List.of("pause", "resume", "run")) {
            post(SOME, "schedules/theirs/" + verb, "{}").isProblem(404, "not-found");
        }
        delete(SOME, "schedules/theirs").isProblem(404, "not-found");
        put(SOME, "schedules/theirs", body.formatted("mail")).isProblem(404, "not-found");
        put(SOME, "schedules/other", body.formatted("secret")).isProblem(404, "not-found");
        assertThat(windrow.schedules().find("theirs").orElseThrow().queue()).isEqualTo("secret");
        assertThat(windrow.schedules().find("theirs").orElseThrow().isPaused()).isFalse();
    }

    @Test
    void workflowsAndChainsHaveTheirVisibleJobs() {
        String flow =
                "{\"jobs\":[{\"ref\":\"x\",\"type\":\"a\",\"queue\":\"%s\"},{\"type\":\"a\",\"queue\":\"secret\",\"after\":[\"x\"]}]}";
        post(SOME, "workflows", flow.formatted("mail")).isProblem(404, "not-found", "secret");
        String mixed = post("admin", "workflows", flow.formatted("mail"))
                .is(201)
                .json()
                .get("id")
                .asString();
        String hidden = post("admin", "workflows", flow.formatted("secret"))
                .is(201)
                .json()
                .get("id")
                .asString();
        assertThat(get(SOME, "workflows/" + mixed).is(200).json().get("jobs").asInt())
                .isEqualTo(1);
        assertThat(get(SOME, "workflows/" + mixed + "/graph").is(200).json().get("nodes"))
                .hasSize(1);
        get(SOME, "workflows/" + hidden).isProblem(404, "not-found");
        get(SOME, "workflows/" + hidden + "/graph").isProblem(404, "not-found");
        var job = enqueue("a", "secret");
        get(SOME, "chains/" + job).isProblem(404, "not-found");
        get(SOME, "chains/" + enqueue("a", "mail")).is(200);
        get(SOME, "jobs/" + job + "/explain").isProblem(404, "not-found");
    }

    @Test
    void workflowsAreListedByTheirVisibleJobs() {
        Workflow mixed = new Workflow();
        var first = mixed.add(job("hidden.type", "secret").withName("hidden name"));
        mixed.add(job("seen.type", "mail").withName("seen name")).after(first);
        long id = windrow.submit(mixed).id();
        Workflow hidden = new Workflow();
        hidden.add(job("hidden.type", "secret"));
        windrow.submit(hidden);
        Workflow billing = new Workflow();
        billing.add(job("seen.type", "billing"));
        long newest = windrow.submit(billing).id();

        JsonNode page = get(SOME, "workflows").is(200).json();
        assertThat(page.get("workflows")
                        .valueStream()
                        .map(each -> each.get("id").asString()))
                .containsExactly("" + newest, "" + id);
        assertThat(page.toString()).doesNotContain("hidden");
        assertThat(page.at("/workflows/1/type").asString()).isEqualTo("seen.type");
        assertThat(page.at("/workflows/1/name").asString()).isEqualTo("seen name");
        assertThat(page.at("/workflows/1/jobs").asInt()).isEqualTo(1);
        assertThat(page.get("looked").asInt()).isEqualTo(2);
        assertThat(page.get("next").isNull()).isTrue();
        JsonNode one = get(SOME, "workflows?limit=1").json();
        assertThat(one.at("/workflows/0/id").asString()).isEqualTo("" + newest);
        assertThat(get(SOME, "workflows?limit=1&after=" + one.get("next").asString())
                        .json()
                        .at("/workflows/0/id")
                        .asString())
                .isEqualTo("" + id);
        // A filter is no way to find out the rest.
        assertThat(get(SOME, "workflows?type=hidden.type").json().get("workflows"))
                .isEmpty();
        assertThat(get(SOME, "workflows?type=seen.type").json().get("workflows"))
                .hasSize(2);
        windrow.jobs(JobFilter.ALL.withQueue("secret"))
                .newestFirst()
                .forEach(job -> windrow.job(job.id()).fail("A:B"));
        assertThat(get(SOME, "workflows?failed=true").json().get("workflows")).isEmpty();
        assertThat(get("viewer", "workflows?failed=true").json().get("workflows"))
                .hasSize(2);
        assertThat(get(NONE, "workflows").json().get("workflows")).isEmpty();
        assertThat(get(ONE, "workflows").json().get("workflows")).hasSize(1);
    }

    private static JobRequest<Json, Json> job(String type, String queue) {
        return JobType.raw(type).job(new Json("1")).withQueue(queue);
    }

    @Test
    void theAuditHasTheEntriesOfVisibleJobs() {
        var seen = enqueue("a", "mail");
        var hidden = enqueue("a", "secret");
        var deleted = enqueue("a", "secret");
        Windrow admin = windrow.as("root");
        admin.because("all").jobs(JobFilter.ALL.withType("a")).cancel();
        admin.because("both").jobs(List.of(seen, hidden)).retry();
        admin.because("only theirs").job(hidden).cancel();
        admin.because("only mine").job(seen).cancel();
        admin.because("gone").job(deleted).delete();
        admin.queue("secret").pause("their pause");

        Reply reply = get(SOME, "audit").is(200);
        assertThat(reply.json()
                        .get("audit")
                        .valueStream()
                        .map(entry -> entry.get("reason").asString()))
                .containsExactly("only mine", "both", "all");
        assertThat(reply.text())
                .doesNotContain("theirs", "gone", "their pause", "\"id\":\"" + hidden, "\"id\":\"" + deleted);
        for (int part = 1; part <= 2; part++) {
            JsonNode entry = reply.json().at("/audit/" + part);
            assertThat(entry.get("changed").asInt()).isEqualTo(1);
            assertThat(entry.get("jobs")).hasSize(1);
            assertThat(entry.at("/jobs/0/id").asString()).isEqualTo(seen.toString());
            assertThat(entry.get("detail").isNull()).isTrue();
        }
        assertThat(get("viewer", "audit").json().get("audit")).hasSize(6);
        for (Object id : List.of(hidden, deleted, 4711)) {
            assertThat(get(SOME, "audit?job=" + id).is(200).text()).isEqualTo("{\"audit\":[],\"next\":null}\n");
        }
        assertThat(get(SOME, "audit?job=" + seen).json().get("audit")).hasSize(3);
        JsonNode one = get(SOME, "audit?limit=1").json();
        assertThat(get(SOME, "audit?limit=1&after=" + one.get("next").asString())
                        .json()
                        .at("/audit/0/reason")
                        .asString())
                .isEqualTo("both");
    }

    @Test
    void throughputIsOfAVisibleQueue() throws Exception {
        enqueue("a", "mail");
        enqueue("hidden.type", "secret");
        try (Worker worker = windrow.worker()
                .queue("mail")
                .queue("secret")
                .handle(JobType.raw("a"), (input, context) -> input)
                .handle(JobType.raw("hidden.type"), (input, context) -> input)
                .start()) {
            assertThat(worker.awaitIdle(Duration.ofSeconds(30))).isTrue();
        }
        // The sums are written about once a second.
        await().atMost(Duration.ofSeconds(30))
                .until(() -> get("viewer", "throughput?queue=secret").text().contains("hidden.type"));
        await().atMost(Duration.ofSeconds(30))
                .until(() -> get(SOME, "throughput?queue=mail")
                                .json()
                                .at("/timesInAll/succeeded")
                                .asInt()
                        == 1);
        String mine = get(SOME, "throughput?queue=mail").is(200).text();
        assertThat(mine).doesNotContain("hidden.type");
        assertThat(get(ONE, "throughput").is(200).text()).isEqualTo(mine);
        get(SOME, "throughput").isProblem(400, "invalid-request", "queue is missing", "billing, mail");
        String missing = get(SOME, "throughput?queue=nosuch")
                .isProblem(404, "not-found", "queue 'nosuch'")
                .text();
        assertThat(get(SOME, "throughput?queue=secret")
                        .isProblem(404, "not-found")
                        .text())
                .isEqualTo(missing.replace("nosuch", "secret"));
    }

    @Test
    void namesOfOtherQueuesAreNotSuggested() throws Exception {
        for (String queue : List.of("mail", "secret")) {
            windrow.job(windrow.enqueue(job(queue + ".type", queue).withTags(queue + "-tag")))
                    .fail(queue.toUpperCase(Locale.ROOT) + ":DOWN");
            put("admin", "schedules/at-" + queue, "{\"type\":\"a\",\"every\":\"1h\",\"queue\":\"%s\"}".formatted(queue))
                    .is(200);
        }
        try (Worker mine = worker("mail");
                Worker theirs = worker("secret")) {
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> names("viewer", "worker").containsAll(List.of(mine.name(), theirs.name())));
            assertThat(names(SOME, "worker")).containsExactly(mine.name());
        }
        assertThat(names(SOME, "type")).containsExactly("mail.type");
        assertThat(names(SOME, "type&prefix=secret")).isEmpty();
        assertThat(names(SOME, "tag")).containsExactly("mail-tag");
        assertThat(names(SOME, "error-code")).containsExactly("MAIL:DOWN");
        assertThat(names(SOME, "schedule")).containsExactly("at-mail");
        assertThat(names(SOME, "queue")).containsExactly("billing", "mail");
        assertThat(names(SOME, "queue&limit=1")).containsExactly("billing");
        assertThat(names("viewer", "error-code")).containsExactly("MAIL:DOWN", "SECRET:DOWN");
    }

    private Worker worker(String queue) {
        return windrow.worker()
                .queue(queue)
                .handle(JobType.raw("a"), (input, context) -> input)
                .start();
    }

    private List<String> names(String role, String field) {
        return get(role, "suggest?field=" + field)
                .is(200)
                .json()
                .get("names")
                .valueStream()
                .map(JsonNode::asString)
                .toList();
    }

    @Test
    void aRetryWithDependentsIsForSendersOfAllQueues() {
        Workflow flow = new Workflow();
        var parent = flow.add(job("a", "mail"));
        flow.add(job("a", "secret")).after(ParentPolicy.CANCEL, parent);
        var jobs = windrow.submit(flow).jobs();
        windrow.job(jobs.get(0)).cancel();
        String selected = "{\"action\":\"retry\",%s,\"withDependents\":true}";
        for (String jobsOf : List.of("\"ids\":[\"%s\"]".formatted(jobs.get(0)), "\"filter\":{\"queue\":\"mail\"}")) {
            Reply reply =
                    post(SOME, "jobs/change", selected.formatted(jobsOf)).isProblem(403, "forbidden", "withDependents");
            assertThat(reply.json().get("needs").asString()).isEqualTo("all queues");
        }
        String retry = "jobs/" + jobs.get(0) + "/retry";
        post(SOME, retry, "{\"withDependents\":true}").isProblem(403, "forbidden", "withDependents");
        for (var job : jobs) {
            assertThat(windrow.job(job).info().state()).isEqualTo(JobState.CANCELLED);
        }
        post("admin", retry, "{\"withDependents\":true}").is(200);
        assertThat(windrow.job(jobs.get(1)).info().state()).isEqualTo(JobState.BLOCKED);
    }

    @Test
    void anExplanationNamesVisibleHoldersOfAKeyOnly() {
        ConcurrencyKey key = ConcurrencyKey.atMost("k", 2);
        var hidden = windrow.enqueue(job("a", "secret").withConcurrencyKey(key));
        var seen = windrow.enqueue(job("a", "mail").withConcurrencyKey(key));
        String path = "jobs/" + windrow.enqueue(job("a", "mail").withConcurrencyKey(key)) + "/explain";
        assertThat(get("viewer", path).is(200).text()).contains("job " + hidden + " ", "job " + seen + " ");
        JsonNode held = get(SOME, path)
                .is(200)
                .json()
                .get("reasons")
                .valueStream()
                .filter(reason -> reason.get("reason").asString().equals("KEY_HELD"))
                .findFirst()
                .orElseThrow();
        assertThat(held.get("holders")).hasSize(1);
        assertThat(held.at("/holders/0/id").asString()).isEqualTo(seen.toString());
        assertThat(held.get("text").asString()).contains("held by job " + seen).doesNotContain("job " + hidden + " ");
    }

    @Test
    void theHolderOfADedupeKeyIsNotNamedIfItIsHidden() {
        JobRequest<Json, Json> keyed = job("a", "mail").withDedupe(Dedupe.key("k"));
        var mine = windrow.enqueue(keyed);
        windrow.job(mine).cancel();
        var hidden = windrow.enqueue(keyed.withQueue("secret"));
        Reply named = post("admin", "jobs/" + mine + "/retry", "{}").isProblem(409, "dedupe-key-held");
        assertThat(named.json().get("job").asString()).isEqualTo(hidden.toString());
        for (Reply reply : List.of(
                post(SOME, "jobs/" + mine + "/retry", "{}"),
                post(SOME, "jobs/change", "{\"action\":\"retry\",\"ids\":[\"%s\"]}".formatted(mine)))) {
            reply.isProblem(409, "dedupe-key-held", "job " + mine + " cannot be retried");
            assertThat(reply.json().has("job")).isFalse();
            assertThat(reply.json().get("detail").asString()).doesNotContain("job " + hidden);
        }
        String body = "{\"type\":\"a\",\"queue\":\"mail\",\"dedupeKey\":\"k\"}";
        String same = "{\"id\":null,\"state\":null,\"deduplicated\":true";
        Reply kept = post(SOME, "jobs", body).is(200);
        assertThat(kept.text()).isEqualTo(same + "}\n");
        assertThat(kept.header("Location")).isEmpty();
        assertThat(post(SOME, "jobs", "{\"jobs\":[%s]}".formatted(body)).is(201).text())
                .isEqualTo("{\"jobs\":[" + same + "}]}\n");
        assertThat(post(SOME, "workflows", "{\"jobs\":[%s]}".formatted(body))
                        .is(201)
                        .text())
                .contains(same)
                .doesNotContain("\"id\":\"" + hidden + "\"");
        assertThat(post("admin", "jobs", body).is(200).json().get("id").asString())
                .isEqualTo(hidden.toString());
    }

    @Test
    void aChainIsThatOfItsVisibleJobs() throws Exception {
        var first = enqueue("seen.type", "mail");
        try (Worker worker = windrow.worker()
                .queue("mail")
                .handle(JobType.raw("seen.type"), (input, context) -> {
                    context.continueWith(job("hidden.type", "secret"));
                    return input;
                })
                .start()) {
            assertThat(worker.awaitIdle(Duration.ofSeconds(30))).isTrue();
        }
        assertThat(get("viewer", "chains/" + first).is(200).json().get("length").asInt())
                .isEqualTo(2);
        Reply reply = get(SOME, "chains/" + first).is(200);
        assertThat(reply.text()).doesNotContain("hidden.type", "secret");
        assertThat(reply.json().get("length").asInt()).isEqualTo(1);
        assertThat(reply.json().get("lastJob").asString()).isEqualTo(first.toString());
        assertThat(reply.json().get("state").asString()).isEqualTo("COMPLETED");
    }

    @Test
    void aWorkerOfSeveralQueuesShowsTheVisibleOnes() {
        try (Worker both = windrow.worker()
                .queue("mail")
                .queue("secret")
                .handle(JobType.raw("hidden.type"), (input, context) -> input)
                .start()) {
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> names("viewer", "worker").contains(both.name()));
            assertThat(get("viewer", "workers").text()).contains("secret", "hidden.type");
            for (String path : List.of("workers", "overview")) {
                Reply reply = get(SOME, path).is(200);
                assertThat(reply.text()).contains(both.name()).doesNotContain("secret", "hidden.type");
                assertThat(reply.json().at("/workers/0/queues").toString()).isEqualTo("[\"mail\"]");
                assertThat(get("viewer", "overview").json().at("/workers/0/types"))
                        .isEmpty();
            }
        }
    }

    @Test
    void aSearchIsInOneVisibleQueue() {
        windrow.enqueue(JobType.raw("a").job(new Json("{\"pin\":\"1234\"}")).withQueue("secret"));
        // Its cursor and its numbers would tell of matches that the sender does not see.
        for (String search : List.of("payload=$.pin~1", "metadata=pin")) {
            get(SOME, "jobs?type=a&" + search).isProblem(400, "invalid-request", "queue is missing", "billing, mail");
        }
        Reply reply = get(ONE, "jobs?type=a&limit=1&payload=$.pin~1").is(200);
        assertThat(reply.text())
                .isEqualTo("{\"jobs\":[],\"next\":null,\"previous\":null,\"looked\":0,\"skipped\":0}\n");
    }

    @Test
    void jobsAreEnqueuedInVisibleQueuesAndNextToVisibleJobs() {
        var hidden = enqueue("a", "secret");
        var seen = enqueue("a", "mail");
        post(SOME, "jobs", "{\"type\":\"a\",\"queue\":\"secret\"}").isProblem(404, "not-found", "queue 'secret'");
        post(SOME, "jobs", "{\"type\":\"a\"}").isProblem(404, "not-found", "queue 'default'");
        post(SOME, "jobs", "{\"jobs\":[{\"type\":\"a\",\"queue\":\"mail\"},{\"type\":\"a\",\"queue\":\"secret\"}]}")
                .isProblem(404, "not-found");
        post(SOME, "jobs", "{\"type\":\"a\",\"queue\":\"mail\",\"dependsOn\":[\"%s\"]}".formatted(hidden))
                .isProblem(404, "not-found", "parent " + hidden);
        post(SOME, "jobs", "{\"type\":\"a\",\"queue\":\"mail\",\"dependsOn\":[\"%s\"]}".formatted(seen))
                .is(201);
        post("admin", "jobs", "{\"type\":\"a\",\"queue\":\"secret\",\"dedupeKey\":\"k\"}")
                .is(201);
        post(SOME, "jobs", "{\"type\":\"a\",\"queue\":\"mail\",\"dedupeKey\":\"k\",\"dedupeStrategy\":\"replace\"}")
                .isProblem(400, "invalid-request", "dedupeStrategy");
        assertThat(windrow.monitor().statistics().states().values()).contains(3L, 1L);
    }
}
