package dev.windrow.examples.plain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.Store;
import dev.windrow.Windrow;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Each shop takes orders and prints invoices in its own way, and passes these tests. */
@Tag("once")
public abstract class ShopContract {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int ORDERS = 30;
    private static final JobType<Long, String> INVOICE = JobType.of("invoice.print", Long.class, String.class);
    private static final Pattern ID = Pattern.compile("\\{\"id\":\"?(\\d+)");

    /** Starts the shop. A further call starts it again on the same database. */
    protected abstract RunningShop start(int printMillis) throws Exception;

    /** Returns the store of the jobs. */
    protected abstract Store store();

    @Test
    void anOrderGetsItsInvoiceAndARefusedOneHasNoJob() throws Exception {
        String job;
        try (RunningShop shop = start(0)) {
            job = bought(shop);
            await().atMost(PATIENCE)
                    .until(() -> shop.get("/jobs/api/v1/jobs/" + job).body().contains("\"COMPLETED\""));
            HttpResponse<String> refused = shop.buy("Bob", 0);
            assertThat(refused.statusCode()).as(refused.body()).isEqualTo(400);
            assertThat(shop.get("/jobs/").body()).contains("<html");
            shop.terminate();
        }
        assertThat(states()).isEqualTo(Map.of(JobState.COMPLETED, 1L));
        try (Windrow windrow = Windrow.open(store())) {
            assertThat(windrow.await(INVOICE.ref(Long.parseLong(job)), Duration.ZERO))
                    .isEqualTo("R-" + job);
        }
    }

    @Test
    void aStoppedShopHasFinishedItsRunningJobsAndKeepsTheOthers() throws Exception {
        List<Long> running;
        try (RunningShop shop = start(500)) {
            for (int i = 0; i < ORDERS; i++) {
                bought(shop);
            }
            running = await().atMost(PATIENCE).until(() -> jobs(shop, JobState.RUNNING), ids -> !ids.isEmpty());
            shop.terminate();
            assertThat(shop.output()).doesNotContain("Exception", "ERROR");
        }
        assertThat(states().keySet()).isSubsetOf(JobState.COMPLETED, JobState.PENDING);
        assertThat(states().values().stream().mapToLong(Long::longValue).sum()).isEqualTo(ORDERS);
        try (Windrow windrow = Windrow.open(store())) {
            assertThat(running)
                    .allSatisfy(id -> assertThat(windrow.job(id).info().state()).isEqualTo(JobState.COMPLETED));
        }
        try (RunningShop shop = start(0)) {
            await().atMost(PATIENCE)
                    .until(() -> jobs(shop, JobState.PENDING).isEmpty()
                            && jobs(shop, JobState.RUNNING).isEmpty());
            shop.terminate();
        }
        assertThat(states()).isEqualTo(Map.of(JobState.COMPLETED, (long) ORDERS));
    }

    private static String bought(RunningShop shop) throws Exception {
        HttpResponse<String> answer = shop.buy("Ada", 4200);
        assertThat(answer.statusCode())
                .as("%s\n%s", answer.body(), shop.output())
                .isEqualTo(200);
        return answer.body().strip();
    }

    private static List<Long> jobs(RunningShop shop, JobState state) throws Exception {
        String body = shop.get("/jobs/api/v1/jobs?limit=100&state=" + state).body();
        return ID.matcher(body).results().map(id -> Long.valueOf(id.group(1))).toList();
    }

    /** Returns the number of jobs in each state that has some. */
    private Map<JobState, Long> states() {
        try (Windrow windrow = Windrow.open(store())) {
            return windrow.monitor().statistics().states().entrySet().stream()
                    .filter(state -> state.getValue() > 0)
                    .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
        }
    }
}
