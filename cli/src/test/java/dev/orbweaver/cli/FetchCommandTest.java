package dev.orbweaver.cli;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

import dev.orbweaver.testing.Eventually;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** {@code orbweaver fetch}: one page to standard output. */
@Slow
class FetchCommandTest {

    private static final String PAGE =
            """
            <html lang=en><title>Home</title><meta name=description content="A home.">
            <link rel=canonical href=/home><main><h1>Home</h1>
            <p>Größe <b>counts</b>. <a href=/a>A</a> <a href="/a#x">A again</a>
            <a rel=nofollow href=https://b.example/>B</a></main>
            """;

    @TempDir Path directory;
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final CountDownLatch slow = new CountDownLatch(1);
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
        slow.countDown();
        server.stop(0);
    }

    private void respond(HttpExchange exchange) throws IOException {
        var path = exchange.getRequestURI().getPath();
        requests.add(path);
        var headers = exchange.getResponseHeaders();
        headers.add("Content-Type", path.equals("/paper") ? "application/pdf" : "text/html");
        var status = 200;
        switch (path) {
            case "/moved" -> {
                status = 302;
                headers.add("Location", "/");
            }
            case "/to-secret" -> {
                status = 302;
                headers.add("Location", "/secret");
            }
            case "/to-private" -> {
                status = 302;
                headers.add("Location", "http://10.0.0.1/");
            }
            case "/circle" -> {
                status = 302;
                headers.add("Location", "/circle2");
            }
            case "/circle2" -> {
                status = 302;
                headers.add("Location", "/circle");
            }
            case "/broken" -> status = 500;
            case "/", "/robots.txt", "/paper", "/secret", "/slow" -> {}
            default -> status = 404;
        }
        var body =
                switch (path) {
                    case "/robots.txt" -> "User-agent: *\nDisallow: /secret\n";
                    case "/paper" -> "%PDF";
                    default -> PAGE;
                };
        try (exchange) {
            if (path.equals("/slow")) {
                var _ = slow.await(60, TimeUnit.SECONDS);
            }
            var bytes = body.getBytes(UTF_8);
            exchange.sendResponseHeaders(status, bytes.length);
            exchange.getResponseBody().write(bytes);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private String url(String path) {
        return "http://127.0.0.1:" + server.getAddress().getPort() + path;
    }

    private CommandResult fetch(String path, String... options) {
        var line = new ArrayList<>(List.of("fetch", url(path), "--delay=0", "--contact=a@b.test"));
        line.addAll(List.of(options));
        return CommandResult.run(line.toArray(String[]::new));
    }

    private String output(CommandResult said) {
        assertThat(said.code()).as(said.err()).isZero();
        assertThat(said.err()).isEmpty();
        return said.out().replace(url(""), "http://a.test");
    }

    @Test
    void everyFormIsPrintedAlone() {
        assertThat(output(fetch("/")))
                .isEqualTo(
                        "# Home\n\nGröße **counts**. [A](http://a.test/a) [A"
                                + " again](http://a.test/a#x) [B](https://b.example/)\n");
        assertThat(output(fetch("/", "--as=html"))).isEqualTo(PAGE);
        assertThat(output(fetch("/", "--as=text")))
                .isEqualTo("Home\n\nGröße counts. A A again B\n");
        assertThat(output(fetch("/", "--as=links")))
                .isEqualTo("http://a.test/home\nhttp://a.test/a\nhttps://b.example/\n");
    }

    @Test
    void onePageIsRequestedAfterRobotsTxtAndRedirectsAreFollowed() {
        var json = JsonMapper.shared().readTree(output(fetch("/moved", "--as=json")));
        assertThat(requests).containsExactly("/robots.txt", "/moved", "/");
        assertThat(json.path("url").asString()).isEqualTo("http://a.test/");
        assertThat(json.path("status").asInt()).isEqualTo(200);
        assertThat(json.path("title").asString()).isEqualTo("Home");
        assertThat(json.path("description").asString()).isEqualTo("A home.");
        assertThat(json.path("language").asString()).isEqualTo("en");
        assertThat(json.path("canonical").asString()).isEqualTo("http://a.test/home");
        assertThat(json.path("truncated").asBoolean(true)).isFalse();
        assertThat(json.path("redirects").path(0).path("url").asString())
                .isEqualTo("http://a.test/moved");
        assertThat(json.path("redirects").path(0).path("status").asInt()).isEqualTo(302);
        assertThat(json.path("links"))
                .anySatisfy(
                        link -> {
                            assertThat(link.path("url").asString()).isEqualTo("https://b.example/");
                            assertThat(link.path("nofollow").asBoolean()).isTrue();
                            assertThat(link.path("text").asString()).isEqualTo("B");
                        });
        assertThat(json.has("warc")).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/none | /none was not fetched: the server responded with status 404",
                "/broken | /broken was not fetched: server-error: status 500",
                "/secret | /secret was not fetched: robots: ",
                "/to-secret | /secret was not fetched: robots: ",
                "/to-private | 10.0.0.1 is private; use --allow-private if it may be requested",
                "/circle | /circle was not fetched: it redirects to itself, through 2 URLs",
                "/paper | has the media type application/pdf; --as markdown needs an HTML page"
            })
    void withoutAPageTheReasonIsOneSentence(String path, String sentence) {
        var said = fetch(path);
        assertThat(said.code()).as(said.err()).isEqualTo(3);
        assertThat(said.out()).isEmpty();
        assertThat(said.err()).startsWith("orbweaver: ").contains(sentence);
        assertThat(said.err().lines()).hasSize(1);
        assertThat(requests).doesNotContain("/secret");
    }

    @Test
    void aServerThatDoesNotListenIsReportedAtOnce() {
        server.stop(0);
        var said = fetch("/");
        assertThat(said.code()).isEqualTo(3);
        assertThat(said.err()).contains(" was not fetched: ");
        assertThat(said.err().lines()).hasSize(1);
    }

    @Test
    void anyTypeHasARecord() {
        var json = JsonMapper.shared().readTree(output(fetch("/paper", "--as=json")));
        assertThat(json.path("type").asString()).isEqualTo("application/pdf");
        assertThat(json.path("bytes").asInt()).isEqualTo(4);
        assertThat(json.has("links")).isFalse();
    }

    @Test
    void aBodyOverTheLimitIsCutWithAWarning() {
        var said = fetch("/", "--as=html", "--max-body=40");
        assertThat(said.code()).as(said.err()).isZero();
        assertThat(said.out()).isEqualTo(PAGE.substring(0, 40));
        assertThat(said.err()).contains("warning: ").contains("larger than --max-body");
    }

    @Test
    void aWrongFormIsAUsageError() {
        var said = fetch("/", "--as=xml");
        assertThat(said.code()).isEqualTo(2);
        assertThat(said.err())
                .isEqualTo(
                        "orbweaver: --as: expected markdown, html, text, links or json, not"
                                + " 'xml'\n");
        assertThat(requests).isEmpty();
    }

    @Test
    void noDirectoryIsLeftBehind() throws Exception {
        var temporary = Files.createDirectory(directory.resolve("tmp"));
        var said = CommandResult.process(directory, command(temporary, "/"));
        assertThat(said.code()).as(said.err()).isZero();
        assertThat(temporary).isEmptyDirectory();
    }

    @Test
    void noDirectoryIsLeftBehindAfterCtrlC() throws Exception {
        var temporary = Files.createDirectory(directory.resolve("tmp"));
        var command = new ArrayList<>(List.of("env", "--default-signal=INT"));
        command.addAll(command(temporary, "/slow"));
        var process =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(directory.resolve("out.txt").toFile())
                        .start();
        try {
            Eventually.until("the page is requested", () -> requests.contains("/slow"));
            assertThat(temporary).isNotEmptyDirectory();
            var kill = new ProcessBuilder("kill", "-INT", Long.toString(process.pid())).start();
            assertThat(kill.waitFor()).isZero();
            assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isEqualTo(130);
            assertThat(temporary).isEmptyDirectory();
        } finally {
            process.destroyForcibly();
        }
    }

    private List<String> command(Path temporary, String path) {
        var command = new ArrayList<>(CommandResult.java());
        command.add(1, "-Djava.io.tmpdir=" + temporary);
        command.addAll(List.of("fetch", url(path), "--delay=0", "--contact=a@b.test"));
        return command;
    }
}
