package dev.windrow.tests.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobRef;
import dev.windrow.JobType;
import dev.windrow.StoreUnavailableException;
import dev.windrow.Windrow;
import dev.windrow.dashboard.DashboardOptions;
import dev.windrow.monitor.AuditEntry;
import dev.windrow.monitor.AuditFilter;
import dev.windrow.payload.Json;
import dev.windrow.payload.Metadata;
import dev.windrow.schedule.Schedule;
import dev.windrow.tests.engine.FaultyStore;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The audit names who has read confidential values over HTTP, and which jobs, and has none of the values. */
class RevealTest extends HttpTest {
    private static final Json SECRET = new Json("{\"password\":\"geheim\",\"n\":1}");

    private JobRef<Json> secret(String queue) {
        return windrow.enqueue(
                JobType.raw("a").job(SECRET).withQueue(queue).withMetadata(Metadata.parse("{\"token\":\"geheim\"}")));
    }

    private List<AuditEntry> entries() {
        return windrow.monitor()
                .audit(AuditFilter.ALL.withAction("REVEAL"))
                .page()
                .entries();
    }

    /** Asserts that there is one more entry, by the operator, with this number of jobs, these named ones, and this detail. */
    private void recorded(int before, int jobs, List<? extends JobRef<?>> named, String detail) {
        List<AuditEntry> entries = entries();
        assertThat(entries).hasSize(before + 1);
        AuditEntry entry = entries.get(0);
        assertThat(entry.actor()).isEqualTo("user-operator");
        assertThat(entry.changed()).isEqualTo(jobs);
        assertThat(entry.jobs())
                .extracting(AuditEntry.Job::id)
                .containsExactlyElementsOf(named.stream().map(JobRef::id).toList());
        assertThat(String.valueOf(entry.detail())).isEqualTo(detail);
    }

    @Test
    void aReadJobHasOneEntryHoweverOftenAPagePolls() {
        JobRef<Json> job = secret("default");
        assertThat(get("operator", "jobs/" + job).is(200).text()).doesNotContain("geheim");
        assertThat(entries()).as("redacted").isEmpty();
        for (int i = 0; i < 3; i++) {
            assertThat(get("operator", "jobs/" + job + "?reveal=true").is(200).text())
                    .contains("geheim");
        }
        recorded(0, 1, List.of(job), "null");
        get("operator", "jobs/" + job + "/payload").is(200);
        get("operator", "chains/" + job + "?reveal=true").is(200);
        get("operator", "jobs?reveal=true").is(200);
        assertThat(entries()).as("the same job").hasSize(1);
        get("admin", "jobs/" + job + "/payload").is(200);
        assertThat(entries()).extracting(AuditEntry::actor).containsExactly("user-admin", "user-operator");
        assertThat(windrow.job(job).history().events())
                .as("the job is as before")
                .hasSize(1);
    }

    @Test
    void payloadsResultsAndChainsAreRecorded() {
        JobRef<Json> first = secret("default");
        get("operator", "jobs/" + first + "/payload").is(200);
        recorded(0, 1, List.of(first), "null");
        JobRef<Json> second = secret("default");
        get("operator", "jobs/" + second + "/result").isProblem(404, "not-found");
        assertThat(entries()).as("nothing was shown").hasSize(1);
        windrow.job(second).complete(SECRET);
        get("operator", "jobs/" + second + "/result").is(200);
        recorded(1, 1, List.of(second), "null");
        JobRef<Json> third = secret("default");
        get("operator", "chains/" + third + "?reveal=true").is(200);
        recorded(2, 1, List.of(third), "null");
        get("operator", "jobs/4711?reveal=true").isProblem(404, "not-found");
        get("viewer", "jobs/" + first + "/payload").isProblem(403, "forbidden", "reveal");
        assertThat(entries()).hasSize(3);
    }

    @Test
    void listsHaveTheirJobsAndTheNamesOfTheirFilter() {
        JobRef<Json> one = secret("mail");
        JobRef<Json> two = secret("mail");
        secret("other");
        get("operator", "jobs?reveal=true&queue=mail&state=PENDING&limit=1").is(200);
        recorded(0, 1, List.of(two), "{\"list\":\"jobs\",\"filter\":\"queue, state\"}");
        get("operator", "jobs?reveal=true&queue=mail&state=PENDING").is(200);
        recorded(1, 1, List.of(one), "{\"list\":\"jobs\",\"filter\":\"queue, state\"}");
        get("operator", "jobs?reveal=true&queue=empty").is(200);
        assertThat(entries()).as("no job was shown").hasSize(2);

        get("operator", "jobs?queue=mail&payload=$.password=geheim&limit=1").is(200);
        get("operator", "jobs?limit=2&payload=$.password=geheim&queue=mail").is(200);
        recorded(2, 0, List.of(), "{\"list\":\"jobs\",\"filter\":\"payload, queue\"}");
        get("operator", "jobs?queue=mail&payload=$.password=other").is(200);
        recorded(3, 0, List.of(), "{\"list\":\"jobs\",\"filter\":\"payload, queue\"}");
        assertThat(entries().toString()).doesNotContain("geheim");

        for (int i = 4; i < 6; i++) {
            get("operator", "export?state=PENDING").is(200);
            recorded(i, 0, List.of(), "{\"list\":\"export\",\"filter\":\"state\"}");
        }
        get("operator", "export").is(200);
        recorded(6, 0, List.of(), "{\"list\":\"export\"}");
    }

    @Test
    void schedulesAndTheAuditItselfAreRecorded() {
        windrow.schedules()
                .save(Schedule.every(
                        "nightly", Duration.ofHours(1), JobType.raw("a").job(SECRET)));
        get("operator", "schedules/nightly").is(200);
        assertThat(entries()).isEmpty();
        assertThat(get("operator", "schedules/nightly?reveal=true").is(200).text())
                .contains("geheim");
        get("operator", "schedules/nightly?reveal=true").is(200);
        recorded(0, 0, List.of(), "{\"schedule\":\"nightly\"}");
        get("operator", "schedules?reveal=true").is(200);
        recorded(1, 0, List.of(), "{\"list\":\"schedules\"}");
    }

    @Test
    void aPageOfTheAuditNamesTheJobsWhoseMetadataItShows() {
        JobRef<Json> one = secret("default");
        JobRef<Json> two = secret("default");
        for (JobRef<Json> job : List.of(one, two)) {
            windrow.job(job).mergeMetadata(Metadata.parse("{\"pin\":\"1234\"}"));
        }
        windrow.job(secret("default")).cancel();
        get("operator", "audit?reveal=true&action=CANCEL").is(200);
        assertThat(get("operator", "audit").is(200).text()).doesNotContain("1234");
        assertThat(entries()).as("no metadata was shown").isEmpty();
        // Here it is no cursor, but a time.
        String path = "audit?reveal=true&before=2030-01-01T00:00:00Z";
        assertThat(get("operator", path).is(200).text()).contains("1234");
        recorded(0, 2, List.of(one, two), "{\"list\":\"audit\",\"filter\":\"before\"}");
        get("operator", path).is(200);
        assertThat(entries()).as("the same jobs").hasSize(1);
    }

    @Test
    void aHeadShowsNothingAndIsNotRecorded() {
        JobRef<Json> job = secret("default");
        send(as("operator", "jobs/" + job + "/payload").method("HEAD", BodyPublishers.noBody()))
                .is(200);
        send(as("operator", "export").method("HEAD", BodyPublishers.noBody())).is(200);
        assertThat(entries()).isEmpty();
    }

    @Test
    void aHeadThatTellsTheLengthOfAnAnswerIsRecorded() {
        JobRef<Json> job = secret("default");
        send(as("operator", "jobs/" + job + "?reveal=true").method("HEAD", BodyPublishers.noBody()))
                .is(200);
        assertThat(entries()).hasSize(1);
    }

    @Test
    void nothingIsShownIfTheEntryCannotBeWritten() throws Exception {
        windrow.close();
        FaultyStore faults = new FaultyStore(target.newStore());
        windrow = Windrow.open(faults);
        serve(DashboardOptions.DEFAULTS, HttpTest::access);
        JobRef<Json> job = secret("default");
        faults.reveal =
                real -> reveal -> CompletableFuture.failedFuture(new StoreUnavailableException("the disk is full"));
        for (String path : List.of(
                "jobs/" + job + "?reveal=true",
                "jobs/" + job + "/payload",
                "jobs?reveal=true",
                "export",
                "schedules?reveal=true")) {
            Reply reply = get("operator", path).isProblem(503, "store-unavailable");
            assertThat(reply.text()).doesNotContain("geheim");
            assertThat(reply.header("Retry-After")).isEqualTo("1");
            assertThat(reply.header("Content-Disposition")).isEmpty();
        }
        get("operator", "jobs/" + job).is(200);
        assertThat(entries()).isEmpty();
        faults.reveal = real -> real;
        get("operator", "jobs/" + job + "/payload").is(200);
        recorded(0, 1, List.of(job), "null");
    }

    @Test
    void aSenderOfSomeQueuesSeesTheRevealsOfItsJobs() {
        JobRef<Json> mail = secret("mail");
        JobRef<Json> other = secret("other");
        get("operator", "jobs/" + mail + "/payload").is(200);
        get("operator", "jobs/" + other + "/payload").is(200);
        get("operator", "export").is(200);
        assertThat(get("viewer:mail", "audit").is(200).json().get("audit"))
                .singleElement()
                .satisfies(
                        entry -> assertThat(entry.at("/jobs/0/id").asString()).isEqualTo(mail.toString()));
    }
}
