package dev.orbweaver.imports;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.imports.SourceServer.Reply;
import dev.orbweaver.internal.fetch.NameServer;
import dev.orbweaver.internal.seeds.SeedEntry;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/** Sitemaps and feeds, and how sites are requested. */
class SiteSourcesTest {

    @TempDir private Path directory;

    @Test
    void sitemapsOfRobotsTxtAndTheUsualPathsAreReadOnceWithTheirIndexes() throws Exception {
        try (var server =
                site(
                        Map.of(
                                "/robots.txt", text("Sitemap: /listed.xml\nSitemap: /gone.xml\n"),
                                "/listed.xml",
                                        xml(
                                                "<sitemapindex><sitemap><loc>/a.xml</loc></sitemap>"
                                                    + "<sitemap><loc>/listed.xml</loc></sitemap></sitemapindex>"),
                                "/a.xml",
                                        xml(
                                                "<urlset><url><loc>https://s.example/1</loc><priority>0.8</priority>"
                                                    + "<lastmod>2026-01-02</lastmod></url></urlset>"),
                                "/sitemap.txt", text("https://s.example/2\n"),
                                "/sitemap_index.xml",
                                        Reply.html(200, "<!doctype html><html>Not here</html>"),
                                "/wp-sitemap.xml",
                                        new Reply(301, "text/plain", "")
                                                .with("Location", "/sitemap.txt")))) {

            var run = SourceRun.of(directory, "sitemap:" + server.url("/"));

            assertThat(run.entries)
                    .containsExactly(
                            new SeedEntry(
                                    "https://s.example/1",
                                    OptionalDouble.of(0.8),
                                    Optional.of(Instant.parse("2026-01-02T00:00:00Z"))),
                            SeedEntry.of("https://s.example/2"));
            assertThat(run.failure)
                    .isEqualTo(server.url("/gone.xml: status 404; 2 URLs were read"));
            assertThat(server.paths())
                    .contains(
                            "/sitemap.xml",
                            "/sitemap_index.xml",
                            "/sitemap.xml.gz",
                            "/sitemap-index.xml",
                            "/sitemap.txt",
                            "/sitemaps.xml",
                            "/wp-sitemap.xml",
                            "/sitemap/sitemap.xml");
            assertThat(server.requests().getFirst().header("User-agent")).startsWith("Orbweaver/");
        }
    }

    @Test
    void aDamagedSitemapKeepsItsEntriesAndIsReported() throws Exception {
        try (var server =
                site(
                        Map.of(
                                "/s.xml",
                                xml(
                                        "<urlset><url><loc>https://s.example/1</loc></url><url><loc>https://s.ex")))) {

            var run = SourceRun.of(directory, "sitemap:" + server.url("/s.xml"));

            assertThat(run.urls()).containsExactly("https://s.example/1");
            assertThat(run.failure).contains("/s.xml is incomplete or damaged");
        }
    }

    @Test
    void indexesThatListEachOtherEnd() throws Exception {
        try (var server =
                SourceServer.start(
                        request -> {
                            if (request.path().equals("/robots.txt")) {
                                return new Reply(404, "text/plain", "");
                            }
                            var next =
                                    "/"
                                            + (request.path().length() > 1
                                                    ? request.path().substring(1)
                                                    : "")
                                            + "x";
                            return xml(
                                    "<sitemapindex><sitemap><loc>"
                                            + next
                                            + "</loc></sitemap></sitemapindex>");
                        })) {
            var run = SourceRun.of(directory, "sitemap:" + server.url("/s"));

            assertThat(run.failure).contains("sitemap indexes are nested too deeply");
            assertThat(server.requests()).hasSize(7);
        }
    }

    @Test
    void aSiteWithoutSitemapIsOneSentence() throws Exception {
        try (var server = site(Map.of())) {
            assertThat(SourceRun.of(directory, "sitemap:" + server.url("/")).failure)
                    .isEqualTo(server.url("/ has no sitemap"));
        }
    }

    @Test
    void aSiteThatCouldNotBeRequestedIsNotOneWithoutSitemap() throws Exception {
        var forbidden = Map.of("/robots.txt", text("User-agent: *\nDisallow: /\n"));
        try (var server = site(forbidden);
                var names = NameServer.start((_, _) -> List.of());
                var down = SourceServer.start(_ -> new Reply(503, "text/plain", ""));
                var broken =
                        SourceServer.start(
                                request ->
                                        request.path().equals("/sitemaps.xml")
                                                ? new Reply(501, "text/plain", "")
                                                : new Reply(404, "text/plain", ""))) {
            assertThat(SourceRun.of(directory, "sitemap:" + server.url("/")).failure)
                    .isEqualTo(
                            server.url("/: no sitemap was found, and not all of the usual places")
                                    + " could be requested: "
                                    + server.url("/sitemap.xml was not requested: line 2 of")
                                    + " robots.txt says 'Disallow: /'");
            assertThat(SourceRun.of(directory, "sitemap:" + down.url("/")).failure)
                    .contains("no sitemap was found, and not all of", "asks for fewer requests");
            assertThat(SourceRun.of(directory, "sitemap:" + broken.url("/")).failure)
                    .isEqualTo(broken.url("/sitemaps.xml: status 501; 0 URLs were read"));
            var address = names.address();
            assertThat(
                            SourceRun.of(
                                            directory,
                                            "sitemap:https://gone.invalid/",
                                            "dns-server",
                                            address.getHostString() + ":" + address.getPort())
                                    .failure)
                    .contains("no sitemap was found, and not all of", "the host has no address");
        }
    }

    @Test
    void feedsAreFoundThroughThePageThatDeclaresThem() throws Exception {
        try (var server =
                site(
                        Map.of(
                                "/blog/",
                                        Reply.html(
                                                200,
                                                "<html><head><base href=/feeds/><link"
                                                    + " rel='alternate' type='application/rss+xml'"
                                                    + " href=rss><link rel=alternate"
                                                    + " type='Application/Atom+XML; charset=utf-8'"
                                                    + " href='/atom'><link rel=alternate"
                                                    + " hreflang=de href=/de><link rel=stylesheet"
                                                    + " type=application/rss+xml"
                                                    + " href=/no></head></html>"),
                                "/feeds/rss",
                                        Reply.html(
                                                200,
                                                "<rss><channel><item><link>https://s.example/1</link><pubDate>Fri,"
                                                    + " 02 Jan 2026 10:00:00"
                                                    + " GMT</pubDate></item></channel></rss>"),
                                "/atom",
                                        xml(
                                                "<feed><entry><link"
                                                    + " href='https://s.example/2'/></entry></feed>")))) {

            var run = SourceRun.of(directory, "feed:" + server.url("/blog/"));

            assertThat(run.urls()).containsExactly("https://s.example/1", "https://s.example/2");
            assertThat(run.entries.getFirst().lastModified())
                    .contains(Instant.parse("2026-01-02T10:00:00Z"));
            assertThat(run.failure).isEmpty();
            assertThat(server.paths()).doesNotContain("/de", "/no");
        }
    }

    @Test
    void aPageWithoutFeedAndAFileThatIsNoneAreOneSentenceEach() throws Exception {
        try (var server =
                site(
                        Map.of(
                                "/", Reply.html(200, "<html></html>"),
                                "/x", xml("<other/>")))) {

            assertThat(SourceRun.of(directory, "feed:" + server.url("/")).failure)
                    .isEqualTo(server.url("/ declares no feed"));
            assertThat(SourceRun.of(directory, "feed:" + server.url("/x")).failure)
                    .isEqualTo(server.url("/x is not an RSS or Atom feed"));
        }
    }

    @Test
    void robotsTxtIsObeyedUnlessTheCrawlIgnoresIt() throws Exception {
        try (var server =
                site(
                        Map.of(
                                "/robots.txt", text("User-agent: *\nDisallow: /private\n"),
                                "/private.xml",
                                        xml(
                                                "<urlset><url><loc>https://s.example/1</loc></url></urlset>")))) {

            var obeyed = SourceRun.of(directory, "sitemap:" + server.url("/private.xml"));
            var ignored =
                    SourceRun.of(
                            directory, "sitemap:" + server.url("/private.xml"), "robots", "ignore");

            assertThat(obeyed.failure)
                    .startsWith(
                            server.url("/private.xml")
                                    + " was not requested: line 2 of robots.txt says 'Disallow:"
                                    + " /private'");
            assertThat(server.paths()).filteredOn("/private.xml"::equals).hasSize(1);
            assertThat(ignored.urls()).containsExactly("https://s.example/1");
        }
    }

    @Test
    void anUnreachableRobotsTxtForbidsTheSite() throws Exception {
        try (var server = SourceServer.start(request -> new Reply(503, "text/plain", ""))) {
            var run = SourceRun.of(directory, "sitemap:" + server.url("/s.xml"));

            assertThat(run.failure).contains("/s.xml was not requested: robots.txt:");
            assertThat(server.paths()).containsOnly("/robots.txt").hasSize(5);
        }
    }

    @Test
    void theAddressGuardAndExcludedHostsApply() throws Exception {
        var excluded = directory.resolve("excluded.txt");
        Files.writeString(excluded, "127.0.0.1\n");
        try (var server = site(Map.of())) {
            var spec = "feed:" + server.url("/x");

            assertThat(SourceRun.of(directory, spec, "allow-private", "false").failure)
                    .contains(
                            "is loopback and was not requested; use --allow-private if it may be");
            assertThat(SourceRun.of(directory, spec, "exclude-hosts", excluded.toString()).failure)
                    .endsWith("was not requested: exclude-hosts names 127.0.0.1");
            assertThat(server.requests()).isEmpty();
        }
    }

    @Test
    void requestsToOneHostAreADelayApart() throws Exception {
        try (var server = site(Map.of())) {
            var before = System.nanoTime();
            var _ = SourceRun.of(directory, "sitemap:" + server.url("/"), "delay", "50ms");

            assertThat(server.requests()).hasSize(9);
            assertThat(System.nanoTime() - before).isGreaterThan(8 * 50_000_000L);
        }
    }

    @Test
    void theCrawlWaitsUntilTheHostMayGetItsNextRequest() throws Exception {
        try (var server = site(Map.of("/s.xml", xml("<urlset><url><loc>/1</loc></url></urlset>")));
                var sources =
                        new SeedSources(
                                SourceRun.config("delay", "200ms"),
                                directory,
                                InputStream.nullInputStream())) {
            sources.open(SourceSpec.parse("sitemap:" + server.url("/s.xml"))).read(new SourceRun());
            sources.awaitTurns();

            assertThat(System.nanoTime() - server.requests().getLast().nanos())
                    .isGreaterThan(199_000_000);
        }
    }

    @Test
    void anIncompleteResponseIsRequestedAgainAndItsLargeBodyLeavesNoFile() throws Exception {
        var sitemap = new StringBuilder("<urlset>");
        for (var i = 0; i < 20_000; i++) {
            sitemap.append("<url><loc>https://s.example/").append(i).append("</loc></url>");
        }
        var whole = xml(sitemap.append("</urlset>").toString());
        try (var server =
                SourceServer.start(
                        request ->
                                request.path().equals("/robots.txt")
                                        ? new Reply(404, "text/plain", "")
                                        : request.number() < 4 ? whole.truncated() : whole)) {

            var run = SourceRun.of(directory, "sitemap:" + server.url("/s.xml"));

            assertThat(run.urls()).hasSize(20_000).doesNotHaveDuplicates();
            assertThat(run.failure).isEmpty();
            assertThat(run.progress).anyMatch(line -> line.contains("disconnect: "));
            try (var files = Files.list(directory)) {
                assertThat(files).isEmpty();
            }
        }
    }

    private static SourceServer site(Map<String, Reply> pages) throws Exception {
        return SourceServer.start(
                request ->
                        pages.getOrDefault(
                                request.path(), Reply.html(404, "<html>not found</html>")));
    }

    private static Reply xml(String text) {
        return new Reply(200, "application/xml", text);
    }

    private static Reply text(String text) {
        return new Reply(200, "text/plain", text);
    }
}
