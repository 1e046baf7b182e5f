package dev.orbweaver.e2e.hostile;

import static dev.orbweaver.e2e.hostile.CostLimits.DEFAULT;
import static dev.orbweaver.e2e.hostile.HostileHost.hostile;
import static dev.orbweaver.e2e.hostile.RawResponses.MISSING;
import static dev.orbweaver.e2e.hostile.RawResponses.html;
import static dev.orbweaver.e2e.hostile.RawResponses.site;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.orbweaver.internal.fetch.CompressedBodies;
import dev.orbweaver.internal.fetch.TestServer;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/** robots.txt files and sitemaps that are costly to read, endless or unreadable. */
final class HostileRobots {

    /** What may be sent of an endless robots.txt: what is read of it, and full socket buffers. */
    private static final long SENT_MAX = 12L << 20;

    private HostileRobots() {}

    static List<HostileHost> all() {
        return List.of(
                hostile(
                                "robots-wildcards",
                                "30,000 wildcard rules and a page of 100,000 links",
                                _ -> robots(wildcards(), html(manyLinks())))
                        .stop()
                        .within(DEFAULT.cpu(8_000).requests(400).disk(32_768))
                        .expectPage("/"),
                endless(),
                hostile(
                                "robots-undecodable",
                                "robots.txt in plain text that is labelled gzip",
                                _ ->
                                        robots(
                                                RawResponses.of(
                                                        "200 OK",
                                                        "text/plain",
                                                        "Content-Encoding: gzip\r\n",
                                                        "User-agent: *\nDisallow: /\n"
                                                                .getBytes(US_ASCII)),
                                                html("<title>Forbidden</title>")))
                        .expect(HostileRobots::nothingFetched),
                hostile(
                                "robots-redirects",
                                "robots.txt behind endless redirects",
                                _ -> site(HostileRobots::redirects))
                        .expect(HostileRobots::settledOrResting),
                hostile(
                                "sitemap-empty-members",
                                "a sitemap of 200,000 empty gzip members",
                                _ -> sitemap(emptyMembers()))
                        .expectPage("/"),
                hostile(
                                "sitemap-bomb",
                                "a sitemap of 256 MB of zeros as gzip",
                                _ -> sitemap(CompressedBodies.zeros("gzip", 256)))
                        .expectPage("/"));
    }

    private static HostileHost endless() {
        var sent = new AtomicLong();
        return hostile(
                        "robots-endless",
                        "robots.txt without an end",
                        random -> endless(random, sent))
                .within(DEFAULT.disk(2_048))
                .expect(
                        hostileOutcome ->
                                sent.get() <= SENT_MAX
                                        ? Optional.empty()
                                        : Optional.of((sent.get() >> 20) + " MB of it were read"));
    }

    private static TestServer.ConnectionHandler endless(java.util.Random random, AtomicLong sent) {
        sent.set(0);
        return clientConnection -> {
            for (var head = clientConnection.nextRequest();
                    !head.isEmpty();
                    head = clientConnection.nextRequest()) {
                if (!head.startsWith("GET /robots.txt ")) {
                    clientConnection.send(html("<title>Front</title>"));
                    continue;
                }
                clientConnection.send(
                        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nUser-agent: *\n");
                while (true) {
                    var lines = new StringBuilder();
                    for (var i = 0; i < 1_000; i++) {
                        lines.append("Disallow: /").append(random.nextLong()).append('\n');
                    }
                    clientConnection.send(lines.toString());
                    sent.addAndGet(lines.length());
                }
            }
        };
    }

    private static Optional<String> nothingFetched(HostileOutcome hostileOutcome) {
        var others =
                hostileOutcome.requests().stream()
                        .filter(head -> !head.startsWith("GET /robots.txt "))
                        .count();
        return others == 0
                ? Optional.empty()
                : Optional.of(others + " requests although the rules are not known");
    }

    private static Optional<String> settledOrResting(HostileOutcome hostileOutcome) {
        return hostileOutcome.exitCode() == 5 || !hostileOutcome.lines().isEmpty()
                ? Optional.empty()
                : Optional.of("neither settled nor resting");
    }

    private static TestServer.ConnectionHandler robots(byte[] robots, byte[] front) {
        return site(
                (path, _) ->
                        switch (path) {
                            case "/robots.txt" -> robots;
                            case "/" -> front;
                            default -> MISSING;
                        });
    }

    /** As many as 500 KiB hold. */
    private static byte[] wildcards() {
        var text = new StringBuilder("User-agent:*\n");
        for (var i = 0; i < 30_000; i++) {
            text.append("Disallow:/*").append(Integer.toString(0x10000 + i, 32)).append('\n');
        }
        return RawResponses.of("200 OK", "text/plain", "", text.toString().getBytes(US_ASCII));
    }

    private static String manyLinks() {
        var text = new StringBuilder("<title>Links</title>");
        for (var i = 0; i < 100_000; i++) {
            text.append("<a href=/").append("2zz0".repeat(12)).append(i).append(">l</a>");
        }
        return text.toString();
    }

    private static byte[] redirects(String path, String host) {
        if (path.equals("/")) {
            return html("<title>Front</title>");
        }
        var next = path.equals("/robots.txt") ? 1 : 1 + Integer.parseInt(path.substring(2));
        return RawResponses.of(
                "302 Found", "text/plain", "Location: /r" + next + "\r\n", new byte[0]);
    }

    private static TestServer.ConnectionHandler sitemap(byte[] packed) {
        var reply = RawResponses.of("200 OK", "application/gzip", "", packed);
        return site(
                (path, host) ->
                        switch (path) {
                            case "/robots.txt" ->
                                    RawResponses.of(
                                            "200 OK",
                                            "text/plain",
                                            "",
                                            ("Sitemap: http://" + host + "/sitemap.xml.gz\n")
                                                    .getBytes(US_ASCII));
                            case "/sitemap.xml.gz" -> reply;
                            case "/" -> html("<title>Front</title>");
                            default -> MISSING;
                        });
    }

    private static byte[] emptyMembers() throws IOException {
        var empty = CompressedBodies.compress("gzip", new byte[0]);
        var out = new ByteArrayOutputStream();
        for (var i = 0; i < 200_000; i++) {
            out.writeBytes(empty);
        }
        return out.toByteArray();
    }
}
