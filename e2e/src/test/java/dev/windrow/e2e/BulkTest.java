package dev.windrow.e2e;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Route;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.payload.Json;
import dev.windrow.query.JobFilter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Changes of many jobs in parts, and the list around them, by keyboard alone. They do not depend on the store. */
class BulkTest extends PageTest {
    private static final JobType<Json, Json> ITEM = JobType.raw("bulk.item").withQueue("bulk");

    private List<Long> items;

    @Override
    void fill() {
        items = windrow
                .enqueueAll(IntStream.range(0, 2500)
                        .mapToObj(i -> ITEM.job(new Json("1")).withDelay(Duration.ofDays(1)))
                        .toList())
                .stream()
                .map(job -> job.id())
                .toList();
    }

    private Locator rows() {
        return page.locator("table.jobs tbody tr");
    }

    private long count(JobState state) {
        return windrow.jobs(JobFilter.inState(state)).count();
    }

    @Test
    void aChangeIsStoppedBetweenPartsAndContinued() {
        signIn("operator");
        open("#/jobs?type=bulk.item");
        assertThat(rows()).hasCount(50);
        toggle(page.getByLabel("Select the page"));
        press(page.locator(".bulk").getByText("Select all"));
        press(page.locator(".bulk").getByText("Cancel"));
        assertThat(dialog()).containsText("Cancel 2,500 jobs?");
        windrow.enqueue(ITEM.job(new Json("\"later\"")).withDelay(Duration.ofDays(1)));

        List<Route> held = new ArrayList<>();
        page.route("**/jobs/change", held::add);
        press(inDialog("Cancel 2,500 jobs"));
        page.waitForCondition(() -> held.size() == 1);
        assertThat(dialog()).containsText("Cancelling 2,500 jobs");
        press(inDialog("Stop after this part"));
        page.unroute("**/jobs/change");
        held.get(0).resume();
        assertThat(dialog()).containsText("1,000 of 2,500 jobs cancelled");
        assertThat(count(JobState.CANCELLED)).isEqualTo(1000);
        isAccessible("a stopped change");
        press(inDialog("Continue"));
        says("2,500 jobs were cancelled");
        // The one that was enqueued after the question is left alone.
        assertThat(count(JobState.CANCELLED)).isEqualTo(2500);
        assertThat(count(JobState.SCHEDULED)).isEqualTo(1);
    }

    @Test
    void aChangeThatTheServerRefusesSaysSoAndContinues() {
        signIn("operator");
        open("#/jobs?queue=bulk");
        assertThat(rows()).hasCount(50);
        page.keyboard().press("j");
        page.keyboard().press("x");
        page.keyboard().press("j");
        page.keyboard().press("x");
        press(page.locator(".bulk").getByText("Cancel"));
        assertThat(dialog()).containsText("Cancel 2 scheduled jobs?");
        watch.expect("409|412");
        windrow.job(items.get(2499)).cancel();
        press(inDialog("Cancel 2 jobs"));
        assertThat(dialog()).containsText("1 of 2 jobs cancelled");
        assertThat(dialog()).containsText("Job " + items.get(2499) + " was not cancelled: ");
        press(inDialog("Close"));
        // The job that has changed stays selected.
        assertThat(page.locator(".bulk")).containsText("1 selected");
        assertThat(count(JobState.CANCELLED)).isEqualTo(2);
    }

    @Test
    void theListIsTurnedFilteredByStateAndCleared() {
        signIn("viewer");
        open("#/jobs?queue=bulk");
        assertThat(rows()).hasCount(50);
        press(page.locator("th[aria-sort] a"));
        assertThat(rows().first().locator("th a")).hasText(String.valueOf(items.get(0)));
        assertThat(page.locator("th[aria-sort]")).hasAttribute("aria-sort", "ascending");
        page.keyboard().press("j");
        page.keyboard().press("x");
        press(button("Clear the selection"));
        assertThat(page.locator(".bulk")).hasCount(0);

        press(button("Columns"));
        press(page.getByLabel("Rows of a page").getByText("25"));
        toggle(dialog().getByLabel("Tags"));
        press(inDialog("Close"));
        assertThat(rows()).hasCount(25);
        assertThat(page.locator("table.jobs thead")).containsText("Tags");
        press(button("Columns"));
        press(inDialog("Reset"));
        press(inDialog("Close"));
        assertThat(rows()).hasCount(50);

        List<Route> held = new ArrayList<>();
        page.route("**/api/v1/jobs?*FAILED*", held::add);
        press(page.getByLabel("States").locator("a").filter(new Locator.FilterOptions().setHasText("Failed")));
        page.waitForCondition(() -> held.size() == 1);
        // The rows of the other filter, which are shown meanwhile, cannot be selected.
        page.keyboard().press("j");
        page.keyboard().press("x");
        toggle(page.getByLabel("Select the page"));
        assertThat(page.locator(".bulk")).hasCount(0);
        page.unroute("**/api/v1/jobs?*FAILED*");
        held.get(0).resume();
        assertThat(page).hasURL(Pattern.compile("state=FAILED&queue=bulk"));
        assertThat(page.locator("main")).containsText("No job matches.");
        press(button("Remove state:failed"));
        assertThat(page.getByLabel("Search jobs")).isFocused();
        assertThat(rows()).hasCount(50);
    }

    @Test
    void aSearchInPayloadsContinuesWithOlderJobs() {
        signIn("operator");
        page.route(
                "**/api/v1/jobs?*payload*",
                route -> route.resume(
                        new Route.ResumeOptions().setUrl(route.request().url() + "&look=1000")));
        open("#/jobs?queue=bulk&payload=$%3D7");
        assertThat(page.locator("main")).containsText("No job matches so far.");
        assertThat(page.locator(".foot")).containsText("Looked at 1,000 jobs, back to");
        press(button("Continue"));
        assertThat(page.locator(".foot")).containsText("Looked at 2,000 jobs");
        press(button("Continue"));
        assertThat(page.locator("main")).containsText("No job matches.");
    }
}
