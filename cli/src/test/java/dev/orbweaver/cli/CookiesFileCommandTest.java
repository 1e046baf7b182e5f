package dev.orbweaver.cli;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Crawls a site behind a login with {@code --cookies-file}, and searches everything that the crawl
 * leaves for the cookie's value.
 */
@Timeout(120)
@Slow
class CookiesFileCommandTest {

    private static final String COOKIE = "sid=" + SecretsTest.CANARY;

    @TempDir Path directory;

    /** Cookie headers of requests to the other host, empty for none. */
    private final List<String> strayCookies = new CopyOnWriteArrayList<>();

    private HttpServer site;
    private HttpServer elsewhere;

    @BeforeEach
    void start() throws IOException {
        elsewhere = server();
        elsewhere.createContext(
                "/",
                exchange -> {
                    strayCookies.add(cookie(exchange));
                    respond(exchange, 200, "elsewhere");
                });
        site = server();
        site.createContext("/", this::page);
        elsewhere.start();
        site.start();
    }

    @AfterEach
    void stop() {
        site.stop(0);
        elsewhere.stop(0);
    }

    private static HttpServer server() throws IOException {
        return HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
    }

    private void page(HttpExchange exchange) throws IOException {
        var path = exchange.getRequestURI().getPath();
        if (path.equals("/robots.txt")) {
            respond(exchange, 404, "");
        } else if (!cookie(exchange).equals(COOKIE)) {
            respond(exchange, 403, "log in first");
        } else if (path.equals("/away")) {
            exchange.getResponseHeaders().add("Location", elsewhereUrl());
            respond(exchange, 302, "");
        } else {
            respond(
                    exchange,
                    200,
                    path.equals("/")
                            ? "<a href=/b>b</a> <a href=/away>away</a> <a href=%s>x</a>"
                                    .formatted(elsewhereUrl() + "linked")
                            : "the end");
        }
    }

    private static String cookie(HttpExchange exchange) {
        var value = exchange.getRequestHeaders().getFirst("Cookie");
        return value == null ? "" : value;
    }

    private static void respond(HttpExchange exchange, int status, String html) throws IOException {
        var body = html.getBytes(UTF_8);
        exchange.getResponseHeaders().add("Content-Type", "text/html");
        exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
        try (var out = exchange.getResponseBody()) {
            out.write(body);
        }
    }

    private String siteUrl() {
        return "http://127.0.0.1:" + site.getAddress().getPort() + "/";
    }

    /** The same machine by another name, which is another host. */
    private String elsewhereUrl() {
        return "http://localhost:" + elsewhere.getAddress().getPort() + "/";
    }

    private Path cookiesFile() throws IOException {
        var file = directory.resolve("cookies.txt");
        Files.writeString(
                file,
                """
                # Netscape HTTP Cookie File
                #HttpOnly_127.0.0.1\tFALSE\t/\tFALSE\t0\tsid\t%1$s
                127.0.0.1\tFALSE\t/\tTRUE\t0\tsecure\t%1$s
                127.0.0.1\tFALSE\t/\tFALSE\t1\texpired\t%1$s
                """
                        .formatted(SecretsTest.CANARY));
        return file;
    }

    private CommandResult crawl(Path out, String... more) {
        var arguments =
                new ArrayList<>(
                        List.of(
                                "crawl",
                                siteUrl(),
                                "--delay=0",
                                "--scope=any",
                                "--allow-private",
                                "--max-retries=0",
                                "--out=" + out));
        arguments.addAll(List.of(more));
        return CommandResult.run(arguments.toArray(String[]::new));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aSiteBehindALoginIsCrawledAndTheCookieIsNowhereElse(boolean jar) throws Exception {
        var out = directory.resolve("crawl");
        var file = cookiesFile();
        var done =
                crawl(
                        out,
                        "--cookies-file=" + file,
                        jar ? "--cookies" : "--max-depth=5",
                        "--warc-outlinks");
        assertThat(done.code()).as(done.err()).isZero();
        assertThat(done.err()).contains("cookies-file: expired cookies left out: 1");
        assertThat(done.out() + done.err()).doesNotContain(SecretsTest.CANARY);

        var pages = directory.resolve("pages.jsonl");
        var exported =
                CommandResult.run(
                        "export", out.toString(), "--format", "jsonl", "--to", pages.toString());
        assertThat(exported.code()).as(exported.err()).isZero();
        assertThat(Files.readString(pages))
                .contains(siteUrl() + "b", elsewhereUrl(), elsewhereUrl() + "linked")
                .doesNotContain("log in first");
        assertThat(strayCookies).isNotEmpty().containsOnly("");

        assertThat(out.resolve("crawl.yaml")).content().contains(file.toString());
        assertThat(out.resolve("crawl.log")).content().contains("expired cookies left out: 1");
        assertThat(SecretsTest.leakingFiles(out)).isEmpty();
        assertThat(out.resolve(".secrets.yaml")).doesNotExist();
        for (var command :
                List.of(
                        List.of("status", out.toString(), "--json"),
                        List.of("inspect", out.toString(), "--json"),
                        List.of("why", out.toString(), siteUrl() + "b"))) {
            var shown = CommandResult.run(command.toArray(String[]::new));
            assertThat(shown.out() + shown.err())
                    .as(command.getFirst())
                    .doesNotContain(SecretsTest.CANARY);
        }
        for (var format : List.of("wacz", "warc")) {
            var to = directory.resolve("x/x." + (format.equals("warc") ? "warc.gz" : format));
            Files.createDirectories(directory.resolve("x"));
            var made =
                    CommandResult.run(
                            "export", out.toString(), "--format", format, "--to", to.toString());
            assertThat(made.code()).as(made.err()).isZero();
        }
        assertThat(SecretsTest.leakingFiles(directory.resolve("x"))).isEmpty();
    }

    @Test
    void withoutTheFileTheSiteStaysClosed() throws Exception {
        var out = directory.resolve("crawl");
        var done = crawl(out);
        assertThat(done.out() + done.err()).doesNotContain(SecretsTest.CANARY);
        var pages = directory.resolve("pages.jsonl");
        var _ =
                CommandResult.run(
                        "export", out.toString(), "--format", "jsonl", "--to", pages.toString());
        assertThat(Files.readString(pages)).doesNotContain(siteUrl() + "b");
    }

    @Test
    void aResumeReadsTheFileAgainAndSaysWhenItIsMissing() throws Exception {
        var out = directory.resolve("crawl");
        var file = cookiesFile();
        assertThat(crawl(out, "--cookies-file=" + file, "--max-pages=1").code()).isIn(0, 3, 4, 5);
        Files.delete(file);
        var missing = CommandResult.run("resume", out.toString());
        assertThat(missing.code()).isEqualTo(ExitCode.USAGE.code());
        assertThat(missing.err())
                .containsOnlyOnce("could not read " + file + ": there is no such file")
                .contains("set cookies-file to nothing to send no cookies");
        assertThat(CommandResult.run("status", out.toString()).code()).isZero();
        var moved = Files.move(cookiesFile(), directory.resolve("moved.txt"));
        var resumed =
                CommandResult.run(
                        "resume",
                        out.toString(),
                        "--set",
                        "cookies-file=" + moved,
                        "--set",
                        "max-pages=none");
        assertThat(resumed.code()).as(resumed.err()).isZero();
        assertThat(out.resolve("crawl.yaml")).content().contains(moved.toString());
        assertThat(SecretsTest.leakingFiles(out)).isEmpty();
    }

    @Test
    void everyBadLineIsReportedBeforeAnythingIsWritten() throws Exception {
        var file = directory.resolve("bad.txt");
        Files.writeString(file, "127.0.0.1 " + COOKIE + "\nco.uk\tTRUE\t/\tFALSE\t0\tsid\tx\n");
        var out = directory.resolve("none");
        var refused = crawl(out, "--cookies-file=" + file);
        assertThat(refused.code()).isEqualTo(ExitCode.USAGE.code());
        assertThat(refused.err())
                .contains("cookies-file, line 1: 1 fields", "cookies-file, line 2: the domain is")
                .doesNotContain(SecretsTest.CANARY);
        assertThat(out).doesNotExist();
    }

    @Test
    void aFleetDoesNotTakeAFileOfThisMachine() throws Exception {
        var refused =
                CommandResult.run(
                        "crawl",
                        "http://a.test/",
                        "--redis=redis://127.0.0.1:1",
                        "--cookies-file=" + cookiesFile());
        assertThat(refused.code()).isEqualTo(ExitCode.USAGE.code());
        assertThat(refused.err()).contains("--cookies-file names a file");
    }
}
