package dev.windrow.e2e;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.Download;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.AriaRole;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.payload.Json;
import dev.windrow.query.JobFilter;
import dev.windrow.schedule.Schedule;
import dev.windrow.workflow.Workflow;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The actions of the views that no other test presses, by keyboard alone. They do not depend on the store. */
class OtherActionsTest extends PageTest {
    private static final JobType<Json, Json> PART = JobType.raw("part");

    @Test
    void eachChartHasATable() {
        signIn("viewer");
        Locator tables = page.locator("main summary");
        assertThat(tables).hasCount(2);
        for (int i = 0; i < 2; i++) {
            press(tables.nth(i));
            assertThat(page.locator("main .data table").nth(i).locator("tbody tr"))
                    .hasCount(60);
        }
        isAccessible("the tables of the charts");
    }

    @Test
    void aScheduleAtAnIntervalIsAddedAndFound() {
        for (int i = 0; i < 10; i++) {
            windrow.schedules().save(Schedule.every("other-" + i, Duration.ofDays(1), Shop.MAIL.job(Shop.ORDER)));
        }
        signIn("operator");
        open("#/schedules");
        isOpen(View.SCHEDULES.title);
        press(link("Add schedule"));
        type(dialog().locator("input[name=name]"), "nightly");
        assertThat(dialog()).containsText("A schedule of this name exists.");
        type(dialog().locator("input[name=name]"), "often");
        type(dialog().locator("input[name=type]"), "report.build");
        press(dialog().getByText("At an interval"));
        type(dialog().locator("input[name=every]"), "90m");
        assertThat(dialog().locator("[aria-label=Preview]")).containsText("Runs every 90 min.");
        tabTo(dialog().locator("select[name=overlap]"));
        page.keyboard().press("ArrowDown");
        press(inDialog("Add schedule"));
        says("Schedule often was added");
        assertThat(windrow.schedules().find("often").orElseThrow().every()).isEqualTo(Duration.ofMinutes(90));

        type(page.getByLabel("Find by name or type"), "OFTEN");
        assertThat(page.locator("main [aria-label=Schedules] tbody tr")).hasCount(1);
        press(link("Close"));
        page.keyboard().press("j");
        page.keyboard().press("Enter");
        assertThat(page).hasURL(Pattern.compile("#/schedules/"));
    }

    @Test
    void aTypeAndAKeyAreLimited() {
        signIn("operator");
        open("#/queues");
        isOpen(View.QUEUES.title);
        page.keyboard().press("/");
        page.keyboard().type("order");
        assertThat(button("Limit mail.send")).hasCount(0);
        press(button("Limit order.check"));
        type(dialog().getByLabel("Burst"), "7");
        press(inDialog("Save"));
        says("Type order.check: any number running, rate 10/s");
        assertThat(windrow.type("order.check").limits().rate().burst()).isEqualTo(7);
        type(page.getByLabel("Find a key"), "tenant-42");
        page.keyboard().press("Enter");
        type(dialog().getByLabel("Running at once"), "2");
        type(dialog().getByLabel("Reason"), "a large customer");
        press(inDialog("Save"));
        says("Key tenant-42: at most 2 running");
        assertThat(windrow.key("tenant-42").limits().maxRunning()).isEqualTo(2);
        open("#/queues");
        press(button("Pause tenant-42"));
        press(inDialog("Pause"));
        says("Key tenant-42 was paused");
        press(button("Resume tenant-42"));
        press(inDialog("Resume"));
        says("Key tenant-42 was resumed");
    }

    @Test
    void eachRunOfAScheduleIsListed() {
        windrow.schedules().save(Schedule.every("often", Duration.ofSeconds(1), Shop.MAIL.job(Shop.ORDER)));
        await().until(() -> !windrow.schedules().runs("often", 10).isEmpty());
        windrow.schedules().pause("often", "tests");
        signIn("viewer");
        open("#/schedules/often");
        isOpen(View.SCHEDULES.title);
        assertThat(page.locator("main td .dots"))
                .hasAttribute("aria-label", Pattern.compile("Last \\d runs?: \\d waiting"));
        assertThat(page.locator("main")).containsText("Next 10 runs if resumed now");
        press(page.locator("[aria-labelledby=schedule-title] table")
                .last()
                .locator("a")
                .first());
        assertThat(page.locator("main h1")).containsText("mail.send");
    }

    /** The engine makes these problems after minutes, or by a process that is killed. */
    @Test
    void troublesOfWorkersAreInWords() {
        signIn("viewer");
        page.route("**/api/v1/overview", route -> {
            String real = route.fetch().text();
            route.fulfill(new Route.FulfillOptions()
                    .setContentType("application/json")
                    .setBody(real.replace(
                                    "\"problems\":[",
                                    "\"problems\":["
                                            + "{\"problem\":\"dead-worker\",\"subject\":\"lost-1\",\"heartbeatAt\":\"2026-01-01T00:00:00Z\"},"
                                            + "{\"problem\":\"stuck-handlers\",\"subject\":\"till-1\",\"count\":2},"
                                            + "{\"problem\":\"overdue-schedule\",\"subject\":null,\"overdueMillis\":120000},"
                                            + "{\"problem\":\"background-task\",\"subject\":\"reclaim\",\"detail\":\"no progress\"},")
                            .replace("\"stuck\":[", "\"stuck\":[{\"worker\":\"till-1\",\"slots\":2}")));
        });
        page.route(
                "**/api/v1/throughput?timesOnly*",
                route -> route.fulfill(new Route.FulfillOptions()
                        .setContentType("application/json")
                        .setBody("{\"times\":[{\"type\":\"report.build\",\"runP99Millis\":20}]}")));
        page.route("**/api/v1/jobs?state=RUNNING*", route -> {
            String real = route.fetch().text();
            route.fulfill(new Route.FulfillOptions()
                    .setContentType("application/json")
                    .setBody(real.replaceAll("\"startedAt\":\"[^\"]+\"", "\"startedAt\":\"2026-01-01T00:00:00Z\"")));
        });
        open("#/jobs");
        open("#/overview");
        Locator problems = page.locator("main .rows");
        for (String text : List.of(
                "Worker lost-1 stopped without handing back its jobs",
                "Worker till-1 has 2 stuck handlers",
                "A schedule is 2 min late",
                "The background task reclaim fails")) {
            assertThat(problems).containsText(text);
        }
        press(link("Worker"));
        assertThat(page.locator("main")).containsText("2 stuck handlers ignore their interrupts");
        assertThat(page.locator(".stuck")).hasCount(2);
        assertThat(page.locator("main")).containsText("1 longer than usual");
        assertThat(page.locator(".slots .old")).hasCount(1);
        press(link("Workers").first());
        assertThat(page.locator("main")).containsText("Stopped without handing back their jobs");
        isAccessible("troubles of workers");
        open("#/system");
        assertThat(page.locator("main")).containsText("reclaim makes no progress");
    }

    @Test
    void theAuditIsFilteredByChangeJobAndTimeAndTurnedOver() {
        for (int i = 0; i < 60; i++) {
            windrow.as("grace").queue("mail").limit(i + 1);
        }
        signIn("viewer");
        open("#/audit");
        isOpen(View.AUDIT.title);
        Locator rows = page.locator("main tbody tr");
        assertThat(rows).hasCount(50);
        press(link("Older changes"));
        assertThat(page).hasURL(Pattern.compile("after="));
        assertThat(page.locator("main")).containsText("a double");
        press(link("Newest changes"));
        assertThat(rows).hasCount(50);

        tabTo(page.locator("main select"));
        page.keyboard().type("Cancel");
        assertThat(page).hasURL(Pattern.compile("action=CANCEL"));
        assertThat(rows).hasCount(1);
        type(page.getByLabel("Job"), "1");
        page.keyboard().press("Enter");
        assertThat(page.locator("main")).containsText("No change matches.");
        press(link("Show all"));
        assertThat(rows).hasCount(50);
        tabTo(page.getByLabel("From, UTC"));
        page.keyboard().type("01012099");
        page.keyboard().press("Tab");
        page.keyboard().type("0100PM");
        press(button("Apply"));
        assertThat(page).hasURL(Pattern.compile("from=2099"));
        assertThat(page.locator("main")).containsText("No change matches.");
    }

    @Test
    void theDoctorHasOptionsAndTheApiItsDescription() throws Exception {
        signIn("admin");
        open("#/system");
        isOpen(View.SYSTEM.title);
        toggle(page.getByLabel("Quick"));
        tabTo(page.getByLabel("Time limit"));
        page.keyboard().press("ArrowDown");
        assertThat(page).hasURL(Pattern.compile("doctor=quick&budget=30s"));
        press(button("Examine the store"));
        assertThat(page.locator("main")).containsText("The store is sound");
        press(page.locator("main summary").filter(new Locator.FilterOptions().setHasText("Show the plans")));
        assertThat(page.locator("main .plan").first()).isVisible();
        Download download = page.waitForDownload(() -> press(link("api/v1/openapi.json")));
        assertThat(Files.readString(download.path())).contains("\"openapi\"");
    }

    @Test
    void aRuleOfRetentionSaysWhatItDeletes() {
        signIn("admin");
        open("#/system");
        isOpen(View.SYSTEM.title);
        press(button("Change the rule for cancelled jobs"));
        type(dialog().getByLabel("Keep for"), "1ms");
        press(inDialog("Save"));
        assertThat(dialog()).containsText("1 job is older than 1ms.");
        press(inDialog("Save, and delete 1 job"));
        says("Cancelled jobs are kept for 1 ms");
        press(button("Reset the rule for cancelled jobs"));
        press(inDialog("Reset the rule"));
        says("The rule for cancelled jobs was reset");
    }

    @Test
    void theFailuresAreChosenByPeriodAndKeys() {
        windrow.job(shop.pending).fail("OPERATOR:DECIDED", "no longer wanted");
        signIn("viewer");
        open("#/failures");
        isOpen(View.FAILURES.title);
        press(link("1 h"));
        assertThat(page).hasURL(Pattern.compile("period=1h"));
        assertThat(page.locator("main tbody tr")).hasCount(2);
        page.keyboard().press("j");
        assertThat(page).hasURL(Pattern.compile("code=OPERATOR"));
        page.keyboard().press("k");
        assertThat(page).hasURL(Pattern.compile("code=INVALID"));
        page.evaluate("() => document.activeElement.blur()");
        page.keyboard().press("Enter");
        isOpen(View.JOBS.title);
        assertThat(page.locator("table.jobs tbody tr")).hasCount(2);
    }

    @Test
    void aWorkflowOfThousandsOfJobsIsATable() {
        Workflow flow = new Workflow();
        var first = flow.add(PART.job(new Json("1")).withDelay(Duration.ofDays(1)));
        IntStream.range(0, 2000).forEach(i -> flow.add(PART.job(new Json("1"))).after(first));
        long workflow = windrow.submit(flow).id();
        signIn("viewer");
        open("#/workflows/" + workflow);
        Locator rows = page.locator("main table tbody tr");
        assertThat(rows).hasCount(100);
        press(link("Next"));
        assertThat(rows.first()).not().containsText(String.valueOf(workflow));
        press(link("First"));
        press(page.locator("nav[aria-label=State] a").filter(new Locator.FilterOptions().setHasText("Scheduled")));
        assertThat(rows).hasCount(1);
        page.keyboard().press("j");
        page.keyboard().press("Enter");
        assertThat(page.locator("main h1")).containsText("part");
        assertThat(page.locator("main")).containsText("Children");
        assertThat(page.getByRole(AriaRole.LINK, new Page.GetByRoleOptions().setName("at least 1,000 jobs")))
                .isVisible();
    }

    @Test
    void aGraphIsZoomedFittedAndFollowed() {
        signIn("viewer");
        open("#/workflows/" + shop.workflow);
        assertThat(page.locator(".node")).hasCount(3);
        Locator drawing = page.locator(".canvas > g");
        String before = drawing.getAttribute("transform");
        press(button("Zoom in"));
        assertThat(drawing).not().hasAttribute("transform", before);
        press(button("Fit"));
        assertThat(drawing).hasAttribute("transform", before);
        press(button("Zoom out"));
        assertThat(drawing).not().hasAttribute("transform", before);
        toggle(page.getByLabel("Follow running"));
        assertThat(page).hasURL(Pattern.compile("follow=false"));
        press(link("1 failed"));
        isOpen(View.JOBS.title);
        assertThat(page.locator("table.jobs tbody tr")).hasCount(1);
    }

    @Test
    void theFieldsOfANewJobAreKeptUntilTheyAreCleared() {
        signIn("operator");
        open("#/jobs?new=1");
        type(dialog().locator("input[name=type]"), "no.such");
        assertThat(dialog()).containsText("No job of this type exists so far.");
        page.keyboard().press("Escape");
        assertThat(page).hasURL(Pattern.compile("#/jobs$"));
        press(link("New job"));
        assertThat(dialog().locator("input[name=type]")).hasValue("no.such");
        press(inDialog("Clear"));
        assertThat(dialog().locator("input[name=type]")).hasValue("");
        press(inDialog("Cancel"));
        assertThat(dialog()).hasCount(0);
    }

    @Test
    void aRetryTakesItsOptions() {
        windrow.type("order.check").pause();
        signIn("operator");
        open("#/jobs?workflow=" + shop.workflow);
        assertThat(page.locator("table.jobs tbody tr")).hasCount(3);
        toggle(page.getByLabel("Select the page"));
        press(page.locator(".bulk").getByText("Retry"));
        toggle(dialog().getByLabel("Do completed steps again"));
        toggle(dialog().getByLabel("Also retry the jobs that were cancelled because of them"));
        press(inDialog("Retry 1 job"));
        says("1 job was retried");
        assertThat(windrow.jobs(JobFilter.workflow(shop.workflow).withState(JobState.FAILED))
                        .count())
                .isZero();
    }
}
