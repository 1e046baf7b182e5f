package dev.orbweaver.e2e.hostile;

import static dev.orbweaver.e2e.hostile.CostLimits.DEFAULT;
import static dev.orbweaver.e2e.hostile.HostileHost.hostile;
import static dev.orbweaver.e2e.hostile.RawResponses.MISSING;
import static dev.orbweaver.e2e.hostile.RawResponses.html;
import static dev.orbweaver.e2e.hostile.RawResponses.raw;
import static dev.orbweaver.e2e.hostile.RawResponses.site;

import dev.orbweaver.internal.fetch.TestServer.ClientConnection;

import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Servers that are slow, endless, wrong about lengths, or only fail. */
final class HostileResponses {

    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n";
    private static final Duration DRIP = Duration.ofMillis(200);
    private static final int COOKIE_HEAD_MAX = 16 << 10;

    /** When a host is due, as inspect prints it. */
    private static final Pattern DUE = Pattern.compile("in (\\d+) (s|min|h|d)\\b");

    private static final long DAY_SECONDS = 24 * 3_600;

    private HostileResponses() {}

    static List<HostileHost> all() {
        return List.of(
                hostile(
                                "slow-response",
                                "a body of a byte every 200 ms",
                                _ -> raw(HostileResponses::drip))
                        .expect("failed", "timeout"),
                hostile(
                                "slow-headers",
                                "a header field every 200 ms",
                                _ -> raw(HostileResponses::slowHead))
                        .expect("failed", "timeout"),
                hostile(
                                "slow-reader",
                                "reads a byte of the request every 200 ms",
                                _ -> HostileResponses::sip)
                        .within(DEFAULT.requests(0))
                        .expect(HostileResponses::unanswered),
                hostile("silent", "accepts and says nothing", _ -> ClientConnection::waitForClose)
                        .within(DEFAULT.requests(0))
                        .expect(HostileResponses::unanswered),
                hostile(
                                "endless-headers",
                                "header fields without an end",
                                _ -> raw(HostileResponses::endlessHead))
                        .expect("failed", "limit"),
                hostile(
                                "endless-continue",
                                "100 Continue without an end",
                                _ -> raw(HostileResponses::endlessContinue))
                        .within(DEFAULT.cpu(6_000))
                        .expect(HostileResponses::failed),
                hostile(
                                "endless-body",
                                "a body without an end",
                                _ -> raw(HostileResponses::endlessBody))
                        .with("--max-body", "2MB")
                        .expectPage("/"),
                hostile(
                                "tiny-chunks",
                                "chunks of one byte with long extensions, without an end",
                                _ -> raw(HostileResponses::tinyChunks))
                        .within(DEFAULT.cpu(8_000))
                        .expect(HostileResponses::settled),
                hostile(
                                "endless-redirects",
                                "every URL redirects to a new one",
                                _ -> site(HostileResponses::redirect))
                        .within(DEFAULT.requests(16))
                        .expect("failed", "redirect-loop"),
                hostile(
                                "length-short",
                                "more bytes than Content-Length",
                                _ -> site((path, _) -> shortLength(path)))
                        .expectPage("/"),
                hostile(
                                "length-long",
                                "fewer bytes than Content-Length",
                                _ -> raw(HostileResponses::longLength))
                        .expect(HostileResponses::settled),
                hostile(
                                "length-and-chunked",
                                "Content-Length and Transfer-Encoding that disagree",
                                _ -> raw(HostileResponses::bothLengths))
                        .expect(HostileResponses::settled),
                hostile(
                                "smuggled",
                                "a second response behind the one that was asked for",
                                _ -> site(HostileResponses::smuggled))
                        .at("/", "/victim")
                        .expect(HostileResponses::notSmuggled),
                hostile(
                                "cookie-flood",
                                "400 cookies with every page",
                                _ -> site(HostileResponses::cookies))
                        .with("--cookies")
                        .within(DEFAULT.requests(90))
                        .expect(HostileResponses::smallRequests),
                hostile(
                                "retry-after-seconds",
                                "503 with Retry-After: 3153600000",
                                _ -> site((path, _) -> quiet(path, "3153600000")))
                        .then("inspect DIR", "status DIR")
                        .expect(HostileResponses::dueWithinADay),
                hostile(
                                "retry-after-date",
                                "429 with a date a hundred years from now",
                                _ ->
                                        site(
                                                (path, _) ->
                                                        quiet(
                                                                path,
                                                                "Fri, 01 Feb 2126 00:00:00 GMT")))
                        .then("inspect DIR", "status DIR")
                        .expect(HostileResponses::dueWithinADay),
                hostile(
                                "errors-500",
                                "a front page with 100 links that are all 500",
                                _ -> site(HostileResponses::broken))
                        .stop()
                        .within(DEFAULT.requests(14)),
                hostile(
                                "reset",
                                "closes every connection with a reset",
                                _ -> ClientConnection::reset)
                        .within(DEFAULT.requests(0))
                        .expect(HostileResponses::unanswered),
                hostile(
                                "garbage",
                                "random bytes instead of HTTP",
                                random ->
                                        raw(
                                                (clientConnection, _) -> {
                                                    var bytes = new byte[1 << 16];
                                                    random.nextBytes(bytes);
                                                    clientConnection.send(bytes);
                                                }))
                        .expect(HostileResponses::failed));
    }

    private static void drip(ClientConnection clientConnection, String path)
            throws IOException, InterruptedException {
        clientConnection.send(OK + "Content-Length: 1000000\r\n\r\n");
        while (true) {
            clientConnection.send("x");
            Thread.sleep(DRIP);
        }
    }

    private static void slowHead(ClientConnection clientConnection, String path)
            throws IOException, InterruptedException {
        clientConnection.send(OK);
        for (var i = 0; ; i++) {
            clientConnection.send("X-" + i + ": y\r\n");
            Thread.sleep(DRIP);
        }
    }

    private static void sip(ClientConnection clientConnection)
            throws IOException, InterruptedException {
        Socket socket = clientConnection.socket();
        socket.setReceiveBufferSize(1);
        while (socket.getInputStream().read() >= 0) {
            Thread.sleep(DRIP);
        }
    }

    private static void endlessHead(ClientConnection clientConnection, String path)
            throws IOException {
        clientConnection.send(OK);
        for (var i = 0; ; i++) {
            clientConnection.send(("X-Field-" + i + ": " + "v".repeat(900) + "\r\n").repeat(16));
        }
    }

    private static void endlessContinue(ClientConnection clientConnection, String path)
            throws IOException {
        while (true) {
            clientConnection.send("HTTP/1.1 100 Continue\r\n\r\n".repeat(100));
        }
    }

    private static void endlessBody(ClientConnection clientConnection, String path)
            throws IOException {
        clientConnection.send(OK + "\r\n<title>Endless</title>");
        while (true) {
            clientConnection.send("<p>more and more".repeat(1_000));
        }
    }

    private static void tinyChunks(ClientConnection clientConnection, String path)
            throws IOException {
        clientConnection.send(OK + "Transfer-Encoding: chunked\r\n\r\n");
        while (true) {
            clientConnection.send(("1;" + "e".repeat(60) + "\r\nx\r\n").repeat(500));
        }
    }

    private static byte[] redirect(String path, String host) {
        if (path.equals("/robots.txt")) {
            return MISSING;
        }
        var next = path.equals("/") ? 1 : 1 + Integer.parseInt(path.substring(2));
        return RawResponses.of(
                "302 Found", "text/html", "Location: /r" + next + "\r\n", new byte[0]);
    }

    private static byte[] shortLength(String path) {
        return path.equals("/robots.txt")
                ? MISSING
                : (OK + "Content-Length: 20\r\n\r\n<title>Short</title>" + "rest ".repeat(2_000))
                        .getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    }

    private static void longLength(ClientConnection clientConnection, String path)
            throws IOException {
        clientConnection.send(OK + "Content-Length: 100000\r\n\r\n<title>Long</title>");
    }

    private static void bothLengths(ClientConnection clientConnection, String path)
            throws IOException {
        clientConnection.send(
                OK
                        + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"
                        + "16\r\n<title>Chunked</title>\r\n0\r\n\r\n");
    }

    private static byte[] smuggled(String path, String host) {
        if (path.equals("/robots.txt")) {
            return MISSING;
        }
        if (path.equals("/victim")) {
            return html("<title>genuine</title>");
        }
        var first = html("<title>first</title>");
        var second = html("<title>smuggled</title>");
        var both = java.util.Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }

    private static Optional<String> notSmuggled(HostileOutcome hostileOutcome) {
        var titles =
                hostileOutcome.lines().stream()
                        .filter(HostileOutcome.page("/victim"))
                        .map(line -> line.path("title").asString(""))
                        .toList();
        return titles.equals(List.of("genuine"))
                ? Optional.empty()
                : Optional.of("/victim is stored as " + titles);
    }

    private static byte[] cookies(String path, String host) {
        if (path.equals("/robots.txt")) {
            return MISSING;
        }
        var page = path.equals("/") ? 0 : Integer.parseInt(path.substring(2));
        var fields = new StringBuilder();
        for (var i = 0; i < 400; i++) {
            fields.append("Set-Cookie: c%d-%d=%s; Path=/\r\n".formatted(page, i, "v".repeat(100)));
        }
        var text = new StringBuilder("<title>Cookies " + page + "</title>");
        text.append(HostileDocuments.words(new java.util.Random(page), 40));
        if (page < 80) {
            text.append("<a href=/p").append(page + 1).append(">next</a>");
        }
        return RawResponses.of(
                "200 OK",
                "text/html",
                fields.toString(),
                text.toString().getBytes(java.nio.charset.StandardCharsets.US_ASCII));
    }

    private static Optional<String> smallRequests(HostileOutcome hostileOutcome) {
        var longest = hostileOutcome.requests().stream().mapToInt(String::length).max().orElse(0);
        if (hostileOutcome.requests().stream().noneMatch(head -> head.contains("ookie: "))) {
            return Optional.of("no cookie was sent back");
        }
        return longest <= COOKIE_HEAD_MAX
                ? Optional.empty()
                : Optional.of("a request head of " + longest + " bytes");
    }

    private static byte[] quiet(String path, String retryAfter) {
        return path.equals("/robots.txt")
                ? MISSING
                : RawResponses.of(
                        retryAfter.contains("GMT") ? "429 Too Many Requests" : "503 Unavailable",
                        "text/plain",
                        "Retry-After: " + retryAfter + "\r\n",
                        new byte[0]);
    }

    private static Optional<String> dueWithinADay(HostileOutcome hostileOutcome) {
        var longest =
                DUE.matcher(hostileOutcome.output())
                        .results()
                        .mapToLong(
                                due ->
                                        Long.parseLong(due.group(1))
                                                * switch (due.group(2)) {
                                                    case "s" -> 1;
                                                    case "min" -> 60;
                                                    case "h" -> 3_600;
                                                    default -> DAY_SECONDS;
                                                })
                        .max();
        if (longest.isEmpty()) {
            return Optional.of("inspect does not say when the host is due");
        }
        return longest.getAsLong() <= DAY_SECONDS
                ? Optional.empty()
                : Optional.of("the host rests for " + longest.getAsLong() / DAY_SECONDS + " days");
    }

    private static byte[] broken(String path, String host) {
        if (path.equals("/robots.txt")) {
            return MISSING;
        }
        if (!path.equals("/")) {
            return RawResponses.of("500 Broken", "text/plain", "", new byte[0]);
        }
        var text = new StringBuilder("<title>Front</title>");
        for (var i = 0; i < 100; i++) {
            text.append("<a href=/e").append(i).append(">e</a>");
        }
        return html(text.toString());
    }

    private static Optional<String> settled(HostileOutcome hostileOutcome) {
        return hostileOutcome.count(line -> line.path("url").asString("").endsWith("/")) > 0
                ? Optional.empty()
                : Optional.of("no line for the front page");
    }

    private static Optional<String> failed(HostileOutcome hostileOutcome) {
        return hostileOutcome.count(line -> line.path("kind").asString("").equals("failed")) > 0
                ? Optional.empty()
                : Optional.of("not given up");
    }

    /** Without its robots.txt a host is not crawled: it rests, or its URL was given up. */
    private static Optional<String> unanswered(HostileOutcome hostileOutcome) {
        return hostileOutcome.count(line -> line.path("kind").asString("").equals("page")) == 0
                ? Optional.empty()
                : Optional.of("a page was stored");
    }
}
