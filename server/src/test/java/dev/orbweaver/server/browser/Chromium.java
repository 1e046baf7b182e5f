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

/**
 * The browser of this machine, without a window. Tests are skipped, saying why, where it is not.
 */
final class Chromium implements AutoCloseable {

    /**
     * A loaded machine is slow, and a test that waits for something waits no longer than it must.
     */
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
                                        // The sandbox cannot be had by root, who builds in
                                        // containers; nothing but our own pages is opened.
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

    /** A window of its own, without memory of any other. */
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
