package dev.orbweaver.fetch;

import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.FetchResult;
import dev.orbweaver.url.CrawlUrls;
import dev.orbweaver.url.Normalisation;

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
record Client(
        Path temporary,
        Duration connect,
        Duration firstByte,
        Duration total,
        long bodyBytesMax,
        boolean insecure,
        Set<String> granted,
        Map<String, InetAddress> fixed,
        Optional<InetSocketAddress> nameServer) {

    static final CrawlUrls URLS = new CrawlUrls(Normalisation.DEFAULT);

    static Client in(Path temporary) {
        var patient = Duration.ofSeconds(30);
        return new Client(
                temporary,
                patient,
                patient,
                patient,
                2 << 20,
                false,
                Set.of(),
                Map.of(),
                Optional.empty());
    }

    Client limits(Duration connecting, Duration first, Duration whole) {
        return new Client(
                temporary,
                connecting,
                first,
                whole,
                bodyBytesMax,
                insecure,
                granted,
                fixed,
                nameServer);
    }

    Client trustingAll() {
        return new Client(
                temporary,
                connect,
                firstByte,
                total,
                bodyBytesMax,
                true,
                granted,
                fixed,
                nameServer);
    }

    Client granting(String origin) {
        return new Client(
                temporary,
                connect,
                firstByte,
                total,
                bodyBytesMax,
                insecure,
                Set.of(origin),
                fixed,
                nameServer);
    }

    Client knowing(String host, String address) {
        return new Client(
                temporary,
                connect,
                firstByte,
                total,
                bodyBytesMax,
                insecure,
                granted,
                Map.of(host, InetAddress.ofLiteral(address)),
                nameServer);
    }

    Client asking(InetSocketAddress server) {
        return new Client(
                temporary,
                connect,
                firstByte,
                total,
                bodyBytesMax,
                insecure,
                granted,
                fixed,
                Optional.of(server));
    }

    NettyFetcher open() {
        return new NettyFetcher(settings("Test/1.0 (+mailto:test@example.org)"), clock());
    }

    /** A fetcher whose requests carry more than the ordinary. */
    NettyFetcher open(Access access) {
        var plain = settings("Test/1.0 (+mailto:test@example.org)");
        return new NettyFetcher(
                new FetchSettings(
                        plain.userAgent(),
                        plain.times(),
                        plain.connections(),
                        plain.headBytesMax(),
                        plain.bodyBytesMax(),
                        plain.insecure(),
                        plain.addresses(),
                        plain.fixed(),
                        plain.nameServer(),
                        access,
                        plain.temporary()),
                clock());
    }

    private static InstantSource clock() {
        return InstantSource.system();
    }

    FetchSettings settings(String userAgent) {
        return new FetchSettings(
                userAgent,
                new FetchSettings.Times(connect, connect, firstByte, total),
                new FetchSettings.Connections(100, 100, Duration.ofSeconds(30)),
                64 << 10,
                bodyBytesMax,
                insecure,
                new AddressPolicy(false, List.of(), granted),
                fixed,
                nameServer,
                Access.PLAIN,
                temporary);
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
