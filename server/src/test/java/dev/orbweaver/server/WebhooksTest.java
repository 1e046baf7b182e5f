package dev.orbweaver.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.sun.net.httpserver.HttpServer;

import dev.orbweaver.internal.fetch.AddressPolicy;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;

/** Tests webhook deliveries, and addresses that must not be called. */
@Timeout(120)
@Slow
class WebhooksTest {

    private static final byte[] BODY = {'{', '}'};
    private static final Duration LONG = Duration.ofSeconds(60);

    /** Represents a public address: a loopback address without a server. */
    private static final InetAddress PUBLIC = InetAddress.ofLiteral("127.0.0.2");

    private static final InetAddress PRIVATE = InetAddress.ofLiteral("127.0.0.1");

    @TempDir Path directory;

    /** A received request. */
    // Never compared, so the array component is safe.
    @SuppressWarnings("ArrayRecordComponent")
    private record Delivery(String path, Map<String, List<String>> headers, byte[] body) {}

    private static final class WebhookServer implements AutoCloseable {
        private final LinkedBlockingQueue<Delivery> deliveries = new LinkedBlockingQueue<>();
        private final HttpServer server;

        WebhookServer(int status) throws IOException {
            server = HttpServer.create(new InetSocketAddress(PRIVATE, 0), 0);
            server.createContext(
                    "/",
                    exchange -> {
                        deliveries.add(
                                new Delivery(
                                        exchange.getRequestURI().toString(),
                                        Map.copyOf(exchange.getRequestHeaders()),
                                        exchange.getRequestBody().readAllBytes()));
                        exchange.getResponseHeaders().set("Location", "/elsewhere");
                        exchange.sendResponseHeaders(status, -1);
                        exchange.close();
                    });
            server.start();
        }

        int port() {
            return server.getAddress().getPort();
        }

        @Override
        public void close() {
            server.stop(0);
        }
    }

    private static WebhookClient post(WebhookClient.AddressLookup names) {
        return new WebhookClient(
                names,
                address -> address.equals(PRIVATE) ? Optional.of("not allowed") : Optional.empty(),
                (SSLSocketFactory) SSLSocketFactory.getDefault(),
                LONG);
    }

    private static WebhookClient anywhere(Duration deadline) {
        return new WebhookClient(
                _ -> List.of(PRIVATE),
                _ -> Optional.empty(),
                (SSLSocketFactory) SSLSocketFactory.getDefault(),
                deadline);
    }

    private static URI hook(int port) {
        return URI.create("http://hook.test:" + port + "/hook");
    }

    @Test
    void theEndOfAJobIsDeliveredWithAVerifiableSignature() throws Exception {
        try (var webhookServer = new WebhookServer(200);
                var site = ServedSite.documentation(3);
                var crawlServer = ApiClient.serve(directory);
                var apiClient = new ApiClient(crawlServer.port())) {
            var sent =
                    apiClient.call(
                            "POST",
                            "/api/v1/jobs",
                            "{\"seeds\":[\"%s\"],\"webhook\":{\"url\":\"http://127.0.0.1:%d/hook?by=%%C3%%A4\",\"secret\":\"12345678\"}}"
                                    .formatted(site.url("/"), webhookServer.port()));
            assertThat(sent.statusCode()).as(sent.body()).isEqualTo(202);
            var delivery = webhookServer.deliveries.poll(100, TimeUnit.SECONDS);
            assertThat(delivery).isNotNull();
            assertThat(delivery.path).isEqualTo("/hook?by=%C3%A4");
            assertThat(delivery.headers.get("Content-type")).containsExactly("application/json");
            var timestamp =
                    Objects.requireNonNull(delivery.headers.get("X-orbweaver-timestamp"))
                            .getFirst();
            assertThat(delivery.headers.get("X-orbweaver-signature"))
                    .containsExactly(
                            "sha256=" + Webhooks.sign("12345678", timestamp, delivery.body));
            assertThat(delivery.headers.get("X-orbweaver-event")).containsExactly("job.finished");
            var job = JsonMapper.shared().readTree(delivery.body);
            assertThat(job.path("state").asString()).isEqualTo("finished");
            assertThat(job.path("pages").asInt()).isEqualTo(4);
        }
    }

    @Test
    void aResolvedAddressIsPinnedAgainstDnsRebinding() throws Exception {
        try (var inside = new WebhookServer(200)) {
            var addresses = new ArrayDeque<>(List.of(PUBLIC, PRIVATE, PRIVATE));
            try (var post = post(_ -> List.of(addresses.removeFirst()))) {
                assertThatThrownBy(() -> post.send(hook(inside.port()), Map.of(), BODY))
                        .isInstanceOf(IOException.class);
                assertThat(addresses).as("one lookup per attempt").hasSize(2);
                assertThatThrownBy(() -> post.send(hook(inside.port()), Map.of(), BODY))
                        .hasMessageContaining("not allowed");
            }
            assertThat(inside.deliveries).isEmpty();
        }
    }

    @Test
    void aNameWithOneAddressThatMustNotBeCalledIsNotCalledAtAll() throws Exception {
        try (var inside = new WebhookServer(200);
                var post = post(_ -> List.of(PUBLIC, PRIVATE))) {
            assertThatThrownBy(() -> post.send(hook(inside.port()), Map.of(), BODY))
                    .hasMessageContaining("not allowed");
            assertThat(inside.deliveries).isEmpty();
        }
    }

    @Test
    void theAddressGuardAppliesToLiteralsToo() throws Exception {
        try (var inside = new WebhookServer(200);
                var post =
                        new WebhookClient(
                                host -> List.of(InetAddress.getAllByName(host)),
                                AddressPolicy.PUBLIC::refusalReason,
                                (SSLSocketFactory) SSLSocketFactory.getDefault(),
                                LONG)) {
            for (var host : List.of("127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "localhost")) {
                var uri = URI.create("http://" + host + ":" + inside.port() + "/");
                assertThatThrownBy(() -> post.send(uri, Map.of(), BODY))
                        .as(host)
                        .hasMessageContaining(" is ");
            }
            assertThat(inside.deliveries).isEmpty();
        }
    }

    @Test
    void aWebhookThatCouldNeverBeCalledIsRejectedWithItsJob() throws Exception {
        try (var webhooks = new Webhooks(AddressPolicy.PUBLIC)) {
            for (var host :
                    List.of("127.0.0.1:99", "[::1]", "localhost", "2130706433", "168.63.129.16")) {
                assertThatThrownBy(() -> webhooks.validate("http://" + host + "/hook"))
                        .as(host)
                        .hasMessageContaining("webhook.url is not allowed: ");
            }
            webhooks.validate("http://8.8.8.8/hook");
            webhooks.validate("http://not-yet.invalid/hook");
        }
        try (var webhooks = new Webhooks(new AddressPolicy(true, List.of(), Set.of()))) {
            webhooks.validate("http://127.0.0.1:99/hook");
            assertThatThrownBy(() -> webhooks.validate("http://169.254.169.254/"))
                    .hasMessageContaining("link-local");
        }
    }

    @Test
    void anUnresponsiveNameServerBlocksNoCallBeyondItsDeadlineAndFewThreads() throws Exception {
        var never = new CountDownLatch(1);
        try (var lookups =
                new TimedDnsLookup(
                        _ -> {
                            try {
                                never.await();
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                            }
                            return List.of();
                        })) {
            for (var i = 0; i < 8; i++) {
                assertThatThrownBy(() -> lookups.addresses("slow.test", Duration.ofMillis(5)))
                        .hasMessageContaining("DNS lookup of slow.test timed out");
            }
            assertThatThrownBy(() -> lookups.addresses("slow.test", LONG))
                    .hasMessageContaining("too many concurrent DNS lookups");
            never.countDown();
        }
    }

    @Test
    void aRedirectIsNotFollowed() throws Exception {
        try (var webhookServer = new WebhookServer(302);
                var post = anywhere(LONG)) {
            assertThat(post.send(hook(webhookServer.port()), Map.of(), BODY)).isEqualTo(302);
            assertThat(webhookServer.deliveries).hasSize(1);
            assertThat(webhookServer.deliveries.remove().headers.get("Host"))
                    .containsExactly("hook.test:" + webhookServer.port());
        }
    }

    /** Accepts connections and sends an endless response slowly. */
    private static ServerSocket rawServer(String what) throws IOException {
        var server = new ServerSocket(0, 50, PRIVATE);
        Thread.ofVirtual()
                .start(
                        () -> {
                            try (var socket = server.accept()) {
                                while (true) {
                                    socket.getOutputStream().write(what.getBytes(US_ASCII));
                                    Thread.sleep(5);
                                }
                            } catch (IOException | InterruptedException e) {
                                // The expected end: the client has disconnected.
                            }
                        });
        return server;
    }

    @Test
    void aResponseThatNeverEndsIsAbortedAtTheDeadline() throws Exception {
        try (var server = rawServer("H");
                var post = anywhere(Duration.ofMillis(500))) {
            assertThatThrownBy(() -> post.send(hook(server.getLocalPort()), Map.of(), BODY))
                    .isInstanceOf(IOException.class);
        }
        try (var server = rawServer("");
                var post = anywhere(Duration.ofMillis(500))) {
            assertThatThrownBy(() -> post.send(hook(server.getLocalPort()), Map.of(), BODY))
                    .hasMessageContaining("no response within");
        }
    }

    @Test
    void aResponseThatIsTooLongOrNotHttpIsRejected() throws Exception {
        for (var what :
                List.of("SSH-2.0-x\r\n", "HTTP/1.1 100 Continue\r\n\r\n", "x".repeat(999))) {
            try (var server = rawServer(what.repeat(50));
                    var post = anywhere(LONG)) {
                assertThatThrownBy(() -> post.send(hook(server.getLocalPort()), Map.of(), BODY))
                        .as(what)
                        .isInstanceOf(IOException.class)
                        .hasMessageNotContaining("no response within");
            }
        }
    }

    @Test
    @SuppressWarnings("try") // Closing is what is tested.
    void closingAbortsRequestsInProgress() throws Exception {
        try (var server = rawServer("");
                var post = anywhere(LONG)) {
            var failed = new LinkedBlockingQueue<String>();
            var _ =
                    Thread.ofVirtual()
                            .start(
                                    () -> {
                                        try {
                                            var _ =
                                                    post.send(
                                                            hook(server.getLocalPort()),
                                                            Map.of(),
                                                            BODY);
                                        } catch (IOException e) {
                                            failed.add(e.toString());
                                        }
                                    });
            post.close();
            assertThat(failed.poll(50, TimeUnit.SECONDS)).isNotNull();
        }
    }

    @Test
    void tlsVerifiesTheHostNameNotTheAddress() throws Exception {
        var tls = tlsFor("hook.test");
        try (var server = tls.getServerSocketFactory().createServerSocket(0, 50, PRIVATE)) {
            var names = new LinkedBlockingQueue<String>();
            Thread.ofVirtual().start(() -> respond(server, names));
            try (var post =
                    new WebhookClient(
                            _ -> List.of(PRIVATE),
                            _ -> Optional.empty(),
                            tls.getSocketFactory(),
                            LONG)) {
                var port = server.getLocalPort();
                var right = URI.create("https://hook.test:" + port + "/");
                assertThat(post.send(right, Map.of(), BODY)).isEqualTo(204);
                assertThat(names.poll(50, TimeUnit.SECONDS)).isEqualTo("hook.test");
                var wrong = URI.create("https://other.test:" + port + "/");
                assertThatThrownBy(() -> post.send(wrong, Map.of(), BODY))
                        .isInstanceOf(SSLException.class);
            }
        }
    }

    private static void respond(ServerSocket server, LinkedBlockingQueue<String> names) {
        while (!server.isClosed()) {
            try (var socket = (SSLSocket) server.accept()) {
                socket.startHandshake();
                var session = (ExtendedSSLSession) socket.getSession();
                session.getRequestedServerNames()
                        .forEach(name -> names.add(((SNIHostName) name).getAsciiName()));
                socket.getOutputStream()
                        .write("HTTP/1.1 204 No Content\r\n\r\n".getBytes(US_ASCII));
                var _ = socket.getInputStream().read();
            } catch (IOException e) {
                // A client that rejects the certificate disconnects like this.
            }
        }
    }

    /** A certificate for a name, and a context that trusts it. */
    private SSLContext tlsFor(String name) throws Exception {
        var store = directory.resolve("keys.p12");
        var made =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "keytool")
                                        .toString(),
                                "-genkeypair",
                                "-alias",
                                "a",
                                "-keyalg",
                                "EC",
                                "-dname",
                                "CN=" + name,
                                "-ext",
                                "SAN=dns:" + name,
                                "-storetype",
                                "PKCS12",
                                "-storepass",
                                "secret",
                                "-keystore",
                                store.toString())
                        .inheritIO()
                        .start()
                        .waitFor();
        assertThat(made).isZero();
        var keys = KeyStore.getInstance("PKCS12");
        try (var in = Files.newInputStream(store)) {
            keys.load(in, "secret".toCharArray());
        }
        var own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        own.init(keys, "secret".toCharArray());
        var trusted = KeyStore.getInstance(KeyStore.getDefaultType());
        trusted.load(null, null);
        trusted.setCertificateEntry("a", keys.getCertificate("a"));
        var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        var context = SSLContext.getInstance("TLS");
        context.init(own.getKeyManagers(), trust.getTrustManagers(), null);
        return context;
    }
}
