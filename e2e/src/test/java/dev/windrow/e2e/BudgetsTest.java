package dev.windrow.e2e;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.microsoft.playwright.CDPSession;
import dev.windrow.JobType;
import dev.windrow.payload.Json;
import dev.windrow.workflow.Workflow;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * The costs of the page, printed beside the goals and added to {@code target/budgets.md}. What does not depend on the machine is asserted: bytes,
 * requests, and the memory that polling leaves behind.
 */
class BudgetsTest extends PageTest {
    private static final Path REPORT =
            Path.of(System.getProperty("windrow.screenshots")).resolveSibling("budgets.md");
    private static final JobType<Json, Json> ITEM = JobType.raw("bulk.item").withQueue("bulk");

    /** The polls of eight hours, one in two seconds. */
    private static final int POLLS = 14_400;

    /**
     * Answers nine of ten requests in the page, without the way to the server and back: 8 ms for each poll. The page cannot tell the difference. Most
     * answers are the last one again (304); one overview in ten has another number, so that the page draws it.
     */
    private static final String ANSWERING = """
            () => {
                const plain = window.fetch;
                const known = new Map();
                const headers = (tag) => ({ ETag: tag, Date: new Date().toUTCString() });
                const asked = async (url, options) => {
                    const { count, text } = known.get(url) ?? { count: 0, text: null };
                    const tag = options.headers["If-None-Match"];
                    known.set(url, { count: count + 1, text });
                    if (tag && text && count % 10 === 5 && url.endsWith("overview")) {
                        const overview = JSON.parse(text);
                        overview.states.PENDING = count;
                        return new Response(JSON.stringify(overview), { headers: headers(`"${count}"`) });
                    }
                    if (tag && count % 10 !== 0) {
                        return new Response(null, { status: 304, headers: headers(tag) });
                    }
                    const answer = await plain(url, options);
                    if (answer.status === 200) {
                        known.set(url, { count: count + 1, text: await answer.clone().text() });
                    }
                    return answer;
                };
                window.underWay = new Set();
                window.fetch = (url, options) => {
                    const answer = asked(url, options);
                    window.underWay.add(answer);
                    window.asked = (window.asked ?? 0) + (url.includes("/jobs?") ? 1 : 0);
                    return answer.finally(() => window.underWay.delete(answer));
                };
            }""";

    /**
     * Clicks a link below the list, and waits until other rows are drawn. The test does not look for elements meanwhile, because its own search would
     * count as a script of the page.
     */
    private static final String TURNING = """
            (name) => new Promise((done) => {
                const observer = new MutationObserver(() => {
                    observer.disconnect();
                    requestAnimationFrame(() => setTimeout(done));
                });
                observer.observe(document.querySelector("table.jobs tbody"), { subtree: true, childList: true, characterData: true });
                [...document.querySelectorAll(".foot a")].find((link) => link.textContent === name).click();
            })""";

    @Test
    void theFirstView() {
        signIn("viewer");
        double cold = firstPaint();
        assertThat(page.locator("main .tiles")).isVisible();
        double kilobytes = number("() => [...performance.getEntriesByType('navigation'),"
                        + " ...performance.getEntriesByType('resource').filter((one) => !one.name.includes('/api/'))]"
                        + ".reduce((sum, one) => sum + one.transferSize, 0)")
                / 1000;
        double requests = number(
                "() => 1 + performance.getEntriesByType('resource').filter((one) => !one.name.includes('/api/')).length");
        report("transfer, overview, cold", kilobytes, "kB", 80);
        report("requests, overview, cold", requests, "", 30);
        report("first paint, cold", cold, "ms", 400);
        page.reload();
        assertThat(page.locator("main .tiles")).isVisible();
        report("first paint, warm", firstPaint(), "ms", 150);
        assertThat(kilobytes).isLessThan(80);
        assertThat(requests).isLessThanOrEqualTo(30);
    }

    private double firstPaint() {
        page.waitForFunction("() => performance.getEntriesByName('first-contentful-paint').length > 0");
        return number("() => performance.getEntriesByName('first-contentful-paint')[0].startTime");
    }

    @Test
    void aPageOf200Rows() {
        windrow.enqueueAll(IntStream.range(0, 400)
                .mapToObj(i ->
                        ITEM.job(new Json("1")).withDelay(Duration.ofDays(1)).withName("item " + i))
                .toList());
        signIn("viewer");
        open("#/jobs?queue=bulk&limit=200");
        assertThat(page.locator("table.jobs tbody tr")).hasCount(200);
        CDPSession session = context.newCDPSession(page);
        session.send("Performance.enable");
        List<Double> costs = new ArrayList<>();
        for (String other : List.of("Older", "Newer", "Older", "Newer", "Older")) {
            double before = work(session);
            page.evaluate(TURNING, other);
            costs.add(work(session) - before);
        }
        report(
                "script, style and layout of 200 other rows, median of 5",
                costs.stream().sorted().toList().get(2),
                "ms",
                50);
    }

    /** Returns the milliseconds that the page has spent in scripts, styles and layout. */
    private static double work(CDPSession session) {
        double seconds = 0;
        for (JsonElement metric : session.send("Performance.getMetrics").getAsJsonArray("metrics")) {
            String name = metric.getAsJsonObject().get("name").getAsString();
            if (List.of("ScriptDuration", "RecalcStyleDuration", "LayoutDuration")
                    .contains(name)) {
                seconds += metric.getAsJsonObject().get("value").getAsDouble();
            }
        }
        return 1000 * seconds;
    }

    @Test
    void aGraphOf500Jobs() {
        Workflow flow = new Workflow();
        List<Workflow.Node<Json>> nodes = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            Workflow.Node<Json> node = flow.add(ITEM.job(new Json("1")));
            if (i > 0) {
                node.after(nodes.get(i / 2));
            }
            if (i > 20) {
                node.after(nodes.get(i - 7));
            }
            nodes.add(node);
        }
        long workflow = windrow.submit(flow).id();
        signIn("viewer");
        open("#/workflows/" + workflow + "?group=false");
        page.waitForFunction("() => performance.getEntriesByName('windrow-graph').length > 0");
        assertThat(page.locator(".node")).hasCount(500);
        report(
                "graph of 500 jobs, from the answer of the API to the drawing",
                number("() => performance.getEntriesByName('windrow-graph')[0].startTime - performance"
                        + ".getEntriesByType('resource').find((one) => one.name.endsWith('/graph')).responseEnd"),
                "ms",
                1000);
        press(button("Show 100 more"));
        assertThat(page.locator("[aria-label='Jobs of the workflow'] tbody tr")).hasCount(200);
    }

    @Test
    void eightHoursOfPolling() {
        signIn("viewer");
        open("#/jobs");
        assertThat(page.locator("table.jobs tbody tr").first()).isVisible();
        CDPSession session = context.newCDPSession(page);
        page.evaluate(ANSWERING);
        // The polls before are for caches and compiled code.
        poll(500);
        double before = heap(session);
        int requests = 0;
        for (int i = 0; i < 10; i++) {
            windrow.enqueue(ITEM.job(new Json("1")));
            requests += poll(POLLS / 10);
        }
        double grown = heap(session) - before;
        report("heap after " + POLLS + " polls of the list", grown, "MB more", 10);
        assertThat(requests).isGreaterThanOrEqualTo(POLLS);
        assertThat(grown).isLessThan(10);
    }

    /** Lets the page poll. It reads at once when the network is back, so each such event is a poll. Returns the number of requests for jobs. */
    private int poll(int times) {
        return (int) page.evaluate("""
                async (times) => {
                    const before = window.asked ?? 0;
                    const channel = new MessageChannel();
                    const turn = () => new Promise((done) => ((channel.port1.onmessage = done), channel.port2.postMessage(0)));
                    for (let i = 0; i < times; i++) {
                        window.dispatchEvent(new Event("online"));
                        do {
                            await Promise.allSettled(window.underWay);
                            await turn();
                        } while (window.underWay.size > 0);
                    }
                    performance.clearResourceTimings();
                    return window.asked - before;
                }""", times);
    }

    private static double heap(CDPSession session) {
        session.send("HeapProfiler.collectGarbage");
        JsonObject usage = session.send("Runtime.getHeapUsage");
        return usage.get("usedSize").getAsDouble() / 1_000_000;
    }

    private double number(String script) {
        return ((Number) page.evaluate(script)).doubleValue();
    }

    private static void report(String what, double value, String unit, int goal) {
        String line = String.format(Locale.ROOT, "| %s | %.1f %s | at most %d |%n", what, value, unit, goal);
        System.out.print("Budget: " + line);
        try {
            Files.writeString(REPORT, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
