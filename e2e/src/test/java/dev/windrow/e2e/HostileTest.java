package dev.windrow.e2e;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.options.ColorScheme;
import dev.windrow.JobType;
import dev.windrow.limit.ConcurrencyKey;
import dev.windrow.payload.Json;
import dev.windrow.payload.Metadata;
import dev.windrow.schedule.Schedule;
import dev.windrow.workflow.Workflow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Texts of users that would be code, turn the direction of writing, or have no end: they are shown as texts, and the page keeps its width. */
class HostileTest extends EachStoreTest {
    private static final String SCRIPT =
            "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">";
    private static final String TURNED = "\u202Egnp.exe\u2066";
    private static final String LONG = "W".repeat(180);

    private long job;
    private long large;
    private long workflow;

    @Override
    void fill() {
        JobType<Json, Json> type = JobType.raw("type-" + "x".repeat(90)).withQueue("queue-" + "y".repeat(90));
        String payload =
                "{\"" + SCRIPT.replace("\"", "\\\"") + "\":\"" + LONG.repeat(20) + "\",\"n\":9223372036854775808,\""
                        + TURNED + "\":[[[[[[[[\"" + SCRIPT.replace("\"", "\\\"") + "\"]]]]]]]]}";
        for (String name : List.of(SCRIPT, TURNED, LONG)) {
            job = windrow.enqueue(type.job(new Json(payload))
                            .withName(name)
                            .withTags("tag-" + LONG.substring(0, 60))
                            .withMetadata(Metadata.none().with("note", SCRIPT + TURNED))
                            .withConcurrencyKey(ConcurrencyKey.of(name)))
                    .id();
            windrow.as(name).because(name).job(job).fail("CODE:" + "Z".repeat(90), name.repeat(3));
            windrow.enqueue(type.job(new Json("1")).withName(name).withConcurrencyKey(ConcurrencyKey.of(name)));
            windrow.as(name).key(name).pause(name);
        }
        large = windrow.enqueue(type.job(new Json("\"" + "a".repeat(3 << 20) + "\"")))
                .id();
        windrow.as(SCRIPT).queue(type.queue()).pause(SCRIPT);
        windrow.schedules()
                .save(Schedule.every(
                        "schedule-" + "s".repeat(80),
                        Duration.ofDays(1),
                        type.job(new Json(payload)).withName(SCRIPT)));
        Workflow flow = new Workflow();
        var first = flow.add(type.job(new Json("1")).withName(SCRIPT));
        flow.add(type.job(new Json("1")).withName(TURNED)).after(first);
        flow.add(type.job(new Json("1")).withName(LONG)).after(first);
        workflow = windrow.submit(flow).id();
    }

    private void eachViewIsSafe() {
        signIn("admin");
        List<String> addresses = new ArrayList<>();
        for (View view : View.values()) {
            addresses.add(view.address());
        }
        addresses.addAll(List.of(
                "#/jobs/" + job,
                "#/jobs/" + large,
                "#/jobs?copy=" + job,
                "#/workflows/" + workflow,
                "#/schedules/schedule-" + "s".repeat(80),
                "#/queues/keys/" + LONG,
                "#/jobs?name=%3Cscript%3Ealert(1)%3C/script%3E",
                "#/%3Cscript%3E",
                "#/jobs/%3Cimg%20src=x%20onerror=alert(1)%3E"));
        watch.expect("api/v1/jobs/%3Cimg|status of 40[04].*%3Cimg");
        for (String address : addresses) {
            open(address);
            isShown();
            fitsItsWidth(address);
            assertThat(page.title()).as(address).isNotEqualTo("owned");
            page.keyboard().press("Escape");
        }
        // The texts were there, as texts.
        open("#/jobs?state=FAILED");
        assertThat(page.locator("table.jobs")).containsText("<script>document.title");
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
    void aThousandTypesAreListedAndSearched() {
        windrow.enqueueAll(IntStream.range(0, 1000)
                .mapToObj(i -> JobType.raw("many.%04d".formatted(i)).job(new Json("1")))
                .toList());
        signIn("viewer");
        open("#/queues");
        isOpen(View.QUEUES.title);
        assertThat(page.locator("main")).containsText("Find others by their name.");
        page.getByLabel("Find a type").fill("many.0999");
        assertThat(page.locator("main")).containsText("many.0999");
        open("#/jobs");
        isOpen(View.JOBS.title);
        page.keyboard().press("/");
        assertThat(page.getByLabel("Search jobs")).isFocused();
        page.keyboard().type("type:many.0998");
        assertThat(page.locator("#search-list")).containsText("many.0998");
    }
}
