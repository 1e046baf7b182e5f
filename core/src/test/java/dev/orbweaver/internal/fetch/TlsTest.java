package dev.orbweaver.internal.fetch;

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

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CopyOnWriteArraySet;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/** HTTPS with an untrusted certificate that is also for another name. */
@Timeout(60)
class TlsTest {

    private static final String HELLO = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

    @TempDir static Path keys;
    private static SSLContext tls;

    @TempDir Path temporary;

    @BeforeAll
    static void makeACertificate() throws Exception {
        tls = SelfSigned.context(keys);
    }

    private static TestServer secure(TestServer.ConnectionHandler connectionHandler)
            throws IOException {
        var socket =
                tls.getServerSocketFactory()
                        .createServerSocket(0, 50, InetAddress.getLoopbackAddress());
        return TestServer.start(socket, connectionHandler);
    }

    private static FetchResult fetch(NettyFetcher fetcher, TestServer server) {
        return fetcher.fetch(
                TestFetcher.url("https://site.example:" + server.port() + "/"),
                InetAddress.getLoopbackAddress());
    }

    @Test
    void aCertificateNobodyVouchesForIsRefused() throws Exception {
        try (var server = secure(v -> v.respondToAll(HELLO));
                var fetcher = TestFetcher.in(temporary).open()) {
            var failed = (Failed) fetch(fetcher, server);
            assertThat(failed.cause()).isEqualTo(FailureCause.TLS);
            assertThat(failed.detail()).contains("certif");
            assertThat(server.requests()).isEmpty();
            assertNoneOpen(fetcher);
        }
    }

    @Test
    @SuppressWarnings("try") // The test checks the statistics after closing.
    void itIsAcceptedWhenTheUserSaysSoAndTheConnectionKept() throws Exception {
        try (var server = secure(v -> v.respondToAll(HELLO));
                var fetcher = TestFetcher.in(temporary).trustingAll().open()) {
            assertThat(fetch(fetcher, server)).isInstanceOf(Fetched.class);
            assertThat(fetch(fetcher, server)).isInstanceOf(Fetched.class);
            assertThat(server.connections()).isEqualTo(1);
            fetcher.close();
            assertThat(fetcher.stats().openConnections()).isZero();
        }
    }

    @Test
    void aKeptTlsConnectionThatWasClosedIsReplaced() throws Exception {
        try (var server =
                        secure(
                                v -> {
                                    v.awaitRequest();
                                    v.send(HELLO);
                                });
                var fetcher = TestFetcher.in(temporary).trustingAll().open()) {
            for (var i = 0; i < 10; i++) {
                assertThat(fetch(fetcher, server)).isInstanceOf(Fetched.class);
                assertNoneOpen(fetcher);
            }
        }
    }

    @Test
    void aSecondConnectionResumesTheSessionOfTheFirst() throws Exception {
        var born = new CopyOnWriteArraySet<Long>();
        try (var server =
                        secure(
                                v -> {
                                    v.awaitRequest();
                                    // A resumed session is as old as the original one.
                                    born.add(
                                            ((SSLSocket) v.socket())
                                                    .getSession()
                                                    .getCreationTime());
                                    v.send("HTTP/1.1 200 OK\r\nConnection: close\r\n");
                                    v.send("Content-Length: 0\r\n\r\n");
                                });
                var fetcher = TestFetcher.in(temporary).trustingAll().open()) {
            for (var i = 0; i < 4; i++) {
                assertThat(fetch(fetcher, server)).isInstanceOf(Fetched.class);
                assertNoneOpen(fetcher);
                Thread.sleep(5);
            }
            assertThat(server.connections()).isEqualTo(4);
            assertThat(born).hasSize(1);
        }
    }

    @Test
    void aServerThatSpeaksNoTlsIsATlsFailure() throws Exception {
        try (var server =
                        TestServer.start(
                                v -> {
                                    v.send("HTTP/1.1 400 Bad Request\r\n\r\n");
                                    v.waitForClose();
                                });
                var fetcher = TestFetcher.in(temporary).open()) {
            assertThat(((Failed) fetch(fetcher, server)).cause()).isEqualTo(FailureCause.TLS);
            assertNoneOpen(fetcher);
        }
    }

    @Test
    void aServerThatHangsUpWithinTheHandshakeIsATlsFailure() throws Exception {
        try (var server = TestServer.start(v -> v.socket().getInputStream().read());
                var fetcher = TestFetcher.in(temporary).open()) {
            assertThat(((Failed) fetch(fetcher, server)).cause()).isEqualTo(FailureCause.TLS);
            assertNoneOpen(fetcher);
        }
    }

    @Test
    void aHandshakeThatStallsIsATimeout() throws Exception {
        var patient = Duration.ofSeconds(30);
        try (var server = TestServer.start(TestServer.ClientConnection::waitForClose);
                var hasty =
                        TestFetcher.in(temporary)
                                .timeouts(Duration.ofMillis(300), patient, patient)
                                .open();
                var brief =
                        TestFetcher.in(temporary)
                                .timeouts(patient, patient, Duration.ofMillis(300))
                                .open()) {
            for (var fetcher : new NettyFetcher[] {hasty, brief}) {
                assertThat(((Failed) fetch(fetcher, server)).cause())
                        .isEqualTo(FailureCause.TIMEOUT);
                assertNoneOpen(fetcher);
            }
        }
    }

    private static void assertNoneOpen(NettyFetcher fetcher) throws InterruptedException {
        Eventually.until("no open connection", () -> fetcher.stats().openConnections() == 0);
    }
}
