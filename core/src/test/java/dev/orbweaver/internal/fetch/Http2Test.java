package dev.orbweaver.internal.fetch;

import static dev.orbweaver.internal.fetch.Http2Server.END_STREAM;
import static dev.orbweaver.internal.fetch.Http2Server.HEADERS;
import static dev.orbweaver.internal.fetch.Http2Server.MAX_CONCURRENT_STREAMS;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.orbweaver.model.Exchange;
import dev.orbweaver.model.Exchange.HttpVersion;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.FetchResult;
import dev.orbweaver.model.FetchResult.Failed;
import dev.orbweaver.model.FetchResult.Fetched;
import dev.orbweaver.model.FetchResult.NoResponse;
import dev.orbweaver.model.FetchResult.Refused;
import dev.orbweaver.testing.Eventually;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

import javax.net.ssl.SSLContext;

/** HTTP/2 over real sockets and TLS. */
@Timeout(60)
class Http2Test {

    private static final int REFUSED_STREAM = 7;
    private static final int INTERNAL_ERROR = 2;
    private static final int HTTP_1_1_REQUIRED = 13;
    private static final String HELLO = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nhttp";

    @TempDir static Path keys;
    private static SSLContext tls;

    @TempDir Path temporary;

    @BeforeAll
    static void makeACertificate() throws Exception {
        tls = SelfSigned.context(keys);
    }

    private NettyFetcher fetcher() {
        return TestFetcher.in(temporary).trustingAll().withHttp2().open();
    }

    private static FetchResult fetch(NettyFetcher fetcher, Http2Server server, String path) {
        return fetcher.fetch(
                TestFetcher.url("https://site.example:" + server.port() + path),
                InetAddress.getLoopbackAddress());
    }

    private static Exchange fetched(NettyFetcher fetcher, Http2Server server, String path) {
        var result = fetch(fetcher, server, path);
        assertThat(result).isInstanceOf(Fetched.class);
        return ((Fetched) result).exchange();
    }

    private static String body(Exchange exchange) throws Exception {
        return ResponseReads.text(exchange.body());
    }

    /** Serves HTTP/2, and HTTP/1.1 to clients that do not offer HTTP/2. */
    private static Http2Server both(Http2Server.Handler handler) throws Exception {
        return Http2Server.start(
                tls, List.of("h2", "http/1.1"), handler, v -> v.respondToAll(HELLO));
    }

    private static void fetchesOverHttp1(NettyFetcher fetcher, Http2Server server)
            throws Exception {
        var exchange = fetched(fetcher, server, "/again");
        assertThat(exchange.httpVersion()).isEqualTo(HttpVersion.HTTP_1);
        assertThat(body(exchange)).isEqualTo("http");
    }

    @Test
    void allRequestsToAServerShareAConnection() throws Exception {
        try (var server =
                        Http2Server.start(
                                tls,
                                v -> {
                                    v.start();
                                    v.respondToAll("hello");
                                });
                var fetcher = fetcher()) {
            for (var i = 0; i < 5; i++) {
                var exchange = fetched(fetcher, server, "/" + i);
                assertThat(body(exchange)).isEqualTo("hello");
                assertThat(exchange.httpVersion()).isEqualTo(HttpVersion.HTTP_2);
            }
            assertThat(server.connections()).isEqualTo(1);
            assertThat(fetcher.stats().requests()).isEqualTo(5);
            assertThat(fetcher.stats().openConnections()).isEqualTo(1);
        }
    }

    @Test
    void theRequestHasExactlyTheseFields() throws Exception {
        try (var server =
                        Http2Server.start(
                                tls,
                                v -> {
                                    v.start();
                                    v.respondToAll("hello");
                                });
                var fetcher = fetcher()) {
            var exchange = fetched(fetcher, server, "/a%20b?q=1&r");
            var fields = new ArrayList<String>();
            server.requests()
                    .getFirst()
                    .headers()
                    .forEach(field -> fields.add(field.getKey() + "=" + field.getValue()));
            assertThat(fields)
                    .containsExactlyInAnyOrder(
                            ":method=GET",
                            ":scheme=https",
                            ":authority=site.example:" + server.port(),
                            ":path=/a%20b?q=1&r",
                            "user-agent=Test/1.0 (+mailto:test@example.org)",
                            "accept=text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
                            "accept-encoding=gzip, deflate, br, zstd");
            assertThat(new String(exchange.requestHead(), ISO_8859_1))
                    .startsWith("GET /a%20b?q=1&r HTTP/1.1\r\nHost: site.example:");
        }
    }

    @Test
    void theResponseHeadIsWrittenAsInHttp11() throws Exception {
        try (var server =
                        Http2Server.start(
                                tls,
                                v -> {
                                    v.start();
                                    var stream = v.nextRequest().stream();
                                    v.headers(stream, 0, "103", "link", "</a>");
                                    v.headers(stream, 0, "200", "content-type", "text/html");
                                    v.data(stream, 0, "hel");
                                    v.data(stream, 0, "lo");
                                    v.frame(
                                            HEADERS,
                                            END_STREAM | Http2Server.END_HEADERS,
                                            stream,
                                            Http2Server.trailer("x-checksum", "1"));
                                    v.waitForClose();
                                });
                var fetcher = fetcher()) {
            var exchange = fetched(fetcher, server, "/");
            assertThat(new String(exchange.head().raw(), ISO_8859_1))
                    .isEqualTo("HTTP/1.1 200 \r\ncontent-type: text/html\r\n\r\n");
            assertThat(exchange.head().mediaType()).isEqualTo("text/html");
            assertThat(body(exchange)).isEqualTo("hello");
        }
    }

    @Test
    void aServerThatSelectsHttp11IsReadAsBefore() throws Exception {
        var http2 = new AtomicInteger();
        try (var server =
                        Http2Server.start(
                                tls,
                                List.of("http/1.1"),
                                v -> http2.incrementAndGet(),
                                v -> v.respondToAll(HELLO));
                var fetcher = fetcher()) {
            for (var i = 0; i < 3; i++) {
                fetchesOverHttp1(fetcher, server);
            }
            assertThat(server.connections()).isEqualTo(1);
            assertThat(http2).hasValue(0);
        }
    }

    @Test
    void withoutTheSettingHttp2IsNotOffered() throws Exception {
        try (var server = both(Http2Server.Http2Client::start);
                var fetcher = TestFetcher.in(temporary).trustingAll().open()) {
            fetchesOverHttp1(fetcher, server);
        }
    }

    @Test
    void requestsAtTheSameTimeShareTheConnectionUpToTheLimitOfTheServer() throws Exception {
        var count = 9;
        try (var server =
                        Http2Server.start(
                                tls,
                                v -> {
                                    v.start(MAX_CONCURRENT_STREAMS, 3);
                                    var waiting = new ArrayList<Http2Server.Request>();
                                    for (var i = 0; i < count; i++) {
                                        waiting.add(v.nextRequest());
                                        if (waiting.size() == 3) {
                                            // Nine requests never arrive if fewer are in flight,
                                            // and the client fails those beyond the limit.
                                            for (var each : waiting.reversed()) {
                                                v.respond(each.stream(), "200", each.path());
                                            }
                                            waiting.clear();
                                        }
                                    }
                                    v.waitForClose();
                                });
                var fetcher = fetcher();
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var calls = new ArrayList<Callable<String>>();
            for (var i = 0; i < count; i++) {
                var path = "/" + i;
                calls.add(() -> path + "=" + body(fetched(fetcher, server, path)));
            }
            for (var each : threads.invokeAll(calls)) {
                var pair = each.get().split("=", -1);
                assertThat(pair[0]).isEqualTo(pair[1]);
            }
            assertThat(server.connections()).isEqualTo(1);
        }
    }

    @Test
    void whatAGoawayLeavesOutIsNotCountedAndTheNextRequestUsesANewConnection() throws Exception {
        try (var server =
                        Http2Server.start(
                                tls,
                                v -> {
                                    v.start();
                                    v.respond(v.nextRequest().stream(), "200", "first");
                                    if (v.number() == 1) {
                                        var second = v.nextRequest().stream();
                                        var third = v.nextRequest().stream();
                                        assertThat(third).isGreaterThan(second);
                                        v.goAway(second, 0);
                                        v.respond(second, "200", "second");
                                    }
                                    v.waitForClose();
                                });
                var fetcher = fetcher();
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            assertThat(body(fetched(fetcher, server, "/1"))).isEqualTo("first");
            Callable<FetchResult> call = () -> fetch(fetcher, server, "/x");
            var results = new ArrayList<Object>();
            for (var each : threads.invokeAll(List.of(call, call))) {
                results.add(each.get().getClass());
            }
            assertThat(results).containsExactlyInAnyOrder(Fetched.class, NoResponse.class);
            Eventually.until("it is closed", () -> fetcher.stats().openConnections() == 0);
            assertThat(body(fetched(fetcher, server, "/4"))).isEqualTo("first");
            assertThat(server.connections()).isEqualTo(2);
        }
    }

    @Test
    void aRefusedStreamIsNotCountedAndTheNextRequestUsesANewConnection() throws Exception {
        try (var server =
                        Http2Server.start(
                                tls,
                                v -> {
                                    v.start();
                                    v.respond(v.nextRequest().stream(), "200", "hello");
                                    v.reset(v.nextRequest().stream(), REFUSED_STREAM);
                                    v.waitForClose();
                                });
                var fetcher = fetcher()) {
            for (var round = 1; round <= 2; round++) {
                assertThat(body(fetched(fetcher, server, "/"))).isEqualTo("hello");
                assertThat(fetch(fetcher, server, "/refused")).isInstanceOf(NoResponse.class);
                assertThat(server.connections()).isEqualTo(round);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {REFUSED_STREAM, HTTP_1_1_REQUIRED})
    void aServerThatRefusesItsFirstStreamIsRequestedOverHttp11(int error) throws Exception {
        try (var server =
                        both(
                                v -> {
                                    v.start();
                                    v.reset(v.nextRequest().stream(), error);
                                    v.waitForClose();
                                });
                var fetcher = fetcher()) {
            assertThat(fetch(fetcher, server, "/")).isInstanceOf(NoResponse.class);
            fetchesOverHttp1(fetcher, server);
        }
    }

    @Test
    void aConnectionThatClosesBeforeAnyResponseIsFollowedByHttp11() throws Exception {
        try (var server =
                        both(
                                v -> {
                                    v.start();
                                    var _ = v.nextRequest();
                                });
                var fetcher = fetcher()) {
            assertThat(fetch(fetcher, server, "/")).isInstanceOf(NoResponse.class);
            fetchesOverHttp1(fetcher, server);
        }
    }

    @Test
    void aServerThatPermitsNoStreamsIsRequestedOverHttp11() throws Exception {
        try (var server =
                        both(
                                v -> {
                                    v.start(MAX_CONCURRENT_STREAMS, 0);
                                    v.reset(v.nextRequest().stream(), REFUSED_STREAM);
                                    v.waitForClose();
                                });
                var fetcher = fetcher()) {
            assertThat(fetch(fetcher, server, "/")).isInstanceOf(NoResponse.class);
            fetchesOverHttp1(fetcher, server);
        }
    }

    @Test
    void aServerThatSelectsHttp2ButSpeaksHttp11FailsOnce() throws Exception {
        try (var server =
                        both(
                                v -> {
                                    v.connection().send(HELLO);
                                    v.waitForClose();
                                });
                var fetcher = fetcher()) {
            var failed = (Failed) fetch(fetcher, server, "/");
            assertThat(failed.cause()).isEqualTo(FailureCause.DISCONNECT);
            assertThat(failed.detail()).contains("HTTP/2");
            fetchesOverHttp1(fetcher, server);
        }
    }

    @Test
    void aBrokenConnectionFailsAllItsStreamsWithACause() throws Exception {
        try (var server =
                        Http2Server.start(
                                tls,
                                v -> {
                                    v.start();
                                    for (var i = 0; i < 3; i++) {
                                        var stream = v.nextRequest().stream();
                                        v.headers(stream, 0, "200", "content-length", "9");
                                        v.data(stream, 0, "half");
                                    }
                                });
                var fetcher = fetcher();
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Callable<FetchResult> call = () -> fetch(fetcher, server, "/");
            for (var each : threads.invokeAll(List.of(call, call, call))) {
                var failed = (Failed) each.get();
                assertThat(failed.cause()).isEqualTo(FailureCause.DISCONNECT);
                assertThat(failed.detail()).contains("closed within the response");
            }
        }
    }

    @Test
    void aResetWithinAResponseIsAFailureWithItsError() throws Exception {
        try (var server =
                        Http2Server.start(
                                tls,
                                v -> {
                                    v.start();
                                    var stream = v.nextRequest().stream();
                                    v.headers(stream, 0, "200");
                                    v.data(stream, 0, "half");
                                    v.reset(stream, INTERNAL_ERROR);
                                    v.waitForClose();
                                });
                var fetcher = fetcher()) {
            var failed = (Failed) fetch(fetcher, server, "/");
            assertThat(failed.cause()).isEqualTo(FailureCause.DISCONNECT);
            assertThat(failed.detail()).contains("INTERNAL_ERROR");
        }
    }

    @ParameterizedTest
    @CsvSource({"9, disconnect", "3, disconnect", "0, disconnect"})
    void aBodyThatDiffersFromItsLengthIsAFailure(int length, String cause) throws Exception {
        try (var server =
                        Http2Server.start(
                                tls,
                                v -> {
                                    v.start();
                                    var declared = Integer.toString(length);
                                    v.respond(
                                            v.nextRequest().stream(),
                                            "200",
                                            "hello",
                                            "content-length",
                                            declared);
                                    v.waitForClose();
                                });
                var fetcher = fetcher()) {
            var failed = (Failed) fetch(fetcher, server, "/");
            assertThat(failed.cause().id()).isEqualTo(cause);
            assertThat(failed.detail()).contains("HTTP/2").contains("content-length");
        }
    }

    @Test
    void aMissingBodyIsAFailure() throws Exception {
        try (var server =
                        Http2Server.start(
                                tls,
                                v -> {
                                    v.start();
                                    var stream = v.nextRequest().stream();
                                    v.respond(stream, "200", "", "content-length", "5");
                                    v.waitForClose();
                                });
                var fetcher = fetcher()) {
            var failed = (Failed) fetch(fetcher, server, "/");
            assertThat(failed.cause()).isEqualTo(FailureCause.DISCONNECT);
            assertThat(failed.detail()).contains("ended within the response body");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "200, connection, close",
        "200, transfer-encoding, chunked",
        "200, Upper-Case, x",
        "200, 'a b', x",
        "200, :path, /",
        "20, a, b",
        "101, a, b",
        "abc, a, b",
    })
    void aHeadThatHttp2ForbidsIsMalformed(String status, String name, String value)
            throws Exception {
        try (var server =
                        Http2Server.start(
                                tls,
                                v -> {
                                    v.start();
                                    v.respond(v.nextRequest().stream(), status, "x", name, value);
                                    v.waitForClose();
                                });
                var fetcher = fetcher()) {
            var failed = (Failed) fetch(fetcher, server, "/");
            assertThat(failed.cause()).isEqualTo(FailureCause.MALFORMED);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\r\nset-cookie: x=y", "a\nb", "a\u0000b"})
    void aValueThatWouldAddALineToTheArchiveIsMalformed(String value) throws Exception {
        try (var server =
                        Http2Server.start(
                                tls,
                                v -> {
                                    v.start();
                                    v.respond(v.nextRequest().stream(), "200", "x", "a", value);
                                    v.waitForClose();
                                });
                var fetcher = fetcher()) {
            var failed = (Failed) fetch(fetcher, server, "/");
            assertThat(failed.cause()).isEqualTo(FailureCause.MALFORMED);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"204", "304", "404"})
    void aResponseWithoutABodyIsComplete(String status) throws Exception {
        try (var server =
                        Http2Server.start(
                                tls,
                                v -> {
                                    v.start();
                                    while (true) {
                                        v.respond(v.nextRequest().stream(), status, "");
                                    }
                                });
                var fetcher = fetcher()) {
            for (var i = 0; i < 2; i++) {
                var exchange = fetch(fetcher, server, "/").optionalExchange().orElseThrow();
                assertThat(exchange.status()).isEqualTo(Integer.parseInt(status));
                assertThat(exchange.body().length()).isZero();
            }
            assertThat(server.connections()).isEqualTo(1);
        }
    }

    @Test
    void aBodyOverTheLimitIsTruncatedAndTheConnectionKept() throws Exception {
        var chunk = "x".repeat(16 << 10);
        try (var server =
                        Http2Server.start(
                                tls,
                                v -> {
                                    v.start();
                                    var stream = v.nextRequest().stream();
                                    v.headers(stream, 0, "200");
                                    // More than the limit, but within the windows of the client,
                                    // which this server does not observe.
                                    for (var i = 0; i < 130; i++) {
                                        v.data(stream, 0, chunk);
                                    }
                                    var reset = v.awaitFrame(Http2Server.RST_STREAM);
                                    assertThat(reset.stream()).isEqualTo(stream);
                                    v.respondToAll("next");
                                });
                var fetcher = fetcher()) {
            var exchange = fetched(fetcher, server, "/large");
            assertThat(exchange.truncated()).contains(Exchange.Truncation.LENGTH);
            assertThat(exchange.body().length()).isEqualTo(2 << 20);
            assertThat(body(fetched(fetcher, server, "/next"))).isEqualTo("next");
            assertThat(server.connections()).isEqualTo(1);
        }
    }

    /** The server observes the windows, so the client must return what it has read. */
    @Test
    void aBodyLargerThanTheWindowIsReadCompletely() throws Exception {
        var chunk = "x".repeat(16 << 10);
        try (var server =
                        Http2Server.start(
                                tls,
                                v -> {
                                    v.start();
                                    var stream = v.nextRequest().stream();
                                    v.headers(stream, 0, "200");
                                    for (var i = 0; i < 64; i++) { // The whole window.
                                        v.data(stream, 0, chunk);
                                    }
                                    var update = v.awaitFrame(Http2Server.WINDOW_UPDATE);
                                    while (update.stream() != stream) {
                                        update = v.awaitFrame(Http2Server.WINDOW_UPDATE);
                                    }
                                    v.data(stream, END_STREAM, chunk);
                                    v.waitForClose();
                                });
                var fetcher = fetcher()) {
            assertThat(fetched(fetcher, server, "/large").body().length()).isEqualTo(65 << 14);
        }
    }

    @Test
    void aResponseThatTheFilterRefusesIsResetAndTheConnectionKept() throws Exception {
        try (var server =
                        Http2Server.start(
                                tls,
                                v -> {
                                    v.start();
                                    var stream = v.nextRequest().stream();
                                    v.headers(stream, 0, "200", "content-type", "video/mp4");
                                    var _ = v.awaitFrame(Http2Server.RST_STREAM);
                                    v.respondToAll("next");
                                });
                var fetcher = fetcher()) {
            var url = TestFetcher.url("https://site.example:" + server.port() + "/");
            var result =
                    fetcher.fetch(
                            url,
                            InetAddress.getLoopbackAddress(),
                            () -> {},
                            head -> Optional.of(head.mediaType()));
            assertThat(((Refused) result).reason()).isEqualTo("video/mp4");
            assertThat(body(fetched(fetcher, server, "/next"))).isEqualTo("next");
            assertThat(server.connections()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aResponseThatStallsIsATimeoutAndOthersOfTheConnectionGoOn(boolean headSent)
            throws Exception {
        var brief = Duration.ofMillis(500);
        try (var server =
                        Http2Server.start(
                                tls,
                                v -> {
                                    // A window of 0 must not keep the client from sending.
                                    v.start(4, 0);
                                    for (var i = 0; i < 2; i++) {
                                        var request = v.nextRequest();
                                        if (request.path().equals("/ok")) {
                                            v.respond(request.stream(), "200", "hello");
                                        } else if (headSent) {
                                            v.headers(request.stream(), 0, "200");
                                        }
                                    }
                                    v.waitForClose();
                                });
                var fetcher =
                        TestFetcher.in(temporary)
                                .trustingAll()
                                .withHttp2()
                                .timeouts(Duration.ofSeconds(30), brief, brief)
                                .open();
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var stalled = threads.submit(() -> fetch(fetcher, server, "/stall"));
            assertThat(body(fetched(fetcher, server, "/ok"))).isEqualTo("hello");
            var failed = (Failed) stalled.get();
            assertThat(failed.cause()).isEqualTo(FailureCause.TIMEOUT);
            Eventually.until("it is closed", () -> fetcher.stats().openConnections() == 0);
        }
    }

    @Test
    void anInterruptedRequestIsResetAndTheConnectionKept() throws Exception {
        try (var server =
                        Http2Server.start(
                                tls,
                                v -> {
                                    v.start();
                                    v.respond(v.nextRequest().stream(), "200", "first");
                                    var stream = v.nextRequest().stream();
                                    assertThat(v.awaitFrame(Http2Server.RST_STREAM).stream())
                                            .isEqualTo(stream);
                                    v.respondToAll("next");
                                });
                var fetcher = fetcher()) {
            assertThat(body(fetched(fetcher, server, "/1"))).isEqualTo("first");
            var waiting =
                    Thread.startVirtualThread(
                            () -> {
                                var _ = fetch(fetcher, server, "/2");
                            });
            Eventually.until("it is sent", () -> server.requests().size() == 2);
            waiting.interrupt();
            waiting.join();
            assertThat(body(fetched(fetcher, server, "/3"))).isEqualTo("next");
            assertThat(server.connections()).isEqualTo(1);
        }
    }

    @Test
    void pathsAndSecretsNeverEnterTheHeaderTable() throws Exception {
        var secret = "s".repeat(1_000);
        var path = "/" + "p".repeat(1_000);
        try (var server =
                        Http2Server.start(
                                tls,
                                v -> {
                                    v.start(1, 0xFFFF_FFFFL); // The largest header table.
                                    v.respondToAll("hello");
                                });
                var fetcher =
                        TestFetcher.in(temporary)
                                .trustingAll()
                                .withHttp2()
                                .open(
                                        new RequestOptions(
                                                Map.of(),
                                                Map.of(
                                                        "https://site.example:" + server.port(),
                                                        RequestOptions.Credential.bearer(secret)),
                                                false,
                                                Optional.empty()))) {
            for (var i = 0; i < 3; i++) {
                assertThat(body(fetched(fetcher, server, path))).isEqualTo("hello");
            }
            assertThat(server.requests().getFirst().headers().get("authorization"))
                    .hasToString("Bearer " + secret);
            // In the table each would take one byte from the second request on.
            assertThat(server.requests())
                    .allSatisfy(request -> assertThat(request.blockLength()).isGreaterThan(1_200));
        }
    }

    @Test
    @SuppressWarnings("try") // The test checks the statistics after closing.
    void closingTheFetcherEndsRequestsInFlight() throws Exception {
        try (var server =
                        Http2Server.start(
                                tls,
                                v -> {
                                    v.start();
                                    var _ = v.nextRequest();
                                    v.waitForClose();
                                });
                var fetcher = fetcher();
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var waiting = threads.submit(() -> fetch(fetcher, server, "/"));
            Eventually.until("it is sent", () -> server.requests().size() == 1);
            fetcher.close();
            assertThat(waiting.get()).isNotInstanceOf(Fetched.class);
            assertThat(fetcher.stats().openConnections()).isZero();
        }
    }
}
