package dev.windrow.e2e;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Mouse;
import com.microsoft.playwright.options.BoundingBox;
import com.microsoft.playwright.options.KeyboardModifier;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Actions that the mouse has beside the keyboard. */
class MouseTest extends PageTest {
    @Test
    void dialogsMenusAndListsTakeClicks() {
        signIn("operator");
        page.locator(".tool").first().click();
        dialog().locator("[role=option]").filter(text("Jobs")).click();
        isOpen(View.JOBS.title);
        page.getByLabel("Search jobs").click();
        page.locator("#search-list [role=option]").filter(text("state:")).click();
        page.locator("#search-list [role=option]").filter(text("state:failed")).click();
        assertThat(page).hasURL(Pattern.compile("state=FAILED"));
        assertThat(page.locator("table.jobs tbody tr")).hasCount(2);
        page.locator("table.jobs tbody input").first().click();
        page.locator("table.jobs tbody input")
                .last()
                .click(new Locator.ClickOptions().setModifiers(List.of(KeyboardModifier.SHIFT)));
        assertThat(page.locator(".bulk")).containsText("2 selected");
        page.locator(".bulk").getByText("Retry").click();
        assertThat(dialog()).containsText("Retry 2 failed jobs?");
        page.mouse().click(5, 5);
        assertThat(dialog()).hasCount(0);

        openJob(shop.pending);
        button("More").click();
        assertThat(page.locator(".pop")).isVisible();
        page.locator("main h1").click();
        assertThat(page.locator(".pop")).hasCount(0);
    }

    @Test
    void aGraphIsDraggedAndZoomed() {
        signIn("viewer");
        open("#/workflows/" + shop.workflow);
        assertThat(page.locator(".node")).hasCount(3);
        Locator drawing = page.locator(".canvas > g");
        String before = drawing.getAttribute("transform");
        BoundingBox box = page.locator(".canvas-box").boundingBox();
        page.mouse().move(box.x + 20, box.y + 20);
        page.mouse().down();
        page.mouse().move(box.x + 120, box.y + 60, new Mouse.MoveOptions().setSteps(4));
        page.mouse().up();
        assertThat(drawing).not().hasAttribute("transform", before);
        assertThat(page).hasURL(Pattern.compile("follow=false"));
        String dragged = drawing.getAttribute("transform");
        page.keyboard().down("Control");
        page.mouse().wheel(0, -100);
        page.keyboard().up("Control");
        assertThat(drawing).not().hasAttribute("transform", dragged);
        button("Fit").click();
        assertThat(drawing).hasAttribute("transform", before);
        page.locator(".node").last().click();
        assertThat(page).hasURL(Pattern.compile("#/jobs/\\d+"));
    }

    private static Locator.FilterOptions text(String text) {
        return new Locator.FilterOptions().setHasText(text);
    }
}
