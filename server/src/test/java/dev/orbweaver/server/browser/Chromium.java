package dev.orbweaver.server.browser;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Playwright;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** A headless Chromium. Tests are skipped with a message if it is not installed. */
final class Chromium implements AutoCloseable {

    /** A long timeout for loaded machines; tests end their waits as soon as the condition holds. */
    static final double TIMEOUT_MILLIS = 150_000;

    private final Playwright playwright;
    private final Browser browser;

    private Chromium(Playwright playwright, Browser browser) {
        this.playwright = playwright;
        this.browser = browser;
    }

    static Chromium start() {
        var program = program();
        assumeTrue(program.isPresent(), "skipped: no chromium on the PATH");
        var playwright =
                Playwright.create(
                        new Playwright.CreateOptions()
                                .setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
        var browser =
                playwright
                        .chromium()
                        .launch(
                                new BrowserType.LaunchOptions()
                                        .setExecutablePath(program.get())
                                        .setTimeout(TIMEOUT_MILLIS)
                                        // The sandbox does not work for root, as in containers;
                                        // only pages of the test are opened.
                                        .setArgs(List.of("--no-sandbox")));
        return new Chromium(playwright, browser);
    }

    private static Optional<Path> program() {
        var path = Optional.ofNullable(System.getenv("PATH")).orElse("");
        var directories =
                Arrays.stream(path.split(File.pathSeparator, -1)).filter(at -> !at.isEmpty());
        return Stream.concat(directories, Stream.of("/usr/bin"))
                .flatMap(
                        directory ->
                                Stream.of("chromium", "chromium-browser")
                                        .map(name -> Path.of(directory, name)))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** Opens a window with its own browser context. */
    BrowserWindow window(Viewport viewport) {
        BrowserContext context =
                browser.newContext(
                        new Browser.NewContextOptions()
                                .setViewportSize(viewport.width(), viewport.height())
                                .setColorScheme(viewport.scheme())
                                .setAcceptDownloads(true)
                                .setPermissions(List.of("clipboard-read", "clipboard-write")));
        context.setDefaultTimeout(TIMEOUT_MILLIS);
        return new BrowserWindow(context);
    }

    @Override
    public void close() {
        browser.close();
        playwright.close();
    }
}
