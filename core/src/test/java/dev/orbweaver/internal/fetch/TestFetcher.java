package dev.orbweaver.internal.fetch;

import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.Normalisation;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.FetchResult;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Settings for tests, and a fetcher with them. */
record TestFetcher(
        Path tempDirectory,
        Duration connect,
        Duration firstByte,
        Duration total,
        long bodyBytesMax,
        boolean insecure,
        boolean http2,
        Set<String> allowedOrigins,
        Map<String, InetAddress> hostOverrides,
        Optional<InetSocketAddress> nameServer) {

    static final CrawlUrls URLS = new CrawlUrls(Normalisation.DEFAULT);

    static TestFetcher in(Path temporary) {
        var patient = Duration.ofSeconds(30);
        return new TestFetcher(
                temporary,
                patient,
                patient,
                patient,
                2 << 20,
                false,
                false,
                Set.of(),
                Map.of(),
                Optional.empty());
    }

    TestFetcher timeouts(Duration connecting, Duration first, Duration whole) {
        return new TestFetcher(
                tempDirectory,
                connecting,
                first,
                whole,
                bodyBytesMax,
                insecure,
                http2,
                allowedOrigins,
                hostOverrides,
                nameServer);
    }

    TestFetcher trustingAll() {
        return new TestFetcher(
                tempDirectory,
                connect,
                firstByte,
                total,
                bodyBytesMax,
                true,
                http2,
                allowedOrigins,
                hostOverrides,
                nameServer);
    }

    TestFetcher withHttp2() {
        return new TestFetcher(
                tempDirectory,
                connect,
                firstByte,
                total,
                bodyBytesMax,
                insecure,
                true,
                allowedOrigins,
                hostOverrides,
                nameServer);
    }

    TestFetcher allowingOrigin(String origin) {
        return new TestFetcher(
                tempDirectory,
                connect,
                firstByte,
                total,
                bodyBytesMax,
                insecure,
                http2,
                Set.of(origin),
                hostOverrides,
                nameServer);
    }

    TestFetcher withHostAddress(String host, String address) {
        return new TestFetcher(
                tempDirectory,
                connect,
                firstByte,
                total,
                bodyBytesMax,
                insecure,
                http2,
                allowedOrigins,
                Map.of(host, InetAddress.ofLiteral(address)),
                nameServer);
    }

    TestFetcher withNameServer(InetSocketAddress server) {
        return new TestFetcher(
                tempDirectory,
                connect,
                firstByte,
                total,
                bodyBytesMax,
                insecure,
                http2,
                allowedOrigins,
                hostOverrides,
                Optional.of(server));
    }

    NettyFetcher open() {
        return new NettyFetcher(settings("Test/1.0 (+mailto:test@example.org)"), clock());
    }

    /** Creates a fetcher whose requests have additional options. */
    NettyFetcher open(RequestOptions requestOptions) {
        var plain = settings("Test/1.0 (+mailto:test@example.org)");
        return new NettyFetcher(
                new FetchSettings(
                        plain.userAgent(),
                        plain.timeouts(),
                        plain.connectionLimits(),
                        plain.headBytesMax(),
                        plain.bodyBytesMax(),
                        plain.insecure(),
                        plain.http2(),
                        plain.addressPolicy(),
                        plain.hostOverrides(),
                        plain.nameServer(),
                        requestOptions,
                        plain.tempDirectory()),
                clock());
    }

    private static InstantSource clock() {
        return InstantSource.system();
    }

    FetchSettings settings(String userAgent) {
        return new FetchSettings(
                userAgent,
                new FetchSettings.Timeouts(connect, connect, firstByte, total),
                new FetchSettings.ConnectionLimits(100, 100, Duration.ofSeconds(30)),
                64 << 10,
                bodyBytesMax,
                insecure,
                http2,
                new AddressPolicy(false, List.of(), allowedOrigins),
                hostOverrides,
                nameServer,
                RequestOptions.NONE,
                tempDirectory);
    }

    static CrawlUrl url(String text) {
        return URLS.parse(text).orElseThrow(() -> new IllegalArgumentException(text));
    }

    /** Fetches from a server on loopback. */
    static FetchResult fetch(NettyFetcher fetcher, TestServer server, String path) {
        return fetcher.fetch(
                url("http://site.example:" + server.port() + path),
                InetAddress.getLoopbackAddress());
    }
}
