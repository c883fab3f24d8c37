package dev.windrow.e2e;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Locator;
import dev.windrow.JobType;
import dev.windrow.payload.Json;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A store without jobs or workers: each view says what to do next. */
class EmptyTest extends EachStoreTest {
    @Override
    void fill() {}

    @Test
    void eachViewSaysWhatToDoNext() {
        signIn("admin");
        Map<View, String> words = Map.of(
                View.OVERVIEW, "No problems",
                View.JOBS, "windrow enqueue exec -- true",
                View.FAILURES, "No job is failed.",
                View.WORKFLOWS, "No workflow yet.",
                View.SCHEDULES, "No schedule yet.",
                View.QUEUES, "No job has been enqueued yet.",
                View.WORKERS, "No worker is alive.",
                View.AUDIT, "Nothing was changed yet.",
                View.SYSTEM, "The store has not been examined yet.");
        for (View view : View.values()) {
            open(view.address());
            isOpen(view.title);
            assertThat(page.locator("main")).containsText(words.get(view));
            isAccessible("empty " + view.title);
        }
    }

    @Test
    void withoutAWorkerTheWaitingJobsAreOneProblem() {
        for (String queue : List.of("mail", "mail", "reports")) {
            windrow.enqueue(JobType.raw(queue + ".send").job(new Json("1")).withQueue(queue));
        }
        signIn("viewer");
        Locator problems = page.locator("main .rows > li");
        assertThat(problems).hasCount(1);
        assertThat(problems).containsText("No worker is alive");
        assertThat(problems).containsText("3 jobs wait. Start a worker");
        assertThat(page.locator(".links b")).hasText("problems: 1");
        press(link("3 jobs"));
        assertThat(page.locator("main tbody tr")).hasCount(3);
    }
}
