package dev.windrow.e2e;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.windrow.JobState;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What each change of the project is tried with: a minute in all. */
@Tag("smoke")
class SmokeTest extends PageTest {
    @Test
    void eachViewOfTheSideBarOpens() {
        signIn("admin");
        assertThat(page.locator(".nav a")).hasCount(View.values().length);
        for (View view : View.values()) {
            page.locator(".nav a[href='" + view.address() + "']").click();
            isOpen(view.title);
            isAccessible(view.title);
            fitsItsWidth(view.title);
        }
    }

    @Test
    void aFailedJobIsFoundAndRetriedByKeyboard() {
        signIn("operator");
        page.keyboard().press("Control+k");
        assertThat(dialog().locator("input")).isFocused();
        page.keyboard().type(String.valueOf(shop.failed));
        page.keyboard().press("Enter");
        assertThat(page.locator("main h1")).containsText("Failed");
        isLoaded();
        isAccessible("a failed job");
        windrow.type("order.check").pause();
        tabTo(button("Retry"));
        page.keyboard().press("Enter");
        tabTo(dialog().locator("input[name=reason]"));
        page.keyboard().type("the house was built");
        tabTo(inDialog("Retry job"));
        page.keyboard().press("Enter");
        says("Job " + shop.failed + " is pending again");
        assertThat(page.locator("main h1")).containsText("Pending");
        await().untilAsserted(() -> assertThat(state(shop.failed)).isEqualTo(JobState.PENDING));
        assertThat(windrow.job(shop.failed).history().events().toString()).contains("the house was built");
    }
}
