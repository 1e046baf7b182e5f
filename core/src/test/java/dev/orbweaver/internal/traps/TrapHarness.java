package dev.orbweaver.internal.traps;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.parse.SimHash;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.Normalisation;
import dev.orbweaver.model.Body;
import dev.orbweaver.model.Capture;
import dev.orbweaver.model.CaptureRef;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Exchange;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.Link;
import dev.orbweaver.model.LinkKind;
import dev.orbweaver.model.Page;
import dev.orbweaver.model.ResponseHead;
import dev.orbweaver.model.Timings;

import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;

/** A crawl of generated pages, one after the other, without a frontier. */
final class TrapHarness {

    static final CrawlUrls URLS = new CrawlUrls(Normalisation.DEFAULT);
    private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");

    /** The content of a URL. */
    record FakePage(String title, String text, List<String> links, List<String> pictures) {
        FakePage(String title, String text, String... links) {
            this(title, text, List.of(links), List.of());
        }
    }

    final TrapDetector trapDetector;
    final Set<String> fetched = new TreeSet<>();
    final Set<String> givenUp = new TreeSet<>();
    private final Function<String, FakePage> web;
    private final Set<String> seen = new HashSet<>();
    private final Queue<CrawlUrl> queue = new ArrayDeque<>();
    private long captures;

    TrapHarness(TrapSettings settings, Function<String, FakePage> web) {
        this.trapDetector = new TrapDetector(settings);
        this.web = web;
    }

    /** Crawls from a URL until nothing is left, or the page limit is reached. */
    TrapHarness crawl(String from, int pagesMax) {
        find(from, Hop.SEED, 0);
        while (!queue.isEmpty() && fetched.size() < pagesMax) {
            var url = queue.remove();
            if (trapDetector.trapReason(url, seen.size() == 1 ? Hop.SEED : Hop.LINK).isPresent()) {
                givenUp.add(url.text());
            } else {
                fetched.add(url.text());
                visit(url, web.apply(url.text()));
            }
        }
        return this;
    }

    private void find(String text, Hop hop, long parent) {
        var url = URLS.parse(text).orElseThrow();
        if (seen.add(url.text())) {
            var _ = trapDetector.priorityPenalty(url, hop, parent);
            queue.add(url);
        }
    }

    private void visit(CrawlUrl url, FakePage fakePage) {
        captures++;
        var capture = capture(url, fakePage);
        trapDetector.beginPage(captures, capture);
        for (var link : capture.page().links()) {
            if (link.kind() == LinkKind.ANCHOR) {
                find(link.url().text(), Hop.LINK, captures);
            }
        }
        trapDetector.onSettled(true);
    }

    static Capture capture(CrawlUrl url, FakePage fakePage) {
        var text = (fakePage.title + " " + fakePage.text).getBytes(UTF_8);
        var links = new ArrayList<Link>();
        fakePage.links.forEach(
                link ->
                        links.add(
                                new Link(
                                        URLS.resolve(url, link).orElseThrow(),
                                        LinkKind.ANCHOR,
                                        false)));
        fakePage.pictures.forEach(
                picture ->
                        links.add(
                                new Link(
                                        URLS.resolve(url, picture).orElseThrow(),
                                        LinkKind.REQUISITE,
                                        false)));
        var page =
                new Page(
                        fakePage.title,
                        "UTF-8",
                        links,
                        false,
                        false,
                        "",
                        SimHash.of(text, 0, text.length),
                        "",
                        "",
                        "",
                        "",
                        "");
        return capture(url, page, text);
    }

    private static Capture capture(CrawlUrl url, Page page, byte[] body) {
        var head = new ResponseHead("HTTP/1.1 200 OK\r\n\r\n".getBytes(UTF_8), 200);
        var exchange =
                new Exchange(
                        url,
                        new byte[0],
                        head,
                        new Body.InMemory(body, body.length),
                        InetAddress.getLoopbackAddress(),
                        new Timings(NOW, Duration.ZERO, Duration.ZERO, Duration.ZERO),
                        Optional.empty());
        return new Capture(
                url,
                Capture.Kind.PAGE,
                Hop.LINK,
                1,
                CaptureRef.NONE,
                0,
                NOW,
                Optional.of(exchange),
                page,
                "",
                "");
    }
}
