package dev.orbweaver.cli;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpServer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The end of a crawl with a poor result says why, and what to do. */
class EndNotesTest {

    private static final Map<String, String> PAGES =
            Map.of(
                    "/app",
                    """
                    <title>App</title><script src=/app.js></script>
                    <div id=root></div><noscript>Please enable JavaScript.</noscript>
                    """,
                    "/text",
                    "<title>Text</title><script>1</script><p>"
                            + "Some text of a page. ".repeat(20)
                            + "<a href=/app>app</a>");

    @TempDir Path directory;
    private HttpServer server;

    @BeforeEach
    void serve() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext(
                "/",
                exchange -> {
                    var path = exchange.getRequestURI().getPath();
                    var body = PAGES.getOrDefault(path, "").getBytes(UTF_8);
                    exchange.getResponseHeaders().set("Content-Type", "text/html");
                    if (path.equals("/moved")) {
                        exchange.getResponseHeaders().set("Location", "/none");
                    }
                    exchange.sendResponseHeaders(
                            path.equals("/moved") ? 301 : body.length == 0 ? 404 : 200,
                            body.length == 0 ? -1 : body.length);
                    exchange.getResponseBody().write(body);
                    exchange.close();
                });
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private String url(String host, String path) {
        return "http://" + host + ":" + server.getAddress().getPort() + path;
    }

    private String crawl(int code, List<String> more) {
        var line = new ArrayList<>(List.of("crawl", "--delay=0", "--contact=me@a.test"));
        line.addAll(List.of("--out", directory.resolve("crawl").toString()));
        line.addAll(more);
        var said = CommandResult.run(line.toArray(String[]::new));
        assertThat(said.code()).as(said.err() + said.out()).isEqualTo(code);
        return (said.out() + said.err()).replaceAll(" +│\\n│ +", "\n");
    }

    @Test
    void aPrivateAddressNamesTheOptionThatAllowsIt() {
        var url = url("inside.test", "/text");
        assertThat(crawl(3, List.of(url, "--resolve=inside.test=127.0.0.1")))
                .contains(
                        "No page could be fetched.\n"
                                + url
                                + ": address: 127.0.0.1 is loopback\n"
                                + "Private addresses need --allow-private, link-local ones"
                                + " --allow-addresses.");
    }

    @Test
    void everyErrorResponseIsNamedUpToThree() {
        var seeds =
                List.of("/1", "/2", "/3", "/4", "/5").stream()
                        .map(path -> url("127.0.0.1", path))
                        .toList();
        assertThat(crawl(3, seeds))
                .contains(
                        "No page could be fetched.",
                        "\n" + seeds.getFirst() + ": status 404\n",
                        "\nand 2 more\n");
    }

    @Test
    void aRedirectIsNamedWithItsTarget() {
        assertThat(crawl(3, List.of(url("127.0.0.1", "/moved"))))
                .contains(
                        url("127.0.0.1", "/moved: status 301, redirect to /none\n"),
                        url("127.0.0.1", "/none: status 404\n"));
    }

    @Test
    void theReasonIsPrintedWithQuietToo() {
        var url = url("127.0.0.1", "/none");
        assertThat(crawl(3, List.of(url, "--quiet")))
                .isEqualTo(
                        "orbweaver: No page could be fetched."
                                + System.lineSeparator()
                                + url
                                + ": status 404"
                                + System.lineSeparator());
    }

    @Test
    void aPageThatScriptsFillIsReported() {
        assertThat(crawl(0, List.of(url("127.0.0.1", "/app"))))
                .contains("Complete", "they seem to need JavaScript");
    }

    @Test
    void aPageWithTextAndScriptsIsNotReported() {
        assertThat(crawl(0, List.of(url("127.0.0.1", "/text"), "--max-depth=0")))
                .contains("Complete")
                .doesNotContain("JavaScript");
    }

    @Test
    void linesThatAreNoUrlsAreSkippedWithTheirNumbers() throws IOException {
        var file = directory.resolve("urls.txt");
        Files.writeString(file, "nonsense\n" + url("127.0.0.1", "/text") + "\nhtp:/x\n");
        assertThat(crawl(0, List.of("--allow-private", "--seeds", file.toString())))
                .contains(
                        "warning: " + file + ", line 1: 'nonsense' is not an http or https URL",
                        "warning: " + file + ", line 3: 'htp:/x' is not an http or https URL",
                        "warning: " + file + ": skipped 2 of 3 lines; --strict makes them an error",
                        "Complete");
    }

    @Test
    void statusSuggestsAResumeThatHasSomethingToDo() {
        var archive = directory.resolve("crawl").toString();
        assertThat(crawl(0, List.of(url("127.0.0.1", "/text"), "--max-pages=1")))
                .contains("resume " + archive + " --set max-pages=none");
        var status = CommandResult.run("status", archive).out();
        assertThat(status)
                .contains(
                        "ended (max-pages); to continue: orbweaver resume "
                                + archive
                                + " --set max-pages=none");
        var resumed = CommandResult.run("resume", archive, "--set", "max-pages=2");
        assertThat(resumed.out()).contains("Stopped at the limit").doesNotContain("to continue");
        assertThat(CommandResult.run("status", archive).out())
                .contains("ended (max-pages)\n")
                .doesNotContain("to continue");
    }
}
