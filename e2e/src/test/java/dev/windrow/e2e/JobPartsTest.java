package dev.windrow.e2e;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.LogLevel;
import dev.windrow.RetryPolicy;
import dev.windrow.Worker;
import dev.windrow.limit.ConcurrencyKey;
import dev.windrow.limit.Rate;
import dev.windrow.payload.Json;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The parts of a job's page that open, follow and help, by keyboard alone. They do not depend on the store. */
class JobPartsTest extends PageTest {
    private static final JobType<Json, Json> LONG = JobType.raw("job.long");
    private static final JobType<Json, Json> TALKING = JobType.raw("job.talking");
    private static final int ATTEMPTS = 25;

    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private Worker worker;

    @Override
    void fill() throws Exception {
        super.fill();
        worker = windrow.worker()
                .name("talker")
                .drainTimeout(Duration.ZERO)
                .handle(TALKING, (input, job) -> {
                    while (true) {
                        String line = lines.take();
                        job.log(line.startsWith("!") ? LogLevel.WARN : LogLevel.INFO, line);
                    }
                })
                .handle(LONG, (input, job) -> {
                    if (job.attempt() < ATTEMPTS) {
                        throw new IllegalStateException("attempt " + job.attempt());
                    }
                    for (int i = 0; i < 60; i++) {
                        job.stepVoid("step " + i, () -> {});
                    }
                    return input;
                })
                .start();
    }

    @AfterEach
    void stopWorker() {
        worker.close();
    }

    private void log(String line) {
        lines.add(line);
        assertThat(page.locator(".log")).containsText(line);
    }

    @Test
    void theLogIsFollowedUntilTheReaderScrollsUp() {
        IntStream.range(0, 60).forEach(i -> lines.add("line " + i + "."));
        long job = windrow.enqueue(TALKING.job(new Json("1"))).id();
        signIn("operator");
        openJob(job);
        Locator box = page.getByLabel("Log lines");
        Locator follow = page.getByLabel("Follow");
        assertThat(page.locator(".log")).containsText("line 59.");
        assertThat(follow).isChecked();
        isAtItsEnd(box, true);
        log("!the 60th.");
        isAtItsEnd(box, true);

        tabTo(box);
        page.keyboard().press("Home");
        assertThat(follow).not().isChecked();
        log("line 61.");
        isAtItsEnd(box, false);
        toggle(follow);
        isAtItsEnd(box, true);

        press(page.getByLabel("Level and above").getByText("Warn"));
        assertThat(page.locator(".log li")).hasCount(1);
        press(page.getByLabel("Level and above").getByText("Error"));
        assertThat(page.locator("main")).containsText("No line of this level.");
        page.reload();
        assertThat(page.locator("main")).containsText("No line of this level.");
    }

    private void isAtItsEnd(Locator box, boolean expected) {
        page.waitForCondition(() ->
                (boolean) box.evaluate("(box) => box.scrollHeight - box.scrollTop - box.clientHeight < 2") == expected);
    }

    @Test
    void longPartsAreOpened() {
        context.grantPermissions(List.of("clipboard-read", "clipboard-write"));
        String members =
                IntStream.range(0, 60).mapToObj(i -> "\"k" + i + "\":" + i).collect(joining(","));
        Json payload = new Json("{\"text\":\"" + "a".repeat(1500) + "\",\"password\":\"geheim\"," + members + "}");
        long job = windrow.enqueue(
                        LONG.job(payload).withMaxAttempts(ATTEMPTS).withRetry(RetryPolicy.fixed(Duration.ofMillis(1))))
                .id();
        await().until(() -> state(job) == JobState.COMPLETED);
        signIn("operator");
        openJob(job);
        Locator attempts = page.locator(".acc > details");
        assertThat(attempts).hasCount(20);
        press(button("Show all 25"));
        assertThat(attempts).hasCount(25);
        press(attempts.nth(1).locator("summary"));
        assertThat(attempts.nth(1)).containsText("attempt 24");
        press(attempts.nth(1).getByText("All frames"));
        assertThat(attempts.nth(1)).containsText("dev.windrow.engine.worker");
        press(attempts.nth(1).getByText("Copy"));
        assertThat(attempts.nth(1).getByText("Copied")).isVisible();
        assertThat((String) page.evaluate("navigator.clipboard.readText()")).contains("attempt 24");

        int segments = page.locator(".life li").count();
        press(page.locator(".life button"));
        assertThat(page.locator(".life li")).not().hasCount(segments);
        press(page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("earlier event")));
        assertThat(page.locator(".events li").first()).containsText("Enqueued");
        press(button("Show all 60"));
        assertThat(page.locator("main")).containsText("step 0");

        Locator tree = page.getByLabel("Payload as a tree");
        press(tree.getByText("Show 12 more of 62 members"));
        assertThat(tree).containsText("k59");
        press(tree.getByText("Show all 1,500 characters"));
        assertThat(tree).containsText("a".repeat(1500));
        press(button("Reveal").first());
        assertThat(tree).containsText("geheim");
        press(button("Hide").first());
        assertThat(tree).not().containsText("geheim");
        isAccessible("all parts of a job");
    }

    @Test
    void aReasonOffersTheChangeThatHelps() {
        signIn("operator");
        openJob(shop.scheduled);
        press(page.locator("main .rows").getByText("Trigger", new Locator.GetByTextOptions().setExact(true)));
        says("Job " + shop.scheduled + " is due now");
        openJob(shop.pending);
        press(button("Resume queue"));
        says("Queue mail was resumed");
        assertThat(windrow.queue("mail").limits().isPaused()).isFalse();
        windrow.type("order.check").pause();
        long child = windrow.enqueue(LONG.job(new Json("1"))
                        .withParents(windrow.job(shop.failed).ref()))
                .id();
        openJob(child);
        press(button("Retry parent"));
        says("Job " + shop.failed + " was retried");
        assertThat(state(shop.failed)).isEqualTo(JobState.PENDING);
    }

    @Test
    void eachReasonIsInWords() {
        JobType<Json, Json> failing = JobType.raw("job.failing");
        long retried;
        try (Worker once = windrow.worker()
                .handle(failing, (input, job) -> {
                    throw new IllegalStateException("no luck");
                })
                .start()) {
            retried = windrow.enqueue(failing.job(new Json("1")).withRetry(RetryPolicy.fixed(Duration.ofHours(1))))
                    .id();
            await().until(() -> state(retried) == JobState.SCHEDULED);
        }
        ConcurrencyKey key = ConcurrencyKey.of("tenant-7");
        windrow.key("tenant-7").limit(1);
        long holder = windrow.enqueue(TALKING.job(new Json("1")).withConcurrencyKey(key))
                .id();
        await().until(() -> state(holder) == JobState.RUNNING);
        long keyed = windrow.enqueue(TALKING.job(new Json("1")).withConcurrencyKey(key))
                .id();
        long limited = windrow.enqueue(Shop.REPORT.job(Shop.ORDER)).id();
        long child = windrow.enqueue(LONG.job(new Json("1"))
                        .withParents(
                                windrow.job(shop.pending).ref(),
                                windrow.job(shop.scheduled).ref()))
                .id();
        windrow.type("order.check").limitRate(Rate.of(1, Duration.ofHours(1)));
        windrow.enqueue(Shop.CHECK.job(Shop.ORDER));
        long rated = windrow.enqueue(Shop.CHECK.job(Shop.ORDER)).id();
        signIn("viewer");
        Map<Long, List<String>> words = Map.of(
                retried,
                List.of("Attempt 2 of 3 is due in 59 min", "The last attempt failed with INTERNAL:EXCEPTION"),
                limited,
                List.of("Queue reports is full: 1 of 1 run"),
                keyed,
                List.of("Key tenant-7 has no free permit: 1 of 1 is held", "By " + holder + " (running)."),
                child,
                List.of("Waits for 2 parents", shop.pending + " (pending), " + shop.scheduled + " (scheduled)."),
                rated,
                List.of("Type order.check has used up its rate: 1/h", "The rate allows the next start in 59 min"),
                shop.waiting,
                List.of("Waits for the event paid", "when the event comes"));
        words.forEach((job, texts) -> {
            openJob(job);
            texts.forEach(text -> assertThat(page.locator("main")).containsText(text));
        });
        openJob(child);
        assertThat(page.locator("main")).containsText("0 of 2 complete");
    }

    @Test
    void aJobThatAwaitsItsCompletionIsCompleted() {
        JobType<Json, Json> approval = JobType.raw("approval");
        long job = windrow.enqueue(approval.job(new Json("1")).withExternalCompletion(Duration.ofDays(1)))
                .id();
        signIn("operator");
        openJob(job);
        assertThat(page.locator("main")).containsText("Waits for its completion from outside");
        press(button("Complete"));
        type(dialog().locator("textarea[name=result]"), "no JSON");
        press(inDialog("Complete job"));
        assertThat(dialog()).containsText("The result is not JSON");
        type(dialog().locator("textarea[name=result]"), "{\"approved\":true}");
        press(inDialog("Complete job"));
        says("was completed");
        assertThat(text(windrow.job(job).result())).contains("approved");
    }
}
