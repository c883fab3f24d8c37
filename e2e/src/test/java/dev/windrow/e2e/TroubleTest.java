package dev.windrow.e2e;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import dev.windrow.JobState;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What goes wrong around the page: it says so, loses nothing, and recovers by itself. */
class TroubleTest extends EachStoreTest {
    private Locator banner() {
        return page.locator(".banner").filter(new Locator.FilterOptions().setHasText("Not live since"));
    }

    private void pollFast() {
        // The tool's value is the next choice: 2 s, 5, 15, 60, off, 1.
        for (int i = 0; i < 5; i++) {
            page.getByTitle("Refresh:").click();
        }
        assertThat(page.getByTitle("Refresh: 1 s")).isVisible();
    }

    @Test
    void whileTheServerIsDownOldDataStay() throws Exception {
        signIn("operator");
        pollFast();
        open("#/jobs");
        assertThat(page.locator("table.jobs tbody tr").first()).isVisible();
        watch.expect("ERR_CONNECTION|ERR_EMPTY_RESPONSE|503");
        site.stop();
        assertThat(banner()).containsText("The server does not answer. Next try in");
        assertThat(page.locator("table.jobs tbody tr").first()).isVisible();
        isAccessible("while the server is down");
        page.getByLabel("Select the page").check();
        assertThat(page.locator(".bulk")).isVisible();
        site.start();
        assertThat(banner()).hasCount(0);
        assertThat(page.locator(".bulk")).isVisible();
        assertThat(page.locator(".live")).not().hasClass(Pattern.compile("late"));
    }

    @Test
    void aChangeThatTheServerDoesNotAnswerIsNotLost() throws Exception {
        signIn("operator");
        open("#/jobs/" + shop.pending);
        press(button("Cancel job"));
        watch.expect("ERR_CONNECTION|ERR_EMPTY_RESPONSE|503");
        site.stop();
        press(inDialog("Cancel job"));
        assertThat(dialog()).containsText("the change is made at most once");
        site.start();
        press(inDialog("Cancel job"));
        says("was cancelled");
        assertThat(state(shop.pending)).isEqualTo(JobState.CANCELLED);
    }

    @Test
    void withoutANetworkThePageWaitsForIt() {
        signIn("operator");
        pollFast();
        watch.expect("ERR_INTERNET_DISCONNECTED");
        context.setOffline(true);
        assertThat(banner()).isVisible();
        context.setOffline(false);
        assertThat(banner()).hasCount(0);
    }

    @Test
    void aTokenThatIsRevokedIsAskedForAndTheWorkGoesOn() {
        signIn("operator");
        open("#/jobs?queue=reports");
        page.getByLabel("Select the page").check();
        assertThat(page.locator(".bulk")).isVisible();
        watch.expect("401");
        site.revoke("operator1");
        assertThat(dialog()).containsText("The token is missing or no longer valid.");
        isAccessible("a token that is no longer valid");
        type(dialog().locator("input[name=token]"), "operator2");
        page.keyboard().press("Enter");
        assertThat(dialog()).hasCount(0);
        assertThat(page.locator(".bulk")).isVisible();
        assertThat(page).hasURL(Pattern.compile("queue=reports"));
        press(page.locator(".bulk").getByText("Cancel"));
        assertThat(dialog()).containsText("Cancel");
    }

    @Test
    void aChangeOfAJobThatChangedElsewhereIsRefusedOnce() {
        signIn("operator");
        open("#/jobs/" + shop.pending);
        press(button("More"));
        page.keyboard().press("ArrowDown");
        page.keyboard().press("ArrowDown");
        page.keyboard().press("Enter");
        type(dialog().locator("input[name=errorCode]"), "OPERATOR:DECIDED");
        windrow.job(shop.pending).cancel();
        windrow.job(shop.pending).retry();
        watch.expect("412");
        press(inDialog("Fail job"));
        assertThat(dialog()).containsText("it changed meanwhile");
        assertThat(dialog().locator("input[name=errorCode]")).hasValue("OPERATOR:DECIDED");
        press(inDialog("Fail job"));
        says("was failed");
        assertThat(state(shop.pending)).isEqualTo(JobState.FAILED);
    }

    @Test
    void aJobThatWasDeletedElsewhereSaysSo() {
        signIn("operator");
        pollFast();
        open("#/jobs/" + shop.cancelled);
        assertThat(page.locator("main h1")).containsText("Cancelled");
        watch.expect("404");
        windrow.job(shop.cancelled).delete();
        assertThat(page.locator("main")).containsText("This job was deleted meanwhile.");
    }

    @Test
    void aPageWithoutATokenAsksForIt() {
        watch.expect("401");
        page.navigate(site.address());
        assertThat(dialog()).containsText("Sign in");
        type(dialog().locator("input[name=token]"), "viewer1");
        page.keyboard().press("Enter");
        isOpen("Overview");
    }
}
