package dev.orbweaver.internal.fetch;

import static dev.orbweaver.internal.fetch.Http2Server.CONTINUATION;
import static dev.orbweaver.internal.fetch.Http2Server.DATA;
import static dev.orbweaver.internal.fetch.Http2Server.END_HEADERS;
import static dev.orbweaver.internal.fetch.Http2Server.HEADERS;
import static dev.orbweaver.internal.fetch.Http2Server.Http2Client.frameBytes;
import static dev.orbweaver.internal.fetch.Http2Server.PING;
import static dev.orbweaver.internal.fetch.Http2Server.PRIORITY;
import static dev.orbweaver.internal.fetch.Http2Server.PUSH_PROMISE;
import static dev.orbweaver.internal.fetch.Http2Server.RST_STREAM;
import static dev.orbweaver.internal.fetch.Http2Server.SETTINGS;
import static dev.orbweaver.internal.fetch.Http2Server.WINDOW_UPDATE;
import static dev.orbweaver.internal.fetch.Http2Server.block;
import static dev.orbweaver.internal.fetch.Http2Server.uint32;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.FetchResult;
import dev.orbweaver.model.FetchResult.Failed;
import dev.orbweaver.model.FetchResult.Fetched;
import dev.orbweaver.testing.Eventually;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.stream.Stream;

import javax.net.ssl.SSLContext;

/**
 * Servers that abuse HTTP/2. Each request must end long before its timeout of 30 s, with a cause,
 * and the server must not be able to send on.
 */
@Timeout(60)
class HostileHttp2Test {

    private static final int ENDLESS = 10_000_000;
    private static final int UNKNOWN_TYPE = 0xEE;

    @TempDir static Path keys;
    private static SSLContext tls;

    @TempDir Path temporary;

    @BeforeAll
    static void makeACertificate() throws Exception {
        tls = SelfSigned.context(keys);
    }

    /** Fetches from a server until it fails, and returns why. */
    private Failed failureOf(Http2Server.Handler handler) throws Exception {
        try (var server = Http2Server.start(tls, handler);
                var fetcher = TestFetcher.in(temporary).trustingAll().withHttp2().open()) {
            FetchResult result;
            do {
                result = fetch(fetcher, server);
            } while (result instanceof Fetched);
            assertThat(result).isInstanceOf(Failed.class);
            Eventually.until("it is closed", () -> fetcher.stats().openConnections() == 0);
            return (Failed) result;
        }
    }

    private static FetchResult fetch(NettyFetcher fetcher, Http2Server server) {
        return fetcher.fetch(
                TestFetcher.url("https://site.example:" + server.port() + "/"),
                InetAddress.getLoopbackAddress());
    }

    /** The requests of a test have the streams 3 and 5. */
    private static Stream<Arguments> floods() {
        return Stream.of(
                Arguments.of("PING", frameBytes(PING, 0, 0, new byte[8])),
                Arguments.of("SETTINGS", frameBytes(SETTINGS, 0, 0)),
                Arguments.of("SETTINGS of the table", frameBytes(SETTINGS, 0, 0, tableSize())),
                Arguments.of("WINDOW_UPDATE", frameBytes(WINDOW_UPDATE, 0, 0, uint32(1))),
                Arguments.of(
                        "WINDOW_UPDATE of a stream", frameBytes(WINDOW_UPDATE, 0, 5, uint32(1))),
                Arguments.of("RST_STREAM", frameBytes(RST_STREAM, 0, 3, uint32(8))),
                Arguments.of("PRIORITY", frameBytes(PRIORITY, 0, 5, new byte[5])),
                Arguments.of("unknown", frameBytes(UNKNOWN_TYPE, 0, 0, new byte[100])),
                Arguments.of("DATA after the end", frameBytes(DATA, 0, 3, new byte[100])),
                Arguments.of("HEADERS after the end", ended()));
    }

    private static byte[] ended() {
        return frameBytes(HEADERS, END_HEADERS, 3, block("200", "a", "b"));
    }

    private static byte[] tableSize() {
        return new byte[] {0, 1, -1, -1, -1, -1};
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("floods")
    void framesThatBelongToNoResponseAreLimited(String kind, byte[] frame) throws Exception {
        var failed =
                failureOf(
                        v -> {
                            v.start();
                            v.respond(v.nextRequest().stream(), "200", "first");
                            assertThat(v.nextRequest().stream()).isEqualTo(5);
                            v.flood(frame, ENDLESS);
                        });
        assertThat(failed.cause()).isEqualTo(FailureCause.DISCONNECT);
        assertThat(failed.detail()).contains("frames that belong to no response");
    }

    @Test
    void aConnectionWithoutRequestsIsClosedByAFloodToo() throws Exception {
        try (var server =
                        Http2Server.start(
                                tls,
                                v -> {
                                    v.start();
                                    v.respond(v.nextRequest().stream(), "200", "first");
                                    v.flood(frameBytes(PING, 0, 0, new byte[8]), ENDLESS);
                                });
                var fetcher = TestFetcher.in(temporary).trustingAll().withHttp2().open()) {
            assertThat(fetch(fetcher, server)).isInstanceOf(Fetched.class);
            Eventually.until("it is closed", () -> fetcher.stats().openConnections() == 0);
        }
    }

    @ParameterizedTest
    @MethodSource("fragments")
    void endlessContinuationIsLimited(int fragmentBytes, String detail) throws Exception {
        var failed =
                failureOf(
                        v -> {
                            v.start();
                            var stream = v.nextRequest().stream();
                            v.frame(HEADERS, 0, stream, block("200"));
                            v.flood(
                                    frameBytes(CONTINUATION, 0, stream, new byte[fragmentBytes]),
                                    ENDLESS);
                        });
        assertThat(failed.cause()).isEqualTo(FailureCause.DISCONNECT);
        assertThat(failed.detail()).contains(detail);
    }

    private static Stream<Arguments> fragments() {
        return Stream.of(
                Arguments.of(0, "continuation"),
                Arguments.of(100, "continuation"),
                Arguments.of(10_000, "Header size exceeded"));
    }

    @Test
    void aSmallBlockThatExpandsToManyFieldsIsLimited() throws Exception {
        var bomb = new ByteArrayOutputStream();
        bomb.writeBytes(block("200"));
        bomb.write(0x40); // A literal field that enters the table.
        var field = Http2Server.trailer("a", "x".repeat(3_800));
        bomb.write(field, 1, field.length - 1);
        for (var i = 0; i < 10_000; i++) {
            bomb.write(0x80 | 62); // The newest entry of the table.
        }
        var failed =
                failureOf(
                        v -> {
                            v.start();
                            var stream = v.nextRequest().stream();
                            v.frame(HEADERS, END_HEADERS, stream, bomb.toByteArray());
                            v.waitForClose();
                        });
        assertThat(failed.cause()).isEqualTo(FailureCause.LIMIT);
        assertThat(failed.detail()).contains("the response head exceeds 65536 bytes");
    }

    @Test
    void aHeaderTableLargerThanPermittedIsAnError() throws Exception {
        // An update of the table's size to 2^20 (RFC 7541, section 6.3), then status 200.
        var block = new byte[] {0x3F, (byte) 0xE1, (byte) 0xFF, 0x3F, (byte) 0x88};
        var failed =
                failureOf(
                        v -> {
                            v.start();
                            var stream = v.nextRequest().stream();
                            v.frame(HEADERS, END_HEADERS, stream, block);
                            v.waitForClose();
                        });
        assertThat(failed.cause()).isEqualTo(FailureCause.DISCONNECT);
        assertThat(failed.detail()).contains("HTTP/2 connection error");
    }

    @Test
    void interimResponsesAreLimited() throws Exception {
        var failed =
                failureOf(
                        v -> {
                            v.start();
                            var stream = v.nextRequest().stream();
                            v.flood(
                                    frameBytes(HEADERS, END_HEADERS, stream, block("103")),
                                    ENDLESS);
                        });
        assertThat(failed.cause()).isEqualTo(FailureCause.MALFORMED);
        assertThat(failed.detail()).contains("too many interim responses");
    }

    @Test
    void emptyDataFramesAreLimited() throws Exception {
        var failed =
                failureOf(
                        v -> {
                            v.start();
                            var stream = v.nextRequest().stream();
                            v.headers(stream, 0, "200");
                            v.flood(frameBytes(DATA, 0, stream), ENDLESS);
                        });
        assertThat(failed.cause()).isEqualTo(FailureCause.DISCONNECT);
        assertThat(failed.detail()).contains("empty data frames");
    }

    @Test
    void everyStreamResetIsAFailureOnEveryConnection() throws Exception {
        var failed =
                failureOf(
                        v -> {
                            v.start();
                            while (true) {
                                v.reset(v.nextRequest().stream(), 8);
                            }
                        });
        assertThat(failed.cause()).isEqualTo(FailureCause.DISCONNECT);
        assertThat(failed.detail()).contains("reset the HTTP/2 stream (CANCEL)");
    }

    @Test
    void aPushIsAnError() throws Exception {
        var failed =
                failureOf(
                        v -> {
                            v.start();
                            var stream = v.nextRequest().stream();
                            v.frame(PUSH_PROMISE, END_HEADERS, stream, uint32(2));
                            v.waitForClose();
                        });
        assertThat(failed.cause()).isEqualTo(FailureCause.DISCONNECT);
        assertThat(failed.detail()).contains("HTTP/2 connection error");
    }

    @Test
    void aWindowBeyondItsMaximumIsAnError() throws Exception {
        var failed =
                failureOf(
                        v -> {
                            v.start();
                            var _ = v.nextRequest();
                            v.flood(
                                    frameBytes(WINDOW_UPDATE, 0, 0, uint32(Integer.MAX_VALUE)),
                                    ENDLESS);
                        });
        assertThat(failed.cause()).isEqualTo(FailureCause.DISCONNECT);
        assertThat(failed.detail()).contains("HTTP/2 connection error");
    }

    @Test
    void moreDataThanTheWindowPermitsIsAnError() throws Exception {
        var failed =
                failureOf(
                        v -> {
                            v.start();
                            // The stream does not exist, so the client returns no window for it.
                            var stream = v.nextRequest().stream() + 2;
                            v.flood(frameBytes(DATA, 0, stream, new byte[16 << 10]), ENDLESS);
                        });
        assertThat(failed.cause()).isEqualTo(FailureCause.DISCONNECT);
        assertThat(failed.detail()).contains("HTTP/2 connection error");
    }
}
