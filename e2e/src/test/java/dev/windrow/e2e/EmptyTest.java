package dev.windrow.e2e;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** A store without jobs: each view says what to do next. */
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
}
