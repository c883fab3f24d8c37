package dev.windrow.e2e;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.microsoft.playwright.options.BoundingBox;
import com.microsoft.playwright.options.ColorScheme;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What surrounds the views: keys, palette, settings, the side bar on a phone. */
class FrameTest extends PageTest {
    @Test
    void eachViewHasAKey() {
        signIn("viewer");
        for (View view : View.values()) {
            page.keyboard().press("g");
            page.keyboard().press(view.key);
            isOpen(view.title);
            assertThat(page).hasTitle(view.title + " - Windrow");
            assertThat(page.locator(".nav a[aria-current=page]")).hasCount(1);
        }
    }

    @Test
    void thePaletteFindsPagesJobsAndCodes() {
        signIn("viewer");
        search("sched");
        isOpen(View.SCHEDULES.title);
        search("INVALID:ADDRESS");
        isOpen(View.JOBS.title);
        assertThat(page.locator("table.jobs tbody tr")).hasCount(2);
        search(String.valueOf(shop.running));
        assertThat(page.locator("main h1")).containsText("report.build");
    }

    private void search(String text) {
        page.keyboard().press("Control+k");
        assertThat(dialog().locator("input")).isFocused();
        page.keyboard().type(text);
        assertThat(dialog().locator("[role=option]").first()).isInViewport();
        page.keyboard().press("Enter");
        assertThat(dialog()).hasCount(0);
    }

    @Test
    void singleKeysCanBeSwitchedOff() {
        signIn("viewer");
        page.keyboard().press("?");
        tabTo(dialog().getByLabel("Single keys work"));
        page.keyboard().press("Space");
        page.keyboard().press("Escape");
        assertThat(dialog()).hasCount(0);
        page.keyboard().press("g");
        page.keyboard().press("j");
        page.keyboard().press("?");
        page.keyboard().press("Control+k");
        assertThat(dialog().locator("input")).isFocused();
        page.keyboard().press("Escape");
        isOpen(View.OVERVIEW.title);
        page.reload();
        isOpen(View.OVERVIEW.title);
        page.keyboard().press("?");
        page.keyboard().press("Control+k");
        assertThat(dialog()).hasCount(1);
        assertThat(dialog().locator("input[role=combobox]")).isVisible();
    }

    @Test
    void theBadgeOfTheEnvironmentStandsBesideTheName() {
        for (int width : List.of(360, 768, 1024, 1280, 1920)) {
            openPage(width, ColorScheme.LIGHT);
            signIn("viewer");
            BoundingBox badge = page.locator(".side .env").boundingBox();
            BoundingBox brand = page.locator(".side .brand").boundingBox();
            if (width == 768) {
                // Below the logo, cut to the width of the bar; the whole text is its tooltip.
                assertThat(page.locator(".side .env")).hasAttribute("title", "production");
                assertThat(badge.x + badge.width).isLessThan(56);
                continue;
            }
            assertThat(badge.y + badge.height / 2)
                    .as("the middle of the badge at %d px", width)
                    .isCloseTo(brand.y + brand.height / 2, within(2.0));
            assertThat((boolean)
                            page.locator(".side .env").evaluate("(badge) => badge.scrollWidth <= badge.clientWidth"))
                    .as("the whole text is there at %d px", width)
                    .isTrue();
        }
    }

    @Test
    void themeZoneAndRefreshAreChosenAndKept() {
        signIn("viewer");
        press(page.getByTitle("Theme: auto"));
        press(page.getByTitle("Theme: light"));
        assertThat(page.locator("html")).hasAttribute("data-theme", "dark");
        press(page.getByTitle("Times: UTC"));
        press(page.getByTitle("Refresh: 2 s"));
        page.reload();
        assertThat(page.locator("html")).hasAttribute("data-theme", "dark");
        assertThat(page.getByTitle("Times: local")).isVisible();
        assertThat(page.getByTitle("Refresh: 5 s")).isVisible();
    }

    @Test
    void aHiddenPageDoesNotPoll() {
        signIn("viewer");
        page.evaluate("() => { Object.defineProperty(document, 'hidden', { get: () => true });"
                + " document.dispatchEvent(new Event('visibilitychange')); }");
        page.clock().install();
        long before = requests();
        page.clock().fastForward(3_600_000);
        assertThat(requests()).isEqualTo(before);
    }

    private long requests() {
        return ((Number) page.evaluate("() => performance.getEntriesByType('resource').length")).longValue();
    }

    @Test
    void theKeyboardSkipsTheSideBar() {
        signIn("viewer");
        page.keyboard().press("Tab");
        assertThat(link("Skip to content")).isFocused();
        page.keyboard().press("Enter");
        assertThat(page.locator("#main")).isFocused();
    }

    @Test
    void onAPhoneARowHasItsStateAndReason() {
        openPage(360, ColorScheme.LIGHT);
        signIn("viewer");
        open("#/jobs?state=FAILED&queue=default");
        assertThat(page.locator("main tbody tr").first()).containsText("Failed");
        assertThat(page.locator("main tbody tr").first()).containsText("INVALID:ADDRESS");
        open("#/workflows");
        assertThat(page.locator("main tbody th .state")).hasText("Failed");
        assertThat(page.locator("main tbody th .state")).isVisible();
    }

    @Test
    void onAPhoneTheSideBarIsAMenu() {
        openPage(360, ColorScheme.LIGHT);
        signIn("viewer");
        assertThat(link("Audit")).not().isVisible();
        press(button("Menu"));
        isAccessible("the open menu");
        press(link("Audit"));
        isOpen(View.AUDIT.title);
        assertThat(link("Audit")).not().isVisible();
    }

    @Test
    void theTokenLeavesTheAddress() {
        signIn("viewer");
        assertThat(page.url()).doesNotContain("token");
        page.reload();
        isOpen(View.OVERVIEW.title);
    }
}
