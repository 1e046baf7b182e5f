package dev.orbweaver.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orbweaver.testing.Slow;

import org.jsoup.Jsoup;
import org.jsoup.parser.Parser;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.zip.GZIPInputStream;

@Slow
class SimulatedWebServerTest {

    private static final String GZIP = "Accept-Encoding: gzip\r\n";

    private static SimulatedWeb web;
    private static SimulatedWebServer server;

    @BeforeAll
    static void serve() throws IOException {
        web = SimulatedWeb.of(WebSpec.demo(7));
        server = SimulatedWebServer.start(web, ServerSettings.defaults());
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void ordinaryPagesAreHtml() throws IOException {
        var response = HttpTestClient.get(web, web.hubUrl(server.port()));
        assertThat(response.status()).isEqualTo(200);
        assertThat(response.field("content-type")).startsWith("text/html");
        assertThat(response.text()).startsWith("<!DOCTYPE html>").endsWith("</html>\n");
    }

    @Test
    void everyPageIsServedAsTheWebComputesIt() throws IOException {
        for (var page = 0; page < web.pageCount(); page++) {
            var host = web.pages().host(page);
            var kind = web.pages().kind(page);
            if (!web.hosts().isLive(host) || kind == PageKind.FLAKY || kind == PageKind.SLOW) {
                continue;
            }
            var url = web.url(page, server.port());
            var expected = web.response(page, server.port(), 1, false);
            var plain = HttpTestClient.get(web, url);
            var packed = HttpTestClient.get(web, url, GZIP);
            assertThat(plain.status()).as(url).isEqualTo(expected.status());
            assertThat(plain.body()).as(url).isEqualTo(expected.body());
            assertThat(packed.content()).as(url).isEqualTo(expected.body());
            assertThat(plain.complete()).as(url).isEqualTo(kind != PageKind.TRUNCATED);
        }
    }

    @Test
    void errorsOccurAsDeclared() throws IOException {
        assertThat(get(PageKind.NOT_FOUND).status()).isEqualTo(404);
        assertThat(get(PageKind.GONE).status()).isEqualTo(410);
        assertThat(get(PageKind.REDIRECT).status()).isIn(301, 302, 307, 308);
        assertThat(HttpTestClient.get(web, web.hubUrl(server.port()) + "nowhere").status())
                .isEqualTo(404);
    }

    @Test
    void aFlakyPageFailsTheFirstTimeOnly() throws IOException {
        assertThat(get(PageKind.FLAKY).status()).isEqualTo(503);
        assertThat(get(PageKind.FLAKY).status()).isEqualTo(200);
    }

    @Test
    void aSlowPageDoesNotDelayOthers() throws IOException {
        var slow = web.url(first(PageKind.SLOW), server.port());
        var uri = URI.create(slow);
        try (var httpTestClient =
                new HttpTestClient(web.resolve(uri.getHost()).orElseThrow(), server.port())) {
            var begun = System.nanoTime();
            httpTestClient.send(slow, "");
            assertThat(HttpTestClient.get(web, web.hubUrl(server.port())).status()).isEqualTo(200);
            var other = System.nanoTime() - begun;
            assertThat(httpTestClient.receive().status()).isEqualTo(200);
            var latency = System.nanoTime() - begun;
            assertThat(latency).isGreaterThanOrEqualTo(600_000_000L).isGreaterThan(other);
        }
    }

    @Test
    void redirectsLeadToTheirTargetAndTheLoopToItself() throws IOException {
        var loops = 0;
        for (var page = 0; page < web.pageCount(); page++) {
            if (web.pages().kind(page).outcome() == PageKind.Outcome.REDIRECT) {
                var url = web.url(page, server.port());
                var location = HttpTestClient.get(web, url).field("location");
                var target = web.pages().target(page);
                assertThat(URI.create(url).resolve(location).toString())
                        .isEqualTo(web.url(target, server.port()));
                if (web.pages().kind(target).outcome() == PageKind.Outcome.REDIRECT
                        && web.pages().target(target) == page) {
                    loops++;
                }
            }
        }
        assertThat(loops).isPositive();
    }

    @Test
    void robotsTxtComesInEveryKind() throws IOException {
        for (var host = 0; host < web.hostCount(); host++) {
            if (!web.hosts().isLive(host)) {
                continue;
            }
            var url = web.frontUrl(host, server.port()) + "robots.txt";
            var response = HttpTestClient.get(web, url);
            var sitemaps = web.sitemaps().files(host);
            var policy = web.hosts().policy(host);
            assertThat(response.status()).isEqualTo(sitemaps.isEmpty() ? policy.status() : 200);
            if (policy == SimulatedRobots.CRAWL_DELAY) {
                assertThat(response.text()).contains("Crawl-delay: 0.");
            }
            for (var i = 0; i < sitemaps.size(); i++) {
                var origin = "http://" + web.authority(host, server.port());
                var sitemap = HttpTestClient.get(web, origin + sitemaps.get(i));
                assertThat(sitemap.status()).isEqualTo(200);
                assertThat(response.text().contains("Sitemap: " + origin + sitemaps.get(i) + "\n"))
                        .isEqualTo(i == 0);
            }
        }
    }

    @Test
    void sitemapsListWhatTheWebDeclares() throws IOException {
        for (var host = 0; host < web.hostCount(); host++) {
            var declared = new TreeSet<String>();
            web.sitemaps()
                    .listedPages(host)
                    .forEach(page -> declared.add(web.url(page, server.port())));
            var served = new TreeSet<String>();
            for (var file : web.sitemaps().files(host)) {
                var url = "http://" + web.authority(host, server.port()) + file;
                var body = HttpTestClient.get(web, url).body();
                var xml = file.endsWith(".gz") ? decompressed(body) : body;
                var document =
                        Jsoup.parse(
                                new String(xml, StandardCharsets.UTF_8), url, Parser.xmlParser());
                served.addAll(document.select("url > loc").eachText());
            }
            assertThat(served).as(web.hostName(host)).isEqualTo(declared);
        }
    }

    @Test
    void charsetsAreAsDeclared() throws IOException {
        var wide = get(PageKind.UTF_16);
        assertThat(wide.body()).startsWith(0xFF, 0xFE);
        assertThat(new String(wide.body(), StandardCharsets.UTF_16LE)).contains("<title>");
        var latin = 0;
        while (!web.hosts().has(latin, Trait.WINDOWS_1252)) {
            latin++;
        }
        for (var i = 0; i < web.hosts().ordinaryPages(latin); i++) {
            var body =
                    HttpTestClient.get(web, web.url(web.pages().first(latin) + i, server.port()))
                            .body();
            var text = new String(body, Charset.forName("windows-1252"));
            assertThat(text).doesNotContain("\uFFFD").doesNotContain("Ã");
        }
    }

    @Test
    void pipelinedResponsesAreSentInOrder() throws IOException {
        var host = web.hosts().find("hub.test").orElseThrow();
        var url = web.frontUrl(host, server.port());
        var slow = web.url(first(PageKind.SLOW), server.port());
        var slowName = URI.create(slow).getHost();
        try (var httpTestClient =
                new HttpTestClient(web.resolve(slowName).orElseThrow(), server.port())) {
            httpTestClient.send(slow, "");
            httpTestClient.send(url, "");
            httpTestClient.send(url + "nowhere", "");
            assertThat(httpTestClient.receive().text())
                    .isEqualTo(HttpTestClient.get(web, slow).text());
            assertThat(httpTestClient.receive().text()).contains("h001.");
            assertThat(httpTestClient.receive().status()).isEqualTo(404);
        }
    }

    @Test
    void theConnectionStaysOpenUnlessOneSideSendsClose() throws IOException {
        var url = web.hubUrl(server.port());
        try (var httpTestClient =
                new HttpTestClient(web.resolve("hub.test").orElseThrow(), server.port())) {
            for (var i = 0; i < 5; i++) {
                httpTestClient.send(url, "");
                assertThat(httpTestClient.receive().status()).isEqualTo(200);
            }
            httpTestClient.send(url, "Connection: close\r\n");
            assertThat(httpTestClient.receive().status()).isEqualTo(200);
            assertThat(httpTestClient.atEnd()).isTrue();
        }
    }

    @Test
    void headReturnsTheHeadersOfGetWithoutABody() throws IOException {
        for (var kind : List.of(PageKind.ORDINARY, PageKind.NOT_FOUND, PageKind.REDIRECT)) {
            var url = web.url(first(kind), server.port());
            var uri = URI.create(url);
            try (var httpTestClient =
                    new HttpTestClient(web.resolve(uri.getHost()).orElseThrow(), server.port())) {
                var target = url.substring(url.indexOf('/', "http://".length()));
                httpTestClient.sendMethod("HEAD", uri.getAuthority(), target, GZIP);
                var head = httpTestClient.receive(false);
                httpTestClient.send(url, GZIP);
                var whole = httpTestClient.receive();
                assertThat(head.status()).isEqualTo(whole.status());
                assertThat(head.fields()).isEqualTo(whole.fields());
            }
        }
    }

    @Test
    void anInvalidOrTooLongRequestClosesTheConnection() throws IOException {
        var address = web.resolve("hub.test").orElseThrow();
        for (var target : List.of("", "/" + "x".repeat(20_000))) {
            try (var httpTestClient = new HttpTestClient(address, server.port())) {
                httpTestClient.sendTarget("hub.test", target, "");
                assertThatThrownBy(httpTestClient::receive).isInstanceOf(IOException.class);
            }
        }
        try (var httpTestClient = new HttpTestClient(address, server.port())) {
            httpTestClient.sendMethod("POST", "hub.test", "/", "");
            assertThat(httpTestClient.receive().status()).isEqualTo(405);
            assertThat(httpTestClient.atEnd()).isTrue();
        }
    }

    @Test
    void aRequestMayComeInPieces() throws Exception {
        var url = web.hubUrl(server.port());
        try (var httpTestClient =
                new HttpTestClient(web.resolve("hub.test").orElseThrow(), server.port())) {
            httpTestClient.sendPart("GET / HTTP/1.1\r\nhost: hub");
            Thread.sleep(20);
            httpTestClient.sendPart(".test:" + server.port() + "\r");
            Thread.sleep(20);
            httpTestClient.sendPart("\n\r\nGET / HTTP/1.0\r\nHost: hub.test\r\n\r\n");
            assertThat(httpTestClient.receive().body())
                    .isEqualTo(HttpTestClient.get(web, url).body());
            assertThat(httpTestClient.receive().body())
                    .isEqualTo(HttpTestClient.get(web, url).body());
            assertThat(httpTestClient.atEnd()).isTrue();
        }
    }

    @Test
    void anAddressWithoutAHostRefusesConnections() {
        for (var host = 0; host < web.hostCount(); host++) {
            if (web.hosts().has(host, Trait.UNRESPONSIVE)) {
                var url = web.frontUrl(host, server.port());
                assertThatThrownBy(() -> HttpTestClient.get(web, url))
                        .isInstanceOf(ConnectException.class);
            }
        }
    }

    @Test
    void aPortInUseIsReported() {
        var same = ServerSettings.defaults().withPort(server.port());
        assertThatThrownBy(() -> SimulatedWebServer.start(web, same).close())
                .isInstanceOf(IOException.class)
                .hasMessageContaining(Integer.toString(server.port()));
    }

    /**
     * A crawler of forty lines, which uses only jsoup and served content, finds the ground truth.
     * The robots policy is taken from the web, so that no robots.txt parser is needed.
     */
    @Test
    void aPlainCrawlerEndsWithExactlyTheTruth() throws IOException {
        var small = SimulatedWeb.of(WebSpec.light(11, 60, 700));
        try (var other = SimulatedWebServer.start(small, ServerSettings.defaults())) {
            var media = Set.of("png", "zip");
            var terms = new CrawlAssumptions(CrawlAssumptions.ANY, media, true, false, true, true);
            var hub = small.hubUrl(other.port());
            var groundTruth = GroundTruth.of(small, other.port(), List.of(hub), terms);
            assertThat(crawl(small, hub, terms)).isEqualTo(groundTruth.pages());
        }
    }

    private static Set<String> crawl(SimulatedWeb small, String hub, CrawlAssumptions terms)
            throws IOException {
        var stored = new TreeSet<String>();
        var seen = new HashSet<String>(Set.of(hub));
        var queue = new ArrayDeque<String>(seen);
        while (!queue.isEmpty()) {
            var url = queue.remove();
            var path = url.substring(url.indexOf('/', "http://".length()));
            var host = small.hosts().find(URI.create(url).getHost()).orElseThrow();
            if (terms.isSkipped(path)
                    || !small.hosts().isLive(host)
                    || !small.hosts().policy(host).allows(path)) {
                continue;
            }
            var response = HttpTestClient.get(small, url, GZIP);
            if (response.status() == 503) {
                response = HttpTestClient.get(small, url, GZIP);
            }
            var found = new TreeSet<String>();
            if (response.status() == 200 && response.complete()) {
                stored.add(url);
                found.addAll(links(url, response));
            } else if (response.status() / 100 == 3) {
                var location = response.field("location");
                found.add(URI.create(url).resolve(location).toString());
            }
            found.stream().filter(seen::add).forEach(queue::add);
        }
        return stored;
    }

    private static Set<String> links(String url, HttpTestClient.Response response)
            throws IOException {
        var type = response.field("content-type");

        var in = new ByteArrayInputStream(response.content());
        var document = Jsoup.parse(in, SimulatedWebTest.charset(type), url);
        if (document.select("meta[name=robots]")
                .attr("content")
                .toLowerCase(Locale.ROOT)
                .contains("nofollow")) {
            return Set.of();
        }
        return SimulatedWebTest.links(document);
    }

    private static byte[] decompressed(byte[] body) throws IOException {
        try (var gzip = new GZIPInputStream(new ByteArrayInputStream(body))) {
            return gzip.readAllBytes();
        }
    }

    private static HttpTestClient.Response get(PageKind kind) throws IOException {
        return HttpTestClient.get(web, web.url(first(kind), server.port()));
    }

    private static int first(PageKind kind) {
        var page = 0;
        while (web.pages().kind(page) != kind) {
            page++;
        }
        return page;
    }
}
