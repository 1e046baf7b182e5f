package dev.orbweaver.server.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.ConsoleMessage;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A window of the browser, and everything it did that it should not have. */
final class BrowserWindow implements AutoCloseable {

    private static final Path SCREENSHOTS = Path.of("target", "screenshots");

    private static final int POLL_MILLIS = 50;

    private final BrowserContext context;
    private final Page page;
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final List<String> violations = new CopyOnWriteArrayList<>();

    BrowserWindow(BrowserContext context) {
        this.context = context;
        this.page = context.newPage();
        context.onRequest(request -> requests.add(request.url()));
        context.onPage(opened -> violations.add("a window was opened: " + opened.url()));
        page.onDialog(
                dialog -> {
                    violations.add("a dialog: " + dialog.message());
                    dialog.dismiss();
                });
        page.onPageError(error -> violations.add("an error in a script: " + error));
        page.onConsoleMessage(this::console);
    }

    /** What the service answers with an error is part of some tests; all else is not. */
    private void console(ConsoleMessage message) {
        if (message.type().equals("error")
                && !message.text().startsWith("Failed to load resource")) {
            violations.add("on the console: " + message.text());
        }
    }

    Page page() {
        return page;
    }

    void open(String url) {
        page.navigate(url);
    }

    /** Opens an address and waits until all of it is there. */
    void show(String url) {
        open(url);
        awaitTrue(
                "document.querySelector('main').dataset.shown === location.hash"
                        + " && !document.querySelector('main .loading, main [aria-busy]')");
    }

    Locator find(String selector) {
        return page.locator(selector);
    }

    /** The text of the first that fits, once it is there. */
    String text(String selector) {
        return page.locator(selector).first().innerText();
    }

    void await(String selector) {
        page.locator(selector).first().waitFor();
    }

    void click(String selector) {
        page.locator(selector).first().click();
    }

    /** Fills in a setting, whatever kind of field it has. */
    void set(String setting, String value) {
        var field = page.locator("#setting-" + setting);
        if (Boolean.TRUE.equals(field.evaluate("field => field.tagName === 'SELECT'"))) {
            field.selectOption(value);
        } else {
            field.fill(value);
        }
    }

    /** Chooses a setting that is not among the usual ones, and fills it in. */
    void setAnother(String setting, String value) {
        if (!page.locator("#other-setting").isVisible()) {
            click("text=Another setting");
        }
        page.locator("#other-setting").selectOption(setting);
        set(setting, value);
    }

    /**
     * Waits until an expression of the page's is true. It is asked from here again and again: the
     * driver's own way to wait evaluates text in the page, which the service's policy forbids.
     */
    void awaitTrue(String expression) {
        for (var waited = 0; !isTrue(expression); waited += POLL_MILLIS) {
            assertThat(waited)
                    .as("patience with: %s", expression)
                    .isLessThan((int) Chromium.TIMEOUT_MILLIS);
            page.waitForTimeout(POLL_MILLIS);
        }
    }

    boolean isTrue(String expression) {
        return Boolean.TRUE.equals(page.evaluate(expression));
    }

    /** Keeps a picture of all of the page. */
    void screenshot(String name) {
        page.screenshot(
                new Page.ScreenshotOptions()
                        .setPath(SCREENSHOTS.resolve(name + ".png"))
                        .setFullPage(true));
    }

    /** Nothing was asked of anybody but the service, no script of a stranger ran, nothing broke. */
    void assertNoViolations(String origin) {
        assertThat(requests).allMatch(url -> isOwnUrl(url, origin));
        assertThat(isTrue("window.pwned === undefined")).as("no script of a stranger ran").isTrue();
        assertThat(violations).isEmpty();
    }

    /**
     * A file of the dashboard, or a call of the API: also within the service nothing else is asked
     * for.
     */
    private static boolean isOwnUrl(String url, String origin) {
        return url.startsWith(origin + "/")
                && url.substring(origin.length())
                        .matches("/(#.*)?|/[a-z]+\\.(js|css|svg)|/views/[a-z]+\\.js|/api/v1/.*");
    }

    @Override
    public void close() {
        context.close();
    }
}
