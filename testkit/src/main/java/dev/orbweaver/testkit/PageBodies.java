package dev.orbweaver.testkit;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/** Generates the bodies of pages and their header fields from the seed. */
record PageBodies(
        WebSpec spec, SimulatedHosts hosts, PageTable pages, LinkGraph links, Traps traps) {

    private static final long HTML = 41;
    private static final long BINARY = 42;
    private static final long VERSION_STEP = 1_000;
    private static final int BINARY_BYTES = 2_048;
    private static final Charset WINDOWS_1252 = Charset.forName("windows-1252");

    /** The distribution of page sizes on the live web in 2025: median 138 KB, mean 242 KB. */
    private static final double SIZE_SIGMA = 1.06;

    private static final int SIZE_OVER_MEAN_MAX = 10;

    WireResponse binary(int page, String type) {
        var seededRandom = new SeededRandom(spec.seed(), BINARY, page);
        var body = new byte[BINARY_BYTES];
        for (var i = 0; i < body.length; i++) {
            body[i] = (byte) seededRandom.nextLong();
        }
        return WireResponse.of(200, type, body);
    }

    /**
     * @param version the number of changes of the page; its links never change
     */
    WireResponse html(
            int page, IntFunction<String> authority, long version, PageBoilerplate boilerplate) {
        var host = pages.host(page);
        var wide = pages.kind(page) == PageKind.UTF_16;
        // Half of the hosts declare their charset only in the page.
        var inHeader = !hosts.has(host, Trait.WINDOWS_1252) || host % 2 == 0;
        var charset =
                wide ? "utf-16" : hosts.has(host, Trait.WINDOWS_1252) ? "windows-1252" : "utf-8";
        var seededRandom = new SeededRandom(spec.seed(), HTML + VERSION_STEP * version, page);
        var size = size(seededRandom);
        var head =
                head(
                        page,
                        wide || (inHeader && seededRandom.oneIn(2)) ? "" : charset,
                        authority,
                        boilerplate,
                        seededRandom);
        var writer =
                new HtmlWriter(
                        spec.scheme(),
                        authority.apply(host),
                        pages.path(page),
                        head,
                        anchors(page, authority),
                        size,
                        seededRandom);
        var type = inHeader ? "text/html; charset=" + charset : "text/html";
        return WireResponse.of(200, type, bytes(writer.write(), charset));
    }

    private HtmlWriter.Head head(
            int page,
            String metaCharset,
            IntFunction<String> authority,
            PageBoilerplate boilerplate,
            SeededRandom seededRandom) {
        var kind = pages.kind(page);
        var robots =
                switch (kind) {
                    case NOINDEX -> "noindex";
                    case NOFOLLOW -> seededRandom.oneIn(2) ? "nofollow" : "NOINDEX, NoFollow";
                    default -> "";
                };
        var canonical = kind == PageKind.CANONICAL_COPY ? canonical(page, authority) : "";
        var base = kind == PageKind.ORDINARY && seededRandom.oneIn(12);
        return new HtmlWriter.Head(metaCharset, robots, canonical, base, boilerplate);
    }

    private String canonical(int page, IntFunction<String> authority) {
        var target = pages.target(page);
        var url = spec.scheme() + authority.apply(pages.host(target)) + pages.path(target);
        return url.replace("&", "&amp;");
    }

    private List<HtmlWriter.Anchor> anchors(int page, IntFunction<String> authority) {
        var anchors = new ArrayList<HtmlWriter.Anchor>();
        for (var link : links.of(page)) {
            anchors.add(
                    new HtmlWriter.Anchor(
                            authority.apply(pages.host(link.target())),
                            pages.path(link.target()),
                            link.nofollow()));
        }
        var host = pages.host(page);
        for (var trapLink : traps.trapLinks(host, page - pages.first(host))) {
            anchors.add(
                    new HtmlWriter.Anchor(
                            trapLink.label() + authority.apply(host), trapLink.target(), false));
        }
        return anchors;
    }

    private int size(SeededRandom seededRandom) {
        var median = spec.meanPageBytes() / StrictMath.exp(SIZE_SIGMA * SIZE_SIGMA / 2);
        var size = median * StrictMath.exp(SIZE_SIGMA * seededRandom.nextGaussian());
        return (int) Math.min(size, (double) SIZE_OVER_MEAN_MAX * spec.meanPageBytes());
    }

    private static byte[] bytes(String html, String charset) {
        return switch (charset) {
            case "utf-16" -> ("\uFEFF" + html).getBytes(StandardCharsets.UTF_16LE);
            case "windows-1252" -> html.getBytes(WINDOWS_1252);
            default -> html.getBytes(StandardCharsets.UTF_8);
        };
    }
}
