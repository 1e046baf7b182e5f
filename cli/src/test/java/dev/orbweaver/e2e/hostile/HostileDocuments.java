package dev.orbweaver.e2e.hostile;

import static dev.orbweaver.e2e.hostile.CostLimits.DEFAULT;
import static dev.orbweaver.e2e.hostile.HostileHost.hostile;
import static dev.orbweaver.e2e.hostile.RawResponses.MISSING;
import static dev.orbweaver.e2e.hostile.RawResponses.front;
import static dev.orbweaver.e2e.hostile.RawResponses.html;
import static dev.orbweaver.e2e.hostile.RawResponses.site;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.dynatrace.hash4j.hashing.Hashing;

import dev.orbweaver.internal.fetch.CompressedBodies;
import dev.orbweaver.internal.fetch.TestServer;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** Pages, feeds and links that are small to send and costly to read. */
final class HostileDocuments {

    private static final String[] EXPORTS = {
        "export DIR --format markdown --to DIR.markdown",
        "export DIR --format llms-txt --to DIR.llms",
        "export DIR --format chunks --to DIR.chunks"
    };

    /** How many hosts serve a page of very long links at the same time. */
    private static final int VOLUMES = 64;

    private HostileDocuments() {}

    static List<HostileHost> all() {
        return List.of(
                hostile(
                                "feed-base",
                                "RSS with a base of 500,000 characters and 40,000 relative links",
                                _ -> front(feed(500_000, 40_000)))
                        .stop()
                        .within(DEFAULT.requests(400))
                        .expectPage("/"),
                hostile(
                                "html-base",
                                "HTML with a base of 500,000 characters and 100,000 relative links",
                                _ -> front(html(base(500_000) + links(100_000, i -> "" + i))))
                        .stop()
                        .within(DEFAULT.requests(400).disk(16_384))
                        .expectPage("/"),
                hostile(
                                "link-volume",
                                "base of 8,000 characters and 100,000 links: 800 MB of URLs",
                                _ -> front(html(base(8_000) + links(100_000, i -> "" + i))))
                        .stop()
                        .within(DEFAULT.cpu(8_000).requests(400).disk(65_536).heap(300))
                        .expectPage("/"),
                hostile(
                                "link-volume-hosts",
                                "64 hosts with such a page each, all found at once",
                                _ -> site(volumeOnHosts()))
                        .stop()
                        .within(
                                DEFAULT.cpu(90_000)
                                        .requests(1_200)
                                        .disk(700_000)
                                        .heap(400)
                                        .time(120))
                        .expect(HostileDocuments::allVolumes),
                hostile(
                                "link-flood",
                                "300,000 distinct links on one page",
                                _ -> front(html(links(300_000, i -> "/some/where/page-" + i))))
                        .stop()
                        .within(DEFAULT.cpu(8_000).requests(400).disk(32_768))
                        .expectPage("/"),
                hostile(
                                "equal-hash",
                                "65,536 host names of equal String.hashCode",
                                _ -> site(HostileDocuments::equalHash))
                        .named((name, _) -> equalHashName(name))
                        .stop()
                        .within(DEFAULT.cpu(15_000).heap(300).disk(65_536))
                        .expectPage("/"),
                hostile(
                                "crafted-urls",
                                "300 URLs whose unkeyed XXH3 has the same first 16 bits",
                                _ -> site(craftedAfterMany()))
                        .stop()
                        .within(DEFAULT.cpu(12_000).requests(12).disk(49_152))
                        .expectPage("/crafted"),
                hostile("long-link", "a link of 2,500 characters", _ -> front(html(longLink())))
                        .then(EXPORTS)
                        .expectPage("/"),
                hostile(
                                "title-10mb",
                                "a title of 10 MB",
                                _ ->
                                        front(
                                                html(
                                                        "<title>"
                                                                + "title ".repeat(1_700_000)
                                                                + "</title><p>text")))
                        .within(DEFAULT.disk(12_288))
                        .expect(HostileDocuments::shortTitle),
                hostile(
                                "deep-nesting",
                                "100,000 elements inside each other",
                                _ -> endPage("<div>".repeat(100_000) + "deep <a href=/end>end</a>"))
                        .then(EXPORTS)
                        .expectPage("/end"),
                hostile(
                                "unclosed-formatting",
                                "50,000 formatting elements that are never closed, in paragraphs",
                                _ ->
                                        endPage(
                                                "<p><b><i><font color=red>x".repeat(16_000)
                                                        + "<a href=/end>end</a>"))
                        .then(EXPORTS)
                        .expectPage("/end"),
                hostile(
                                "tag-flood",
                                "four million paragraphs without text",
                                _ -> endPage("<a href=/end>end</a>" + "<p>".repeat(4_000_000)))
                        .within(DEFAULT.disk(16_384))
                        .then(EXPORTS)
                        .expectPage("/end"),
                hostile(
                                "attributes-1m",
                                "one tag with a million attributes",
                                _ -> endPage("<a " + attributes() + " href=/end>end</a>"))
                        .within(DEFAULT.disk(12_288))
                        .expectPage("/"),
                hostile(
                                "srcset-flood",
                                "one image with 200,000 candidates",
                                _ -> endPage(srcset() + "<a href=/end>end</a>"))
                        .with("--page-requisites")
                        .stop()
                        .within(DEFAULT.cpu(8_000).requests(400).disk(32_768))
                        .expectPage("/"),
                bomb("gzip"),
                bomb("br"),
                bomb("zstd"),
                hostile(
                                "gzip-layers",
                                "256 MB of zeros compressed ten times over",
                                _ -> front(layers()))
                        .expect(HostileDocuments::settled),
                hostile(
                                "calendar",
                                "a next month for every month",
                                _ -> site(HostileDocuments::month))
                        .at("/calendar/2026/1")
                        .within(DEFAULT.requests(60))
                        .expect("failed", "trap"));
    }

    private static HostileHost bomb(String coding) {
        return hostile(
                        coding + "-bomb",
                        "256 MB of zeros as " + coding,
                        _ ->
                                front(
                                        RawResponses.of(
                                                "200 OK",
                                                "text/html",
                                                "Content-Encoding: " + coding + "\r\n",
                                                CompressedBodies.zeros(coding, 256))))
                .expectPage("/");
    }

    private static byte[] layers() throws IOException {
        var packed = CompressedBodies.zeros("gzip", 256);
        for (var i = 1; i < 10; i++) {
            packed = CompressedBodies.compress("gzip", packed);
        }
        var codings = String.join(", ", java.util.Collections.nCopies(10, "gzip"));
        return RawResponses.of(
                "200 OK", "text/html", "Content-Encoding: " + codings + "\r\n", packed);
    }

    private static Optional<String> settled(HostileOutcome hostileOutcome) {
        return hostileOutcome.count(line -> !line.path("kind").asString("").equals("robots")) > 0
                ? Optional.empty()
                : Optional.of("no line at all");
    }

    private static Optional<String> shortTitle(HostileOutcome hostileOutcome) {
        return hostileOutcome.count(
                                line ->
                                        HostileOutcome.page("/").test(line)
                                                && line.path("title").asString("").length()
                                                        <= 8_192)
                        == 1
                ? Optional.empty()
                : Optional.of("no page with a title of at most 8,192 characters");
    }

    /** A page at the front, and an ordinary one at /end. */
    private static TestServer.ConnectionHandler endPage(String text) {
        var front = html(text);
        var end = html("<title>The end</title><p>Here it ends.");
        return site(
                (path, _) ->
                        switch (path) {
                            case "/" -> front;
                            case "/end" -> end;
                            default -> MISSING;
                        });
    }

    private static byte[] feed(int baseLength, int links) {
        var text =
                "<?xml version=\"1.0\"?><rss version=\"2.0\" xml:base=\"http://feed.zoo.test/"
                        + "a".repeat(baseLength)
                        + "/\"><channel><title>t</title>"
                        + "<item><link>x</link></item>".repeat(links)
                        + "</channel></rss>";
        return RawResponses.of("200 OK", "application/rss+xml", "", text.getBytes(US_ASCII));
    }

    private static String base(int length) {
        return "<base href=\"http://base.zoo.test/" + "a".repeat(length) + "/\">";
    }

    private static String links(int count, IntFunction<String> target) {
        var text = new StringBuilder("<title>Links</title>");
        for (var i = 0; i < count; i++) {
            text.append("<a href=").append(target.apply(i)).append(">l</a>");
        }
        return text.toString();
    }

    private static String attributes() {
        var text = new StringBuilder();
        for (var i = 0; i < 1_000_000; i++) {
            text.append('a').append(Integer.toString(i, 36)).append("=1 ");
        }
        return text.toString();
    }

    private static String srcset() {
        var text = new StringBuilder("<img srcset=\"");
        for (var i = 0; i < 200_000; i++) {
            text.append("/i").append(i).append(".png ").append(i + 1).append("w, ");
        }
        return text.append("\">").toString();
    }

    private static String longLink() {
        var url = "/a?q=" + "x%28%29_*[".repeat(280).substring(0, 2_500);
        var text = new StringBuilder("<title>Long</title><main><h1>Long</h1>");
        for (var i = 0; i < 20; i++) {
            text.append("<p>This paragraph is about nothing in particular, number ").append(i);
            text.append(", and has <a href=\"").append(url).append("\">a link</a>.");
        }
        return text.append("</main>").toString();
    }

    private static RawResponses.PathResponder volumeOnHosts() {
        var page = html(base(8_000) + links(100_000, i -> "" + i));
        return (path, host) -> {
            if (!path.equals("/")) {
                return MISSING;
            }
            return host.startsWith("link-volume-hosts.")
                    ? html(links(VOLUMES, i -> "http://v" + i + "." + host + "/"))
                    : page;
        };
    }

    private static Optional<String> allVolumes(HostileOutcome hostileOutcome) {
        var pages = hostileOutcome.count(HostileOutcome.page("/"));
        return pages == VOLUMES + 1
                ? Optional.empty()
                : Optional.of(pages + " of " + (VOLUMES + 1) + " pages");
    }

    private static byte[] equalHash(String path, String host) {
        if (!path.equals("/")) {
            return MISSING;
        }
        var port = host.substring(host.indexOf(':'));
        return html(links(65_536, i -> "http://" + equalHashName(i) + ".zoo.test" + port + "/"));
    }

    /** "an" and "c0" have the same hash code, and so have texts in which one replaces the other. */
    private static String equalHashName(int number) {
        var name = new StringBuilder();
        for (var bit = 0; bit < 16; bit++) {
            name.append((number >>> bit & 1) == 0 ? "an" : "c0");
        }
        return name.toString();
    }

    /** The many names have no address, so that they cost little more than their commit. */
    private static List<String> equalHashName(String name) {
        return name.startsWith("equal-hash.") ? List.of(HostileHost.ADDRESS) : List.of();
    }

    /**
     * Two pages of 75,000 links, so that fingerprints move to a table, then the crafted ones. All
     * links lead to a port where nothing listens: what counts is that they are seen.
     */
    private static RawResponses.PathResponder craftedAfterMany() {
        var base = "http://crafted-urls.zoo.test/c";
        var found =
                IntStream.iterate(0, i -> i + 1)
                        .filter(i -> firstBits(base + i) == 0)
                        .limit(300)
                        .toArray();
        var crafted = html(links(found.length, i -> base + found[i]));
        return (path, host) ->
                switch (path) {
                    case "/" -> many(0, "<a href=/more>more</a>");
                    case "/more" ->
                            many(75_000, "<a href=http://later." + host + "/crafted>later</a>");
                    case "/crafted" -> {
                        Thread.sleep(2_000); // Until what was found before is committed.
                        yield crafted;
                    }
                    default -> MISSING;
                };
    }

    private static byte[] many(int from, String more) {
        return html(more + links(75_000, i -> "http://many.zoo.test/" + (from + i)));
    }

    private static long firstBits(String url) {
        return Hashing.xxh3_128()
                        .hashBytesTo128Bits(url.getBytes(US_ASCII))
                        .getMostSignificantBits()
                >>> 48;
    }

    private static byte[] month(String path, String host) {
        if (!path.startsWith("/calendar/")) {
            return MISSING;
        }
        var parts = path.split("/", -1);
        var next = Integer.parseInt(parts[2]) * 12 + Integer.parseInt(parts[3]);
        return html(
                "<title>%s</title><p>No events.<a href=/calendar/%d/%d>next month</a>"
                        .formatted(path, next / 12, next % 12 + 1));
    }

    /** Some words that no other page has in this order. */
    static String words(Random random, int count) {
        var text = new StringBuilder("<p>");
        for (var i = 0; i < count; i++) {
            text.append(Integer.toString(random.nextInt(1 << 24), 36)).append(' ');
        }
        return text.toString();
    }
}
