package dev.windrow.e2e;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.APIResponse;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.ColorScheme;
import dev.windrow.JobFailure;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.RetryPolicy;
import dev.windrow.Worker;
import dev.windrow.limit.ConcurrencyKey;
import dev.windrow.payload.Json;
import dev.windrow.schedule.Schedule;
import dev.windrow.schedule.ScheduleInfo;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Schedules, queues, limits, failures, retention and the rest: each change by keyboard alone. */
class ControlsTest extends EachStoreTest {
    @Test
    void aScheduleIsAddedEditedPausedResumedRunAndRemoved() {
        signIn("operator");
        open("#/schedules");
        isOpen(View.SCHEDULES.title);
        press(link("Add schedule"));
        type(dialog().locator("input[name=name]"), "weekly");
        type(dialog().locator("input[name=type]"), "report.build");
        type(dialog().locator("input[name=cron]"), "0 6 * * 1");
        type(dialog().locator("input[name=zone]"), "Europe/Berlin");
        type(dialog().locator("textarea[name=payload]"), "{\"n\":9223372036854775807}");
        assertThat(dialog().locator("[aria-label=Preview]")).containsText("06:00");
        press(inDialog("Add schedule"));
        says("Schedule weekly was added");
        assertThat(windrow.schedules().find("weekly")).isPresent();

        press(link("Edit"));
        assertThat(dialog().locator("input[name=cron]")).hasValue("0 6 * * 1");
        type(dialog().locator("input[name=cron]"), "0 7 * * 1");
        press(inDialog("Save schedule"));
        says("Schedule weekly was changed");
        assertThat(windrow.schedules().find("weekly").orElseThrow().cron()).hasToString("0 7 * * 1");
        // The number was edited through the form, too.
        assertThat(String.valueOf(
                        windrow.schedules().find("weekly").orElseThrow().payload()))
                .isEqualToIgnoringWhitespace("{\"n\":9223372036854775807}");

        press(button("Pause"));
        type(dialog().locator("input[name=reason]"), "holiday");
        press(inDialog("Pause"));
        says("was paused");
        press(button("Resume"));
        press(inDialog("Resume"));
        says("was resumed");
        press(button("Run"));
        press(inDialog("Run"));
        says("Schedule weekly was run: job");
        press(button("Remove"));
        press(inDialog("Remove"));
        says("was removed");
        assertThat(windrow.schedules().find("weekly")).isEmpty();
    }

    @Test
    void aScheduleThatIsWrongSaysWhy() {
        signIn("operator");
        open("#/schedules?add=true");
        watch.expect("status of 400|response: 400");
        type(dialog().locator("input[name=name]"), "x");
        type(dialog().locator("input[name=type]"), "report.build");
        type(dialog().locator("input[name=cron]"), "61 6 * * *");
        assertThat(dialog().locator("[aria-label=Preview]")).containsText("61");
        press(inDialog("Add schedule"));
        assertThat(dialog().locator("[role=alert]")).containsText("61");
        saysOnce("61");
    }

    /** Asserts that the dialog has this text once, in what it says. Fields have it in their values. */
    private void saysOnce(String text) {
        assertThat(dialog().locator(".bad", new Locator.LocatorOptions().setHasText(text)))
                .hasCount(1);
    }

    @Test
    void aWrongIntervalIsReportedOnce() {
        signIn("operator");
        open("#/schedules?add=true");
        watch.expect("status of 400|response: 400");
        type(dialog().locator("input[name=name]"), "x");
        type(dialog().locator("input[name=type]"), "report.build");
        press(inDialog("At an interval"));
        type(dialog().locator("input[name=every]"), "soon");
        assertThat(dialog().locator("[aria-label=Preview]")).containsText("'soon' is not allowed");
        saysOnce("soon");
        press(inDialog("Add schedule"));
        assertThat(dialog().locator("[role=alert]")).containsText("'soon' is not allowed");
        saysOnce("soon");
        type(dialog().locator("input[name=every]"), "6h");
        assertThat(dialog().locator("[aria-label=Preview]")).containsText("Runs every 6 h");
        assertThat(dialog().locator(".bad")).hasCount(0);
        press(inDialog("Add schedule"));
        says("Schedule x was added");
    }

    @Test
    void aScheduleKeepsItsRetryPolicyAndItsKey() {
        RetryPolicy policy = RetryPolicy.delays(Duration.ofSeconds(1), Duration.ofMinutes(5));
        windrow.schedules()
                .save(Schedule.every(
                        "sync",
                        Duration.ofHours(6),
                        Shop.REPORT
                                .job(Shop.ORDER)
                                .withMaxAttempts(9)
                                .withTags("a")
                                .withRetry(policy)
                                .withConcurrencyKey(ConcurrencyKey.atMost("tenant-42", 3))));
        signIn("operator");
        open("#/schedules/sync?edit=true");
        assertThat(dialog().locator("input[name=retryPolicy]")).hasValue("delays(1000,300000)");
        assertThat(dialog().locator("input[name=concurrencyLimit]")).hasValue("3");
        isAccessible("the form of a schedule");
        type(dialog().locator("input[name=every]"), "12h");
        press(inDialog("Save schedule"));
        says("Schedule sync was changed");
        ScheduleInfo kept = windrow.schedules().find("sync").orElseThrow();
        assertThat(kept.every()).isEqualTo(Duration.ofHours(12));
        assertThat(kept.retryPolicy()).isEqualTo(policy);
        assertThat(kept.concurrencyKey()).isEqualTo(ConcurrencyKey.atMost("tenant-42", 3));
        assertThat(kept.maxAttempts()).isEqualTo(9);
        assertThat(kept.tags()).containsExactly("a");
        assertThat(page.locator("main")).containsText("delays(1000,300000)");
        assertThat(page.locator("main")).containsText("tenant-42, at most 3 at once");

        open("#/schedules/sync?edit=true");
        watch.expect("status of 400|response: 400");
        type(dialog().locator("input[name=retryPolicy]"), "fixed(1s)");
        press(inDialog("Save schedule"));
        assertThat(dialog().locator("[role=alert]")).containsText("retry policy 'fixed(1s)' is not");
        type(dialog().locator("input[name=retryPolicy]"), "fixed(1000)");
        assertThat(dialog().locator("[role=alert]")).hasCount(0);
        dialog().locator("select[name=order]").selectOption("sequence");
        press(inDialog("Save schedule"));
        assertThat(dialog()).hasCount(0);
        ScheduleInfo changed = windrow.schedules().find("sync").orElseThrow();
        assertThat(changed.retryPolicy()).isEqualTo(RetryPolicy.fixed(Duration.ofSeconds(1)));
        assertThat(changed.concurrencyKey()).isEqualTo(ConcurrencyKey.inSequence("tenant-42"));
    }

    @Test
    void aQueueIsResumedPausedAndLimited() {
        signIn("operator");
        open("#/queues");
        isOpen(View.QUEUES.title);
        press(button("Resume mail"));
        press(inDialog("Resume"));
        says("Queue mail was resumed");
        assertThat(windrow.queue("mail").limits().isPaused()).isFalse();
        press(button("Pause mail"));
        type(dialog().locator("input[name=reason]"), "tests");
        press(inDialog("Pause"));
        says("Queue mail was paused");
        press(button("Limit mail"));
        type(dialog().getByLabel("Running at once"), "3");
        type(dialog().getByLabel("Rate"), "20/s");
        isAccessible("the limits of a queue");
        press(inDialog("Save"));
        says("at most 3 running, rate 20/s");
        assertThat(windrow.queue("mail").limits().maxRunning()).isEqualTo(3);
        press(button("Limit mail"));
        press(inDialog("Remove limits"));
        says("were removed");
        assertThat(windrow.queue("mail").limits().maxRunning()).isNull();
        assertThat(windrow.queue("mail").limits().isPaused()).isTrue();
    }

    @Test
    void aLimitThatIsWrongSaysWhere() {
        signIn("operator");
        open("#/queues/queues/mail");
        watch.expect("status of 400|response: 400");
        type(dialog().getByLabel("Rate"), "many");
        press(inDialog("Save"));
        assertThat(dialog().locator("[role=alert]")).containsText("many");
        assertThat(dialog().getByLabel("Rate")).hasAttribute("aria-invalid", "true");
    }

    @Test
    void keysWithWaitingJobsComeFirstWithTheirHolders() {
        windrow.key("tenant-9").pause("has not paid");
        long holder = 0;
        for (int i = 0; i < 3; i++) {
            long job = windrow.enqueue(
                            Shop.MAIL.job(Shop.ORDER).withConcurrencyKey(ConcurrencyKey.inSequence("tenant-7")))
                    .id();
            holder = holder == 0 ? job : holder;
        }
        signIn("operator");
        open("#/queues");
        isOpen(View.QUEUES.title);
        Locator rows = page.locator("section.card", new Page.LocatorOptions().setHasText("Concurrency keys"))
                .locator("tbody tr");
        assertThat(rows).hasCount(2);
        assertThat(rows.first()).containsText("tenant-7");
        assertThat(rows.first().locator("td").first()).hasText("2");
        assertThat(rows.first()).containsText("1 of 1");
        assertThat(rows.first()).containsText(holder + " (ready)");
        assertThat(rows.last()).containsText("tenant-9");
        assertThat(rows.last()).containsText("has not paid");
        isAccessible("the list of keys");

        press(button("Pause tenant-7"));
        press(inDialog("Pause"));
        says("Key tenant-7 was paused");
        assertThat(rows.first().locator("td").first()).hasText("3");
        press(link("tenant-7"));
        assertThat(dialog()).containsText("Waiting3");
        assertThat(dialog()).containsText("Held byno job");
    }

    @Test
    void aKeyIsFoundAndPaused() {
        signIn("operator");
        open("#/queues");
        type(page.getByLabel("Find a key"), "tenant-42");
        page.keyboard().press("Enter");
        assertThat(dialog()).containsText("tenant-42");
        press(inDialog("Pause"));
        Locator question = dialog().filter(new Locator.FilterOptions().setHasText("No more jobs start"));
        press(question.last().getByText("Pause", new Locator.GetByTextOptions().setExact(true)));
        says("Key tenant-42 was paused");
        assertThat(windrow.key("tenant-42").limits().isPaused()).isTrue();
    }

    @Test
    void theOverviewResumesWhatIsPaused() {
        signIn("operator");
        assertThat(page.locator("main")).containsText("Queue mail is paused: the provider is down");
        assertThat(page.locator("main .rows > li").first()).containsText(Pattern.compile("ago\\. 1 job waits\\."));
        Locator running = page.locator("section.card")
                .filter(new Locator.FilterOptions().setHasText("All running jobs"))
                .locator("small");
        assertThat(running).hasText("till-1");
        press(button("Resume"));
        says("Queue mail was resumed");
        assertThat(windrow.queue("mail").limits().isPaused()).isFalse();
        press(button("24 h"));
        press(button("Run"));
        assertThat(page.locator("main")).containsText("Ended per hour");
        assertThat(page.locator("main")).containsText("Running time");
    }

    @Test
    void theFailuresOfACodeAreRetriedAndDeleted() {
        windrow.type("order.check").pause();
        signIn("admin");
        open("#/failures");
        isOpen(View.FAILURES.title);
        assertThat(page.locator("main")).containsText("no house has this number");
        page.keyboard().press("/");
        page.keyboard().type("none");
        assertThat(page.locator("main")).containsText("No code matches.");
        type(page.getByLabel("Filter codes"), "invalid");
        press(button("Retry 2 jobs with the code INVALID:ADDRESS").first());
        press(inDialog("Retry 2 jobs"));
        says("2 jobs were retried");
        assertThat(state(shop.failed)).isEqualTo(JobState.PENDING);
        assertThat(page.locator("main")).containsText("No job is failed.");

        windrow.job(shop.failed).fail("INVALID:ADDRESS", "decided");
        open("#/failures?code=INVALID:ADDRESS");
        press(button("Delete 1 job with the code INVALID:ADDRESS").first());
        type(dialog().getByLabel("Type 1 to delete"), "1");
        press(inDialog("Delete 1 job"));
        says("1 job was deleted");
        assertThat(windrow.job(shop.failed).exists()).isFalse();
    }

    @Test
    void theCodesAreMovedThroughAndOpenedByKeys() {
        windrow.job(shop.pending).fail("OPERATOR:DECIDED");
        signIn("viewer");
        open("#/failures");
        assertThat(page.locator("tbody tr")).hasCount(2);
        assertThat(page.locator("tbody tr.at")).containsText("INVALID:ADDRESS");
        page.keyboard().press("j");
        assertThat(page.locator("tbody tr.at")).containsText("OPERATOR:DECIDED");
        assertThat(page).hasURL(Pattern.compile("code=OPERATOR"));
        page.keyboard().press("j");
        page.keyboard().press("k");
        page.keyboard().press("k");
        assertThat(page.locator("tbody tr.at")).containsText("INVALID:ADDRESS");
        page.keyboard().press("j");
        page.keyboard().press("Enter");
        assertThat(page).hasURL(Pattern.compile("#/jobs\\?state=FAILED&code=OPERATOR"));
    }

    @Test
    void jobsWithoutACodeHaveNoLinkToAListThatWouldBeEmpty() {
        windrow.job(shop.pending).fail("OPERATOR:DECIDED");
        for (String part : List.of("failures", "overview")) {
            page.route("**/api/v1/" + part, route -> {
                APIResponse response = route.fetch();
                route.fulfill(new Route.FulfillOptions()
                        .setResponse(response)
                        .setBody(response.text().replace("OPERATOR:DECIDED", "UNKNOWN:NONE")));
            });
        }
        signIn("admin");
        open("#/failures");
        Locator row = page.locator("tbody tr").filter(new Locator.FilterOptions().setHasText("UNKNOWN:"));
        assertThat(row.locator("td.num a")).hasText(String.valueOf(shop.pending));
        assertThat(row.locator("button")).hasCount(0);
        assertThat(button("Retry 2 jobs with the code INVALID:ADDRESS").first()).isVisible();
        page.keyboard().press("j");
        page.keyboard().press("Enter");
        assertThat(page.locator("main h1")).containsText(String.valueOf(shop.pending));
        open("#/");
        Locator failures = page.locator("tr").filter(new Locator.FilterOptions().setHasText("UNKNOWN:NONE"));
        assertThat(failures).hasCount(1);
        assertThat(failures.locator("a")).hasCount(0);
    }

    @Test
    void eachCodeHasItsFailuresOfTheLastHours() {
        signIn("viewer");
        open("#/failures");
        isOpen(View.FAILURES.title);
        Locator row = page.locator("tr:has-text('INVALID:ADDRESS')");
        Pattern told =
                Pattern.compile("^2 jobs failed in the last 24 hours, most in the hour from \\d\\d:00: [12]\\.$");
        assertThat(row.locator("td svg[role=img] title")).hasText(told);
        assertThat(row.locator("td svg[role=img]")).isVisible();
        Locator chart = page.locator(".chart svg[role=img]");
        assertThat(chart).hasAttribute("aria-label", told);
        assertThat(page.locator(".unread")).hasCount(0);
        press(page.getByText("Show as table"));
        Locator cells = page.locator(".data td");
        assertThat(cells).hasCount(24);
        // The failures may be in two hours.
        assertThat(cells.allInnerTexts().stream().mapToInt(Integer::parseInt).sum())
                .isEqualTo(2);
        isAccessible("failures by hour");
        openPage(360, ColorScheme.LIGHT);
        signIn("viewer");
        open("#/failures");
        assertThat(page.locator("tr:has-text('INVALID:ADDRESS') th svg[role=img]"))
                .isVisible();
        fitsItsWidth("failures by hour");
    }

    @Test
    void theCodesAreOrderedByTheirFailuresOfTheLastHours() {
        windrow.job(shop.pending).fail("OPERATOR:DECIDED");
        String noTrend = "0,".repeat(23) + "0";
        page.route("**/api/v1/failures", route -> {
            String real = route.fetch().text();
            route.fulfill(new Route.FulfillOptions()
                    .setContentType("application/json")
                    .setBody(real.replaceFirst("(INVALID:ADDRESS.*?\"trend\":\\[)[^]]*", "$1" + noTrend)));
        });
        signIn("viewer");
        open("#/failures");
        Locator sorted = page.locator("th[aria-sort=descending]");
        assertThat(sorted).containsText("Jobs");
        assertThat(page.locator("tbody tr").first()).containsText("INVALID:ADDRESS");
        press(link("Last 24 hours"));
        assertThat(page).hasURL(Pattern.compile("order=day"));
        assertThat(sorted).containsText("Last 24 hours");
        assertThat(page.locator("tbody tr").first()).containsText("OPERATOR:DECIDED");
        page.keyboard().press("j");
        assertThat(page).hasURL(Pattern.compile("code=INVALID.*order=day"));
        isAccessible("codes by their last hours");
        press(link("Jobs").last());
        assertThat(page.locator("tbody tr").first()).containsText("INVALID:ADDRESS");
    }

    @Test
    void hoursWhoseFailuresWereNotReadAreMarked() throws Exception {
        JobType<Json, Json> broken = JobType.raw("broken").withQueue("broken");
        for (int i = 0; i < 11; i++) {
            windrow.enqueueAll(Collections.nCopies(1000, broken.job(new Json("1"))));
        }
        try (Worker worker = windrow.worker()
                .queue("broken")
                .concurrency(50)
                .handle(broken, (input, job) -> {
                    throw JobFailure.permanent("PROCESS:EXIT_1", "it is broken");
                })
                .start()) {
            assertThat(worker.awaitIdle(Duration.ofMinutes(2))).isTrue();
        }
        signIn("viewer");
        open("#/failures");
        isOpen(View.FAILURES.title);
        Locator row = page.locator("tr:has-text('PROCESS:EXIT_1')");
        Pattern told = Pattern.compile(
                "^At least [\\d,]+ jobs failed in the last 24 hours, .* Failures before \\S+ were not read\\.$");
        assertThat(row.locator("td svg[role=img] title")).hasText(told);
        assertThat(page.locator(".chart svg[role=img]")).hasAttribute("aria-label", told);
        assertThat(page.locator(".chart svg[role=img] .unread")).isVisible();
        assertThat(page.locator(".chart")).containsText(Pattern.compile("not read: before \\d\\d:\\d\\d"));
        press(page.getByText("Show as table"));
        assertThat(page.locator(".data td")).hasCount(24);
        assertThat(page.locator(".data td").first()).hasText("not read");
        isAccessible("failures that were not read");
    }

    @Test
    void theWorkersShowTheirSlots() {
        signIn("viewer");
        open("#/workers");
        isOpen(View.WORKERS.title);
        assertThat(page.locator("main")).containsText("till-1");
        assertThat(page.locator("main")).containsText("1 of 4");
        page.keyboard().press("j");
        page.keyboard().press("Enter");
        assertThat(page.locator("main h1")).hasText("till-1");
        assertThat(page.locator("main a[href='#/jobs/" + shop.running + "']").first())
                .isVisible();
    }

    @Test
    void theAuditIsFiltered() {
        signIn("viewer");
        open("#/audit");
        isOpen(View.AUDIT.title);
        assertThat(page.locator("main")).containsText("a double");
        page.keyboard().press("/");
        page.keyboard().type("ada");
        page.keyboard().press("Enter");
        assertThat(page.locator("main tbody tr")).hasCount(1);
        windrow.as("ada").because("again").job(shop.cancelled).retry();
        press(button("1 newer"));
        assertThat(page.locator("main tbody tr")).hasCount(2);
    }

    @Test
    void theStoreIsExamined() {
        signIn("admin");
        open("#/system");
        isOpen(View.SYSTEM.title);
        press(button("Examine the store"));
        assertThat(page.locator("main")).containsText("Ok");
        isAccessible("a diagnosis");
    }

    @Test
    void rulesOfRetentionAreAddedChangedAndRemoved() {
        signIn("admin");
        open("#/system");
        isOpen(View.SYSTEM.title);
        press(button("Add a rule"));
        type(dialog().getByLabel("Type"), "mail.send");
        type(dialog().getByLabel("Keep for"), "7d");
        press(inDialog("Save"));
        says("Completed jobs of mail.send are kept for 7 days");
        press(button("Change the rule for completed jobs of mail.send"));
        type(dialog().getByLabel("Keep for"), "0s");
        watch.expect("status of 400|response: 400");
        press(inDialog("Save"));
        assertThat(dialog().locator("[role=alert]").first()).isVisible();
        page.keyboard().press("Escape");
        press(button("Remove the rule for completed jobs of mail.send"));
        press(inDialog("Remove the rule"));
        says("was removed");
        assertThat(windrow.retention().rules().toString()).doesNotContain("mail.send");
    }

    @Test
    void oldJobsAreCountedAndDeleted() {
        signIn("admin");
        open("#/system");
        isOpen(View.SYSTEM.title);
        watch.expect("status of 400|response: 400");
        type(page.locator("main input[name=cancelled]"), "soon");
        press(button("Count the jobs"));
        assertThat(page.locator("main [role=alert]").first()).containsText("soon");
        type(page.locator("main input[name=cancelled]"), "1ms");
        type(page.locator("main input[name=type]"), "mail.send");
        press(button("Count the jobs"));
        assertThat(page.locator("main")).containsText("1 job would be deleted");
        press(button("Delete 1 job"));
        type(dialog().getByLabel("Type 1 to delete"), "1");
        press(inDialog("Delete 1 job"));
        assertThat(dialog()).containsText("1 job deleted");
        press(inDialog("Close"));
        assertThat(windrow.job(shop.cancelled).exists()).isFalse();
    }
}
