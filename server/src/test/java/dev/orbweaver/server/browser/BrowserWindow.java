package dev.orbweaver.server.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.deque.html.axecore.playwright.AxeBuilder;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.ConsoleMessage;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;

/** A browser window that records violations: dialogs, script errors, foreign requests. */
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
        context.onPage(opened -> violations.add("window opened: " + opened.url()));
        page.onDialog(
                dialog -> {
                    violations.add("dialog: " + dialog.message());
                    dialog.dismiss();
                });
        page.onPageError(error -> violations.add("script error: " + error));
        page.onConsoleMessage(this::console);
    }

    /** Records console errors, except error responses of the service, which some tests provoke. */
    private void console(ConsoleMessage message) {
        if (message.type().equals("error")
                && !message.text().startsWith("Failed to load resource")) {
            violations.add("console: " + message.text());
        }
    }

    Page page() {
        return page;
    }

    void open(String url) {
        page.navigate(url);
    }

    /** Opens a URL and waits until it is loaded. */
    void show(String url) {
        open(url);
        awaitTrue(
                "document.querySelector('main').dataset.shown === location.hash"
                        + " && !document.querySelector('main .loading, main [aria-busy]')");
    }

    Locator find(String selector) {
        return page.locator(selector);
    }

    /** Waits for the first match of a selector and returns its text. */
    String text(String selector) {
        return page.locator(selector).first().innerText();
    }

    void await(String selector) {
        page.locator(selector).first().waitFor();
    }

    void click(String selector) {
        page.locator(selector).first().click();
    }

    /** Sets the field of a setting, which is an input or a select. */
    void set(String setting, String value) {
        var field = page.locator("#setting-" + setting);
        if (Boolean.TRUE.equals(field.evaluate("field => field.tagName === 'SELECT'"))) {
            field.selectOption(value);
        } else {
            field.fill(value);
        }
    }

    /** Sets a setting that is in a collapsed group. */
    void setAnother(String setting, String value) {
        var field = page.locator("#setting-" + setting);
        if (!field.isVisible()) {
            page.locator("details.fold")
                    .filter(new Locator.FilterOptions().setHas(field))
                    .last()
                    .locator("> summary")
                    .click();
        }
        set(setting, value);
    }

    /**
     * Waits until a JavaScript expression is true by polling: the driver's own wait evaluates text
     * in the page, which the Content-Security-Policy forbids.
     */
    void awaitTrue(String expression) {
        for (var waited = 0; !isTrue(expression); waited += POLL_MILLIS) {
            assertThat(waited)
                    .as("timeout waiting for: %s", expression)
                    .isLessThan((int) Chromium.TIMEOUT_MILLIS);
            page.waitForTimeout(POLL_MILLIS);
        }
    }

    boolean isTrue(String expression) {
        return Boolean.TRUE.equals(page.evaluate(expression));
    }

    /** With {@code -Dorbweaver.screenshots=true}, saves a screenshot of the full page. */
    void screenshot(String name) {
        if (Boolean.getBoolean("orbweaver.screenshots")) {
            page.screenshot(
                    new Page.ScreenshotOptions()
                            .setPath(SCREENSHOTS.resolve(name + ".png"))
                            .setFullPage(true));
        }
    }

    /** Returns the serious and critical findings of axe-core in the current view. */
    String accessibilityFindings() {
        page.evaluate(axe());
        return page.evaluate(
                        """
                        async () => {
                            const found = await axe.run(document, { resultTypes: ['violations'] });
                            return found.violations
                                .filter((one) => one.impact === 'serious' || one.impact === 'critical')
                                .map((one) => `${one.id}: ${one.nodes.map((node) => node.target).join(', ')}`)
                                .join('; ');
                        }
                        """)
                .toString();
    }

    /** Read on use: tests of other modules use this class without the library. */
    private static String axe() {
        try (var in = AxeBuilder.class.getResourceAsStream("/axe.min.js")) {
            return new String(
                    Objects.requireNonNull(in, "axe.min.js").readAllBytes(),
                    StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Asserts that there were no requests to other origins, no injected scripts, and no errors. */
    void assertNoViolations(String origin) {
        assertThat(requests).allMatch(url -> isOwnUrl(url, origin));
        assertThat(isTrue("window.pwned === undefined")).as("no injected script ran").isTrue();
        assertThat(violations).isEmpty();
    }

    /**
     * Whether a URL is a file of the dashboard or an API call; other paths of the service must not
     * be requested either.
     */
    private static boolean isOwnUrl(String url, String origin) {
        return url.startsWith(origin + "/")
                && url.substring(origin.length())
                        .matches("/(#.*)?|/[a-z0-9]+\\.(js|css|svg)|/views/[a-z]+\\.js|/api/v1/.*");
    }

    @Override
    public void close() {
        context.close();
    }
}
