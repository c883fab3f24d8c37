package dev.windrow.e2e;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.ElementHandle;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.ReducedMotion;
import dev.windrow.JobState;
import dev.windrow.Windrow;
import dev.windrow.payload.Content;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * The common part of all tests: a browser for the class; a store with jobs, a server and a page for each test. A test fails
 * on any report of its page. The page is the same on each JDK.
 */
@Tag("once")
abstract class PageTest {
    private static final Path MODULES = Path.of(System.getProperty("playwright.cli.dir"));
    private static final Path SCREENSHOTS = Path.of(System.getProperty("windrow.screenshots"));

    /** Milliseconds. The machine may be busy with other tests. */
    private static final double LONGEST_WAIT = 10_000;

    private static Playwright playwright;
    private static Browser browser;

    @TempDir
    Path folder;

    Windrow windrow;
    Shop shop;
    Site site;
    BrowserContext context;
    Page page;
    Watch watch;

    @RegisterExtension
    AfterTestExecutionCallback screenshot = test -> {
        if (test.getExecutionException().isPresent() && page != null) {
            String name = String.join(
                    "-",
                    test.getRequiredTestClass().getSimpleName(),
                    kind().name(),
                    test.getRequiredTestMethod().getName(),
                    test.getDisplayName().replaceAll("\\W+", "-"));
            page.screenshot(new Page.ScreenshotOptions().setPath(SCREENSHOTS.resolve(name + ".png")));
        }
    };

    @BeforeAll
    static void startBrowser() {
        PlaywrightAssertions.setDefaultAssertionTimeout(LONGEST_WAIT);
        playwright = Playwright.create(
                new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
        browser = playwright
                .chromium()
                .launch(new BrowserType.LaunchOptions()
                        .setExecutablePath(Path.of(System.getProperty("windrow.chromium")))
                        .setArgs(List.of(
                                "--no-sandbox",
                                "--disable-gpu",
                                "--disable-background-networking",
                                "--disable-component-update",
                                "--disable-sync")));
    }

    @AfterAll
    static void stopBrowser() {
        playwright.close();
    }

    /** Returns the store of the test. */
    StoreKind kind() {
        return StoreKind.SQLITE;
    }

    @BeforeEach
    final void openSite() throws Exception {
        windrow = open();
        shop = new Shop(windrow);
        fill();
        site = new Site(windrow);
        openPage(1280, ColorScheme.LIGHT);
    }

    Windrow open() {
        return Windrow.open(kind().newStore(folder));
    }

    /** Puts jobs into the store. */
    void fill() throws Exception {
        shop.fill();
    }

    @AfterEach
    void close() throws Exception {
        try (Windrow opened = windrow;
                Shop filled = shop;
                Site started = site;
                BrowserContext shown = context) {
            if (watch != null) {
                watch.check();
            }
        }
    }

    /** Opens a page without a token, in place of the last one. */
    final void openPage(int width, ColorScheme theme) {
        if (context != null) {
            watch.check();
            context.close();
        }
        context = browser.newContext(new Browser.NewContextOptions()
                .setViewportSize(width, 900)
                .setColorScheme(theme)
                // Colours of what appears step by step have no contrast yet.
                .setReducedMotion(ReducedMotion.REDUCE));
        context.setDefaultTimeout(LONGEST_WAIT);
        page = context.newPage();
        watch = new Watch(page);
    }

    /** Opens the page as a person of this role does who clicks the address that {@code windrow serve} prints. */
    final void signIn(String role) {
        page.navigate(site.address() + "#token=" + role + "1");
        isOpen("Overview");
    }

    /** Opens a view by its address. */
    final void open(String address) {
        page.evaluate("(address) => (location.hash = address)", address);
    }

    final void openJob(long job) {
        open("#/jobs/" + job);
        assertThat(page.locator("main h1")).containsText(String.valueOf(job));
        isLoaded();
    }

    /** Waits until the view of this title stands there with its data. */
    final void isOpen(String title) {
        assertThat(page.locator("main h1")).hasText(title);
        isLoaded();
    }

    final void isLoaded() {
        assertThat(page.locator("main h1")).isVisible();
        assertThat(page.locator("main [aria-busy=true]")).hasCount(0);
    }

    final Locator button(String name) {
        return page.getByRole(
                AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true));
    }

    final Locator link(String name) {
        return page.getByRole(
                AriaRole.LINK, new Page.GetByRoleOptions().setName(name).setExact(true));
    }

    final Locator dialog() {
        return page.locator("dialog[open]");
    }

    final Locator inDialog(String button) {
        return dialog().getByRole(
                        AriaRole.BUTTON,
                        new Locator.GetByRoleOptions().setName(button).setExact(true));
    }

    /** Waits for a message at the corner. */
    final void says(String text) {
        assertThat(page.locator(".toasts")).containsText(Pattern.compile(text));
    }

    /** True if the way back to an element is shorter than the way ahead, in the order of the focus. */
    private static final String IS_BEHIND = """
            (element) => {
                const parts = "a[href], button, input, select, textarea, summary, [tabindex='0']";
                const frame = [...document.querySelectorAll("dialog[open]")].at(-1) ?? document;
                const all = [...frame.querySelectorAll(parts)].filter((one) => one.checkVisibility() && !one.disabled);
                const steps = all.indexOf(element) - all.indexOf(document.activeElement);
                return steps < 0 ? -steps <= all.length + steps : steps > all.length - steps;
            }""";

    /** Presses Tab, or Shift and Tab if the way is shorter, until this element has the focus. */
    final void tabTo(Locator target) {
        assertThat(target).isEnabled();
        ElementHandle element = target.elementHandle();
        String key = (boolean) element.evaluate(IS_BEHIND) ? "Shift+Tab" : "Tab";
        for (int i = 1; i <= 400; i++) {
            if ((boolean) element.evaluate("(element) => element === document.activeElement")) {
                return;
            }
            page.keyboard().press(key);
            if (i % 50 == 0) {
                element = target.elementHandle(); // it may have been drawn anew
            }
        }
        throw new AssertionError("the focus does not reach " + target);
    }

    /** Moves the focus to a button or a link, and presses Enter. */
    final void press(Locator target) {
        tabTo(target);
        page.keyboard().press("Enter");
    }

    /** Moves the focus to a box, and checks or clears it. */
    final void toggle(Locator box) {
        tabTo(box);
        page.keyboard().press("Space");
    }

    /** Moves the focus to a field, and types this text in place of what is there. */
    final void type(Locator field, String text) {
        tabTo(field);
        page.keyboard().press("Control+a");
        page.keyboard().insertText(text);
    }

    final JobState state(long job) {
        return windrow.job(job).info().state();
    }

    /** Lets axe look at the page: no violations. */
    final void isAccessible(String what) {
        page.evaluate(text(MODULES.resolve("axe-core/axe.min.js")));
        Object violations = page.evaluate("async () => (await axe.run()).violations.map((one) =>"
                + " one.id + ': ' + one.nodes.map((node) => node.html.slice(0, 200)).join('\\n  '))");
        assertThat((List<?>) violations).as("violations found by axe: " + what).isEmpty();
    }

    /** Asserts that the page cannot be scrolled sideways. */
    final void fitsItsWidth(String what) {
        Object over =
                page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth");
        assertThat((int) over).as("pixels beyond the width: " + what).isLessThanOrEqualTo(0);
    }

    static String text(Optional<Content> content) {
        try (InputStream bytes = content.orElseThrow().open()) {
            return new String(bytes.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
