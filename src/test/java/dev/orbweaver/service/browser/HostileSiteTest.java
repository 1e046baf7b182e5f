package dev.orbweaver.service.browser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.Vectors;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What was crawled is shown and nothing else: no script of it runs, no request leaves. */
@ExtendWith(Browsing.class)
@Slow
class HostileSiteTest {

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
     * How many of them are also typed in, and how many pages of one attack are looked at closely.
     */
    private static final int ASKED = 8;

    private static final String FOREIGN =
            "main script, main img, main iframe, main object, main embed, main style, main link,"
                + " main base, main meta, main form[action], main [onerror], main [onload], main"
                + " [onclick], main a[href^=javascript]";

    @TempDir private Path folder;

    @Test
    void attacksOfOursStayText(Chromium chromium) throws Exception {
        crawlAndLook(chromium, OWN);
    }

    @Test
    void theCollectedAttacksOfTheWorldStayText(Chromium chromium) throws Exception {
        var attacks = new ArrayList<String>();
        Vectors.json("security/xss-payloads.json")
                .forEach(each -> attacks.add(each.path("html").asString()));
        Vectors.json("security/naughty-strings.json")
                .forEach(each -> attacks.add(each.path("text").asString()));
        Vectors.json("security/injection.json")
                .forEach(each -> attacks.add(each.path("input").asString()));
        crawlAndLook(chromium, attacks);
    }

    private void crawlAndLook(Chromium chromium, List<String> attacks) throws Exception {
        var hostile = new HostileSite(attacks);
        try (var served = Served.openly(folder);
                var site = new Site(hostile::answer);
                var window = chromium.window(Look.DESK)) {
            crawl(window, served, site, attacks.size());
            lookAtLists(window, served);
            lookAtPages(window, served, hostile.collections());
            ask(window, served, site, attacks);
            window.assertQuiet(served.origin());
        }
    }

    private static void crawl(Window window, Served served, Site site, int attacks) {
        window.open(served.view("/"));
        window.find("#seeds").fill(site.url("/?<svg/onload=window.pwned=0>"));
        window.click("text=Limits and settings");
        window.set("delay", "0");
        window.setAnother("traps", "off");
        window.setAnother("retries", "0");
        window.click("text=Start crawl");
        window.await(".badge.state-finished");
        window.awaitTrue(
                "Number(document.querySelector('.tile dd').textContent.replaceAll(',', '')) >= "
                        + attacks);
        harmless(window, "hostile-job");
        window.open(served.view("/"));
        window.await(".card");
        harmless(window, "hostile-home");
    }

    private static void lookAtLists(Window window, Served served) {
        window.open(served.view("/jobs/1/pages"));
        window.await("tbody tr");
        harmless(window, "hostile-pages");
        var next = window.find(".pager a:has-text('Next')");
        for (var parts = 1; next.count() > 0; parts++) {
            assertThat(parts).as("the list comes to an end").isLessThan(200);
            var first = window.find("tbody a").first().getAttribute("href");
            next.click();
            window.awaitTrue(
                    "document.querySelector('tbody a').getAttribute('href') !== '" + first + "'");
            harmless(window);
        }
        window.open(served.view("/jobs/1/failures"));
        window.await(".captures");
        harmless(window, "hostile-failures");
        window.open(served.view("/jobs/1/site"));
        window.click(".opener");
        window.await(".below .tree-name:has-text('missing')");
        window.find(".below .tree-row:has-text('missing') .opener").first().click();
        window.await(".below .below .tree-name");
        harmless(window, "hostile-site");
    }

    private static void lookAtPages(Window window, Served served, int collections) {
        var together = addresses(window, served, "/collection/");
        assertThat(together).hasSizeGreaterThanOrEqualTo(collections);
        for (var address : together) {
            window.show(served.origin() + "/" + address);
            assertThat(window.find(".prose h3").count()).isPositive();
            harmless(window);
            window.show(served.origin() + "/" + address + "?show=out");
            harmless(window);
        }
        window.picture("hostile-page");
        for (var address : addresses(window, served, "/single/").subList(0, ASKED)) {
            for (var part : List.of("headers", "markdown", "in")) {
                window.show(served.origin() + "/" + address + "?show=" + part);
                harmless(window);
            }
        }
    }

    /** Where the pages below a path are shown, the newest fifty. */
    private static List<String> addresses(Window window, Served served, String path) {
        window.show(served.view("/jobs/1/pages?kind=page&path=" + encoded(path)));
        return window.find(".page-cell a").all().stream()
                .map(link -> link.getAttribute("href"))
                .toList();
    }

    /** Attacks as what somebody types or is sent as a link. */
    private static void ask(Window window, Served served, Site site, List<String> attacks) {
        for (var attack : attacks.subList(0, ASKED)) {
            var views =
                    List.of(
                            "/jobs/1/pages?q=" + encoded(attack),
                            "/jobs/1/why?url=" + encoded(site.url("/missing/" + attack)),
                            "/jobs/" + encoded(attack).replace("+", "%20"));
            for (var view : views) {
                window.show(served.view(view));
                harmless(window);
            }
        }
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static void harmless(Window window, String picture) {
        harmless(window);
        window.picture(picture);
    }

    private static void harmless(Window window) {
        assertThat(window.find(FOREIGN).count()).as("elements that nobody here made").isZero();
    }
}
