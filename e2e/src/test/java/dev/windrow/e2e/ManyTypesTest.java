package dev.windrow.e2e;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import dev.windrow.JobType;
import dev.windrow.Worker;
import dev.windrow.payload.Json;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** As many types and queues as a store takes in seconds: what the server sends and the page shows has a bound, and each is found. */
class ManyTypesTest extends EachStoreTest {
    /** PostgreSQL needs ten times as long for a type. */
    private static final Map<StoreKind, Integer> TYPES = Map.of(StoreKind.SQLITE, 100_000, StoreKind.POSTGRES, 10_000);

    private int types;
    private Worker worker;

    @Override
    void fill() {
        types = TYPES.get(kind);
        for (int from = 0; from < types; from += 1000) {
            windrow.enqueueAll(IntStream.range(from, from + 1000)
                    .mapToObj(i -> JobType.raw("many.%06d".formatted(i))
                            .job(new Json("1"))
                            .withQueue("many-" + i % 1000))
                    .toList());
        }
    }

    /** Starts a worker of another queue. Without a live worker all types together are one problem. */
    private void startElsewhere() {
        JobType<Json, Json> other = JobType.raw("other");
        worker = windrow.worker()
                .queue("elsewhere")
                .handle(other, (input, job) -> input)
                .start();
    }

    @Override
    void close() throws Exception {
        if (worker != null) {
            worker.close();
        }
        super.close();
    }

    private static Locator.FilterOptions text(String text) {
        return new Locator.FilterOptions().setHasText(text);
    }

    @Test
    void theyAreCountedListedAndSearched() {
        String last = "many.%06d".formatted(types - 1);
        startElsewhere();
        signIn("viewer");
        Locator problems = page.locator("main .rows > li");
        assertThat(problems.filter(text("And %,d other types without a worker".formatted(types - 20))))
                .isVisible();
        assertThat(problems.filter(text("And 980 other queues without a worker")))
                .isVisible();
        assertThat(problems).hasCount(42);
        assertThat(
                        (int)
                                page.evaluate(
                                        "async () => (await fetch('api/v1/overview',"
                                                + " { headers: { Authorization: 'Bearer viewer1' } })).arrayBuffer().then((all) => all.byteLength)"))
                .as("bytes of the overview")
                .isLessThan(200_000);

        open("#/queues");
        isOpen(View.QUEUES.title);
        assertThat(page.locator("main .foot").filter(text("100 of %,d types.".formatted(types))))
                .isVisible();
        assertThat(page.locator("main tbody tr")).hasCount(200);
        page.getByLabel("Find a type").fill(last.toUpperCase(Locale.ROOT));
        assertThat(link(last)).isVisible();
        page.getByLabel("Find a queue").fill("many-999");
        assertThat(page.locator("main tbody tr")).hasCount(2);
        press(link(last));
        assertThat(dialog()).containsText("Type " + last);
        assertThat(dialog().locator("dd").nth(2)).hasText("1");
        page.keyboard().press("Escape");
        assertThat(page).hasURL(Pattern.compile("#/queues\\?"));

        open("#/jobs");
        isOpen(View.JOBS.title);
        page.keyboard().press("/");
        assertThat(page.getByLabel("Search jobs")).isFocused();
        page.keyboard().type("type:" + last);
        assertThat(page.locator("#search-list")).containsText(last);
        page.keyboard().press("Enter");
        assertThat(page.locator("table.jobs tbody tr")).hasCount(1);
    }
}
