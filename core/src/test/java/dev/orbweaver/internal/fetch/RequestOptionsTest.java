package dev.orbweaver.internal.fetch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.orbweaver.internal.fetch.RequestOptions.Credential;
import dev.orbweaver.internal.fetch.RequestOptions.Header;
import dev.orbweaver.internal.fetch.RequestOptions.Proxy;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.FetchResult;
import dev.orbweaver.model.FetchResult.Failed;
import dev.orbweaver.model.FetchResult.Fetched;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/** Headers, credentials, cookies and proxies, over real sockets. */
@Timeout(60)
class RequestOptionsTest {

    private static final String HELLO = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

    @TempDir Path temporary;

    private static FetchResult fetch(NettyFetcher fetcher, String host, int port) {
        return fetcher.fetch(
                TestFetcher.url("http://" + host + ":" + port + "/"),
                InetAddress.getLoopbackAddress());
    }

    @Test
    void headersGoToTheirHostOnly() throws Exception {
        var requestOptions =
                new RequestOptions(
                        Map.of("a.example", List.of(new Header("X-Key", "one"))),
                        Map.of(),
                        false,
                        Optional.empty());
        try (var server = TestServer.start(v -> v.respondToAll(HELLO));
                var fetcher = TestFetcher.in(temporary).open(requestOptions)) {
            var _ = fetch(fetcher, "a.example", server.port());
            var _ = fetch(fetcher, "b.a.example", server.port());
            assertThat(server.requests().get(0)).contains("\r\nX-Key: one\r\n");
            assertThat(server.requests().get(1)).doesNotContain("X-Key");
        }
    }

    @Test
    void credentialsGoToTheirOriginOnlyAndAreNotRecorded() throws Exception {
        try (var server = TestServer.start(v -> v.respondToAll(HELLO));
                var other = TestServer.start(v -> v.respondToAll(HELLO))) {
            var port = server.port();
            var requestOptions =
                    new RequestOptions(
                            Map.of(),
                            Map.of(
                                    "http://a.example:" + port,
                                    Credential.basic("user:secret"),
                                    "https://b.example:" + port,
                                    Credential.bearer("token")),
                            false,
                            Optional.empty());
            try (var fetcher = TestFetcher.in(temporary).open(requestOptions)) {
                var result = (Fetched) fetch(fetcher, "a.example", port);
                assertThat(server.requests().getLast())
                        .contains("\r\nAuthorization: Basic dXNlcjpzZWNyZXQ=\r\n");
                assertThat(new String(result.exchange().requestHead(), ISO_8859_1))
                        .contains("\r\nAuthorization: (withheld)\r\n")
                        .doesNotContain("dXNl");
                // Another host, the same host without TLS, the same host on another port.
                var _ = fetch(fetcher, "www.a.example", port);
                assertThat(server.requests().getLast()).doesNotContain("Authorization");
                var _ = fetch(fetcher, "b.example", port);
                assertThat(server.requests().getLast()).doesNotContain("Authorization");
                var _ = fetch(fetcher, "a.example", other.port());
                assertThat(other.requests().getLast()).doesNotContain("Authorization");
            }
        }
        assertThat(Credential.bearer("token").toString()).doesNotContain("token");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Host", "user-agent", "Transfer-Encoding", "A B", "", "X:", "Cookie"})
    void aHeaderThatIsOursToSayIsRefused(String name) {
        assertThatThrownBy(() -> new Header(name, "x"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Header("X-Fine", "a\r\nb"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void cookiesAreSentBackOnlyWhenTheyAreWanted() throws Exception {
        var answer = "HTTP/1.1 200 OK\r\nSet-Cookie: id=7; Path=/\r\nContent-Length: 0\r\n\r\n";
        for (var wanted : new boolean[] {false, true}) {
            var requestOptions = new RequestOptions(Map.of(), Map.of(), wanted, Optional.empty());
            try (var server = TestServer.start(v -> v.respondToAll(answer));
                    var fetcher = TestFetcher.in(temporary).open(requestOptions);
                    var isolated = TestFetcher.in(temporary).open(requestOptions)) {
                var _ = fetch(fetcher, "a.example", server.port());
                var second = (Fetched) fetch(fetcher, "a.example", server.port());
                assertThat(server.requests().getLast().contains("\r\nCookie: id=7\r\n"))
                        .isEqualTo(wanted);
                assertThat(new String(second.exchange().requestHead(), ISO_8859_1))
                        .doesNotContain("id=7");
                var _ = fetch(fetcher, "b.example", server.port());
                assertThat(server.requests().getLast()).doesNotContain("Cookie");
                var _ = fetch(isolated, "a.example", server.port());
                assertThat(server.requests().getLast()).doesNotContain("Cookie");
            }
        }
    }

    /** With and without {@code --cookies}; only with it does Set-Cookie change anything. */
    @Test
    void cookiesOfAFileGoToTheirHostAndAreNotRecorded() throws Exception {
        var setting = "HTTP/1.1 200 OK\r\nSet-Cookie: id=8; Path=/\r\nContent-Length: 0\r\n\r\n";
        var file = List.of(new Cookie("id", "7", "a.example", true, "/", false, Instant.MAX));
        for (var kept : new boolean[] {false, true}) {
            var requestOptions =
                    new RequestOptions(Map.of(), Map.of(), kept, Optional.empty())
                            .withFileCookies(file);
            try (var server = TestServer.start(v -> v.respondToAll(setting));
                    var fetcher = TestFetcher.in(temporary).open(requestOptions)) {
                var first = (Fetched) fetch(fetcher, "a.example", server.port());
                assertThat(server.requests().getLast()).contains("\r\nCookie: id=7\r\n");
                assertThat(new String(first.exchange().requestHead(), ISO_8859_1))
                        .contains("\r\nCookie: (withheld)\r\n")
                        .doesNotContain("id=7");
                var _ = fetch(fetcher, "a.example", server.port());
                assertThat(server.requests().getLast())
                        .contains("\r\nCookie: id=" + (kept ? 8 : 7) + "\r\n");
                for (var other : List.of("www.a.example", "b.example", "example")) {
                    var _ = fetch(fetcher, other, server.port());
                    assertThat(server.requests().getLast()).doesNotContain("Cookie");
                }
            }
            assertThat(requestOptions.toString()).doesNotContain("id", "7");
        }
    }

    @ParameterizedTest
    @EnumSource(Proxy.Kind.class)
    void aProxyIsToldTheAddressAndNeverTheName(Proxy.Kind kind) throws Exception {
        var asked = new CopyOnWriteArrayList<String>();
        try (var server = TestServer.start(v -> v.respondToAll(HELLO));
                var proxy = TestServer.start(v -> serveProxy(v, kind, asked))) {
            var way = new Proxy(kind, "127.0.0.1", proxy.port(), "");
            var requestOptions = new RequestOptions(Map.of(), Map.of(), false, Optional.of(way));
            try (var fetcher = TestFetcher.in(temporary).open(requestOptions)) {
                var named = InetAddress.getByAddress("a.example", new byte[] {127, 0, 0, 1});
                var url = TestFetcher.url("http://a.example:" + server.port() + "/");
                for (var i = 0; i < 3; i++) {
                    assertThat(fetcher.fetch(url, named)).isInstanceOf(Fetched.class);
                }
            }
            assertThat(asked).containsExactly("127.0.0.1:" + server.port());
            assertThat(server.requests()).hasSize(3);
            assertThat(server.requests().getFirst()).contains("Host: a.example:");
        }
    }

    @Test
    @SuppressWarnings("try") // The test needs a proxy that is closed.
    void aProxyThatRefusesOrIsNotThereIsAFailureToConnect() throws Exception {
        try (var proxy =
                TestServer.start(
                        v -> {
                            v.awaitRequest();
                            v.send("HTTP/1.1 403 Forbidden\r\n\r\n");
                        })) {
            var way = new Proxy(Proxy.Kind.HTTP, "127.0.0.1", proxy.port(), "me:secret");
            var requestOptions = new RequestOptions(Map.of(), Map.of(), false, Optional.of(way));
            try (var fetcher = TestFetcher.in(temporary).open(requestOptions)) {
                var failed = (Failed) fetch(fetcher, "a.example", 80);
                assertThat(failed.cause()).isEqualTo(FailureCause.CONNECT);
                assertThat(failed.detail()).doesNotContain("secret");
                assertThat(proxy.requests().getFirst())
                        .startsWith("CONNECT 127.0.0.1:80 ")
                        .containsIgnoringCase("proxy-authorization: Basic bWU6c2VjcmV0");
                proxy.close();
                assertThat(((Failed) fetch(fetcher, "a.example", 80)).cause())
                        .isEqualTo(FailureCause.CONNECT);
            }
        }
    }

    private static void serveProxy(
            TestServer.ClientConnection clientConnection, Proxy.Kind kind, List<String> asked)
            throws IOException {
        var in = clientConnection.socket().getInputStream();
        String target =
                switch (kind) {
                    case HTTP -> {
                        clientConnection.awaitRequest();
                        yield clientConnection.requests().getLast().split(" ", -1)[1];
                    }
                    case SOCKS4 -> {
                        var request = in.readNBytes(9);
                        yield address(request, 4) + ":" + port(request, 2);
                    }
                    case SOCKS5 -> {
                        var methods = in.readNBytes(2);
                        in.readNBytes(methods[1]);
                        clientConnection.send(new byte[] {5, 0});
                        var request = in.readNBytes(10);
                        assertThat(request[3])
                                .as("an IPv4 address, not a name")
                                .isEqualTo((byte) 1);
                        yield address(request, 4) + ":" + port(request, 8);
                    }
                };
        asked.add(target);
        clientConnection.send(
                switch (kind) {
                    case HTTP -> "HTTP/1.1 200 OK\r\n\r\n".getBytes(ISO_8859_1);
                    case SOCKS4 -> new byte[] {0, 90, 0, 0, 0, 0, 0, 0};
                    case SOCKS5 -> new byte[] {5, 0, 0, 1, 0, 0, 0, 0, 0, 0};
                });
        var colon = target.lastIndexOf(':');
        try (var there =
                new Socket(
                        target.substring(0, colon),
                        Integer.parseInt(target.substring(colon + 1)))) {
            var back =
                    Thread.startVirtualThread(
                            () -> {
                                try {
                                    there.getInputStream()
                                            .transferTo(
                                                    clientConnection.socket().getOutputStream());
                                } catch (IOException closed) {
                                    // The test is over.
                                }
                            });
            in.transferTo(there.getOutputStream());
            there.shutdownOutput();
            assertThat(back).isNotNull();
        }
    }

    private static String address(byte[] bytes, int at) {
        return bytes[at] + "." + bytes[at + 1] + "." + bytes[at + 2] + "." + bytes[at + 3];
    }

    private static int port(byte[] bytes, int at) {
        return (bytes[at] & 0xFF) << 8 | (bytes[at + 1] & 0xFF);
    }
}
