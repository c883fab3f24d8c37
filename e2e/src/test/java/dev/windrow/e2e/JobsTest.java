package dev.windrow.e2e;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Download;
import com.microsoft.playwright.Locator;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.payload.Json;
import dev.windrow.payload.Metadata;
import dev.windrow.query.JobFilter;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The list of the jobs: search, pages, selection, and changes of many jobs. */
class JobsTest extends EachStoreTest {
    private static final JobType<Json, Json> ITEM = JobType.raw("bulk.item").withQueue("bulk");

    private List<Long> items;

    @Override
    void fill() throws Exception {
        super.fill();
        items = windrow
                .enqueueAll(IntStream.range(0, 60)
                        .mapToObj(i -> ITEM.job(new Json("{\"i\":" + i + "}")).withDelay(Duration.ofDays(1)))
                        .toList())
                .stream()
                .map(job -> job.id())
                .toList();
    }

    private Locator rows() {
        return page.locator("table.jobs tbody tr");
    }

    private long count(JobState state) {
        return items.stream()
                .filter(id -> windrow.job(id).exists() && state(id) == state)
                .count();
    }

    @Test
    void theSearchCompletesAndItsStateIsInTheAddress() {
        signIn("operator");
        open("#/jobs");
        isOpen("Jobs");
        page.keyboard().press("/");
        assertThat(page.getByLabel("Search jobs")).isFocused();
        page.keyboard().type("type:ord");
        assertThat(page.locator("#search-list")).containsText("type:order.check");
        page.keyboard().press("Enter");
        assertThat(page).hasURL(Pattern.compile("#/jobs\\?type=order.check"));
        assertThat(rows()).hasCount(2);
        page.keyboard().type("state:failed payload.$.customer.id=42");
        page.keyboard().press("Enter");
        assertThat(page.locator(".chip")).hasCount(3);
        assertThat(rows()).hasCount(2);
        isAccessible("a search");
        page.reload();
        assertThat(page.locator(".chip")).hasCount(3);
        assertThat(rows()).hasCount(2);
        page.keyboard().press("/");
        page.keyboard().press("Backspace");
        assertThat(page.locator(".chip")).hasCount(2);
        page.goBack();
        assertThat(page.locator(".chip")).hasCount(3);
    }

    @Test
    void theSearchTakesAllCodesOfACategory() {
        windrow.job(items.get(0)).fail("PROCESS:EXIT_1");
        windrow.job(items.get(1)).fail("PROCESSING:LATE");
        windrow.job(items.get(2)).fail("PROCESS:SIGNAL_9");
        signIn("operator");
        open("#/jobs?state=FAILED");
        isOpen("Jobs");
        assertThat(rows()).hasCount(5);
        page.keyboard().press("/");
        page.keyboard().type("code:PROC");
        assertThat(page.locator("#search-list"))
                .containsText(
                        Pattern.compile("code:PROCESS:\\*.*code:PROCESS:EXIT_1.*code:PROCESSING:\\*", Pattern.DOTALL));
        assertThat(page.locator("#search-list li").first()).containsText("2 jobs");
        page.keyboard().press("Enter");
        assertThat(page.locator(".chip").last()).containsText("code:PROCESS:*");
        assertThat(page).hasURL(Pattern.compile("code=PROCESS(:|%3A)\\*"));
        assertThat(rows()).hasCount(2);
        isAccessible("a category of codes");
        page.reload();
        assertThat(rows()).hasCount(2);

        page.keyboard().press("/");
        page.keyboard().type("code:PROCESSING:*");
        page.keyboard().press("Enter");
        assertThat(page.locator(".chip")).hasCount(2);
        assertThat(rows()).hasCount(1);
        page.keyboard().type("code:PRO*");
        page.keyboard().press("Enter");
        assertThat(page.locator("#search-problem")).containsText("An asterisk stands for all codes of a category");
    }

    @Test
    void pagesAreFixedAndNewJobsAreCounted() {
        signIn("operator");
        open("#/jobs?queue=bulk&limit=25");
        assertThat(rows()).hasCount(25);
        String first = rows().first().locator("th a").innerText();
        windrow.enqueueAll(List.of(ITEM.job(new Json("1")), ITEM.job(new Json("2"))));
        assertThat(button("2 newer")).isVisible();
        assertThat(rows().first().locator("th a")).hasText(first);
        press(button("2 newer"));
        assertThat(rows().first().locator("th a")).not().hasText(first);
        String newest = rows().first().locator("th a").innerText();
        press(link("Older"));
        assertThat(rows().first().locator("th a")).not().hasText(newest);
        String older = rows().first().locator("th a").innerText();
        press(link("Older"));
        assertThat(rows().first().locator("th a")).not().hasText(older);
        assertThat(rows()).hasCount(12);
        assertThat(button("Older")).isDisabled();
        press(link("Newer"));
        assertThat(rows()).hasCount(25);
    }

    @Test
    void rowsAreMovedThroughSelectedAndOpenedByKeys() {
        signIn("operator");
        open("#/jobs?queue=bulk");
        assertThat(rows()).hasCount(50);
        page.keyboard().press("j");
        page.keyboard().press("j");
        page.keyboard().press("x");
        page.keyboard().press("j");
        page.keyboard().press("x");
        assertThat(page.locator(".bulk")).containsText("2 selected");
        isAccessible("a selection");
        press(page.locator(".bulk").getByText("Trigger"));
        press(inDialog("Trigger 2 jobs"));
        says("2 jobs were triggered");
        assertThat(count(JobState.PENDING)).isEqualTo(2);
        page.keyboard().press("k");
        page.keyboard().press("Enter");
        assertThat(page.locator("main h1")).containsText("bulk.item");
    }

    @Test
    void allThatMatchAreCancelledRetriedAndDeleted() {
        signIn("admin");
        open("#/jobs?type=bulk.item");
        selectAll("type:bulk.item");
        press(page.locator(".bulk").getByText("Cancel"));
        assertThat(dialog()).containsText("Cancel 60 jobs?");
        type(dialog().locator("input[name=reason]"), "a wrong import");
        press(inDialog("Cancel 60 jobs"));
        says("60 jobs were cancelled");
        assertThat(count(JobState.CANCELLED)).isEqualTo(60);

        open("#/jobs?type=bulk.item&state=CANCELLED");
        selectAll("type:bulk.item state:cancelled");
        press(page.locator(".bulk").getByText("Retry"));
        press(inDialog("Retry 60 jobs"));
        says("60 jobs were retried");
        assertThat(count(JobState.CANCELLED)).isZero();

        windrow.jobs(JobFilter.ALL.withType("bulk.item")).cancel();
        open("#/jobs?type=bulk.item");
        selectAll("type:bulk.item");
        press(page.locator(".bulk").getByText("Delete"));
        assertThat(inDialog("Delete 60 jobs")).isDisabled();
        type(dialog().getByLabel("Type 60 to delete"), "60");
        press(inDialog("Delete 60 jobs"));
        says("60 jobs were deleted");
        assertThat(items).noneMatch(id -> windrow.job(id).exists());
        assertThat(page.locator("main")).containsText("No job matches.");
    }

    /** Selects all jobs of this filter. The rows of the last one stay until its answer arrives. */
    private void selectAll(String filter) {
        assertThat(page.locator("table.jobs caption")).hasText("Jobs with " + filter + ", newest first");
        assertThat(rows()).hasCount(50);
        isLoaded();
        Locator box = page.getByLabel("Select the page");
        tabTo(box);
        page.keyboard().press("Space");
        press(page.locator(".bulk").getByText("Select all"));
        assertThat(page.locator(".bulk")).containsText("All that match are selected");
    }

    /** Selects the first rows. */
    private void select(int rows) {
        for (int i = 0; i < rows; i++) {
            page.keyboard().press("j");
            page.keyboard().press("x");
        }
        assertThat(page.locator(".bulk")).containsText(rows + " selected");
    }

    @Test
    void selectedJobsThatChangeBehindTheQuestionAreNamedAndStaySelected() {
        watch.expect("412");
        signIn("operator");
        open("#/jobs?type=bulk.item");
        assertThat(rows()).hasCount(50);
        select(3);
        press(page.locator(".bulk").getByText("Cancel"));
        assertThat(dialog()).containsText("Cancel 3 scheduled jobs?");
        long stays = items.get(59);
        long moves = items.get(58);
        windrow.job(stays).mergeMetadata(Metadata.none().with("by", "another operator"));
        windrow.job(moves).trigger();
        press(inDialog("Cancel 3 jobs"));
        assertThat(dialog()).containsText("2 of 3 jobs cancelled");
        assertThat(dialog())
                .containsText("Job " + moves + " was not cancelled: it changed meanwhile. It is pending now.");
        isAccessible("jobs that have changed meanwhile");
        assertThat(state(moves)).isEqualTo(JobState.PENDING);
        assertThat(count(JobState.CANCELLED)).isEqualTo(2);
        press(inDialog("Close"));
        assertThat(page.locator(".bulk")).containsText("1 selected");
        assertThat(rows().nth(1)).containsText("Pending");
        press(page.locator(".bulk").getByText("Cancel"));
        assertThat(dialog()).containsText("Cancel 1 pending job?");
        press(inDialog("Cancel 1 job"));
        says("1 job was cancelled");
        assertThat(count(JobState.CANCELLED)).isEqualTo(3);
    }

    @Test
    void aSelectedJobThatWasRetriedAndFailedAnewIsLeftOutUntilItWasShown() {
        watch.expect("412");
        windrow.jobs(JobFilter.ALL.withType("bulk.item")).cancel();
        signIn("operator");
        open("#/jobs?type=bulk.item&state=CANCELLED");
        assertThat(rows()).hasCount(50);
        Locator refresh = page.locator(".tools").getByText("Refresh");
        while (!refresh.locator("..").innerText().contains("off")) {
            press(refresh.locator(".."));
        }
        select(3);
        long again = items.get(58);
        windrow.job(again).retry();
        windrow.job(again).cancel();
        press(page.locator(".bulk").getByText("Retry"));
        assertThat(dialog()).containsText("Retry 2 cancelled jobs?");
        assertThat(dialog()).containsText("1 selected job changed meanwhile and is left out.");
        assertThat(dialog()).containsText("Job " + again + " is cancelled now.");
        isAccessible("a question about jobs that have changed meanwhile");
        press(inDialog("Keep as they are"));
        assertThat(page.locator(".bulk")).containsText("3 selected");
        press(page.locator(".bulk").getByText("Retry"));
        press(inDialog("Retry 3 jobs"));
        says("3 jobs were retried");
        assertThat(count(JobState.CANCELLED)).isEqualTo(57);
    }

    @Test
    void columnsAreChosenAndKept() {
        signIn("viewer");
        open("#/jobs");
        press(button("Columns"));
        isAccessible("the columns");
        tabTo(dialog().getByLabel("Priority"));
        page.keyboard().press("Space");
        press(inDialog("Close"));
        assertThat(page.locator("table.jobs thead")).containsText("Priority");
        page.reload();
        assertThat(page.locator("table.jobs thead")).containsText("Priority");
    }

    @Test
    void whatMatchesIsExported() throws Exception {
        signIn("operator");
        open("#/jobs?state=FAILED");
        press(button("Export"));
        Download download = page.waitForDownload(() -> press(inDialog("Save the file")));
        assertThat(Files.readString(download.path())).contains("order.check").doesNotContain("bulk.item");
        assertThat(Files.readAllLines(download.path())).hasSizeBetween(2, 3);
    }

    @Test
    void aViewerMaySelectButChangesNothing() {
        signIn("viewer");
        open("#/jobs");
        assertThat(button("New job")).isDisabled();
        assertThat(rows()).hasCount(50);
        page.keyboard().press("j");
        page.keyboard().press("x");
        assertThat(page.locator(".bulk")).containsText("Your role may not change jobs.");
    }
}
