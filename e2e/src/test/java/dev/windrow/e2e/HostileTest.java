package dev.windrow.e2e;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.Download;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.options.ColorScheme;
import dev.windrow.Dedupe;
import dev.windrow.JobType;
import dev.windrow.LogLevel;
import dev.windrow.Worker;
import dev.windrow.limit.ConcurrencyKey;
import dev.windrow.payload.Json;
import dev.windrow.payload.Metadata;
import dev.windrow.schedule.Schedule;
import dev.windrow.workflow.Workflow;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Texts of users that would be code, turn the direction of writing, or have no end: they are shown as texts, and the page keeps its width. */
class HostileTest extends PageTest {
    private static final String SCRIPT =
            "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">";
    private static final String TURNED = "\u202Egnp.exe\u2066";
    private static final String LONG = "W".repeat(180);

    /** Numbers that JavaScript would round. */
    private static final List<String> NUMBERS = List.of("9223372036854775807", "9223372036854775808", "1e400", "1.10");

    private static final int LARGE = 10 << 20;

    private final CountDownLatch end = new CountDownLatch(1);
    private Worker worker;
    private long job;
    private long run;
    private long wide;
    private long large;
    private long workflow;

    @Override
    void fill() {
        JobType<Json, Json> type = JobType.raw("type-" + "x".repeat(90)).withQueue("queue-" + "y".repeat(90));
        String payload = "{" + json(SCRIPT) + ":" + json(LONG.repeat(20)) + ",\"n\":" + NUMBERS + "," + json(TURNED)
                + ":[[[[[[[[" + json(SCRIPT) + "]]]]]]]]}";
        for (String name : List.of(SCRIPT, TURNED, LONG)) {
            job = windrow.enqueue(type.job(new Json(payload))
                            .withName(name)
                            .withTags("tag-" + LONG.substring(0, 60), name.substring(0, Math.min(name.length(), 50)))
                            .withDedupe(Dedupe.key(name))
                            .withMetadata(Metadata.none().with("note", SCRIPT + TURNED))
                            .withConcurrencyKey(ConcurrencyKey.of(name)))
                    .id();
            windrow.as(name).because(name).job(job).fail("CODE:" + "Z".repeat(90), name.repeat(3));
            windrow.enqueue(type.job(new Json("1")).withName(name).withConcurrencyKey(ConcurrencyKey.of(name)));
            windrow.as(name).key(name).pause(name);
        }
        large = windrow.enqueue(type.job(new Json("[" + "{\"a\":1.10},".repeat(LARGE / 11 + 1) + "0]")))
                .id();
        wide = windrow.enqueue(type.job(new Json(IntStream.range(0, 4000)
                        .mapToObj(i -> "\"k" + i + "\":" + i)
                        .collect(joining(",", "{", "}")))))
                .id();
        windrow.as(SCRIPT).queue(type.queue()).pause(SCRIPT);
        windrow.schedules()
                .save(Schedule.every(
                        "schedule-" + "s".repeat(80),
                        Duration.ofDays(1),
                        type.job(new Json(payload)).withName(SCRIPT)));
        windrow.as(TURNED).schedules().pause("schedule-" + "s".repeat(80), TURNED);
        Workflow flow = new Workflow();
        var first = flow.add(type.job(new Json("1")).withName(SCRIPT));
        flow.add(type.job(new Json("1")).withName(TURNED)).after(first);
        flow.add(type.job(new Json("1")).withName(LONG)).after(first);
        workflow = windrow.submit(flow).id();
        JobType<Json, Json> running = JobType.raw("running");
        worker = windrow.worker()
                .name(TURNED + SCRIPT)
                .drainTimeout(Duration.ZERO)
                .handle(running, (input, context) -> {
                    for (String text : List.of(SCRIPT, TURNED, LONG)) {
                        context.log(LogLevel.WARN, text);
                        context.stepVoid(text, () -> {});
                        context.progress(0.5, text);
                    }
                    end.await();
                    return input;
                })
                .start();
        run = windrow.enqueue(running.job(new Json("1"))).id();
        await().until(() -> windrow.job(run).info().progress() != null
                && windrow.job(run).history().log().size() == 3);
    }

    private static String json(String text) {
        return "\"" + text.replace("\"", "\\\"") + "\"";
    }

    @AfterEach
    void stopWorker() {
        end.countDown();
        worker.close();
    }

    private void eachViewIsSafe() {
        signIn("admin");
        List<String> addresses = new ArrayList<>();
        for (View view : View.values()) {
            addresses.add(view.address());
        }
        addresses.addAll(List.of(
                "#/jobs/" + job,
                "#/jobs/" + run,
                "#/jobs/" + wide,
                "#/jobs/" + large,
                "#/jobs?copy=" + job,
                "#/workers/" + encoded(TURNED + SCRIPT),
                "#/workflows/" + workflow,
                "#/schedules/schedule-" + "s".repeat(80),
                "#/queues/keys/" + LONG,
                "#/jobs?name=%3Cscript%3Ealert(1)%3C/script%3E",
                "#/%3Cscript%3E",
                "#/jobs/%3Cimg%20src=x%20onerror=alert(1)%3E"));
        List<String> turning = new ArrayList<>();
        watch.expect("api/v1/jobs/%3Cimg|status of 40[04].*%3Cimg");
        for (String address : addresses) {
            open(address);
            isShown();
            fitsItsWidth(address);
            assertThat(page.title()).as(address).isNotEqualTo("owned");
            ((List<?>) page.evaluate(TURNING)).forEach(text -> turning.add(address + ": " + text));
            page.keyboard().press("Escape");
        }
        assertThat(turning)
                .as("texts that turn the direction of the text beside them")
                .isEmpty();
        // The texts were there, as texts.
        open("#/jobs?state=FAILED");
        assertThat(page.locator("table.jobs")).containsText("<script>document.title");
    }

    /** The texts that turn the direction of the text beside them: those outside of an element that isolates them. */
    private static final String TURNING = """
            () => {
                const walker = document.createTreeWalker(document.querySelector("#app"), NodeFilter.SHOW_TEXT);
                const found = [];
                for (let text = walker.nextNode(); text; text = walker.nextNode()) {
                    if (/[\u202a-\u202e\u2066-\u2069]/.test(text.data) && !text.parentElement.closest("bdi, pre, svg")) {
                        found.push(text.parentElement.outerHTML.slice(0, 200));
                    }
                }
                return found;
            }""";

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private void isShown() {
        assertThat(page.locator("main h1, main .empty").first()).isVisible();
        assertThat(page.locator("main [aria-busy=true]")).hasCount(0);
    }

    @Test
    void onAWideScreen() {
        eachViewIsSafe();
    }

    @Test
    void onAPhone() {
        openPage(360, ColorScheme.DARK);
        eachViewIsSafe();
    }

    @Test
    void aLongPayloadIsShownInPartAndSavedAsAFile() throws Exception {
        signIn("operator");
        open("#/jobs/" + large);
        assertThat(page.locator("main")).containsText("JSON of 10 MiB.");
        press(button("Show the beginning"));
        Locator begin = page.getByLabel("Beginning of the payload");
        assertThat(begin).containsText("[{\"a\":1.10},");
        assertThat(begin.textContent()).hasSize(64 * 1024);
        fitsItsWidth("a long payload");
        isAccessible("a long payload");
        Download download = page.waitForDownload(() -> press(button("Download with all values")));
        assertThat(Files.size(download.path())).isGreaterThan(LARGE);

        open("#/jobs/" + wide);
        press(button("Show 200 more of 4,000 members"));
        assertThat(page.locator(".tree .k")).hasCount(251);

        open("#/jobs/" + job);
        for (String number : NUMBERS) {
            assertThat(page.locator(".tree").first()).containsText(number);
        }
    }
}
