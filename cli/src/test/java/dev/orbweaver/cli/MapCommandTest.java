package dev.orbweaver.cli;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;

/** {@code orbweaver map}: the URLs of a site without a crawl. */
@Slow
class MapCommandTest {

    private final List<String> requests = new CopyOnWriteArrayList<>();
    private HttpServer server;

    @BeforeEach
    void serve() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", this::respond);
        server.start();
    }

    @AfterEach
    void close() {
        server.stop(0);
    }

    private void respond(HttpExchange exchange) throws IOException {
        var path = exchange.getRequestURI().getPath();
        requests.add(path);
        var body = body(path);
        exchange.getResponseHeaders()
                .add("Content-Type", body.startsWith("<html") ? "text/html" : "text/xml");
        if (path.equals("/old")) {
            exchange.getResponseHeaders().add("Location", "/");
        }
        try (exchange) {
            var bytes = body.getBytes(UTF_8);
            exchange.sendResponseHeaders(
                    path.equals("/old") ? 301 : body.isEmpty() ? 404 : 200,
                    bytes.length == 0 ? -1 : bytes.length);
            exchange.getResponseBody().write(bytes);
        }
    }

    private String body(String path) {
        return switch (path) {
            case "/" ->
                    """
                    <html><link rel=alternate type=application/rss+xml href=/feed>
                    <link rel=stylesheet href=/style.css><a href=/a>A</a> <a href="/a#x">A</a>
                    <a href=https://elsewhere.example/>no</a></html>
                    """;
            case "/a" -> "<html><a href=/deep>deep</a></html>";
            case "/robots.txt" -> "Sitemap: /sitemap.xml\nSitemap: /broken.xml\n";
            case "/sitemap.xml" ->
                    "<urlset><url><loc>%s</loc><lastmod>2026-01-02</lastmod></url>"
                                    .formatted(url("/a"))
                            + "<url><loc>/b?x=1&amp;y=2</loc></url></urlset>";
            case "/feed" -> "<rss><item><link>%s</link></item></rss>".formatted(url("/news"));
            case "/cdx" -> "[[\"original\"],[\"%s\"]]".formatted(url("/captured"));
            case "/collinfo.json" ->
                    "[{\"cdx-api\": \"https://index.commoncrawl.org/CC-MAIN-2026-01-index\"}]";
            case "/CC-MAIN-2026-01-index" ->
                    "{\"pages\": 1, \"url\": \"%s\"}".formatted(url("/archived"));
            default -> "";
        };
    }

    private String url(String path) {
        return "http://127.0.0.1:" + server.getAddress().getPort() + path;
    }

    private CommandResult map(String path, String... options) {
        var line =
                new ArrayList<>(
                        List.of(
                                "map",
                                url(path),
                                "--delay=1ms",
                                "--index-delay=1ms",
                                "--contact=a@b.test"));
        line.addAll(List.of(options));
        return CommandResult.run(line.toArray(String[]::new));
    }

    @Test
    void linksSitemapsAndFeedsAreListedOnceEach() {
        var result = map("/");

        assertThat(result.out().lines())
                .containsExactly(
                        url("/"), url("/feed"), url("/a"), url("/b?x=1&y=2"), url("/news"));
        assertThat(result.code()).isZero();
        assertThat(result.err())
                .contains("warning: sitemap: " + url("/broken.xml") + ": status 404")
                .contains(
                        "5 URLs; 1 entries are not listed, such as https://elsewhere.example/:"
                                + " outside 127.0.0.1");
        assertThat(requests).filteredOn("/"::equals).hasSize(1);
        assertThat(requests).doesNotContain("/a", "/style.css");
    }

    @Test
    void jsonHasTheSourcesAndTheDate() {
        var result = map("/", "--format=jsonl", "--quiet");

        assertThat(result.out().lines())
                .contains(
                        "{\"url\":\"%s\",\"sources\":[\"link\",\"sitemap\"],\"lastmod\":\"2026-01-02T00:00:00Z\"}"
                                .formatted(url("/a")),
                        "{\"url\":\"%s\",\"sources\":[\"feed\"]}".formatted(url("/news")));
        assertThat(result.err().lines()).hasSize(1);
    }

    @Test
    void aSitemapIsEscaped() {
        assertThat(map("/", "--format=sitemap").out())
                .startsWith("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=")
                .contains("<url><loc>" + url("/b?x=1&amp;y=2") + "</loc></url>")
                .contains("<loc>" + url("/a") + "</loc><lastmod>2026-01-02T00:00:00Z</lastmod>")
                .endsWith("</urlset>\n");
    }

    @Test
    void theDepthDecidesHowManyPagesAreRead() {
        assertThat(map("/", "--depth=2").out()).contains(url("/deep"));
        assertThat(requests).contains("/a");
        requests.clear();

        assertThat(map("/", "--depth=0").out().lines())
                .containsExactly(url("/a"), url("/b?x=1&y=2"), url("/news"));
        assertThat(requests).doesNotContain("/a");
    }

    @Test
    void aRedirectOfTheStartPageIsFollowed() {
        assertThat(map("/old").out()).contains(url("/news"), url("/b?x=1&y=2"));
    }

    @Test
    void anIndexServerIsContactedOnlyOnDemand() {
        var endpoint = "--common-crawl-endpoint=" + url("/");
        assertThat(map("/", endpoint).out()).doesNotContain(url("/archived"));
        assertThat(requests).doesNotContain("/collinfo.json");

        assertThat(map("/", endpoint, "--index=common-crawl").out()).contains(url("/archived"));
        assertThat(map("/", "--wayback-endpoint=" + url("/cdx"), "--index=wayback").out())
                .contains(url("/captured"));
    }

    @Test
    void anIndexThatCannotBeAskedForTheHostCostsNoOtherSource() {
        var site = url("/").replace("127.0.0.1", "localhost");

        var result =
                CommandResult.run(
                        "map",
                        site,
                        "--delay=1ms",
                        "--index=ct,wayback",
                        "--depth=0",
                        "--contact=a@b.test");

        assertThat(result.code()).isZero();
        assertThat(result.out()).contains(site + "b?x=1&y=2");
        assertThat(result.err())
                .contains("'ct:localhost': expected a domain such as example.org")
                .contains("expected a domain such as example.org, or a pattern such as");
    }

    @Test
    void theListEndsAtItsMaximumWithAWarning() {
        var result = map("/", "--max-urls=2");

        assertThat(result.out().lines()).hasSize(2);
        assertThat(result.err())
                .contains("there are more than 2 URLs; the others are not listed, use --max-urls");
    }

    @Test
    void nothingKnownIsExitCode3() {
        server.removeContext("/");

        var result = map("/");

        assertThat(result.code()).isEqualTo(3);
        assertThat(result.out()).isEmpty();
        assertThat(result.err())
                .contains("warning: " + url("/") + " was not fetched: ")
                .contains("warning: sitemap: " + url("/") + " has no sitemap");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--format=csv | --format: expected text, jsonl or sitemap, not 'csv'",
                "--index=google | --index: expected ct, common-crawl, wayback, not 'google'",
                "--depth=x | --depth: expected a whole number from 0 to 10, not 'x'",
                "--max-urls=0 | --max-urls: expected a whole number from 1, not '0'",
                "--wayback-endpoint=x | wayback-endpoint: 'x' is not an http or https URL",
            })
    void aWrongOptionIsOneSentence(String option, String sentence) {
        var result = map("/", option);

        assertThat(result.code()).isEqualTo(2);
        assertThat(result.err()).contains(sentence);
        assertThat(requests).isEmpty();
    }
}
