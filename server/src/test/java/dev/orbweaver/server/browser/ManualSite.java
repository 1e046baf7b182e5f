package dev.orbweaver.server.browser;

import dev.orbweaver.server.browser.LoopbackSite.SiteResponse;

/**
 * A site of a small manual: seven pages, a redirect, a missing page, one that always fails, one
 * that robots.txt disallows, and a separate part of unlimited size.
 */
final class ManualSite {

    /** The number of pages that a crawl stores. */
    static final int PAGES = 7;

    private ManualSite() {}

    static SiteResponse respond(String path) {
        if (path.startsWith("/endless/")) {
            return endless(Integer.parseInt(path.substring("/endless/".length())));
        }
        return switch (path) {
            case "/robots.txt" -> SiteResponse.text("User-agent: *\nDisallow: /private\n");
            case "/" ->
                    page(
                            "The loom manual",
                            "<p>All about looms.</p>",
                            "/guide/install /guide/thread /guide/old /guide/missing /guide/broken"
                                    + " /private/notes /api/warp");
            case "/guide/install" ->
                    page(
                            "Installing a loom",
                            "<p>Bring a <em>spanner</em> and <b>patience</b>.</p><pre><code>loom"
                                + " --install\n"
                                + "</code></pre><table><tr><th>Part</th><th>Count</th></tr><tr><td>Beam</td><td>2</td></tr></table>",
                            "/guide/thread /guide/weave");
            case "/guide/thread" ->
                    page("Threading", "<p>Every heddle holds one thread.</p>", "/guide/weave");
            case "/guide/weave" ->
                    page("Weaving", "<p>Throw the shuttle; mind the selvedge.</p>", "/");
            case "/guide/" -> page("The guide", "<p>Where to begin.</p>", "/guide/install");
            case "/guide/old" -> SiteResponse.redirect("/guide/");
            case "/api/warp" -> page("warp()", "<p>Sets the warp.</p>", "/api/weft");
            case "/api/weft" -> page("weft()", "<p>Sets the weft.</p>", "/");
            case "/guide/broken" -> SiteResponse.error(500);
            default -> SiteResponse.error(404);
        };
    }

    private static SiteResponse endless(int number) {
        return page(
                "Pattern " + number,
                "<p>One of very many.</p>",
                "/endless/" + (2 * number) + " /endless/" + (2 * number + 1));
    }

    private static SiteResponse page(String title, String text, String links) {
        var html = new StringBuilder("<!doctype html><html lang=en><title>" + title + "</title>");
        html.append("<body><main><h1>").append(title).append("</h1>").append(text).append("<ul>");
        for (var link : links.split(" ", -1)) {
            html.append("<li><a href=")
                    .append(link)
                    .append(">about ")
                    .append(link)
                    .append("</a></li>");
        }
        return SiteResponse.html(html.append("</ul></main></body></html>").toString());
    }
}
