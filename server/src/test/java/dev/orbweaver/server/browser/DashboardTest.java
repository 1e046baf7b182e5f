package dev.orbweaver.server.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.options.RequestOptions;

import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Tests every view of the dashboard with a real service that crawls a small site. */
@ExtendWith(BrowserExtension.class)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Slow
class DashboardTest {

    @TempDir private static Path directory;

    private static Chromium chromium;
    private static ServerFixture serverFixture;
    private static LoopbackSite loopbackSite;

    /** The route of the job that the first test creates. */
    private static final String JOB = "/jobs/1";

    /** The brightness of the page's background, from 0 to 255. */
    private static final String LUMINANCE =
            "Math.max(...getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0,"
                    + " 3).map(Number))";

    private BrowserWindow browserWindow;

    @BeforeAll
    static void openEverything(Chromium shared) throws Exception {
        chromium = shared;
        serverFixture = ServerFixture.withoutToken(directory);
        loopbackSite = new LoopbackSite(ManualSite::respond);
    }

    @AfterAll
    static void closeEverything() throws Exception {
        for (var each : new AutoCloseable[] {loopbackSite, serverFixture}) {
            if (each != null) {
                each.close();
            }
        }
    }

    @BeforeEach
    void openWindow() {
        browserWindow = chromium.window(Viewport.DESK);
    }

    @AfterEach
    void closeWindow() {
        try {
            browserWindow.assertNoViolations(serverFixture.origin());
        } finally {
            browserWindow.close();
        }
    }

    @Test
    @Order(1)
    void aCrawlIsStartedAndFollowedToItsEnd() {
        browserWindow.open(serverFixture.view("/"));
        assertThat(browserWindow.text(".empty")).contains("Enter a URL above");
        browserWindow.screenshot("home-empty");
        browserWindow.find("#seeds").fill(loopbackSite.url("/"));
        browserWindow.click("text=Limits and settings");
        browserWindow.set("max-pages", "5000");
        browserWindow.set("delay", "20ms");
        browserWindow.setAnother("max-retries", "0");
        assertThat(browserWindow.text(".review"))
                .startsWith("Up to 5,000 pages of 127.0.0.1:")
                .endsWith(
                        "; a pause of 20\u00a0ms between requests to a host; robots.txt is"
                                + " obeyed.");
        browserWindow.click(".preset:has-text('Careful')");
        browserWindow.set("delay", "");
        assertThat(browserWindow.text(".review")).contains("; a pause of 2\u00a0s between");
        assertThat(browserWindow.find("#setting-delay").getAttribute("placeholder"))
                .isEqualTo("preset: 2\u00a0s");
        browserWindow.click(".preset:has-text('Documentation')");
        browserWindow.find("#seeds").fill(loopbackSite.url("/guide/install"));
        assertThat(browserWindow.text(".review")).contains("pages below 127.0.0.1:", "/guide/;");
        assertThat(browserWindow.text("#setting-scope option"))
                .isEqualTo("preset: below the path of each seed");
        browserWindow.find("#seeds").fill(loopbackSite.url("/"));
        browserWindow.click(".preset:has-text('Standard')");
        browserWindow.set("delay", "20ms");
        browserWindow.screenshot("home-settings");
        browserWindow.click("text=Start crawl");
        browserWindow.await(".badge.state-finished");
        assertThat(browserWindow.page().url()).endsWith("#" + JOB);
        browserWindow.awaitTrue(
                "document.querySelector('.job-body .tile dd')?.textContent === '"
                        + ManualSite.PAGES
                        + "'");
        browserWindow.await(".captures >> text=Installing a loom");
        browserWindow.await(".captures:has-text('/guide/missing')");
        browserWindow.screenshot("job");
    }

    @Test
    @Order(2)
    void theLedgersSumsHoldOnThePage() {
        browserWindow.open(serverFixture.view(JOB));
        browserWindow.await(".ledger .sum");
        var sums =
                """
                [...document.querySelectorAll('.ledger .sum')].every(sum => {
                    const figures = [...sum.querySelectorAll('dd')].map(figure => Number(figure.textContent.replaceAll(',', '')));
                    return figures[0] > 0 && figures[0] === figures.slice(1).reduce((all, one) => all + one, 0);
                })
                """;
        browserWindow.awaitTrue(sums);
        var inOneRow =
                """
                [...document.querySelectorAll('.ledger .sum')].every(sum => {
                    const figures = [...sum.querySelectorAll('dd')];
                    figures.forEach(figure => { figure.textContent = '123,456,789'; });
                    return new Set(figures.map(figure => figure.getBoundingClientRect().top)).size === 1
                        && sum.getBoundingClientRect().right >= figures.at(-1).getBoundingClientRect().right;
                })
                """;
        assertThat(browserWindow.isTrue(inOneRow)).as("long figures stay in one row").isTrue();
    }

    @Test
    @Order(2)
    void jobsAreRowsThatCanBeFilteredAndSorted() {
        browserWindow.open(serverFixture.view("/"));
        assertThat(browserWindow.text(".jobs tbody tr"))
                .contains("#1", "127.0.0.1", "finished", "7 pages");
        assertThat(browserWindow.text(".jobs tbody td[data-label=Failed]")).isEqualTo("1");
        browserWindow.awaitTrue(
                "document.querySelector('.totals').textContent.includes('of 1 job')");
        browserWindow.screenshot("home");
        browserWindow.click(".sort:has-text('Progress')");
        browserWindow.await("th[aria-sort=descending]:has-text('Progress')");
        assertThat(browserWindow.page().url()).contains("sort=-progress");
        browserWindow.find("#filter-state").selectOption("paused");
        assertThat(browserWindow.text(".empty")).contains("No matching jobs");
        browserWindow.find("#filter-state").selectOption("finished");
        browserWindow.await(".job-name");
        browserWindow.click(".job-name");
        browserWindow.await(".report .tiles");
    }

    @Test
    @Order(2)
    void theReportShowsWhatAnEndedJobFound() {
        browserWindow.show(serverFixture.view(JOB + "/report"));
        browserWindow.await(".report .tiles");
        assertThat(browserWindow.text(".report .tile dd")).isEqualTo("7");
        assertThat(browserWindow.text("[aria-label='Responses by status']")).contains("404");
        assertThat(browserWindow.text("[aria-labelledby=broken]"))
                .contains("Broken links (2)", "/guide/missing", "The loom manual");
        assertThat(browserWindow.text("[aria-labelledby=redirects]")).contains("/guide/old");
        browserWindow.screenshot("report");
        browserWindow.click("[aria-label='Responses by status'] a:has-text('404')");
        browserWindow.await("tbody tr:has-text('/guide/missing')");
        assertThat(browserWindow.find("#status").inputValue()).isEqualTo("404");
    }

    @Test
    @Order(5)
    void severalJobsAreChangedTogether() {
        var page = browserWindow.page();
        var started = new ArrayList<String>();
        for (var i = 0; i < 2; i++) {
            start("/endless/1", "1s");
            browserWindow.await(".badge.state-running");
            started.add(page.url().substring(page.url().lastIndexOf('/') + 1));
        }
        browserWindow.open(serverFixture.view("/"));
        for (var job : started) {
            browserWindow.await("[aria-label='Select job " + job + "']");
            page.getByLabel("Select job " + job).check();
        }
        assertThat(browserWindow.text(".bulk")).contains("2 selected");
        browserWindow.screenshot("home-selected");
        browserWindow.click(".bulk button:has-text('Pause')");
        browserWindow.await(".notice >> text=2 jobs paused.");
        browserWindow.awaitTrue("document.querySelectorAll('.state-paused').length === 2");
        page.getByLabel("Select all jobs of this page").check();
        page.getByLabel("Select job 1").uncheck();
        browserWindow.click(".bulk button:has-text('Delete')");
        browserWindow.click("dialog >> text=Delete jobs");
        browserWindow.awaitTrue("document.querySelectorAll('.jobs tbody tr').length === 1");
    }

    @Test
    @Order(2)
    void seedsAreReadFromAFile() throws Exception {
        var file =
                Files.writeString(
                        directory.resolve("urls.txt"), "# list\nhttp://a.example/\nb.example\n");
        browserWindow.open(serverFixture.view("/"));
        browserWindow.find("#seed-file").setInputFiles(file);
        browserWindow.awaitTrue("document.querySelector('#seeds').value !== ''");
        assertThat(browserWindow.find("#seeds").inputValue())
                .isEqualTo("http://a.example/\nb.example");
        assertThat(browserWindow.text(".review")).contains("All pages of a.example and b.example");
    }

    @Test
    @Order(2)
    void pagesAreFoundByTheirTextAndByTheirStatus() {
        browserWindow.open(serverFixture.view(JOB + "/pages"));
        browserWindow.await("tbody tr");
        browserWindow.screenshot("pages");
        search("selvedge");
        assertThat(browserWindow.text("tbody tr .page-cell a")).isEqualTo("Weaving");
        assertThat(browserWindow.text(".excerpt")).contains("Throw the shuttle");
        assertThat(browserWindow.text(".excerpt mark")).isEqualTo("selvedge");
        browserWindow.screenshot("pages-excerpts");
        browserWindow.find("#q").fill("");
        browserWindow.find("#status").selectOption("404");
        browserWindow.click("button:has-text('Search')");
        browserWindow.await("tbody tr:has-text('/guide/missing')");
        assertThat(browserWindow.find("tbody tr").count()).isEqualTo(1);
        browserWindow.find("#status").selectOption("");
        browserWindow.find("#path").fill("/api/");
        browserWindow.click("button:has-text('Search')");
        browserWindow.awaitTrue("document.querySelectorAll('tbody tr').length === 2");
    }

    /** Searches until one page is found: the index lags behind the crawl. */
    private void search(String word) {
        browserWindow.find("#q").fill(word);
        browserWindow.awaitTrue(
                """
                async () => {
                    const found = await fetch('/api/v1%s/pages?q=%s');
                    return (await found.json()).total === 1;
                }
                """
                        .formatted(JOB, word));
        browserWindow.click("button:has-text('Search')");
        browserWindow.awaitTrue("document.querySelectorAll('tbody tr').length === 1");
    }

    @Test
    @Order(2)
    void aPageIsShownCopiedAndDownloaded() throws Exception {
        openPage("Installing a loom");
        browserWindow.await(".prose h3:has-text('Installing a loom')");
        assertThat(browserWindow.text(".prose em")).isEqualTo("spanner");
        assertThat(browserWindow.text(".prose pre")).contains("loom --install");
        assertThat(browserWindow.text(".prose table")).contains("Beam");
        var link = browserWindow.find(".prose a").first();
        assertThat(link.getAttribute("rel")).isEqualTo("noopener noreferrer");
        assertThat(link.getAttribute("target")).isEqualTo("_blank");
        browserWindow.screenshot("page");
        browserWindow.click("text=Copy Markdown");
        browserWindow.await(".notice >> text=clipboard");
        assertThat(browserWindow.page().evaluate("navigator.clipboard.readText()").toString())
                .contains("# Installing a loom");
        var download =
                browserWindow
                        .page()
                        .waitForDownload(() -> browserWindow.click("text=Download Markdown"));
        assertThat(Files.readString(download.path())).contains("# Installing a loom");
    }

    @Test
    @Order(2)
    void aPageShowsItsHeadersAndLinks() {
        openPage("Threading");
        browserWindow.click(".tabs >> text=Headers");
        browserWindow.await("td >> text=text/html; charset=utf-8");
        browserWindow.screenshot("page-headers");
        browserWindow.click(".tabs >> text=Source");
        assertThat(browserWindow.text(".source")).startsWith("<!doctype html>");
        browserWindow.click(".tabs >> text=Captures");
        browserWindow.await(".page-body td:has-text('Threading')");
        assertThat(browserWindow.text(".page-body .hint")).isEqualTo("1 capture");
        browserWindow.click(".tabs >> text=Inlinks");
        browserWindow.await(".page-body:has-text('/guide/install')");
        browserWindow.await(".page-body td >> text='about /guide/thread'");
        browserWindow.click(".tabs >> text=Outlinks");
        browserWindow.screenshot("page-links");
        browserWindow.find(".page-cell a").first().click();
        browserWindow.await(".page h2 >> text=Weaving");
    }

    private void openPage(String title) {
        browserWindow.open(serverFixture.view(JOB + "/pages"));
        browserWindow.click(".page-cell a:has-text('" + title + "')");
        browserWindow.await(".page");
    }

    @Test
    @Order(2)
    void theSiteUnfoldsLevelByLevel() {
        browserWindow.open(serverFixture.view(JOB + "/site"));
        browserWindow.await(".tree-row");
        assertThat(browserWindow.find(".tree-row").count()).isEqualTo(1);
        browserWindow.click(".opener");
        browserWindow.await(".below .tree-name:has-text('guide')");
        browserWindow.find(".below .tree-row:has-text('guide') .opener").first().click();
        browserWindow.await(".below .below .tree-name:has-text('weave')");
        browserWindow.screenshot("site");
        browserWindow.find(".below .below .tree-name:has-text('weave')").click();
        browserWindow.await("tbody tr");
        assertThat(browserWindow.find("#path").inputValue()).isEqualTo("/guide/weave");
    }

    @Test
    @Order(2)
    void whyExplainsFetchedAndRefusedUrls() {
        browserWindow.open(serverFixture.view(JOB + "/why"));
        browserWindow.find("#why-url").fill(loopbackSite.url("/guide/weave"));
        browserWindow.click("button:has-text('Explain')");
        browserWindow.await(".reasons .reason-ok");
        assertThat(browserWindow.find(".reasons .reason-stop").count()).isZero();
        browserWindow.screenshot("why");
        browserWindow.find("#why-url").fill(loopbackSite.url("/private/notes"));
        browserWindow.click("button:has-text('Explain')");
        browserWindow.await(".reasons .reason-stop");
        assertThat(browserWindow.text(".reasons")).contains("Disallow: /private");
        browserWindow.screenshot("why-not");
    }

    @Test
    @Order(3)
    void deadLettersAreRetried() {
        browserWindow.open(serverFixture.view(JOB + "/failures"));
        browserWindow.await("td:has-text('/guide/broken')");
        assertThat(browserWindow.text("tbody tr")).contains("server-error");
        browserWindow.screenshot("failures");
        browserWindow.click(".small:has-text('Retry')");
        browserWindow.await(".notice >> text=1 URL queued for retry.");
    }

    @Test
    @Order(4)
    void exportsAreMadeInTheBackgroundDownloadedAndRemoved() throws Exception {
        browserWindow.open(serverFixture.view(JOB));
        browserWindow.click("summary:has-text('Export')");
        browserWindow.click(".menu-item:has-text('the whole site as one document')");
        browserWindow.await(".export-task:has-text('job-1.md') a");
        browserWindow.screenshot("exports");
        var download =
                browserWindow.page().waitForDownload(() -> browserWindow.click(".export-task a"));
        assertThat(Files.readString(download.path())).contains("Weaving", "Threading");
        browserWindow.click(".export-task button:has-text('Copy')");
        browserWindow.await(".notice >> text=clipboard");
        browserWindow.click(".export-task button:has-text('Remove')");
        browserWindow.awaitTrue("!document.querySelector('.export-task')");
        browserWindow.page().keyboard().press("Escape");
        assertThat(browserWindow.isTrue("document.querySelector('.menu').open === false")).isTrue();
    }

    @Test
    @Order(5)
    void aRunningJobIsPausedResumedChangedStoppedAndDeleted() {
        start("/endless/1", "50ms");
        browserWindow.await(".captures >> text=Pattern");
        assertFiguresMove();
        browserWindow.screenshot("job-running");
        browserWindow.click("button:has-text('Pause')");
        browserWindow.await(".badge.state-paused");
        browserWindow.awaitTrue("document.activeElement.tagName === 'H1'");
        browserWindow.click("button:has-text('Resume')");
        browserWindow.await(".badge.state-running");
        assertFiguresMove();
        browserWindow.click("text=Edit limits and settings");
        browserWindow.set("max-pages", "many");
        browserWindow.click(".limits button:has-text('Save')");
        assertThat(browserWindow.text("[data-setting=max-pages] .field-problem:visible"))
                .contains("max-pages");
        browserWindow.set("max-pages", "100000");
        browserWindow.click(".limits button:has-text('Save')");
        browserWindow.await(".notice >> text=Saved: max-pages.");
        browserWindow.screenshot("job-limits");
        browserWindow.click("button:has-text('Stop')");
        browserWindow.click("dialog >> text=Stop crawl");
        browserWindow.await(".badge.state-stopped");
        more("Delete");
        browserWindow.screenshot("dialog");
        browserWindow.click("dialog >> text=Delete job");
        browserWindow.await(".jobs tbody tr");
        browserWindow.awaitTrue("document.querySelectorAll('.jobs tbody tr').length === 1");
    }

    /** Chooses an entry of the menu of a job. */
    private void more(String entry) {
        browserWindow.click("summary:has-text('More')");
        browserWindow.click(".menu-item:has-text('" + entry + "')");
    }

    private void start(String path, String delay) {
        browserWindow.open(serverFixture.view("/"));
        browserWindow.find("#seeds").fill(loopbackSite.url(path));
        browserWindow.click("text=Limits and settings");
        browserWindow.set("delay", delay);
        browserWindow.setAnother("traps", "off");
        browserWindow.click("text=Start crawl");
        browserWindow.await(".job-body .tiles");
    }

    /** Asserts that the page count increases without a reload. */
    private void assertFiguresMove() {
        browserWindow.awaitTrue(
                "Number(document.querySelector('.job-body .tile dd').textContent.replaceAll(',',"
                        + " '')) > 0");
        var before = Integer.parseInt(browserWindow.text(".job-body .tile dd").replace(",", ""));
        browserWindow.awaitTrue(
                "Number(document.querySelector('.job-body .tile dd').textContent.replaceAll(',',"
                        + " '')) > "
                        + before);
    }

    @Test
    @Order(6)
    void theDashboardReconnectsAfterARestartOfTheService() throws Exception {
        start("/endless/1", "100ms");
        assertFiguresMove();
        serverFixture.restartAfter(() -> browserWindow.await("#connection:visible"));
        browserWindow
                .page()
                .locator("#connection")
                .waitFor(
                        new Locator.WaitForOptions()
                                .setState(
                                        com.microsoft.playwright.options.WaitForSelectorState
                                                .HIDDEN));
        assertFiguresMove();
        more("Delete");
        browserWindow.click("dialog >> text=Delete job");
        browserWindow.await(".jobs tbody tr");
    }

    @Test
    void theFleetIsThisProcess() {
        browserWindow.open(serverFixture.view("/fleet"));
        browserWindow.await("text=this process crawls alone");
        browserWindow.screenshot("fleet");
    }

    @Test
    void errorsAreShownBesideTheirField() {
        browserWindow.open(serverFixture.view("/"));
        browserWindow.find("#seeds").fill("http://[");
        browserWindow.click("text=Start crawl");
        assertThat(browserWindow.text(".start .field-problem:visible")).isNotBlank();
        browserWindow.find("#seeds").fill(loopbackSite.url("/"));
        browserWindow.click("text=Limits and settings");
        browserWindow.set("max-pages", "many");
        browserWindow.click("text=Start crawl");
        assertThat(browserWindow.text("[data-setting=max-pages] .field-problem:visible"))
                .contains("max-pages");
        assertThat(browserWindow.isTrue("document.activeElement.id === 'setting-max-pages'"))
                .isTrue();
    }

    @Test
    void whatDoesNotExistIsExplainedWithTheWayBack() {
        browserWindow.show(serverFixture.view("/jobs/99"));
        assertThat(browserWindow.text(".missing")).contains("Job 99 not found", "All jobs");
        browserWindow.show(serverFixture.view("/nowhere"));
        assertThat(browserWindow.text(".missing")).contains("Page not found", "#/nowhere");
        browserWindow.click(".missing a");
        browserWindow.await("#seeds");
        var requests = browserWindow.page().context().request();
        var asBrowser =
                requests.get(
                        serverFixture.origin() + "/jobs/7",
                        RequestOptions.create().setHeader("Accept", "text/html"));
        assertThat(asBrowser.status()).isEqualTo(404);
        assertThat(asBrowser.text()).contains("<h1>Page not found</h1>");
        var asProgram =
                requests.get(
                        serverFixture.origin() + "/jobs/7",
                        RequestOptions.create().setHeader("Accept", "application/json"));
        assertThat(asProgram.status()).isEqualTo(404);
        assertThat(asProgram.text()).contains("No file at /jobs/7.");
    }

    @Test
    @Order(5)
    void aTabThatStaysOpenDoesNotGatherListeners() {
        start("/endless/1", "1s");
        var page = browserWindow.page();
        var running = page.url().substring(page.url().indexOf('#') + 1);
        page.addInitScript(
                """
                window.listening = 0;
                for (const [name, change] of [['addEventListener', 1], ['removeEventListener', -1]]) {
                    const original = EventTarget.prototype[name];
                    EventTarget.prototype[name] = function (...all) {
                        if (this instanceof AbortSignal || this === document || this === window) window.listening += change;
                        return original.apply(this, all);
                    };
                }
                """);
        page.clock().install();
        assertListenersDoNotGrow("/fleet", "#workers");
        assertListenersDoNotGrow("/", ".jobs tbody tr");
        assertListenersDoNotGrow(running, ".captures >> text=Pattern");
        more("Delete");
        browserWindow.click("dialog >> text=Delete job");
        browserWindow.await(".jobs tbody tr");
    }

    private void assertListenersDoNotGrow(String view, String shown) {
        var page = browserWindow.page();
        browserWindow.open("about:blank");
        browserWindow.open(serverFixture.view(view));
        page.clock().runFor(10_000);
        browserWindow.await(shown);
        var before = ((Number) page.evaluate("window.listening")).intValue();
        for (var round = 0; round < 20; round++) {
            page.clock().runFor(4_000);
            browserWindow.await(shown);
        }
        // A pause has one listener, a request none; a leak has one for each of the 20 rounds.
        assertThat(((Number) page.evaluate("window.listening")).intValue())
                .as("listeners of %s", view)
                .isLessThan(before + 5);
    }

    @Test
    @Order(2)
    void noticesEndWithTheirViewAndAreNotRepeated() {
        browserWindow.open(serverFixture.view(JOB));
        browserWindow.await(".badge.state-finished");
        browserWindow.click("text=Edit limits and settings");
        browserWindow.click(".limits button:has-text('Save')");
        browserWindow.await(".notice >> text=No changes to save.");
        browserWindow.click(".limits button:has-text('Save')");
        assertThat(browserWindow.find(".notice").count()).isEqualTo(1);
        browserWindow.click(".tabs a:has-text('Pages')");
        browserWindow.await("tbody tr");
        assertThat(browserWindow.find(".notice").count()).isZero();
    }

    @Test
    @Order(2)
    void theKeyboardIsEnough() {
        browserWindow.open(serverFixture.view(JOB));
        browserWindow.await(".badge.state-finished");
        var keyboard = browserWindow.page().keyboard();
        keyboard.press("Tab");
        assertThat(browserWindow.isTrue("document.activeElement.className === 'skip'")).isTrue();
        keyboard.press("Enter");
        assertThat(browserWindow.isTrue("document.activeElement.id === 'main'")).isTrue();
        browserWindow.find("summary:has-text('More')").focus();
        keyboard.press("Enter");
        browserWindow.find(".menu-item:has-text('Delete')").focus();
        keyboard.press("Enter");
        browserWindow.await("dialog[open]");
        keyboard.press("Escape");
        browserWindow.awaitTrue("!document.querySelector('dialog')");
        assertThat(browserWindow.isTrue("document.activeElement.textContent === 'More'")).isTrue();
        browserWindow.find(".tabs a:has-text('Pages')").focus();
        keyboard.press("Enter");
        browserWindow.await("tbody tr");
        browserWindow.awaitTrue("document.activeElement.tagName === 'H1'");
    }

    @Test
    @Order(2)
    void aHostIsShownWithItsRobotsTxtAndResponses() {
        browserWindow.open(serverFixture.view(JOB + "/report"));
        browserWindow.click("[aria-labelledby=report-hosts] td a");
        assertThat(browserWindow.text(".robots-source")).contains("Disallow: /private");
        assertThat(browserWindow.text("[aria-label^='Responses of']"))
                .contains("4xx", "no response");
        assertThat(browserWindow.text("[aria-labelledby=host-latest]")).contains("Weaving");
        assertThat(browserWindow.text("[aria-labelledby=host-state]"))
                .contains("idle: nothing queued", "as this job sets it");
        browserWindow.screenshot("host");
    }

    @Test
    @Order(4)
    void twoJobsAreCompared() {
        browserWindow.open(serverFixture.view("/"));
        browserWindow.find("#seeds").fill(loopbackSite.url("/api/warp"));
        browserWindow.click("text=Limits and settings");
        browserWindow.set("delay", "0");
        browserWindow.set("max-depth", "0");
        browserWindow.click("text=Start crawl");
        browserWindow.click(".tabs a:has-text('Compare')");
        browserWindow.find("#with").selectOption("1");
        browserWindow.await(".change-head:has-text('Weaving')");
        assertThat(browserWindow.text(".changes li")).contains("gone");
        browserWindow.screenshot("compare");
        more("Delete");
        browserWindow.click("dialog >> text=Delete job");
        browserWindow.await(".jobs tbody tr");
    }

    @Test
    @Order(2)
    void shortcutsWorkOutsideOfFields() {
        browserWindow.show(serverFixture.view(JOB));
        var keyboard = browserWindow.page().keyboard();
        keyboard.press("?");
        assertThat(browserWindow.text("dialog.shortcuts")).contains("new crawl", "go to jobs");
        browserWindow.screenshot("shortcuts");
        keyboard.press("Escape");
        browserWindow.awaitTrue("!document.querySelector('dialog')");
        keyboard.press("]");
        browserWindow.await(".tabs a[aria-current=page]:has-text('Report')");
        keyboard.press("n");
        browserWindow.awaitTrue("document.activeElement.id === 'seeds'");
        keyboard.type("g f");
        assertThat(browserWindow.find("#seeds").inputValue()).isEqualTo("g f");
        browserWindow.find("#filter-state").blur();
        browserWindow.find("#seeds").blur();
        keyboard.press("g");
        keyboard.press("f");
        browserWindow.await("#workers");
    }

    @Test
    @Order(2)
    void theThemeIsChosenAndKept() {
        browserWindow.open(serverFixture.view("/"));
        assertThat(browserWindow.isTrue("document.documentElement.dataset.theme === undefined"))
                .isTrue();
        browserWindow.click("#theme");
        browserWindow.click("#theme");
        browserWindow.page().reload();
        assertThat(browserWindow.isTrue("document.documentElement.dataset.theme === 'dark'"))
                .isTrue();
        assertThat(browserWindow.text("#theme")).contains("dark");
    }

    @Test
    @Order(2)
    void noViewHasASeriousFindingOfAxe() {
        var views =
                List.of(
                        "/",
                        "/schedules",
                        "/fleet",
                        JOB,
                        JOB + "/report",
                        JOB + "/pages?q=loom",
                        JOB + "/pages/2?show=out",
                        JOB + "/hosts/127.0.0.1",
                        JOB + "/site",
                        JOB + "/failures",
                        JOB + "/compare",
                        JOB + "/why?url=" + loopbackSite.url("/private/notes"));
        for (var viewport : List.of(Viewport.DESK, Viewport.DESK_DARK, Viewport.PHONE)) {
            try (var window = chromium.window(viewport)) {
                for (var view : views) {
                    window.show(serverFixture.view(view));
                    assertThat(window.accessibilityFindings()).as(viewport + " " + view).isEmpty();
                }
            }
        }
    }

    @Test
    @Order(5)
    void newPagesAreAnnouncedInTheListOfPages() {
        start("/endless/1", "300ms");
        browserWindow.await(".captures >> text=Pattern");
        browserWindow.click(".tabs a:has-text('Pages')");
        browserWindow.await("tbody tr");
        var before = browserWindow.find("tbody tr").count();
        browserWindow.await(".news-button:has-text('new response')");
        browserWindow.screenshot("pages-news");
        browserWindow.click(".news-button");
        browserWindow.awaitTrue("document.querySelectorAll('tbody tr').length > " + before);
        more("Delete");
        browserWindow.click("dialog >> text=Delete job");
        browserWindow.await(".jobs tbody tr");
    }

    @Test
    @Order(2)
    void chartsAreReadWithTheKeyboard() {
        browserWindow.show(serverFixture.view(JOB + "/report"));
        browserWindow.find("svg.chart").first().focus();
        browserWindow.page().keyboard().press("Home");
        assertThat(browserWindow.text(".tip")).contains("2xx", "4xx");
        browserWindow.awaitTrue("document.querySelector('#announcer').textContent.includes('2xx')");
        browserWindow.page().keyboard().press("Escape");
        browserWindow.awaitTrue("document.querySelector('.tip').hidden");
    }

    @Test
    @Order(2)
    void everyViewFitsAPhone() {
        var views = List.of("", "/report", "/pages", "/pages/2", "/site", "/failures", "/why");
        try (var phone = chromium.window(Viewport.PHONE)) {
            screenshot(phone, "phone-home", "/");
            screenshot(phone, "phone-fleet", "/fleet");
            views.forEach(
                    view -> screenshot(phone, "phone-job" + view.replace('/', '-'), JOB + view));
            phone.open(serverFixture.view(JOB));
            phone.click("summary:has-text('Export')");
            phone.await(".menu-item:has-text('wacz')");
            phone.screenshot("phone-exports");
            var inside =
                    """
                    (() => {
                        const place = document.querySelector('.menu[open] .menu-list').getBoundingClientRect();
                        return place.left >= 0 && place.right <= innerWidth && place.top >= 0 && place.bottom <= innerHeight;
                    })()
                    """;
            assertThat(phone.isTrue(inside)).as("the menu is on the screen").isTrue();
            phone.assertNoViolations(serverFixture.origin());
        }
    }

    @Test
    @Order(2)
    void theDarkThemeFollowsTheSystemPreference() {
        for (var viewport : List.of(Viewport.PHONE_DARK, Viewport.DESK_DARK)) {
            try (var dark = chromium.window(viewport)) {
                screenshot(dark, viewport + "-home", "/");
                screenshot(dark, viewport + "-job", JOB);
                screenshot(dark, viewport + "-report", JOB + "/report");
                assertThat(dark.isTrue(LUMINANCE + " < 60")).isTrue();
                dark.assertNoViolations(serverFixture.origin());
            }
        }
        browserWindow.show(serverFixture.view("/"));
        assertThat(browserWindow.isTrue(LUMINANCE + " > 200")).isTrue();
    }

    private static void screenshot(BrowserWindow browserWindow, String name, String view) {
        browserWindow.show(serverFixture.view(view));
        browserWindow.screenshot(name);
        assertThat(browserWindow.isTrue("document.documentElement.scrollWidth <= innerWidth"))
                .as("%s has no horizontal overflow", name)
                .isTrue();
    }

    @Test
    @Order(2)
    void theFirstPaintIsEarly() {
        browserWindow.open(serverFixture.view("/"));
        browserWindow.await(".jobs tbody tr");
        browserWindow.awaitTrue(
                "performance.getEntriesByName('first-contentful-paint').length > 0");
        var paint =
                (Number)
                        browserWindow
                                .page()
                                .evaluate(
                                        "performance.getEntriesByName('first-contentful-paint')[0].startTime");
        System.out.printf("dashboard: first contentful paint after %.0f ms%n", paint.doubleValue());
        // The goal is 300 ms on an idle machine; the test machine may be busy.
        assertThat(paint.doubleValue()).isPositive().isLessThan(3_000);
    }
}
