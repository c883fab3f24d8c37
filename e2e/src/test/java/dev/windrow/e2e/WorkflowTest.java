package dev.windrow.e2e;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.windrow.JobState;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The list of the workflows, the graph of one, and the changes of all its jobs by keyboard alone. */
class WorkflowTest extends EachStoreTest {
    @Test
    void aWorkflowIsFoundAndDrawn() {
        signIn("viewer");
        page.keyboard().press("g");
        page.keyboard().press("w");
        isOpen(View.WORKFLOWS.title);
        page.keyboard().press("j");
        assertThat(page.locator("main tbody tr.at")).hasCount(1);
        page.keyboard().press("Enter");
        assertThat(page.locator(".node")).hasCount(3);
        assertThat(page.locator(".edge")).not().hasCount(0);
        assertThat(page.locator("[aria-label='Jobs of the workflow'] tbody tr")).hasCount(3);
        assertThat(page.locator("main")).containsText("Time line");
        tabTo(page.locator(".canvas-box"));
        String before = page.locator(".canvas > g").getAttribute("transform");
        page.keyboard().press("+");
        assertThat(page.locator(".canvas > g")).not().hasAttribute("transform", before);
        page.keyboard().press("0");
        page.keyboard().press("ArrowLeft");
        tabTo(page.getByLabel("Group by type"));
        page.keyboard().press("Space");
        assertThat(page.locator(".node")).hasCount(3);
        assertThat(page).hasURL(Pattern.compile("group=true"));
        press(page.locator("[aria-label='Jobs of the workflow'] a").first());
        assertThat(page.locator("main h1")).containsText("order.check");
        open("#/workflows");
        press(link("Unfinished"));
        assertThat(page).hasURL(Pattern.compile("unfinished=true"));
        assertThat(page.locator("main tbody tr")).hasCount(1);
        type(page.locator(".type-filter"), "none");
        page.keyboard().press("Enter");
        assertThat(page.locator("main")).containsText("No workflow fits.");
    }

    @Test
    void aWorkflowIsRetriedCancelledAndDeleted() {
        windrow.type("order.check").pause();
        signIn("admin");
        open("#/workflows/" + shop.workflow);
        press(button("Retry failed"));
        press(inDialog("Retry 1 job"));
        says("was retried");
        await().untilAsserted(() -> assertThat(
                        windrow.workflow(shop.workflow).orElseThrow().count(JobState.FAILED))
                .isZero());
        assertThat(button("Delete")).isDisabled();
        press(button("Cancel"));
        press(inDialog("Cancel 2 jobs"));
        says("were cancelled");
        press(button("Delete"));
        assertThat(inDialog("Delete 3 jobs")).isDisabled();
        type(dialog().getByLabel("Type 3 to delete"), "3");
        press(inDialog("Delete 3 jobs"));
        says("were deleted");
        isOpen(View.WORKFLOWS.title);
        assertThat(windrow.workflow(shop.workflow)).isEmpty();
    }
}
