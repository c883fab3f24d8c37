package dev.windrow.e2e;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.APIResponse;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.ColorScheme;
import dev.windrow.JobState;
import dev.windrow.Windrow;
import dev.windrow.query.JobFilter;
import dev.windrow.sqlite.SqliteStore;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Date;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Makes the pictures of the dashboard in the documents, of jobs from one seed and one clock. The handlers share both, so ids and counts differ a little
 * from run to run. The name of this class has no "Test", so a build runs it only by {@code -Dtest=Pictures}.
 */
class Pictures extends PageTest {
    private static final Path FOLDER = Path.of(System.getProperty("windrow.pictures"));
    private static final int WIDTH = 1280;

    private Day day;

    @Override
    Windrow open() {
        day = new Day();
        return Windrow.configure(SqliteStore.at(folder.resolve("jobs.db")))
                .time(day.time)
                .open();
    }

    @Override
    void fill() {
        day.pass(windrow);
    }

    @Override
    void close() throws Exception {
        day.close();
        super.close();
    }

    @Test
    void pictures() {
        for (ColorScheme theme : new ColorScheme[] {ColorScheme.LIGHT, ColorScheme.DARK}) {
            openPage(WIDTH, theme);
            stopClock();
            signIn("admin");
            picture("overview", theme, 860);
            if (theme == ColorScheme.LIGHT) {
                open("#/jobs?state=FAILED");
                picture("jobs", theme, 620);
                open("#/jobs/" + day.failed);
                picture("job", theme, 900);
                open("#/failures");
                picture("failures", theme, 700);
                open("#/workflows/" + day.workflow);
                assertThat(page.locator(".node").first()).isVisible();
                picture("workflow", theme, 760);
            }
        }
    }

    /** Gives the page the time of the jobs: by the clock of the browser, and in the answers of the server. */
    private void stopClock() {
        ZonedDateTime now = day.time.now().atZone(ZoneOffset.UTC);
        page.clock().setFixedTime(Date.from(now.toInstant()));
        page.route("**/api/**", route -> {
            APIResponse answer = route.fetch();
            Map<String, String> headers = new HashMap<>(answer.headers());
            headers.put("date", DateTimeFormatter.RFC_1123_DATE_TIME.format(now));
            route.fulfill(new Route.FulfillOptions().setResponse(answer).setHeaders(headers));
        });
    }

    private void picture(String name, ColorScheme theme, int height) {
        isLoaded();
        page.setViewportSize(WIDTH, height);
        // Time stands still: the page has nothing to draw any more after two frames.
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
        String file = "dashboard-%s-%s.png".formatted(name, theme.name().toLowerCase(Locale.ROOT));
        page.screenshot(new Page.ScreenshotOptions().setPath(FOLDER.resolve(file)));
    }

    static void awaitIdle(Windrow windrow) {
        await().until(() -> windrow.jobs(JobFilter.inState(JobState.PENDING)).count()
                        + windrow.jobs(JobFilter.inState(JobState.RUNNING)).count()
                == 0);
    }
}
