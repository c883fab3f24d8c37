package dev.windrow.e2e;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import dev.windrow.JobHistory;
import dev.windrow.JobState;
import dev.windrow.RetryPolicy;
import dev.windrow.limit.ConcurrencyKey;
import dev.windrow.monitor.AuditEntry;
import dev.windrow.monitor.AuditFilter;
import dev.windrow.query.JobFilter;
import dev.windrow.query.JobQuery;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The page of one job: what it shows, and each change of a job by keyboard alone. */
class JobTest extends EachStoreTest {
    /** Chooses a command of the menu "More". */
    private void choose(String command) {
        press(button("More"));
        Locator entry = page.locator(".pop li > *").filter(new Locator.FilterOptions().setHasText(command));
        assertThat(entry).isVisible();
        for (int i = 0; !(boolean) entry.evaluate("(element) => element === document.activeElement"); i++) {
            assertThat(i).as("steps to " + command).isLessThan(10);
            page.keyboard().press("ArrowDown");
        }
        page.keyboard().press("Enter");
    }

    private void becomes(long job, JobState state) {
        await().untilAsserted(() -> assertThat(state(job)).isEqualTo(state));
        String word = state.name().charAt(0) + state.name().substring(1).toLowerCase(Locale.ROOT);
        assertThat(page.locator("main h1")).containsText(word);
    }

    @Test
    void aJobShowsWhyItFailedAndWhatItWasGiven() {
        signIn("operator");
        openJob(shop.failed);
        assertThat(page.locator("main")).containsText("INVALID:ADDRESS");
        assertThat(page.locator("main")).containsText("no house has this number");
        assertThat(page.locator("main")).containsText("9223372036854775807");
        assertThat(page.locator("main")).containsText("1 value is redacted");
        press(button("Reveal"));
        assertThat(page.locator("main")).containsText("Confidential values are shown. The audit names you");
        assertThat(windrow.monitor()
                        .audit(AuditFilter.ALL.withAction("REVEAL"))
                        .page()
                        .entries())
                .singleElement()
                .satisfies(entry -> {
                    assertThat(entry.actor()).isEqualTo("operator");
                    assertThat(entry.jobs()).extracting(AuditEntry.Job::id).containsExactly(shop.failed);
                });
        press(page.getByRole(AriaRole.GROUP, new Page.GetByRoleOptions().setName("Payload as"))
                .getByText("Raw"));
        assertThat(page.getByLabel("Payload as text")).containsText("\"password\": \"x\"");
        assertThat(page.locator("main")).containsText("IllegalStateException: house 7");

        open("#/audit?action=REVEAL");
        isOpen(View.AUDIT.title);
        assertThat(page.locator("main tbody tr")).hasCount(1);
        assertThat(page.locator("main tbody tr")).containsText("operator");
        assertThat(page.locator("main tbody tr a[href='#/jobs/" + shop.failed + "']"))
                .isVisible();
    }

    @Test
    void aJobShowsWhyItDoesNotRun() {
        signIn("viewer");
        openJob(shop.pending);
        assertThat(page.locator("main")).containsText("the provider is down");
        assertThat(page.locator("main")).containsText("View only. A change needs the permission operate.");
        openJob(shop.running);
        assertThat(page.locator("main")).containsText("till-1");
        assertThat(page.locator("main")).containsText("collect");
        openJob(shop.completed);
        assertThat(page.locator("main")).containsText("connected to the provider");
        open("#/jobs/999999999");
        assertThat(page.locator("main")).containsText("This job does not exist.");
        watch.expect("404");
    }

    @Test
    void aScheduledJobIsTriggered() {
        signIn("operator");
        openJob(shop.scheduled);
        press(button("Trigger").first());
        press(inDialog("Trigger job"));
        says("Job " + shop.scheduled + " is due now");
        becomes(shop.scheduled, JobState.PENDING);
    }

    @Test
    void aPendingJobIsCancelledAndRetried() {
        signIn("operator");
        openJob(shop.pending);
        press(button("Cancel job"));
        press(inDialog("Cancel job"));
        says("was cancelled");
        becomes(shop.pending, JobState.CANCELLED);
        press(button("Retry"));
        type(dialog().locator("input[name=attempts]"), "7");
        press(inDialog("Retry job"));
        says("with 7 attempts");
        becomes(shop.pending, JobState.PENDING);
        assertThat(windrow.job(shop.pending).info().maxAttempts()).isEqualTo(7);
    }

    @Test
    void aRunningJobIsAskedToStop() {
        signIn("operator");
        openJob(shop.running);
        press(button("Cancel job"));
        press(inDialog("Cancel job"));
        says("was asked to stop|was cancelled"); // its handler may stop at once
        becomes(shop.running, JobState.CANCELLED);
    }

    @Test
    void aWaitingJobGetsItsEvent() {
        signIn("operator");
        openJob(shop.waiting);
        press(button("Signal"));
        assertThat(dialog().locator("input[name=event]")).hasValue("paid");
        type(dialog().locator("textarea[name=payload]"), "{\"by\":\"card\"}");
        press(inDialog("Send event"));
        says("The event paid was sent");
        becomes(shop.waiting, JobState.COMPLETED);
    }

    @Test
    void aJobIsCompletedWithoutItsHandler() {
        signIn("operator");
        openJob(shop.pending);
        choose("Complete");
        type(dialog().locator("textarea[name=result]"), "{\"n\":9223372036854775807}");
        press(inDialog("Complete job"));
        says("was completed");
        becomes(shop.pending, JobState.COMPLETED);
        assertThat(text(windrow.job(shop.pending).result())).contains("9223372036854775807");
    }

    @Test
    void aJobIsFailedWithoutItsHandler() {
        signIn("operator");
        openJob(shop.pending);
        choose("Fail");
        type(dialog().locator("input[name=errorCode]"), "OPERATOR:DECIDED");
        type(dialog().locator("input[name=reason]"), "no longer wanted");
        press(inDialog("Fail job"));
        says("was failed");
        becomes(shop.pending, JobState.FAILED);
        assertThat(windrow.job(shop.pending).info().errorCode()).isEqualTo("OPERATOR:DECIDED");
    }

    @Test
    void anEndedJobIsDeleted() {
        signIn("admin");
        openJob(shop.cancelled);
        press(button("Delete"));
        press(inDialog("Delete job"));
        says("was deleted");
        isOpen("Jobs");
        assertThat(windrow.job(shop.cancelled).exists()).isFalse();
    }

    @Test
    void aJobIsCopiedWithItsNumbers() {
        signIn("operator");
        openJob(shop.pending);
        choose("Copy as a new job");
        assertThat(dialog().locator("textarea[name=payload]")).hasValue(Pattern.compile("9223372036854775807"));
        press(inDialog("Enqueue"));
        says("was enqueued");
        press(page.locator(".toasts a"));
        assertThat(page.locator("main h1")).containsText("mail.send");
        long copy = Long.parseLong(page.url().replaceFirst(".*/", ""));
        assertThat(copy).isNotEqualTo(shop.pending);
        assertThat(text(windrow.job(copy).payload())).contains("9223372036854775807", "\"password\"");
    }

    @Test
    void aJobIsSavedAsTheApiShowsIt() throws IOException {
        signIn("viewer");
        openJob(shop.failed);
        Path saved = page.waitForDownload(() -> choose("Save as JSON")).path();
        assertThat(Files.readString(saved))
                .startsWith("{\"id\":\"" + shop.failed + "\"")
                .contains("INVALID:ADDRESS", "\"password\":\"[redacted]\"");
    }

    @Test
    void aCopyHasTheOptionsOfItsJob() {
        RetryPolicy retry = RetryPolicy.delays(Duration.ofSeconds(7), Duration.ofMinutes(1));
        List<ConcurrencyKey> keys =
                List.of(ConcurrencyKey.atMost("tenant-42", 3), ConcurrencyKey.inSequence("order-7"));
        signIn("operator");
        for (ConcurrencyKey key : keys) {
            long job = windrow.enqueue(Shop.MAIL
                            .job(Shop.ORDER)
                            .withTimeout(Duration.ofSeconds(90))
                            .withRetry(retry)
                            .withConcurrencyKey(key))
                    .id();
            JobHistory copy = windrow.job(copy(job)).history();
            assertThat(page.locator("dl.facts"))
                    .containsText(key.inSequence() ? "order-7, one after the other" : "tenant-42, at most 3 at once");
            assertThat(page.locator("dl.facts")).containsText("delays(7000,60000)");
            assertThat(page.locator("dl.facts")).containsText("90s for each attempt");
            assertThat(copy.timeout()).isEqualTo(Duration.ofSeconds(90));
            assertThat(copy.retryPolicy()).isEqualTo(retry);
            assertThat(copy.concurrencyKey()).isEqualTo(key);
        }
        long external = windrow.enqueue(Shop.MAIL.job(Shop.ORDER).withExternalCompletion(Duration.ofHours(5)))
                .id();
        assertThat(windrow.job(copy(external)).history().externalCompletion()).isEqualTo(Duration.ofHours(5));
        assertThat(page.locator("dl.facts")).containsText("from outside, within 5h");
    }

    /** Enqueues a copy in the browser, and opens it. Returns its id. */
    private long copy(long job) {
        openJob(job);
        choose("Copy as a new job");
        press(inDialog("Enqueue"));
        JobQuery newest = windrow.jobs(JobFilter.ALL.withType("mail.send")).newestFirst();
        await().until(() -> newest.page().jobs().get(0).id() != job);
        long copy = newest.page().jobs().get(0).id();
        says("Job " + copy + " was enqueued");
        openJob(copy);
        return copy;
    }

    @Test
    void aNewJobIsEnqueued() {
        signIn("operator");
        page.keyboard().press("g");
        page.keyboard().press("j");
        isOpen("Jobs");
        press(link("New job"));
        type(dialog().locator("input[name=type]"), "mail.send");
        type(dialog().locator("textarea[name=payload]"), "{\"n\":1.10}");
        type(dialog().locator("input[name=queue]"), "mail");
        type(dialog().locator("input[name=start]"), "5m");
        type(dialog().locator("input[name=tags]"), "vip, new");
        press(inDialog("Enqueue"));
        says("was enqueued");
        press(page.locator(".toasts a"));
        assertThat(page.locator("main h1")).containsText("Scheduled");
        assertThat(page.locator("main")).containsText("1.10");
        long made = Long.parseLong(page.url().replaceFirst(".*/", ""));
        assertThat(windrow.job(made).info().tags()).containsExactlyInAnyOrder("vip", "new");
    }

    @Test
    void aNewJobThatIsWrongSaysWhere() {
        signIn("operator");
        open("#/jobs?new=1");
        type(dialog().locator("input[name=type]"), "mail.send");
        type(dialog().locator("textarea[name=payload]"), "{\"n\":}");
        press(inDialog("Enqueue"));
        assertThat(dialog()).containsText("is not valid JSON");
        assertThat(dialog().locator("textarea[name=payload]")).isFocused();
        isAccessible("a form with a mistake");
        page.keyboard().press("Escape");
        assertThat(dialog()).hasCount(0);
    }
}
