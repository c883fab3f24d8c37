package dev.windrow.e2e;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Route;
import org.junit.jupiter.api.Test;

/** A view that fails says so in its place, and recovers by itself or by a button. The rest of the page works on. */
class RecoveryTest extends PageTest {
    @Test
    void aViewWithoutAnAnswerTriesAgain() {
        signIn("viewer");
        watch.expect("503");
        page.route(
                "**/api/v1/workflows*",
                route -> route.fulfill(new Route.FulfillOptions()
                        .setStatus(503)
                        .setContentType("application/problem+json")
                        .setBody("{\"title\":\"The store is busy.\",\"detail\":\"Try again in a moment.\"}")));
        open("#/workflows");
        assertThat(page.locator("main [role=alert]")).containsText("The store is busy.");
        isAccessible("a view without an answer");
        page.unroute("**/api/v1/workflows*");
        press(button("Try again"));
        assertThat(page.locator("main tbody tr")).hasCount(1);
    }

    @Test
    void aViewWhoseScriptIsMissingOffersToLoadThePageAgain() {
        signIn("viewer");
        watch.expect("404");
        page.route("**/views/audit.js", route -> route.fulfill(new Route.FulfillOptions().setStatus(404)));
        open("#/audit");
        assertThat(page.locator("main [role=alert]")).containsText("This part of the page did not load.");
        page.unroute("**/views/audit.js");
        press(button("Try again"));
        isOpen(View.AUDIT.title);
    }

    @Test
    void anAnswerThatAViewDoesNotKnowLeavesTheOtherViews() {
        signIn("viewer");
        watch.expect("Error");
        page.route(
                "**/api/v1/schedules*",
                route -> route.fulfill(new Route.FulfillOptions()
                        .setContentType("application/json")
                        .setBody("{\"schedules\":[{\"name\":\"other\"}]}")));
        open("#/schedules");
        assertThat(page.locator("main h1")).hasText("This page failed");
        isAccessible("a view that failed");
        press(link("Workers"));
        isOpen(View.WORKERS.title);
        page.unroute("**/api/v1/schedules*");
        press(link("Schedules"));
        isOpen(View.SCHEDULES.title);
    }

    @Test
    void signingInCanWaitUntilThePersonAsksForIt() {
        watch.expect("401");
        page.navigate(site.address());
        assertThat(dialog()).containsText("Sign in");
        page.keyboard().press("Escape");
        assertThat(dialog()).hasCount(0);
        assertThat(page.locator(".banner").first()).containsText("You are not signed in.");
        press(button("Sign in"));
        type(dialog().locator("input[name=token]"), "viewer1");
        page.keyboard().press("Enter");
        isOpen(View.OVERVIEW.title);
        assertThat(page.locator(".banner")).hasCount(0);
    }
}
