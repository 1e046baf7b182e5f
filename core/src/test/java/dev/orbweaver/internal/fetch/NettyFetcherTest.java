package dev.orbweaver.internal.fetch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orbweaver.internal.disk.SpillBuffer;
import dev.orbweaver.model.Body;
import dev.orbweaver.model.Exchange;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.FetchResult;
import dev.orbweaver.model.FetchResult.Failed;
import dev.orbweaver.model.FetchResult.Fetched;
import dev.orbweaver.model.ResponseHead;
import dev.orbweaver.spi.Fetcher;
import dev.orbweaver.testing.Eventually;

import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** The fetcher over real sockets. Only the timeout of each test limits waiting. */
@Timeout(60)
class NettyFetcherTest {

    private static final String HELLO = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofMillis(300);

    @TempDir Path temporary;

    @Test
    void theRequestHeadIsExactlyThis() throws Exception {
        try (var server = TestServer.start(v -> v.respondToAll(HELLO));
                var fetcher = TestFetcher.in(temporary).open()) {
            var result = TestFetcher.fetch(fetcher, server, "/a%20b?q=1&r");
            var expected =
                    """
                    GET /a%20b?q=1&r HTTP/1.1
                    Host: site.example:PORT
                    User-Agent: Test/1.0 (+mailto:test@example.org)
                    Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8
                    Accept-Encoding: gzip, deflate, br, zstd

                    """
                            .replace("\n", "\r\n")
                            .replace("PORT", Integer.toString(server.port()));
            assertThat(server.requests()).containsExactly(expected);
            assertThat(new String(exchange(result).requestHead(), StandardCharsets.ISO_8859_1))
                    .isEqualTo(expected);
        }
    }

    @Test
    void aUserAgentThatCouldEndItsLineIsRefusedAtOnce() {
        var testFetcher = TestFetcher.in(temporary);
        assertThatThrownBy(() -> testFetcher.settings("x\r\nEvil: y"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> testFetcher.settings(""))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    @SuppressWarnings("try") // The test checks the statistics after closing.
    void theSecondRequestGoesOverTheSameConnection() throws Exception {
        try (var server = TestServer.start(v -> v.respondToAll(HELLO));
                var fetcher = TestFetcher.in(temporary).open()) {
            for (var i = 0; i < 5; i++) {
                assertThat(body(TestFetcher.fetch(fetcher, server, "/" + i))).isEqualTo("hello");
            }
            assertThat(server.connections()).isEqualTo(1);
            assertThat(fetcher.stats().connectionsOpened()).isEqualTo(1);
            assertThat(fetcher.stats().requests()).isEqualTo(5);
            assertThat(fetcher.stats().openConnections()).isEqualTo(1);
            fetcher.close();
            assertThat(fetcher.stats().openConnections()).isZero();
        }
    }

    /**
     * A host's delay runs from the end of its response. On a busy machine the fetching thread may
     * pause between two readings of the clock, and that must not make the end seem earlier.
     */
    @Test
    void aResponseNeverSeemsToEndBeforeTheServerSentIt() throws Exception {
        var pause = Duration.ofMillis(100);
        InstantSource pausing =
                () -> {
                    var now = Instant.now();
                    LockSupport.parkNanos(pause.toNanos());
                    return now;
                };
        var sentAt = new CompletableFuture<Instant>();
        try (var server =
                        TestServer.start(
                                v -> {
                                    v.awaitRequest();
                                    sentAt.complete(Instant.now());
                                    v.send(HELLO);
                                });
                var fetcher =
                        new NettyFetcher(TestFetcher.in(temporary).settings("Test/1.0"), pausing)) {
            var result = TestFetcher.fetch(fetcher, server, "/");
            assertThat(exchange(result).timings().ended())
                    .isAfterOrEqualTo(sentAt.get(1, TimeUnit.MINUTES));
        }
    }

    @Test
    void whatItIsGivenIsWhatItDials() throws Exception {
        var elsewhere = InetAddress.ofLiteral("127.0.0.2");
        try (var server =
                        TestServer.start(
                                new ServerSocket(0, 9, elsewhere), v -> v.respondToAll(HELLO));
                var fetcher =
                        TestFetcher.in(temporary)
                                .withHostAddress("site.example", "127.0.0.1")
                                .open()) {
            var url = TestFetcher.url("http://site.example:" + server.port() + "/");
            var result = fetcher.fetch(url, elsewhere);
            assertThat(body(result)).isEqualTo("hello");
            assertThat(exchange(result).remote()).isEqualTo(elsewhere);
        }
    }

    @Test
    void aKeptConnectionLeadsOnlyToItsOwnAddress() throws Exception {
        try (var server = TestServer.start(v -> v.respondToAll(HELLO));
                var fetcher = TestFetcher.in(temporary).open()) {
            assertThat(body(TestFetcher.fetch(fetcher, server, "/"))).isEqualTo("hello");
            var moved = InetAddress.ofLiteral("127.0.0.3");
            var url = TestFetcher.url("http://site.example:" + server.port() + "/");
            assertThat(cause(fetcher.fetch(url, moved))).isEqualTo(FailureCause.CONNECT);
        }
    }

    @Test
    void aConnectionClosedWhileItWaitedIsReplaced() throws Exception {
        try (var server =
                        TestServer.start(
                                v -> {
                                    v.awaitRequest();
                                    v.send(HELLO);
                                });
                var fetcher = TestFetcher.in(temporary).open()) {
            for (var i = 0; i < 20; i++) {
                assertThat(body(TestFetcher.fetch(fetcher, server, "/"))).isEqualTo("hello");
                until(() -> fetcher.stats().openConnections() == 0);
            }
            assertThat(server.connections()).isEqualTo(20);
        }
    }

    @Test
    void aRequestThatMayHaveBeenSeenIsNotSentAgain() throws Exception {
        try (var server =
                        TestServer.start(
                                v -> {
                                    v.awaitRequest();
                                    v.send(HELLO);
                                    if (v.number() == 1) {
                                        v.awaitRequest(); // Read without a response.
                                    } else {
                                        v.respondToAll(HELLO);
                                    }
                                });
                var fetcher = TestFetcher.in(temporary).open()) {
            assertThat(body(TestFetcher.fetch(fetcher, server, "/1"))).isEqualTo("hello");
            var sent = new AtomicInteger();
            var url = TestFetcher.url("http://site.example:" + server.port() + "/2");
            var lost = fetcher.fetch(url, InetAddress.getLoopbackAddress(), sent::incrementAndGet);
            assertThat(lost).isInstanceOf(FetchResult.NoResponse.class);
            assertThat(sent).hasValue(1);
            assertThat(server.requests()).hasSize(2);
            assertThat(server.connections()).isEqualTo(1);
            // From now on this server gets a new connection for every request.
            for (var i = 0; i < 3; i++) {
                assertThat(body(TestFetcher.fetch(fetcher, server, "/2"))).isEqualTo("hello");
            }
            assertThat(server.connections()).isEqualTo(4);
            assertThat(server.requests()).hasSize(5);
        }
    }

    @Test
    void howeverClosingAndAskingRaceEachCallIsAtMostOneRequest() throws Exception {
        try (var server =
                TestServer.start(
                        v -> {
                            v.awaitRequest();
                            v.send(HELLO);
                            if (v.number() % 3 == 0) {
                                v.reset();
                            } else if (v.number() % 3 == 1) {
                                v.socket().shutdownOutput();
                                while (v.readRequest()) {} // Requests sent too late.
                            }
                        })) {
            for (var i = 0; i < 30; i++) {
                try (var fetcher = TestFetcher.in(temporary).open()) {
                    for (var n = 0; n < 4; n++) {
                        var sent = new AtomicInteger();
                        var url = TestFetcher.url("http://site.example:" + server.port() + "/");
                        var result =
                                fetcher.fetch(
                                        url,
                                        InetAddress.getLoopbackAddress(),
                                        sent::incrementAndGet);
                        assertThat(sent.get()).isLessThanOrEqualTo(1);
                        // A reset may overtake the response before it.
                        if (!(result instanceof Failed(_, var cause, _, _)
                                && cause == FailureCause.DISCONNECT)) {
                            assertThat(result)
                                    .isInstanceOfAny(Fetched.class, FetchResult.NoResponse.class);
                        }
                    }
                }
            }
        }
    }

    @Test
    void aByteOfAnAnswerMakesItAFailureOfItsOwn() throws Exception {
        try (var server =
                        TestServer.start(
                                v -> {
                                    v.awaitRequest();
                                    v.send(HELLO);
                                    v.awaitRequest();
                                    v.send("H");
                                });
                var fetcher = TestFetcher.in(temporary).open()) {
            assertThat(body(TestFetcher.fetch(fetcher, server, "/"))).isEqualTo("hello");
            assertThat(cause(TestFetcher.fetch(fetcher, server, "/")))
                    .isEqualTo(FailureCause.DISCONNECT);
            assertThat(server.connections()).isEqualTo(1);
        }
    }

    @Test
    void aServerThatNeverAnswersBeforeClosingIsAskedOnceOnANewConnection() throws Exception {
        try (var server = TestServer.start(TestServer.ClientConnection::awaitRequest);
                var fetcher = TestFetcher.in(temporary).open()) {
            assertThat(cause(TestFetcher.fetch(fetcher, server, "/")))
                    .isEqualTo(FailureCause.DISCONNECT);
            assertThat(server.connections()).isEqualTo(1);
        }
    }

    @Test
    void bytesOnAWaitingConnectionCloseIt() throws Exception {
        var more = new CountDownLatch(1);
        try (var server =
                        TestServer.start(
                                v -> {
                                    v.awaitRequest();
                                    v.send(HELLO);
                                    if (v.number() == 1) {
                                        more.await();
                                        v.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil");
                                    }
                                    v.waitForClose();
                                });
                var fetcher = TestFetcher.in(temporary).open()) {
            assertThat(body(TestFetcher.fetch(fetcher, server, "/"))).isEqualTo("hello");
            more.countDown();
            until(() -> fetcher.stats().openConnections() == 0);
            assertThat(body(TestFetcher.fetch(fetcher, server, "/"))).isEqualTo("hello");
            assertThat(server.connections()).isEqualTo(2);
        }
    }

    @Test
    void anEndAtEveryByteOfAnAnswerGivesAResult() throws Exception {
        var answers =
                new String[] {
                    HELLO,
                    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
                };
        for (var answer : answers) {
            for (var reset : new boolean[] {false, true}) {
                try (var server =
                                TestServer.start(
                                        v -> {
                                            v.awaitRequest();
                                            var at = v.number() - 1;
                                            v.send(
                                                    answer.substring(
                                                            0, Math.min(at, answer.length())));
                                            if (reset) {
                                                v.reset();
                                            }
                                        });
                        var fetcher = TestFetcher.in(temporary).open()) {
                    for (var at = 0; at < answer.length(); at++) {
                        var result = TestFetcher.fetch(fetcher, server, "/");
                        assertThat(cause(result))
                                .as("ended at %d of %s", at, answer)
                                .isEqualTo(FailureCause.DISCONNECT);
                    }
                    until(() -> fetcher.stats().openConnections() == 0);
                }
            }
        }
    }

    @Test
    void anAnswerThatEndsByClosingIsWholeEveryTime() throws Exception {
        try (var server =
                        TestServer.start(
                                v -> {
                                    v.awaitRequest();
                                    v.send("HTTP/1.1 200 OK\r\n\r\nuntil the end");
                                });
                var fetcher = TestFetcher.in(temporary).open()) {
            for (var i = 0; i < 300; i++) {
                assertThat(body(TestFetcher.fetch(fetcher, server, "/")))
                        .isEqualTo("until the end");
            }
        }
    }

    @Test
    void nobodyListeningIsAFailureToConnect() throws Exception {
        try (var fetcher = TestFetcher.in(temporary).open()) {
            int port;
            try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                port = socket.getLocalPort();
            }
            var url = TestFetcher.url("http://site.example:" + port + "/");
            var result = fetcher.fetch(url, InetAddress.getLoopbackAddress());
            assertThat(cause(result)).isEqualTo(FailureCause.CONNECT);
            assertThat(fetcher.stats().openConnections()).isZero();
        }
    }

    @Test
    void silenceIsATimeout() throws Exception {
        try (var server =
                        TestServer.start(
                                v -> {
                                    v.awaitRequest();
                                    v.waitForClose();
                                });
                var fetcher = TestFetcher.in(temporary).timeouts(LONG, SHORT, LONG).open()) {
            assertThat(cause(TestFetcher.fetch(fetcher, server, "/")))
                    .isEqualTo(FailureCause.TIMEOUT);
            until(() -> fetcher.stats().openConnections() == 0);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "HTTP/1.1 200 OK\r\nX: ",
                "HTTP/1.1 200 OK\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;"
            })
    void anAnswerThatTricklesIsATimeoutToo(String start) throws Exception {
        try (var server =
                        TestServer.start(
                                v -> {
                                    v.awaitRequest();
                                    v.send(start + "H");
                                    while (true) {
                                        v.send("x");
                                        Thread.sleep(20);
                                    }
                                });
                var fetcher = TestFetcher.in(temporary).timeouts(LONG, LONG, SHORT).open()) {
            assertThat(cause(TestFetcher.fetch(fetcher, server, "/")))
                    .isEqualTo(FailureCause.TIMEOUT);
            until(() -> fetcher.stats().openConnections() == 0);
        }
    }

    @Test
    void aBodyIsCutSoonerWhereItsJudgeSaysSo() throws Exception {
        var judge =
                new Fetcher.HeadFilter() {
                    @Override
                    public Optional<String> refusalReason(ResponseHead head) {
                        return Optional.empty();
                    }

                    @Override
                    public long bodyBytesMax() {
                        return 10_000;
                    }
                };
        try (var server =
                        TestServer.start(
                                v -> {
                                    v.awaitRequest();
                                    v.send("HTTP/1.1 200 OK\r\n\r\n");
                                    while (true) {
                                        v.send(new byte[4 << 10]);
                                    }
                                });
                var fetcher = TestFetcher.in(temporary).open()) {
            var url = TestFetcher.url("http://site.example:" + server.port() + "/robots.txt");
            var address = java.net.InetAddress.getLoopbackAddress();
            var exchange = exchange(fetcher.fetch(url, address, () -> {}, judge));
            assertThat(exchange.truncated()).contains(Exchange.Truncation.LENGTH);
            assertThat(exchange.body().length()).isEqualTo(10_000);
        }
    }

    @Test
    void aBodyOverTheLimitIsCutAndItsConnectionClosed() throws Exception {
        var limit = (int) TestFetcher.in(temporary).bodyBytesMax();
        try (var server =
                        TestServer.start(
                                v -> {
                                    v.awaitRequest();
                                    v.send("HTTP/1.1 200 OK\r\n\r\n");
                                    while (true) {
                                        v.send(new byte[64 << 10]);
                                    }
                                });
                var fetcher = TestFetcher.in(temporary).open()) {
            var exchange = exchange(TestFetcher.fetch(fetcher, server, "/"));
            assertThat(exchange.truncated()).contains(Exchange.Truncation.LENGTH);
            assertThat(exchange.body().length()).isEqualTo(limit);
            Files.delete(((Body.InFile) exchange.body()).file());
            until(() -> fetcher.stats().openConnections() == 0);
            assertThat(temporary).isEmptyDirectory();
        }
    }

    @Test
    void aHeadThatIsNotWantedIsEnough() throws Exception {
        var closed = new CountDownLatch(1);
        try (var server =
                        TestServer.start(
                                v -> {
                                    v.awaitRequest();
                                    v.send("HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\n");
                                    v.send("Content-Length: 1000000000\r\n\r\n");
                                    v.waitForClose();
                                    closed.countDown();
                                });
                var fetcher = TestFetcher.in(temporary).open()) {
            var url = TestFetcher.url("http://site.example:" + server.port() + "/");
            var result =
                    fetcher.fetch(
                            url,
                            InetAddress.getLoopbackAddress(),
                            () -> {},
                            head -> Optional.of("no " + head.mediaType()));
            assertThat(result).isEqualTo(new FetchResult.Refused(url, "no video/mp4"));
            closed.await(); // No byte of the body was read.
            until(() -> fetcher.stats().openConnections() == 0);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"301 Moved\r\nLocation: /x", "404 Not Found", "304 Not Modified"})
    void redirectsAndErrorsAreNotJudged(String start) throws Exception {
        try (var server =
                        TestServer.start(
                                v ->
                                        v.respondToAll(
                                                "HTTP/1.1 "
                                                        + start
                                                        + "\r\nContent-Length: 0\r\n\r\n"));
                var fetcher = TestFetcher.in(temporary).open()) {
            var result =
                    fetcher.fetch(
                            TestFetcher.url("http://site.example:" + server.port() + "/"),
                            InetAddress.getLoopbackAddress(),
                            () -> {},
                            _ -> Optional.of("nothing is wanted"));
            assertThat(result.optionalExchange()).isPresent();
        }
    }

    @Test
    void aLargeBodyComesInAFileOfItsOwn() throws Exception {
        var bytes = new byte[SpillBuffer.MEMORY_MAX * 4];
        new Random(5).nextBytes(bytes);
        try (var server =
                        TestServer.start(
                                v -> {
                                    while (v.readRequest()) {
                                        v.send(length(bytes.length));
                                        v.send(bytes);
                                    }
                                });
                var fetcher = TestFetcher.in(temporary).open()) {
            var exchange = exchange(TestFetcher.fetch(fetcher, server, "/"));
            var file = ((Body.InFile) exchange.body()).file();
            assertThat(file).hasBinaryContent(bytes).hasParentRaw(temporary);
            assertThat(exchange.truncated()).isEmpty();
            assertThat(fetcher.stats().openConnections()).isEqualTo(1);
            Files.delete(file);
            assertThat(temporary).isEmptyDirectory();
        }
    }

    @Test
    void aFailureInALargeBodyLeavesNoFile() throws Exception {
        try (var server =
                        TestServer.start(
                                v -> {
                                    v.awaitRequest();
                                    v.send(length(SpillBuffer.MEMORY_MAX * 3));
                                    v.send(new byte[SpillBuffer.MEMORY_MAX * 2]);
                                    if (v.number() % 2 == 0) {
                                        v.reset();
                                    }
                                });
                var fetcher = TestFetcher.in(temporary).open()) {
            for (var i = 0; i < 6; i++) {
                assertThat(cause(TestFetcher.fetch(fetcher, server, "/")))
                        .isEqualTo(FailureCause.DISCONNECT);
                assertThat(temporary).isEmptyDirectory();
            }
        }
    }

    @Test
    void aTimeoutWhileALargeBodyPoursInLeavesNoFile() throws Exception {
        try (var server =
                TestServer.start(
                        v -> {
                            v.awaitRequest();
                            v.send("HTTP/1.1 200 OK\r\n\r\n");
                            while (true) {
                                v.send(new byte[16 << 10]);
                                Thread.sleep(1);
                            }
                        })) {
            for (var millis = 60; millis < 160; millis += 10) {
                var total = Duration.ofMillis(millis);
                try (var fetcher = TestFetcher.in(temporary).timeouts(LONG, LONG, total).open()) {
                    var result = TestFetcher.fetch(fetcher, server, "/");
                    if (result instanceof Fetched(var exchange)
                            && exchange.body() instanceof Body.InFile(var file, _)) {
                        Files.delete(file);
                    }
                }
                assertThat(temporary).isEmptyDirectory();
            }
        }
    }

    @Test
    void aDiskThatTakesNothingIsOurOwnFailure() throws Exception {
        try (var server =
                        TestServer.start(
                                v -> {
                                    v.awaitRequest();
                                    v.send(length(SpillBuffer.MEMORY_MAX * 2));
                                    v.send(new byte[SpillBuffer.MEMORY_MAX * 2]);
                                });
                var fetcher = TestFetcher.in(temporary.resolve("missing")).open()) {
            assertThat(cause(TestFetcher.fetch(fetcher, server, "/")))
                    .isEqualTo(FailureCause.INTERNAL);
        }
    }

    @Test
    void redirectsAreHandedBackUnfollowed() throws Exception {
        try (var server =
                        TestServer.start(
                                v -> {
                                    v.awaitRequest();
                                    v.send("HTTP/1.1 302 Found\r\nLocation: /next\r\n");
                                    v.send("Content-Length: 0\r\n\r\n");
                                });
                var fetcher = TestFetcher.in(temporary).open()) {
            var result = TestFetcher.fetch(fetcher, server, "/");
            assertThat(result).isInstanceOf(FetchResult.Redirected.class);
            assertThat(((FetchResult.Redirected) result).location()).isEqualTo("/next");
            assertThat(server.requests()).hasSize(1);
        }
    }

    @Test
    void aRedirectToNowhereIsAnOrdinaryAnswerAndA304IsNotModified() throws Exception {
        try (var server =
                        TestServer.start(
                                v -> {
                                    v.awaitRequest();
                                    v.send("HTTP/1.1 301 Moved\r\nContent-Length: 0\r\n\r\n");
                                    v.awaitRequest();
                                    v.send("HTTP/1.1 304 Not Modified\r\n\r\n");
                                });
                var fetcher = TestFetcher.in(temporary).open()) {
            assertThat(TestFetcher.fetch(fetcher, server, "/")).isInstanceOf(Fetched.class);
            assertThat(TestFetcher.fetch(fetcher, server, "/"))
                    .isInstanceOf(FetchResult.NotModified.class);
            assertThat(server.connections()).isEqualTo(1);
        }
    }

    @Test
    void aFloodOfHeadersAndALineWithoutEndAreGivenUp() throws Exception {
        try (var server =
                        TestServer.start(
                                v -> {
                                    v.awaitRequest();
                                    v.send("HTTP/1.1 200 OK\r\n");
                                    if (v.number() == 1) {
                                        v.send("X-Some: header\r\n".repeat(1_000_000) + "\r\n");
                                    } else {
                                        for (var i = 0; i < 1_600; i++) {
                                            v.send(new byte[64 << 10]);
                                        }
                                    }
                                });
                var fetcher = TestFetcher.in(temporary).open()) {
            assertThat(cause(TestFetcher.fetch(fetcher, server, "/")))
                    .isEqualTo(FailureCause.LIMIT);
            assertThat(cause(TestFetcher.fetch(fetcher, server, "/")))
                    .isEqualTo(FailureCause.LIMIT);
            until(() -> fetcher.stats().openConnections() == 0);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 200 \u001B[31m\r\nTransfer-Encoding: \u001B]0;x\u0007\u009B\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\u001B[2J\u0085\r\n",
                "\u001B[31mHTTP\r\n\r\n"
            })
    void noControlCharacterOfTheServerReachesAMessage(String answer) throws Exception {
        try (var server =
                        TestServer.start(
                                v -> {
                                    v.awaitRequest();
                                    v.send(answer);
                                });
                var fetcher = TestFetcher.in(temporary).open()) {
            var failed = (Failed) TestFetcher.fetch(fetcher, server, "/");
            assertThat(failed.cause()).isEqualTo(FailureCause.MALFORMED);
            assertThat(failed.detail().chars().noneMatch(Character::isISOControl)).isTrue();
        }
    }

    @Test
    @SuppressWarnings("try") // The test checks the statistics after closing.
    void manyAtOnceEachGetTheirOwnAnswer() throws Exception {
        try (var server =
                        TestServer.start(
                                v -> {
                                    while (v.readRequest()) {
                                        var last = v.requests().getLast();
                                        v.send(last.isEmpty() ? "" : HELLO);
                                        if (v.number() % 7 == 0) {
                                            return;
                                        }
                                    }
                                });
                var fetcher = TestFetcher.in(temporary).open();
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var good = new Semaphore(0);
            for (var i = 0; i < 64; i++) {
                threads.execute(
                        () -> {
                            for (var n = 0; n < 30; n++) {
                                var result = TestFetcher.fetch(fetcher, server, "/");
                                while (result instanceof FetchResult.NoResponse) {
                                    result = TestFetcher.fetch(fetcher, server, "/");
                                }
                                if (result instanceof Fetched) {
                                    good.release();
                                }
                            }
                        });
            }
            assertThat(good.tryAcquire(64 * 30, 40, TimeUnit.SECONDS)).isTrue();
            threads.shutdown();
            fetcher.close();
            assertThat(fetcher.stats().openConnections()).isZero();
        }
    }

    @RepeatedTest(10)
    void closingUnderARequestEndsItAndFurtherOnesFail() throws Exception {
        var asked = new CountDownLatch(1);
        try (var server =
                TestServer.start(
                        v -> {
                            v.awaitRequest();
                            asked.countDown();
                            v.waitForClose();
                        })) {
            var fetcher = TestFetcher.in(temporary).open();
            var waiting =
                    CompletableFuture.supplyAsync(
                            () -> TestFetcher.fetch(fetcher, server, "/"),
                            Thread::startVirtualThread);
            asked.await();
            fetcher.close();
            assertThat(cause(waiting.join())).isEqualTo(FailureCause.DISCONNECT);
            assertThat(TestFetcher.fetch(fetcher, server, "/")).isInstanceOf(Failed.class);
            assertThat(fetcher.stats().openConnections()).isZero();
        }
    }

    private static String length(int bytes) {
        return "HTTP/1.1 200 OK\r\nContent-Length: " + bytes + "\r\n\r\n";
    }

    private static Exchange exchange(FetchResult result) {
        return result.optionalExchange().orElseThrow(() -> new AssertionError(result.toString()));
    }

    private static String body(FetchResult result) throws IOException {
        return ResponseReads.text(exchange(result).body());
    }

    private static FailureCause cause(FetchResult result) {
        assertThat(result).isInstanceOf(Failed.class);
        return ((Failed) result).cause();
    }

    private static void until(BooleanSupplier condition) throws InterruptedException {
        Eventually.until("what this test waits for", condition::getAsBoolean);
    }
}
