package dev.windrow.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/** What a page does that it should not: warnings and errors in the console, errors of scripts, reports of its content security policy, requests that fail. */
final class Watch {
    private final List<String> found = new ArrayList<>();
    private Predicate<String> expected = text -> false;

    Watch(Page page) {
        page.addInitScript(
                "addEventListener('securitypolicyviolation', (event) =>"
                        + " console.error('content security policy', event.violatedDirective, event.blockedURI, event.sample));");
        page.onConsoleMessage(message -> {
            if (message.type().equals("error") || message.type().equals("warning")) {
                found.add("console: " + message.text() + " at " + message.location());
            }
        });
        page.onPageError(error -> found.add("error: " + error));
        page.onDialog(dialog -> {
            found.add("dialog: " + dialog.message());
            dialog.dismiss();
        });
        page.onRequestFailed(request -> {
            // A request that the page itself gives up, because its view is closed, is no failure.
            if (!request.failure().equals("net::ERR_ABORTED")) {
                found.add("request: " + request.url() + ": " + request.failure());
            }
        });
        page.onResponse(response -> {
            if (response.status() >= 400) {
                found.add("response: " + response.status() + " " + response.url());
            }
        });
    }

    /** Allows reports in which this pattern is found, from now on. */
    void expect(String pattern) {
        expected = expected.or(Pattern.compile(pattern).asPredicate());
    }

    void check() {
        assertThat(found)
                .filteredOn(expected.negate())
                .as("reports of the page")
                .isEmpty();
    }
}
