package dev.orbweaver.server.browser;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.server.browser.LoopbackSite.SiteResponse;

import java.net.URLEncoder;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * A site of injection attacks on the dashboard. Each attack is the title, a heading, a header and
 * the anchor of a page, both escaped and as markup. It is also part of a missing URL and of one
 * that redirects. Collections have many attacks in one text.
 */
final class AttackSite {

    /** The number of attacks per collection. */
    static final int ATTACKS_PER_COLLECTION = 80;

    private final List<String> attacks;

    AttackSite(List<String> attacks) {
        this.attacks = List.copyOf(attacks);
    }

    /** The number of collections. */
    int collections() {
        return (attacks.size() + ATTACKS_PER_COLLECTION - 1) / ATTACKS_PER_COLLECTION;
    }

    SiteResponse respond(String path) {
        if (path.matches("/single/\\d+")) {
            return single(attacks.get(number(path)));
        }
        if (path.matches("/collection/\\d+")) {
            return collection(number(path));
        }
        if (path.startsWith("/moved?")) {
            return SiteResponse.redirect("javascript:window.pwned=1//" + path.length());
        }
        return path.startsWith("/?") ? front() : SiteResponse.error(404);
    }

    private static int number(String path) {
        return Integer.parseInt(path.substring(path.lastIndexOf('/') + 1));
    }

    private SiteResponse front() {
        var html = new StringBuilder("<title>Front</title><body><main><h1>Front</h1><ul>");
        IntStream.range(0, attacks.size()).forEach(i -> link(html, "/single/" + i, attacks.get(i)));
        IntStream.range(0, collections())
                .forEach(i -> link(html, "/collection/" + i, "collection"));
        return SiteResponse.html(html.append("</ul></main></body>").toString());
    }

    private static SiteResponse single(String attack) {
        var part = URLEncoder.encode(attack, UTF_8);
        var html = new StringBuilder("<title>" + asText(attack) + "</title><body><main><h1>");
        html.append(asText(attack)).append("</h1><ul>");
        link(html, "/missing/" + part, attack);
        link(html, "/moved?to=" + part, attack);
        html.append("</ul></main>").append(attack).append("</body>");
        var headers =
                Map.of("Content-Type", "text/html; charset=utf-8", "X-Note", inHeader(attack));
        return new SiteResponse(200, headers, html.toString());
    }

    private SiteResponse collection(int number) {
        var some =
                attacks.subList(
                        number * ATTACKS_PER_COLLECTION,
                        Math.min(attacks.size(), (number + 1) * ATTACKS_PER_COLLECTION));
        var html = new StringBuilder("<title>Collection " + number + "</title><body><main><h1>");
        html.append("Collection ").append(number).append("</h1>");
        for (var attack : some) {
            var text = asText(attack);
            html.append("<h2>").append(text).append("</h2><p>A paragraph about ").append(text);
            html.append(", long enough to be what this page is about, and about nothing else.</p>");
            html.append("<pre><code>").append(text).append("</code></pre>");
            html.append("<p><a href=\"").append(text).append("\">").append(text).append("</a> ");
            html.append("<img src=\"").append(text).append("\" alt=\"").append(text).append("\">");
            html.append("</p><table><tr><th>").append(text).append("</th></tr><tr><td>");
            html.append(text).append("</td></tr></table>");
        }
        return SiteResponse.html(html.append("</main></body>").toString());
    }

    private static void link(StringBuilder html, String address, String anchor) {
        html.append("<li><a href=\"").append(address).append("\">");
        html.append(asText(anchor)).append("</a></li>");
    }

    private static String asText(String attack) {
        return attack.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }

    /**
     * Removes all but visible ASCII, which header fields are limited to (RFC 9110, section 5.5).
     */
    private static String inHeader(String attack) {
        var visible = attack.replaceAll("[^ -~]", "").strip();
        return visible.substring(0, Math.min(visible.length(), 1_000));
    }
}
