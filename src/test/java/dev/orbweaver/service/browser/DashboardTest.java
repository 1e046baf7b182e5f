package dev.orbweaver.service.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;

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
import java.util.List;

/** Every view of the dashboard, over a real service that crawls a real, if small, site. */
@ExtendWith(Browsing.class)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Slow
class DashboardTest {

    @TempDir private static Path folder;

    private static Chromium chromium;
    private static Served served;
    private static Site site;

    /** The views of the job that the first test makes. */
    private static final String JOB = "/jobs/1";

    /** How bright the ground of the page is, from 0 to 255. */
    private static final String LUMINANCE =
            "Math.max(...getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0,"
                    + " 3).map(Number))";

    private Window window;

    @BeforeAll
    static void openEverything(Chromium shared) throws Exception {
        chromium = shared;
        served = Served.openly(folder);
        site = new Site(Manual::answer);
    }

    @AfterAll
    static void closeEverything() throws Exception {
        for (var each : new AutoCloseable[] {site, served}) {
            if (each != null) {
                each.close();
            }
        }
    }

    @BeforeEach
    void openWindow() {
        window = chromium.window(Look.DESK);
    }

    @AfterEach
    void closeWindow() {
        try {
            window.assertQuiet(served.origin());
        } finally {
            window.close();
        }
    }

    @Test
    @Order(1)
    void aCrawlIsStartedInOneStepAndFollowedToItsEnd() {
        window.open(served.view("/"));
        assertThat(window.text(".empty")).contains("Put a URL into the box");
        window.picture("home-empty");
        window.find("#seeds").fill(site.url("/"));
        window.click("text=Limits and settings");
        window.set("delay", "20ms");
        window.setAnother("retries", "0");
        window.picture("home-settings");
        window.click("text=Start crawl");
        window.await(".badge.state-finished");
        assertThat(window.page().url()).endsWith("#" + JOB);
        window.awaitTrue(
                "document.querySelector('.tile dd').textContent === '" + Manual.PAGES + "'");
        window.await(".captures >> text=Installing a loom");
        window.await(".captures:has-text('/guide/missing')");
        window.picture("job");
    }

    @Test
    @Order(2)
    void theLedgersSumsHoldOnThePage() {
        window.open(served.view(JOB));
        window.await(".ledger .sum");
        var sums =
                """
                [...document.querySelectorAll('.ledger .sum')].every(sum => {
                    const figures = [...sum.querySelectorAll('dd')].map(figure => Number(figure.textContent.replaceAll(',', '')));
                    return figures[0] > 0 && figures[0] === figures.slice(1).reduce((all, one) => all + one, 0);
                })
                """;
        window.awaitTrue(sums);
    }

    @Test
    @Order(2)
    void jobsAreCardsThatCanBeFiltered() {
        window.open(served.view("/"));
        assertThat(window.text(".card")).contains("127.0.0.1", "finished", "7 pages", "1 failed");
        window.picture("home");
        window.find("#filter-state").selectOption("paused");
        assertThat(window.text(".empty")).contains("No job is like that.");
        window.find("#filter-state").selectOption("finished");
        window.await(".card");
        window.click(".card-name");
        window.await(".tiles");
    }

    @Test
    @Order(2)
    void pagesAreFoundByTheirTextAndByTheirStatus() {
        window.open(served.view(JOB + "/pages"));
        window.await("tbody tr");
        window.picture("pages");
        search("selvedge");
        assertThat(window.text("tbody tr .page-cell a")).isEqualTo("Weaving");
        window.find("#q").fill("");
        window.find("#status").selectOption("404");
        window.click("button:has-text('Search')");
        window.await("tbody tr:has-text('/guide/missing')");
        assertThat(window.find("tbody tr").count()).isEqualTo(1);
        window.find("#status").selectOption("");
        window.find("#path").fill("/api/");
        window.click("button:has-text('Search')");
        window.awaitTrue("document.querySelectorAll('tbody tr').length === 2");
    }

    /** Searches until one page is found: the index is a moment behind the crawl. */
    private void search(String word) {
        window.find("#q").fill(word);
        window.awaitTrue(
                """
                async () => {
                    const found = await fetch('/api/v1%s/pages?q=%s');
                    return (await found.json()).total === 1;
                }
                """
                        .formatted(JOB, word));
        window.click("button:has-text('Search')");
        window.awaitTrue("document.querySelectorAll('tbody tr').length === 1");
    }

    @Test
    @Order(2)
    void aPageIsReadAsTextAndTakenAlong() throws Exception {
        openPage("Installing a loom");
        window.await(".prose h3:has-text('Installing a loom')");
        assertThat(window.text(".prose em")).isEqualTo("spanner");
        assertThat(window.text(".prose pre")).contains("loom --install");
        assertThat(window.text(".prose table")).contains("Beam");
        var link = window.find(".prose a").first();
        assertThat(link.getAttribute("rel")).isEqualTo("noopener noreferrer");
        assertThat(link.getAttribute("target")).isEqualTo("_blank");
        window.picture("page");
        window.click("text=Copy Markdown");
        window.await(".notice >> text=clipboard");
        assertThat(window.page().evaluate("navigator.clipboard.readText()").toString())
                .contains("# Installing a loom");
        var download = window.page().waitForDownload(() -> window.click("text=Download Markdown"));
        assertThat(Files.readString(download.path())).contains("# Installing a loom");
    }

    @Test
    @Order(2)
    void aPageShowsItsHeadersAndLinks() {
        openPage("Threading");
        window.click(".tabs >> text=Headers");
        window.await("td >> text=text/html; charset=utf-8");
        window.picture("page-headers");
        window.click(".tabs >> text=Links in");
        window.await(".page-body:has-text('/guide/install')");
        window.click(".tabs >> text=Links out");
        window.picture("page-links");
        window.find(".page-cell a").first().click();
        window.await(".page h2 >> text=Weaving");
    }

    private void openPage(String title) {
        window.open(served.view(JOB + "/pages"));
        window.click(".page-cell a:has-text('" + title + "')");
        window.await(".page");
    }

    @Test
    @Order(2)
    void theSiteUnfoldsLevelByLevel() {
        window.open(served.view(JOB + "/site"));
        window.await(".tree-row");
        assertThat(window.find(".tree-row").count()).isEqualTo(1);
        window.click(".opener");
        window.await(".below .tree-name:has-text('guide')");
        window.find(".below .tree-row:has-text('guide') .opener").first().click();
        window.await(".below .below .tree-name:has-text('weave')");
        window.picture("site");
        window.find(".below .below .tree-name:has-text('weave')").click();
        window.await("tbody tr");
        assertThat(window.find("#path").inputValue()).isEqualTo("/guide/weave");
    }

    @Test
    @Order(2)
    void whyExplainsWhatWasFetchedAndWhatWasNot() {
        window.open(served.view(JOB + "/why"));
        window.find("#why-url").fill(site.url("/guide/weave"));
        window.click("text=Explain");
        window.await(".reasons .reason-ok");
        assertThat(window.find(".reasons .reason-stop").count()).isZero();
        window.picture("why");
        window.find("#why-url").fill(site.url("/private/notes"));
        window.click("text=Explain");
        window.await(".reasons .reason-stop");
        assertThat(window.text(".reasons")).contains("Disallow: /private");
        window.picture("why-not");
    }

    @Test
    @Order(3)
    void whatWasGivenUpIsTriedAgain() {
        window.open(served.view(JOB + "/failures"));
        window.await("td:has-text('/guide/broken')");
        assertThat(window.text("tbody tr")).contains("server-error");
        window.picture("failures");
        window.click("button:has-text('Try again')");
        window.await(".notice >> text=1 URL will be tried again.");
    }

    @Test
    @Order(4)
    void exportsAreDownloaded() throws Exception {
        window.open(served.view(JOB));
        window.click("summary:has-text('Export')");
        window.await(".menu-item:has-text('wacz')");
        window.picture("exports");
        var download =
                window.page()
                        .waitForDownload(
                                () -> window.find(".menu-item[href$='/exports/markdown']").click());
        assertThat(Files.readString(download.path())).contains("Weaving", "Threading");
        window.page().keyboard().press("Escape");
        assertThat(window.isTrue("document.querySelector('.menu').open === false")).isTrue();
    }

    @Test
    @Order(5)
    void aRunningJobIsPausedResumedChangedStoppedAndDeleted() {
        start("/endless/1", "50ms");
        window.await(".captures >> text=Pattern");
        moves();
        window.picture("job-running");
        window.click("button:has-text('Pause')");
        window.await(".badge.state-paused");
        window.awaitTrue("document.activeElement.tagName === 'H1'");
        window.click("button:has-text('Resume')");
        window.await(".badge.state-running");
        moves();
        window.click("text=Change limits and settings");
        window.set("max-pages", "many");
        window.click(".limits button:has-text('Change')");
        assertThat(window.text("[data-setting=max-pages] .field-problem:visible"))
                .contains("max-pages");
        window.set("max-pages", "100000");
        window.click(".limits button:has-text('Change')");
        window.await(".notice >> text=Changed: max-pages.");
        window.picture("job-limits");
        window.click("button:has-text('Stop')");
        window.click("dialog >> text=Stop it");
        window.await(".badge.state-stopped");
        window.click("button:has-text('Delete')");
        window.picture("dialog");
        window.click("dialog >> text=Delete it");
        window.await(".card");
        window.awaitTrue("document.querySelectorAll('.card').length === 1");
    }

    private void start(String path, String delay) {
        window.open(served.view("/"));
        window.find("#seeds").fill(site.url(path));
        window.click("text=Limits and settings");
        window.set("delay", delay);
        window.setAnother("traps", "off");
        window.click("text=Start crawl");
        window.await(".tiles");
    }

    /** The figures go on without anybody asking. */
    private void moves() {
        window.awaitTrue(
                "Number(document.querySelector('.tile dd').textContent.replaceAll(',', '')) > 0");
        var before = Integer.parseInt(window.text(".tile dd").replace(",", ""));
        window.awaitTrue(
                "Number(document.querySelector('.tile dd').textContent.replaceAll(',', '')) > "
                        + before);
    }

    @Test
    @Order(6)
    void aServiceThatWasAwayIsFoundAgain() throws Exception {
        start("/endless/1", "100ms");
        moves();
        served.away(() -> window.await("#connection:visible"));
        window.page()
                .locator("#connection")
                .waitFor(
                        new Locator.WaitForOptions()
                                .setState(
                                        com.microsoft.playwright.options.WaitForSelectorState
                                                .HIDDEN));
        moves();
        window.click("button:has-text('Delete')");
        window.click("dialog >> text=Delete it");
        window.await(".card");
    }

    @Test
    void theFleetIsThisProcess() {
        window.open(served.view("/fleet"));
        window.await("text=Everything runs in this process");
        window.picture("fleet");
    }

    @Test
    void whatIsWrongIsSaidInASentenceWhereItIs() {
        window.open(served.view("/"));
        window.find("#seeds").fill("http://[");
        window.click("text=Start crawl");
        assertThat(window.text(".start .field-problem:visible")).isNotBlank();
        window.find("#seeds").fill(site.url("/"));
        window.click("text=Limits and settings");
        window.set("max-pages", "many");
        window.click("text=Start crawl");
        assertThat(window.text("[data-setting=max-pages] .field-problem:visible"))
                .contains("max-pages");
        assertThat(window.isTrue("document.activeElement.id === 'setting-max-pages'")).isTrue();
        window.show(served.view("/jobs/99"));
        assertThat(window.text(".failure")).contains("no job 99");
        window.show(served.view("/nowhere"));
        assertThat(window.text(".failure")).contains("nothing at this address");
    }

    @Test
    @Order(2)
    void theKeyboardIsEnough() {
        window.open(served.view(JOB));
        window.await(".badge.state-finished");
        var keyboard = window.page().keyboard();
        keyboard.press("Tab");
        assertThat(window.isTrue("document.activeElement.className === 'skip'")).isTrue();
        keyboard.press("Enter");
        assertThat(window.isTrue("document.activeElement.id === 'main'")).isTrue();
        window.find("button:has-text('Delete')").focus();
        keyboard.press("Enter");
        window.await("dialog[open]");
        keyboard.press("Escape");
        window.awaitTrue("!document.querySelector('dialog')");
        assertThat(window.isTrue("document.activeElement.textContent === 'Delete'")).isTrue();
        window.find(".tabs a:has-text('Pages')").focus();
        keyboard.press("Enter");
        window.await("tbody tr");
        window.awaitTrue("document.activeElement.tagName === 'H1'");
    }

    @Test
    @Order(2)
    void theThemeIsChosenAndKept() {
        window.open(served.view("/"));
        assertThat(window.isTrue("document.documentElement.dataset.theme === undefined")).isTrue();
        window.click("#theme");
        window.click("#theme");
        window.page().reload();
        assertThat(window.isTrue("document.documentElement.dataset.theme === 'dark'")).isTrue();
        assertThat(window.text("#theme")).contains("dark");
    }

    @Test
    @Order(2)
    void everyViewFitsAPhone() {
        var views = List.of("", "/pages", "/pages/2", "/site", "/failures", "/why");
        try (var phone = chromium.window(Look.PHONE)) {
            look(phone, "phone-home", "/");
            look(phone, "phone-fleet", "/fleet");
            views.forEach(view -> look(phone, "phone-job" + view.replace('/', '-'), JOB + view));
            phone.assertQuiet(served.origin());
        }
    }

    @Test
    @Order(2)
    void itIsDarkForThoseWhoLikeThat() {
        for (var look : List.of(Look.PHONE_DARK, Look.DESK_DARK)) {
            try (var dark = chromium.window(look)) {
                look(dark, look + "-home", "/");
                look(dark, look + "-job", JOB);
                assertThat(dark.isTrue(LUMINANCE + " < 60")).isTrue();
                dark.assertQuiet(served.origin());
            }
        }
        window.show(served.view("/"));
        assertThat(window.isTrue(LUMINANCE + " > 200")).isTrue();
    }

    private static void look(Window window, String name, String view) {
        window.show(served.view(view));
        window.picture(name);
        assertThat(window.isTrue("document.documentElement.scrollWidth <= innerWidth"))
                .as("%s needs no scrolling to the side", name)
                .isTrue();
    }

    @Test
    @Order(2)
    void theFirstPaintIsEarly() {
        window.open(served.view("/"));
        window.await(".card");
        window.awaitTrue("performance.getEntriesByName('first-contentful-paint').length > 0");
        var paint =
                (Number)
                        window.page()
                                .evaluate(
                                        "performance.getEntriesByName('first-contentful-paint')[0].startTime");
        System.out.printf("dashboard: first contentful paint after %.0f ms%n", paint.doubleValue());
        // The goal is 300 ms on a machine at rest; this one may be doing anything.
        assertThat(paint.doubleValue()).isPositive().isLessThan(3_000);
    }
}
