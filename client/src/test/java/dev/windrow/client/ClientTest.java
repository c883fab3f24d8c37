package dev.windrow.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.windrow.client.generated.ApiClient;
import dev.windrow.client.generated.ApiException;
import dev.windrow.client.generated.api.ControlsApi;
import dev.windrow.client.generated.api.JobsApi;
import dev.windrow.client.generated.api.SchedulesApi;
import dev.windrow.client.generated.api.StoreApi;
import dev.windrow.client.generated.model.Enqueued;
import dev.windrow.client.generated.model.Job;
import dev.windrow.client.generated.model.JobPage;
import dev.windrow.client.generated.model.JobState;
import dev.windrow.client.generated.model.PostJobsChangeRequest;
import dev.windrow.client.generated.model.PostJobsChangeRequestFilter;
import dev.windrow.client.generated.model.PostJobsIdCancelRequest;
import dev.windrow.client.generated.model.PostJobsIdRetryRequest;
import dev.windrow.client.generated.model.PostJobsRequest;
import dev.windrow.client.generated.model.PutControlsKindNameRequest;
import dev.windrow.client.generated.model.PutControlsKindNameRequestMaxRunning;
import dev.windrow.client.generated.model.PutSchedulesNameRequest;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The most frequent calls, by a client that a stock generator has made, to a process of {@code windrow serve}. */
class ClientTest {
    @TempDir
    Path folder;

    private Server server;
    private ApiClient client;

    @BeforeEach
    void start() throws Exception {
        server = Server.start(folder.resolve("jobs.db"));
        client = new ApiClient();
        client.updateBaseUri(server.api().toString().replaceAll("/$", ""));
        client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + server.token()));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void theMostFrequentCallsWork() throws Exception {
        JobsApi jobs = new JobsApi(client);
        StoreApi store = new StoreApi(client);
        assertThat(store.get().getName()).isEqualTo("windrow");

        Enqueued made = jobs.postJobs(new PostJobsRequest()
                .type("mail.send")
                .payload(Map.of("to", "ada@example.org"))
                .queue("mail")
                .priority(7)
                .addTagsItem("vip"));
        String id = made.getId();
        // The state is text: a job in a queue that the sender does not see has none.
        assertThat(made.getState()).isEqualTo("PENDING");

        JobPage page = jobs.getJobs(JobsApi.APIGetJobsRequest.newBuilder()
                .state(List.of("PENDING", "RUNNING"))
                .tag(List.of("vip"))
                .limit(10)
                .build());
        assertThat(page.getJobs()).extracting(Job::getId).containsExactly(id);
        assertThat(page.getNext()).isNull();

        Job job = jobs.getJobsId(id, true);
        assertThat(job.getQueue()).isEqualTo("mail");
        assertThat(job.getTags()).containsExactly("vip");
        assertThat(jobs.getJobsIdPayload(id)).isEqualTo(Map.of("to", "ada@example.org"));
        assertThat(jobs.getJobsIdExplain(id).getReasons()).isNotEmpty();

        assertThat(jobs.postJobsIdCancel(JobsApi.APIPostJobsIdCancelRequest.newBuilder()
                                .id(id)
                                .postJobsIdCancelRequest(new PostJobsIdCancelRequest().reason("ticket 1"))
                                .build())
                        .getState())
                .isEqualTo(JobState.CANCELLED);
        assertThat(jobs.postJobsIdRetry(JobsApi.APIPostJobsIdRetryRequest.newBuilder()
                                .id(id)
                                .postJobsIdRetryRequest(new PostJobsIdRetryRequest().attempts(5))
                                .build())
                        .getState())
                .isEqualTo(JobState.PENDING);
        assertThat(jobs.postJobsChange(new PostJobsChangeRequest()
                                .action(PostJobsChangeRequest.ActionEnum.CANCEL)
                                .filter(new PostJobsChangeRequestFilter().queue("mail"))
                                .dryRun(true))
                        .getChanged())
                .isEqualTo(1);

        assertThat(new ControlsApi(client)
                        .putControlsKindName(
                                "queues",
                                "mail",
                                new PutControlsKindNameRequest()
                                        .paused(true)
                                        .maxRunning(new PutControlsKindNameRequestMaxRunning(3)))
                        .getPaused())
                .isTrue();
        assertThat(new SchedulesApi(client)
                        .putSchedulesName(
                                "nightly",
                                new PutSchedulesNameRequest()
                                        .type("report.make")
                                        .cron("0 3 * * *"))
                        .getNextAt())
                .isNotEmpty();
        assertThat(store.getOverview().getStates()).isNotNull();
    }

    @Test
    void aProblemIsAnExceptionWithItsText() {
        ApiException missing =
                catchThrowableOfType(ApiException.class, () -> new JobsApi(client).getJobsId("4711", null));
        assertThat(missing.getCode()).isEqualTo(404);
        assertThat(missing.getResponseBody()).contains("\"kind\":\"not-found\"");
    }
}
