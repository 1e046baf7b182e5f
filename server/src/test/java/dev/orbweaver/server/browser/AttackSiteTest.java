package dev.orbweaver.server.browser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.testing.Slow;
import dev.orbweaver.testing.Vectors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Crawled content is shown as text: none of its scripts run, and it causes no requests. */
@ExtendWith(BrowserExtension.class)
@Slow
class AttackSiteTest {

    private static final List<String> OWN =
            List.of(
                    "<script>window.pwned=1</script>",
                    "</title><script>window.pwned=2</script>",
                    "\"><img src=x onerror=window.pwned=3>",
                    "'\"--></style></script><svg onload=window.pwned=4>",
                    "[click](javascript:window.pwned=5)",
                    "![x](x\" onerror=\"window.pwned=6)",
                    "<https://127.0.0.1/leak> <javascript:window.pwned=7>",
                    "`</code><script>window.pwned=8</script>`",
                    "| <b onmouseover=window.pwned=9>a</b> | b |",
                    "{{constructor.constructor('window.pwned=10')()}} ${window.pwned=11}",
                    "<iframe srcdoc=\"<script>parent.pwned=12</script>\"></iframe>",
                    "<link rel=stylesheet href=//127.0.0.1:9/x.css><style>@import"
                            + " '//127.0.0.1:9/y';</style>",
                    "<base href=//127.0.0.1:9/><meta http-equiv=refresh"
                            + " content=\"0;url=//127.0.0.1:9/\">",
                    "<form action=//127.0.0.1:9/><input name=token autofocus"
                            + " onfocus=window.pwned=13></form>",
                    "\u202eright to left\u202c \u0000 \ufeff \ud83d\udd77");

    /**
     * The number of attacks that are also typed in, and of single-attack pages opened in all views.
     */
    private static final int ATTACKS_TYPED = 8;

    private static final String FOREIGN =
            "main script, main img, main iframe, main object, main embed, main style, main link,"
                + " main base, main meta, main form[action], main [onerror], main [onload], main"
                + " [onclick], main a[href^=javascript]";

    @TempDir private Path directory;

    @Test
    void ownAttackVectorsStayText(Chromium chromium) throws Exception {
        crawlAndView(chromium, OWN, true);
    }

    @Test
    void collectedAttackVectorsStayText(Chromium chromium) throws Exception {
        var attacks = new ArrayList<String>();
        Vectors.json("security/xss-payloads.json")
                .forEach(each -> attacks.add(each.path("html").asString()));
        Vectors.json("security/naughty-strings.json")
                .forEach(each -> attacks.add(each.path("text").asString()));
        Vectors.json("security/injection.json")
                .forEach(each -> attacks.add(each.path("input").asString()));
        crawlAndView(chromium, attacks, false);
    }

    /**
     * @param typed whether some attacks are also typed in
     */
    private void crawlAndView(Chromium chromium, List<String> attacks, boolean typed)
            throws Exception {
        var hostile = new AttackSite(attacks);
        try (var serverFixture = ServerFixture.withoutToken(directory);
                var loopbackSite = new LoopbackSite(hostile::respond);
                var browserWindow = chromium.window(Viewport.DESK)) {
            crawl(browserWindow, serverFixture, loopbackSite, attacks.size());
            viewLists(browserWindow, serverFixture);
            viewPages(browserWindow, serverFixture, hostile.collections());
            viewParts(browserWindow, serverFixture);
            if (typed) {
                typeAttacks(browserWindow, serverFixture, loopbackSite, attacks);
            }
            browserWindow.assertNoViolations(serverFixture.origin());
        }
    }

    private static void crawl(
            BrowserWindow browserWindow,
            ServerFixture serverFixture,
            LoopbackSite loopbackSite,
            int attacks) {
        browserWindow.open(serverFixture.view("/"));
        browserWindow.find("#seeds").fill(loopbackSite.url("/?<svg/onload=window.pwned=0>"));
        browserWindow.click("text=Limits and settings");
        browserWindow.set("delay", "0");
        browserWindow.setAnother("traps", "off");
        browserWindow.setAnother("max-retries", "0");
        browserWindow.click("text=Start crawl");
        browserWindow.await(".badge.state-finished");
        browserWindow.awaitTrue(
                "Number(document.querySelector('.job-body .tile dd')?.textContent.replaceAll(',',"
                        + " '')) >= "
                        + attacks);
        assertHarmless(browserWindow, "hostile-job");
        browserWindow.open(serverFixture.view("/"));
        browserWindow.await(".jobs tbody tr");
        assertHarmless(browserWindow, "hostile-home");
    }

    private static void viewLists(BrowserWindow browserWindow, ServerFixture serverFixture) {
        browserWindow.open(serverFixture.view("/jobs/1/pages"));
        browserWindow.await("tbody tr");
        assertHarmless(browserWindow, "hostile-pages");
        var next = browserWindow.find(".pager a:has-text('Next')");
        for (var parts = 1; next.count() > 0; parts++) {
            assertThat(parts).as("the list ends").isLessThan(200);
            var first = browserWindow.find("tbody a").first().getAttribute("href");
            next.click();
            browserWindow.awaitTrue(
                    "document.querySelector('tbody a').getAttribute('href') !== '" + first + "'");
            assertHarmless(browserWindow);
        }
        browserWindow.open(serverFixture.view("/jobs/1/failures"));
        browserWindow.await(".captures");
        assertHarmless(browserWindow, "hostile-failures");
        browserWindow.open(serverFixture.view("/jobs/1/site"));
        browserWindow.click(".opener");
        browserWindow.await(".below .tree-name:has-text('missing')");
        browserWindow.find(".below .tree-row:has-text('missing') .opener").first().click();
        browserWindow.await(".below .below .tree-name");
        assertHarmless(browserWindow, "hostile-site");
    }

    private static void viewPages(
            BrowserWindow browserWindow, ServerFixture serverFixture, int collections) {
        var together = addresses(browserWindow, serverFixture, "/collection/");
        assertThat(together).hasSizeGreaterThanOrEqualTo(collections);
        for (var address : together) {
            browserWindow.show(serverFixture.origin() + "/" + address);
            assertThat(browserWindow.find(".prose h3").count()).isPositive();
            assertHarmless(browserWindow);
            browserWindow.show(serverFixture.origin() + "/" + address + "?show=out");
            assertHarmless(browserWindow);
        }
        browserWindow.screenshot("hostile-page");
    }

    private static void viewParts(BrowserWindow browserWindow, ServerFixture serverFixture) {
        for (var address :
                addresses(browserWindow, serverFixture, "/single/").subList(0, ATTACKS_TYPED)) {
            for (var part : List.of("headers", "markdown", "in")) {
                browserWindow.show(serverFixture.origin() + "/" + address + "?show=" + part);
                assertHarmless(browserWindow);
            }
        }
    }

    /** Returns the links to the newest fifty pages below a path. */
    private static List<String> addresses(
            BrowserWindow browserWindow, ServerFixture serverFixture, String path) {
        browserWindow.show(serverFixture.view("/jobs/1/pages?kind=page&path=" + encoded(path)));
        return browserWindow.find(".page-cell a").all().stream()
                .map(link -> link.getAttribute("href"))
                .toList();
    }

    /** Opens attacks as search texts and URLs. */
    private static void typeAttacks(
            BrowserWindow browserWindow,
            ServerFixture serverFixture,
            LoopbackSite loopbackSite,
            List<String> attacks) {
        for (var attack : attacks.subList(0, ATTACKS_TYPED)) {
            var views =
                    List.of(
                            "/jobs/1/pages?q=" + encoded(attack),
                            "/jobs/1/why?url=" + encoded(loopbackSite.url("/missing/" + attack)),
                            "/jobs/" + encoded(attack).replace("+", "%20"));
            for (var view : views) {
                browserWindow.show(serverFixture.view(view));
                assertHarmless(browserWindow);
            }
        }
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static void assertHarmless(BrowserWindow browserWindow, String picture) {
        assertHarmless(browserWindow);
        browserWindow.screenshot(picture);
    }

    private static void assertHarmless(BrowserWindow browserWindow) {
        assertThat(browserWindow.find(FOREIGN).count()).as("injected elements").isZero();
    }
}
