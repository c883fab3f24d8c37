package dev.windrow.e2e;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.options.ColorScheme;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each page in both themes and widths: without barriers, and not wider than the screen. */
class LookTest extends PageTest {
    private List<String> addresses() {
        List<String> addresses = new ArrayList<>();
        for (View view : View.values()) {
            addresses.add(view.address());
        }
        for (long job : List.of(
                shop.completed,
                shop.failed,
                shop.cancelled,
                shop.scheduled,
                shop.pending,
                shop.running,
                shop.waiting)) {
            addresses.add("#/jobs/" + job);
        }
        addresses.addAll(List.of(
                "#/jobs?new=1",
                "#/jobs?copy=" + shop.failed,
                "#/jobs?state=FAILED&code=INVALID:ADDRESS",
                "#/jobs?tag=none",
                "#/workflows/" + shop.workflow,
                "#/workflows/" + shop.workflow + "?group=true",
                "#/schedules/nightly",
                "#/schedules/nightly?edit=true",
                "#/schedules?add=true",
                "#/queues/queues/mail",
                "#/queues/types/order.check",
                "#/queues/keys/tenant-42",
                "#/workers/till-1",
                "#/audit?action=CANCEL",
                "#/nowhere"));
        return addresses;
    }

    @ParameterizedTest
    @CsvSource({"1280, LIGHT", "1280, DARK", "360, LIGHT", "360, DARK"})
    void eachPage(int width, ColorScheme theme) {
        openPage(width, theme);
        signIn("admin");
        for (String address : addresses()) {
            open(address);
            assertThat(page.locator("main h1, main .empty").first()).isVisible();
            assertThat(page.locator("[aria-busy=true]")).hasCount(0);
            String what = address + " at " + width + ", " + theme;
            isAccessible(what);
            fitsItsWidth(what);
            page.keyboard().press("Escape");
        }
        for (String key : List.of("Control+k", "?")) {
            page.keyboard().press(key);
            assertThat(dialog()).isVisible();
            isAccessible("dialog of " + key + " at " + width + ", " + theme);
            page.keyboard().press("Escape");
            assertThat(dialog()).hasCount(0);
        }
    }
}
