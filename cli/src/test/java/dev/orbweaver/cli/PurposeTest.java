package dev.orbweaver.cli;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpServer;

import dev.orbweaver.internal.crawl.Purpose;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.robots.Directive;
import dev.orbweaver.internal.sink.PageLog;
import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.testing.ProjectFiles;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/** A site with every opt-out directive, and the pages that a crawl stores for each purpose. */
class PurposeTest {

    /** The directives of each page, from headers, meta elements or robots.txt. */
    private static final Map<String, String> DIRECTIVES =
            Map.of(
                    "/noindex", "noindex",
                    "/noarchive", "noarchive",
                    "/nosnippet", "nosnippet",
                    "/noai", "noai",
                    "/late", "unavailable",
                    "/nosearch", "search=n",
                    "/noinput", "ai-input=n",
                    "/notrain", "ai-train=n",
                    "/nofollow", "nofollow",
                    "/plain", "");

    private static final String ROBOTS =
            """
            user-agent: *
            content-usage: /notrain train-ai=n
            allow: /
            """;

    @TempDir Path directory;
    private HttpServer server;

    @BeforeEach
    void serve() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
        page("/", links(), Map.of());
        page("/robots.txt", ROBOTS, Map.of());
        page("/noindex", "<meta name=ROBOTS content='NoIndex'><a href=/below>", Map.of());
        page("/noarchive", "", Map.of("X-Robots-Tag", "orbweaver: noarchive, otherbot: none"));
        page("/nosnippet", "<meta name=orbweaver content=nosnippet>", Map.of());
        page("/noai", "", Map.of("X-Robots-Tag", "noai, noimageai"));
        page("/late", "", Map.of("X-Robots-Tag", "unavailable_after: 25 Jun 2010 15:00:00 GMT"));
        page("/nosearch", "", Map.of("Content-Usage", "search=n"));
        page("/noinput", "", Map.of("Content-Signal", "ai-input=no, search=yes"));
        page("/notrain", "", Map.of());
        page("/nofollow", "<a href=/hidden>", Map.of("X-Robots-Tag", "nofollow"));
        page("/hidden", "", Map.of());
        page("/below", "", Map.of());
        page("/rel", "", Map.of());
        page("/plain", "<a rel=ugc href=/rel>", Map.of());
        server.start();
    }

    private static String links() {
        var html = new StringBuilder();
        DIRECTIVES.keySet().forEach(path -> html.append("<a href=").append(path).append("></a>"));
        return html.toString();
    }

    private void page(String path, String html, Map<String, String> fields) {
        server.createContext(
                path,
                exchange -> {
                    var found = exchange.getRequestURI().getPath().equals(path);
                    fields.forEach(exchange.getResponseHeaders()::add);
                    exchange.getResponseHeaders().add("Content-Type", "text/html");
                    var body = html.getBytes(UTF_8);
                    exchange.sendResponseHeaders(found ? 200 : 404, body.length + 1);
                    try (var out = exchange.getResponseBody()) {
                        out.write(body);
                        out.write('\n');
                    }
                });
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    @Test
    void withoutAPurposeEverythingIsKeptAndEveryDirectiveRecorded() throws IOException {
        var log = crawl("none");
        DIRECTIVES.forEach(
                (path, wish) -> {
                    assertThat(of(log, path).kind()).as(path).isEqualTo(Kind.PAGE);
                    assertThat(of(log, path).directives()).as(path).isEqualTo(wish);
                });
        assertThat(log).containsKeys("/below", "/rel").doesNotContainKey("/hidden");
    }

    @ParameterizedTest
    @EnumSource(Purpose.class)
    void aPageIsKeptUnlessItsOwnerForbidsThePurpose(Purpose purpose) throws IOException {
        var log = crawl(purpose.id());
        DIRECTIVES.forEach(
                (path, wish) -> {
                    var forbidden = Directive.parse(wish).stream().anyMatch(purpose::forbiddenBy);
                    var entry = of(log, path);
                    assertThat(entry.kind())
                            .as("%s for %s", path, purpose.id())
                            .isEqualTo(forbidden ? Kind.WITHDRAWN : Kind.PAGE);
                    if (forbidden) {
                        assertThat(entry.cause()).isEqualTo("purpose");
                        assertThat(entry.detail()).isEqualTo(wish + " for " + purpose.id());
                        assertThat(entry.warc()).as("nothing of it is stored").isEmpty();
                        assertThat(entry.directives()).isEqualTo(wish);
                    }
                });
        assertThat(of(log, "/below").kind())
                .as("the links of a page that is not kept lead on")
                .isEqualTo(Kind.PAGE);
        var refused = log.values().stream().filter(it -> it.kind() == Kind.WITHDRAWN).count();
        var status = CommandResult.run("status", directory.resolve(purpose.id()).toString()).out();
        if (refused > 0) {
            assertThat(status).contains("purpose " + refused);
        } else {
            assertThat(status).doesNotContain("purpose");
        }
    }

    @Test
    void nofollowLinksAreNotFollowedWhenSoConfigured() throws IOException {
        assertThat(crawl("rel", "--nofollow", "obey")).doesNotContainKeys("/rel", "/hidden");
        assertThat(CommandResult.run("status", directory.resolve("rel").toString()).out())
                .contains("nofollow 2");
    }

    @Test
    void theDocumentedTableIsTheOneInForce() throws IOException {
        var lines = Files.readAllLines(ProjectFiles.of("docs", "robots.md"));
        var head =
                lines.stream().filter(it -> it.startsWith("| asked |")).findFirst().orElseThrow();
        var columns = cells(head);
        var rows = new TreeMap<String, List<String>>();
        lines.stream().map(PurposeTest::cells).forEach(it -> rows.put(it.getFirst(), it));
        for (var directive : Directive.values()) {
            var row = of(rows, "`" + directive.id() + "`");
            for (var purpose : Purpose.values()) {
                var column = columns.indexOf("`" + purpose.id() + "`");
                if (purpose != Purpose.NONE) {
                    assertThat(row.get(column))
                            .as("%s, %s", directive.id(), purpose.id())
                            .isEqualTo(purpose.forbiddenBy(directive) ? "not kept" : "kept");
                }
            }
        }
    }

    private static <T> T of(Map<String, T> all, String key) {
        return Objects.requireNonNull(all.get(key), key);
    }

    private static List<String> cells(String line) {
        var cells = new ArrayList<String>();
        for (var cell : line.split("\\|", -1)) {
            cells.add(cell.strip());
        }
        return cells.size() > 1 ? cells.subList(1, cells.size()) : cells;
    }

    private Map<String, PageLogEntry> crawl(String purposeOrName, String... more)
            throws IOException {
        var out = directory.resolve(purposeOrName);
        var line =
                new ArrayList<>(
                        List.of(
                                "crawl",
                                "http://127.0.0.1:" + server.getAddress().getPort() + "/",
                                "--delay",
                                "0",
                                "--out",
                                out.toString()));
        if (more.length == 0) {
            line.addAll(List.of("--purpose", purposeOrName));
        }
        line.addAll(List.of(more));
        assertThat(CommandResult.run(line.toArray(String[]::new)).code()).isZero();
        var log = new HashMap<String, PageLogEntry>();
        PageLog.read(
                out.resolve(DirectoryLayout.PAGE_LOG),
                entry -> log.put(entry.url().replaceFirst("http://[^/]*", ""), entry));
        return log;
    }
}
